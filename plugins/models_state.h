// SPDX-License-Identifier: GPL-2.0-or-later
//
// The models themselves, for models.cc, which opens and saves them, and pass.cc, which runs accesses through
// them.
#ifndef PERFBOARD_PLUGINS_MODELS_STATE_H
#define PERFBOARD_PLUGINS_MODELS_STATE_H

#include <memory>
#include <vector>

#include "plugins/layer.h"

struct PbModel {
  enum Which { kCaches, kFetches, kTlbs, kFetchTlbs } which;
  unsigned index;
  unsigned users;    // while they want to know
  unsigned holders;  // that have opened it; 0: it is closed
};

namespace perfboard {

struct CacheKind {
  using Geometry = CacheGeometry;
  using Node = CacheNode;
  static constexpr const char* kName = "data caches";
  static constexpr uint64_t kNumber = 1;
  static constexpr auto ok = cache_geometry_ok;
  static constexpr auto bytes = cache_state_bytes;
  static constexpr auto attach = cache_attach;
  static constexpr auto state_ok = cache_state_ok;
};

struct FetchKind : CacheKind {
  static constexpr const char* kName = "instruction caches";
  static constexpr uint64_t kNumber = 2;
};

struct TlbKind {
  using Geometry = TlbGeometry;
  using Node = TlbNode;
  static constexpr const char* kName = "TLBs";
  static constexpr uint64_t kNumber = 3;
  static constexpr auto ok = tlb_geometry_ok;
  static constexpr auto bytes = tlb_state_bytes;
  static constexpr auto attach = tlb_attach;
  static constexpr auto state_ok = tlb_state_ok;
};

struct FetchTlbKind : TlbKind {
  static constexpr const char* kName = "instruction TLBs";
  static constexpr uint64_t kNumber = 4;
};

// All zero is an empty model, as its reset leaves it.
template <typename K>
struct ModelOf {
  using Kind = K;
  PbModel handle;
  typename K::Geometry geometry;
  size_t bytes = 0;              // of one vCPU's part of the memory
  std::vector<uint64_t> memory;  // flat: what a snapshot holds
  std::unique_ptr<Modelled<typename K::Node>[]> cpus;
};

template <typename K>
struct ModelsOf {
  // A place that was taken once stays: another model that takes it counts on, as counts never fall.
  std::unique_ptr<ModelOf<K>> models[PB_MOST_MODELS];
  std::atomic<uint32_t> used{0};   // a bit for each
  std::atomic<uint32_t> there{0};  // a bit for each that has memory
};

struct Models {
  ModelsOf<CacheKind> caches;
  ModelsOf<FetchKind> fetches;
  ModelsOf<TlbKind> tlbs;
  ModelsOf<FetchTlbKind> fetch_tlbs;
};

extern Forever<Models> g_models_forever;
inline constexpr Models& g_models = g_models_forever.object;

// The shortest line of the instruction caches in use, in bytes; one is in use.
uint64_t models_fetch_line();

// What a model counts: one of each kind its misses, data caches more.
enum class ModelCount : unsigned { kMisses, kLoadMisses, kStoreMisses, kCastouts };
// Such counts by number, over all models, below kModelCounts. 0 if there is no such model.
inline constexpr unsigned kModelCounts = (4 + 3) * PB_MOST_MODELS;
unsigned models_number(const PbModel* model, ModelCount what);
uint64_t models_count(unsigned number, unsigned vcpu, bool privileged);

// The vCPU's caches drop what pb_models_written() has left for it. In the vCPU's thread, or while it does not
// run.
void models_drop_written(unsigned vcpu);
void models_drop_all_written();  // while no vCPU runs

// An instruction has changed translations: the vCPU's TLBs are emptied, or lose a page. In the vCPU's thread.
void models_tlb_empty(unsigned vcpu);
void models_tlb_drop(unsigned vcpu, uint64_t page);

}  // namespace perfboard
#endif
