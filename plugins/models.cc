// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/models.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "plugins/hit_filter.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"

using namespace perfboard;

namespace perfboard {

Forever<Models> g_models_forever;

namespace {

constexpr size_t kHeadBytes = 48;  // before each model's memory in an image: Head

template <typename Geometry>
bool same(const Geometry& a, const Geometry& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The model of this geometry, made if there is none; nullptr: there are too many.
template <typename Kind>
PbModel* open(ModelsOf<Kind>& all, PbModel::Which which, const typename Kind::Geometry& geometry, char* why,
              size_t size) {
  if (!Kind::ok(&geometry, why, size)) return nullptr;
  for (auto& model : all.models)
    if (model && model->handle.holders && same(model->geometry, geometry))
      return pb_model_hold(&model->handle);
  const uint32_t there = all.there.load(std::memory_order_relaxed);
  const auto index = static_cast<unsigned>(__builtin_ctz(~there));
  if (index >= PB_MOST_MODELS) {
    std::snprintf(why, size, "more than %d different geometries of %s", PB_MOST_MODELS, Kind::kName);
    return nullptr;
  }
  const size_t bytes = (Kind::bytes(&geometry) + 7) / 8 * 8;
  const size_t all_bytes = pb_models_bytes() + kHeadBytes + bytes * g_layer.cpu_count;
  if (all_bytes > PB_MODELS_MOST) {
    std::snprintf(why, size, "caches and TLBs of %u vCPUs would take %zu bytes; legal are up to %u together",
                  g_layer.cpu_count, all_bytes, PB_MODELS_MOST);
    return nullptr;
  }
  auto& model = all.models[index];
  if (!model) {
    model = std::make_unique<ModelOf<Kind>>();
    model->cpus = std::make_unique<Modelled<typename Kind::Node>[]>(g_layer.cpu_count);
  }
  model->handle = {which, index, 0, 1};
  model->geometry = geometry;
  model->bytes = bytes;
  model->memory.assign(bytes * g_layer.cpu_count / 8, 0);
  for (unsigned i = 0; i < g_layer.cpu_count; ++i)
    Kind::attach(&model->cpus[i].node, &geometry,
                 reinterpret_cast<char*>(model->memory.data()) + i * model->bytes);
  all.there.fetch_or(1u << index, std::memory_order_release);
  pb_machine.models_saved(true);
  return &model->handle;
}

uint64_t now(const Count& count) { return count.load(std::memory_order_relaxed); }

// The only model in use, if it is one.
template <typename Kind>
ModelOf<Kind>* only(const ModelsOf<Kind>& all) {
  const uint32_t used = all.used.load(std::memory_order_relaxed);
  return used && !(used & (used - 1)) ? all.models[__builtin_ctz(used)].get() : nullptr;
}

// f(model) of each that is open, of every kind. Big lock held. Machines with the same models have the same
// order, however these came.
template <typename F>
void each(F&& f) {
  const auto of = [&](auto& all) {
    std::vector<std::decay_t<decltype(*all.models[0])>*> open;
    for (auto& model : all.models)
      if (model && model->handle.holders) open.push_back(model.get());
    std::sort(open.begin(), open.end(), [](const auto* a, const auto* b) {
      return std::memcmp(&a->geometry, &b->geometry, sizeof a->geometry) < 0;
    });
    for (auto* model : open) f(*model);
  };
  of(g_models.caches);
  of(g_models.fetches);
  of(g_models.tlbs);
  of(g_models.fetch_tlbs);
}

// f(node) of the vCPU in each model of these. The vCPU's thread, or while it does not run.
template <typename All, typename F>
void each_node(All& all, unsigned vcpu, F&& f) {
  each_bit(all.there.load(std::memory_order_acquire),
           [&](unsigned m) { f(&all.models[m]->cpus[vcpu].node); });
}

void drop(unsigned vcpu, uint64_t addr, uint32_t bytes) {
  if (bytes) hit_filter_touch(g_layer.cpus[vcpu], addr, bytes);
  const auto invalidate = [&](CacheNode* node) { cache_invalidate(node, addr, bytes); };
  each_node(g_models.caches, vcpu, invalidate);
  each_node(g_models.fetches, vcpu, invalidate);
}

std::atomic<bool> g_dropping{false};  // blocks are about to be thrown away, and what is written to be dropped

// Stands before each model's memory in an image.
struct Head {
  uint64_t kind, cpus;
  unsigned char geometry[32] = {};
};
static_assert(sizeof(Head) == kHeadBytes);

template <typename Model>
Head head_of(const Model& model) {
  static_assert(sizeof model.geometry <= sizeof Head::geometry);
  Head head = {Model::Kind::kNumber, g_layer.cpu_count};
  std::memcpy(head.geometry, &model.geometry, sizeof model.geometry);
  return head;
}

// What translated code takes as known.
void forget_all() {
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    hit_filter_clear(g_layer.cpus[i]);
    g_layer.cpus[i].fetched->page = PB_FETCHED_NONE;
  }
}

}  // namespace

uint32_t models_features() {
  auto* const cache = only(g_models.caches);
  auto* const tlb = only(g_models.tlbs);
  auto* const fetches = only(g_models.fetches);
  std::atomic_thread_fence(std::memory_order_release);  // whoever finds a model finds it whole
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    // A block that still runs may look at what it was translated for.
    if (cache) g_layer.cpus[i].caches = &cache->cpus[i];
    if (tlb) g_layer.cpus[i].tlb = &tlb->cpus[i];
    g_layer.cpus[i].fetches = fetches ? &fetches->cpus[i] : nullptr;
  }
  const auto of = [](const auto& all, const auto* one, uint32_t feature) {
    return all.used.load(std::memory_order_relaxed) == 0 ? 0u : one ? feature : kMany;
  };
  return of(g_models.caches, cache, kCached) | of(g_models.tlbs, tlb, kTlbUsed) |
         (g_models.fetches.used.load(std::memory_order_relaxed) ? kFetches : 0) |
         (g_models.fetch_tlbs.used.load(std::memory_order_relaxed) ? kFetchPages : 0);
}

