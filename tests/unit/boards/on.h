// SPDX-License-Identifier: GPL-2.0-or-later
//
// OnBase - a board with the machine around it, as tests of all boards take its snapshots; On - such a one,
// made of a fixture, its model and the model's functions.
//
//   class OnX : public boards::On<boards::OnBench, XBench, [](XBench& b) { return &b.board; }, x_state_ok, x_load>
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/unit/model/rig.h"

namespace perfboard::boards {

// A row of damaged snapshots: how the complaint begins, the damage, and of what configuration.
template <typename State>
struct DamageOf {
  const char* line;
  void (*make)(State&);
  unsigned variant = 0;
};
// The member has that value, and so the complaint says: SET(fifo.head, 4096, kVariant).
#define SET(member, value, ...) {#member "=", [](auto& s) { s.member = value; } __VA_OPT__(, ) __VA_ARGS__}

class OnBase {
 public:
  virtual ~OnBase() = default;
  virtual Rig& rig() = 0;
  virtual std::span<uint8_t> state() = 0;
  virtual bool ok(const void* image, char* why, uint32_t size) = 0;    // x_state_ok()
  virtual bool load(const void* image, char* why, uint32_t size) = 0;  // x_load()
  virtual void reset() = 0;                                            // as a refused snapshot leaves it
  // What lies between members may be anything, and becomes 0. False: this compiler cannot tell it apart.
  virtual bool clear_padding() = 0;
};

// A copy of its state.
inline std::vector<uint8_t> image_of(OnBase& bench) { return {bench.state().begin(), bench.state().end()}; }

template <typename Base, typename Fixture, auto kChip, auto kOk, auto kLoad>
class On : public Base {
 public:
  template <typename... Arguments>
  explicit On(Arguments... arguments) : bench(arguments...) {}
  Rig& rig() override { return bench; }
  std::span<uint8_t> state() override {
    return {reinterpret_cast<uint8_t*>(&kChip(bench)->state), sizeof(State)};
  }
  bool ok(const void* image, char* why, uint32_t size) override {
    return kOk(kChip(bench), static_cast<const State*>(image), why, size);
  }
  bool load(const void* image, char* why, uint32_t size) override {
    return kLoad(kChip(bench), static_cast<const State*>(image), why, size);
  }
  bool clear_padding() override {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&kChip(bench)->state);
    return true;
#else
    return std::has_unique_object_representations_v<State>;
#endif
  }
  Fixture bench;

 private:
  using State = std::remove_reference_t<decltype(kChip(std::declval<Fixture&>())->state)>;
};

}  // namespace perfboard::boards
