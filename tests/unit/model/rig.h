// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rig - the machine around a board in a test: a clock, a timer, an interrupt line, and ears for all that a
// board says.
//
//   struct XBench : Rig {
//     XBench() { x_init(&board, &config, &host()); }
//     void pass_until(uint64_t ns) { Rig::pass_until(ns, [this] { x_timer(&board); }); }
//   };
//   bench.logged("FIFO")       a guest's error said so
//   bench.mistakes             numbers of the board's view, in the order in which they were made
//   bench.effects              the same, each with its value
//   bench.values(kTriggered)   those of one effect; told(): all, by name
//
// A fixture changes what its board must not do, or does besides: host().set_irq = ... The opaque pointer of
// the functions is the Rig.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/model/host.h"

namespace perfboard {

// What a board's x_config_ok() says of a configuration; "": nothing.
template <auto ok, typename Config>
std::string complaint_about(const Config& config) {
  char why[200] = "";
  return ok(&config, why, sizeof why) ? "" : why;
}

class Rig {
 public:
  Rig() = default;
  Rig(const Rig&) = delete;

  // Virtual time passes as QEMU's does: from timer to timer, of which so many are too many.
  template <typename Timer>
  void pass_until(uint64_t ns, Timer timer, int most = 10'000'000) {
    while (armed <= ns) {
      if (most-- == 0) FAIL() << "the timer asks for " << armed << " again and again";
      now = std::max(now, armed);
      armed = PB_NEVER;
      ++timers;
      timer();
    }
    now = std::max(now, ns);
  }
  bool logged(std::string_view text) const {
    return std::any_of(log.begin(), log.end(),
                       [&](const std::string& line) { return line.find(text) != line.npos; });
  }
  bool mistaken(unsigned number) const { return std::count(mistakes.begin(), mistakes.end(), number) != 0; }
  std::vector<uint64_t> values(unsigned effect) const {
    std::vector<uint64_t> all;
    for (const auto& [number, value] : effects)
      if (number == effect) all.push_back(value);
    return all;
  }
  // Effects since it was last asked, by the names that the board's view has: "packet=1 full=0".
  template <typename View>
  std::string told(const View& view) {
    std::string text;
    for (const auto& [number, value] : std::exchange(effects, {}))
      text +=
          (text.empty() ? "" : " ") + std::string(view.effects[number].name) + "=" + std::to_string(value);
    return text;
  }

  uint64_t now = 1'000'000, armed = PB_NEVER;
  int arms = 0, timers = 0;  // times that it was armed, and that it fired
  bool irq = false;
  std::vector<std::string> log, unimp;
  std::vector<unsigned> mistakes;
  std::vector<std::pair<unsigned, uint64_t>> effects;
  std::function<void(unsigned, uint64_t)> on_effect;

 protected:
  PbHost& host() { return host_; }

 private:
  static Rig& rig(void* o) { return *static_cast<Rig*>(o); }
  static void hear(void* o, pb_log_kind kind, const char* line) {
    EXPECT_EQ(std::string_view(line).find('\n'), std::string_view::npos);
    (kind == PB_LOG_UNIMP ? rig(o).unimp : rig(o).log).emplace_back(line);
  }

  PbHost host_ = {
      .opaque = this,
      .now = [](void* o) { return rig(o).now; },
      .set_irq = [](void* o, bool level) { rig(o).irq = level; },
      .arm =
          [](void* o, uint64_t deadline) {
            rig(o).armed = deadline;
            ++rig(o).arms;
          },
      .dma_read = nullptr,
      .dma_write = nullptr,
      .log = hear,
      .mistake =
          [](void* o, unsigned number, const char* line) {
            hear(o, PB_LOG_GUEST_ERROR, line);
            rig(o).mistakes.push_back(number);
          },
      .effect =
          [](void* o, unsigned number, uint64_t value) {
            rig(o).effects.push_back({number, value});
            if (rig(o).on_effect) rig(o).on_effect(number, value);
          },
  };
};

}  // namespace perfboard