uint64_t models_fetch_line() {
  uint64_t line = UINT64_MAX;
  for (unsigned m = 0; m < PB_MOST_MODELS; ++m)
    if (g_models.fetches.used.load(kAcquire) >> m & 1)
      line = std::min<uint64_t>(line, g_models.fetches.models[m]->geometry.line);
  return line;
}

unsigned models_number(const PbModel* model, ModelCount what) {
  constexpr unsigned kOthers = 4;  // behind one of each kind, the data caches' further ones
  const unsigned row = what == ModelCount::kMisses ? static_cast<unsigned>(model->which)
                                                   : kOthers + static_cast<unsigned>(what) - 1;
  return row * PB_MOST_MODELS + model->index;
}

uint64_t models_count(unsigned number, unsigned vcpu, bool privileged) {
  const unsigned index = number % PB_MOST_MODELS;
  const auto of = [&](const auto& all, auto&& what) {
    return all.models[index] ? what(all.models[index]->cpus[vcpu]) : 0;
  };
  const auto misses = [&](const auto& cpu) { return now(cpu.misses[privileged]); };
  const auto store_misses = [&](const auto& cpu) { return now(cpu.store_misses[privileged]); };
  switch (number / PB_MOST_MODELS) {
    case PbModel::kCaches:
      return of(g_models.caches, misses) + of(g_models.caches, store_misses);
    case PbModel::kFetches:
      return of(g_models.fetches, misses);
    case PbModel::kTlbs:
      return of(g_models.tlbs, misses);
    case PbModel::kFetchTlbs:
      return of(g_models.fetch_tlbs, misses);
    case 4:
      return of(g_models.caches, misses);
    case 5:
      return of(g_models.caches, store_misses);
    default:
      return of(g_models.caches, [&](const auto& cpu) { return now(cpu.castouts[privileged]); });
  }
}

void models_drop_written(unsigned vcpu) {
  Written& written = g_layer.cpus[vcpu].written;
  if (!written.any.load(std::memory_order_acquire)) return;
  const std::lock_guard guard(written.lock);
  for (const auto& [addr, bytes] : written.lines) drop(vcpu, addr, bytes);
  written.lines.clear();
  if (written.lines.capacity() > 2 * Written::kFirstTidied) written.lines.shrink_to_fit();
  written.tidied = Written::kFirstTidied;
  written.any.store(false, std::memory_order_relaxed);
}

void models_drop_all_written() {
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) models_drop_written(i);
  g_dropping.store(false);
}

void models_tlb_empty(unsigned vcpu) {
  g_layer.cpus[vcpu].fetched->page = PB_FETCHED_NONE;
  hit_filter_clear_pages(g_layer.cpus[vcpu]);
  each_node(g_models.tlbs, vcpu, tlb_reset);
  each_node(g_models.fetch_tlbs, vcpu, tlb_reset);
}

void models_tlb_drop(unsigned vcpu, uint64_t page) {
  g_layer.cpus[vcpu].fetched->page = PB_FETCHED_NONE;
  hit_filter_touch_page(g_layer.cpus[vcpu], page);
  const auto drop_page = [&](TlbNode* node) { tlb_drop(node, page); };
  each_node(g_models.tlbs, vcpu, drop_page);
  each_node(g_models.fetch_tlbs, vcpu, drop_page);
}

}  // namespace perfboard

PbModel* pb_model_caches(const CacheGeometry* geometry, char* why, size_t size) {
  return open(g_models.caches, PbModel::kCaches, *geometry, why, size);
}

PbModel* pb_model_fetches(const CacheGeometry* geometry, char* why, size_t size) {
  if (geometry->l2_size || !geometry->l1_size) {
    std::snprintf(why, size, "an instruction cache has one level");
    return nullptr;
  }
  return open(g_models.fetches, PbModel::kFetches, *geometry, why, size);
}

