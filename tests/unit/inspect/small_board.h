// SPDX-License-Identifier: GPL-2.0-or-later
//
// A board of a few registers for tests of whoever looks, and somebody who looks at it.
//
//   window 0 "slot"       0x10 CTRL, 0x14 STAT; nothing else answers
//   window 1 "registers"  0x00 CTRL, 0x04 STAT, 0x08 DATA[0..3], 0x20 KICK (write only); 0x40 CTRL of processor 1's part
#pragma once

#include <string>
#include <vector>

#include "hw/inspect/inspector.h"

namespace perfboard::inspect {

inline constexpr Field kSmallCtrl[] = {
    {"MODE", 9, 8, perfboard::Access::rw, 0, "mode", "p. 1"},
    {"EN", 0, 0, perfboard::Access::rw, 0, "enable", "p. 1"},
};
inline constexpr Field kSmallStat[] = {
    {"COUNT", 31, 16, perfboard::Access::ro, 0, "count", "p. 2"},
    {"TC", 0, 0, perfboard::Access::w1c, 0, "complete", "p. 2"},
};
inline constexpr Field kSmallData[] = {{"WORD", 31, 0, perfboard::Access::rw, 0, "data", "p. 3"}};
inline constexpr Field kSmallKick[] = {{"GO", 0, 0, perfboard::Access::wo, 0, "go", "p. 4"}};
inline constexpr Register kSmallTable[] = {
    {"CTRL", 0x00, 1, kSmallCtrl, "control", "p. 1"},
    {"STAT", 0x04, 1, kSmallStat, "status", "p. 2"},
    {"DATA", 0x08, 4, kSmallData, "data", "p. 3"},
    {"KICK", 0x20, 1, kSmallKick, "kick", "p. 4"},
};
inline constexpr std::span<const Register> kSmallTables[] = {kSmallTable};
inline constexpr WindowView kSmallWindows[] = {{"slot", 0x100, "slot"}, {"registers", 0x100, "registers"}};
inline constexpr Mistake kSmallMistakes[] = {{"empty", "read from an empty FIFO", "p. 61"},
                                             {"late", "too late", "INFERRED: nobody says so"}};
inline constexpr Effect kSmallEffects[] = {{"popped", "a byte leaves"}, {"done", "it is done"}};
inline constexpr Injection kSmallInjections[] = {
    {"inject-drop", up_to(9, ""), "next ones", "drops", "nothing", "1ms small inject-drop 3"}};

struct SmallBoard {
  uint32_t ctrl = 0, stat = 0, data[4] = {};
  uint64_t now = 0;
  int locked = 0, locks = 0;
};

inline Place small_place(const void*, unsigned window, uint64_t offset) {
  const auto byte = static_cast<uint32_t>(offset % 4);
  if (window == 0 && offset >= 0x10 && offset < 0x18)
    return {&kSmallTable[(offset - 0x10) / 4], -1, byte, -1};
  if (window != 1) return {};
  if (offset < 8) return {&kSmallTable[offset / 4], -1, byte, -1};
  if (offset < 0x18) return {&kSmallTable[2], static_cast<int>(offset / 4) - 2, byte, -1};
  if (offset >= 0x20 && offset < 0x24) return {&kSmallTable[3], -1, byte, -1};
  if (offset >= 0x40 && offset < 0x44) return {&kSmallTable[0], -1, byte, 1};
  return {};
}

inline std::optional<uint32_t> small_peek(const void* model, uint64_t, const Place& place) {
  const auto* b = static_cast<const SmallBoard*>(model);
  if (place.reg == &kSmallTable[0]) return b->ctrl;
  if (place.reg == &kSmallTable[1]) return b->stat;
  if (place.reg == &kSmallTable[2]) return b->data[place.index];
  return std::nullopt;
}

inline uint32_t small_entries(const Register& reg) { return reg.name == "DATA" ? 4 : 0; }

inline constexpr BoardView kSmallView = {
    .board = "small",
    .windows = kSmallWindows,
    .tables = kSmallTables,
    .conditions = {},
    .sequences = {},
    .mistakes = kSmallMistakes,
    .effects = kSmallEffects,
    .injections = kSmallInjections,
    .values = {},
    .place = small_place,
    .peek = small_peek,
    .entries = small_entries,
};

inline PbInspectBoard small_inspected(SmallBoard& board, const char* unit = "2") {
  return {.view = &kSmallView,
          .model = &board,
          .board = "unused",
          .unit = unit,
          .opaque = &board,
          .now = [](void* o) { return static_cast<SmallBoard*>(o)->now; },
          .lock =
              [](void* o, bool on) {
                auto* b = static_cast<SmallBoard*>(o);
                b->locked += on ? 1 : -1;
                b->locks += on;
              },
          .log = nullptr,
          .broke = nullptr};
}

inline PbInspectAccess small_access(unsigned window, uint64_t offset, uint32_t bytes, bool write,
                                    uint64_t value = 0) {
  return {.ns = 1'250'000,
          .vcpu = 0,
          .has_pc = true,
          .pc = 0xffffffffc0001234,
          .window = window,
          .offset = offset,
          .bytes = bytes,
          .write = write,
          .big = false,
          .none = false,
          .value = value};
}

}  // namespace perfboard::inspect
