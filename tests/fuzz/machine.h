// SPDX-License-Identifier: GPL-2.0-or-later
//
// Machine - what a board's model needs around it in a fuzz target: a clock, a timer, an interrupt line, and
// nobody who reads its lines.
//
//   class Rig : public Machine { ... x_init(&board, &config, &host()); ... };
//   pass(ns, 100, [&] { x_timer(&board); });      time passes, and the timer fires on the way: at most 100
//   times
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/core/host.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;

 protected:
  PbHost& host() { return host_; }
  template <typename Timer>
  void pass(uint64_t ns, int most, Timer timer) {
    const uint64_t until = now_ + ns;
    for (int turns = 0; armed_ <= until; ++turns) {
      FUZZ_CHECK(turns < most, "the timer asks for %llu again and again",
                 static_cast<unsigned long long>(armed_));
      now_ = std::max(now_, armed_);
      armed_ = PB_NEVER;
      timer();
    }
    now_ = std::max(now_, until);
  }

  uint64_t now_ = 1'000'000, armed_ = PB_NEVER;
  bool irq_ = false;

 private:
  static Machine& machine(void* o) { return *static_cast<Machine*>(o); }

  PbHost host_ = {
      .opaque = this,
      .now = [](void* o) { return machine(o).now_; },
      .set_irq = [](void* o, bool level) { machine(o).irq_ = level; },
      .arm = [](void* o, uint64_t t) { machine(o).armed_ = t; },
      .dma_read = nullptr,
      .dma_write = nullptr,
      .log = [](void*, pb_log_kind, const char*) {},
  };
};

}  // namespace perfboard::fuzz