PbModel* pb_model_tlb(const TlbGeometry* geometry, char* why, size_t size) {
  return open(g_models.tlbs, PbModel::kTlbs, *geometry, why, size);
}

PbModel* pb_model_fetch_tlb(const TlbGeometry* geometry, char* why, size_t size) {
  return open(g_models.fetch_tlbs, PbModel::kFetchTlbs, *geometry, why, size);
}

PbModel* pb_model_hold(PbModel* model) {
  model->holders++;
  return model;
}

void pb_model_close(PbModel* model) {
  if (--model->holders) return;
  bool any = false;
  each([&](const auto&) { any = true; });
  if (!any) pb_machine.models_saved(false);
  pb_machine.retranslate();
  if (pb_machine.no_blocks_yet()) pb_models_tidy();
}

void pb_models_tidy(void) {
  const auto of = [](auto& all) {
    each_bit(all.there.load(std::memory_order_relaxed), [&](unsigned m) {
      if (all.models[m]->handle.holders) return;
      all.there.fetch_and(~(1u << m), std::memory_order_relaxed);
      std::vector<uint64_t>().swap(all.models[m]->memory);
    });
  };
  of(g_models.caches);
  of(g_models.fetches);
  of(g_models.tlbs);
  of(g_models.fetch_tlbs);
}

void pb_model_use(PbModel* model, bool on) {
  model->users += on ? 1u : -1u;
  std::atomic<uint32_t>* const used[] = {&g_models.caches.used, &g_models.fetches.used, &g_models.tlbs.used,
                                         &g_models.fetch_tlbs.used};
  put_bit(*used[model->which], model->index, model->users != 0);
  // One more that has not seen the page in which the vCPU is: hit_filter_renew().
  if (model->which == PbModel::kFetchTlbs) pb_machine.retranslate();
  layer_changed();
}

uint64_t pb_model_misses(const PbModel* model, unsigned vcpu, bool privileged) {
  return models_count(models_number(model, ModelCount::kMisses), vcpu, privileged);
}

void pb_models_written(uint64_t addr, uint32_t bytes) {
  bool many = false;
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    if (pb_machine.devices_alone()) {
      drop(i, addr, bytes);
      continue;
    }
    // Only the vCPU's own thread may touch its caches.
    Written& written = g_layer.cpus[i].written;
    const std::lock_guard guard(written.lock);
    written.lines.emplace_back(addr, bytes);
    if (written.lines.size() >= written.tidied) {
      std::sort(written.lines.begin(), written.lines.end());
      written.lines.erase(std::unique(written.lines.begin(), written.lines.end()), written.lines.end());
      written.tidied = std::max(Written::kFirstTidied, 2 * written.lines.size());
      many |= written.lines.size() >= Written::kMost;
    }
    written.any.store(true, std::memory_order_release);
  }
  if (many && !g_dropping.exchange(true)) pb_machine.retranslate();
}

size_t pb_models_bytes() {
  size_t bytes = 0;
  each([&](const auto& model) { bytes += sizeof(Head) + model.memory.size() * 8; });
  return bytes;
}

void pb_models_save(void* image) {
  models_drop_all_written();  // no vCPU runs
  auto* at = static_cast<char*>(image);
  each([&](const auto& model) {
    const Head head = head_of(model);
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, model.memory.data(), model.memory.size() * 8);
    at += sizeof head + model.memory.size() * 8;
  });
}

bool pb_models_ok(const void* image, char* why, size_t size) {
  const auto* at = static_cast<const char*>(image);
  bool ok = true;
  each([&](const auto& model) {
    using Model = std::decay_t<decltype(model)>;
    const Head head = head_of(model);
    const bool same_model = std::memcmp(at, &head, sizeof head) == 0;
    at += sizeof head;
    if (ok && !same_model) {
      std::snprintf(why, size, "it was saved with other caches, TLBs or vCPUs than this machine has");
      ok = false;
    }
    // In memory of its own: an image need not be aligned.
    std::vector<uint64_t> copy(model.bytes / 8);
    for (unsigned i = 0; ok && i < g_layer.cpu_count; ++i) {
      char wrong[120];
      std::memcpy(copy.data(), at + i * model.bytes, model.bytes);
      ok = Model::Kind::state_ok(&model.geometry, copy.data(), wrong, sizeof wrong);
      if (!ok) std::snprintf(why, size, "vCPU %u's %s: %s", i, Model::Kind::kName, wrong);
    }
    at += model.memory.size() * 8;
  });
  return ok;
}

void pb_models_load(const void* image) {
  forget_all();
  const auto* at = static_cast<const char*>(image);
  each([&](auto& model) {
    at += sizeof(Head);
    std::memcpy(model.memory.data(), at, model.memory.size() * 8);
    at += model.memory.size() * 8;
  });
}

void pb_models_reset() {
  models_drop_all_written();
  forget_all();
  each([](auto& model) { std::fill(model.memory.begin(), model.memory.end(), 0); });
}
