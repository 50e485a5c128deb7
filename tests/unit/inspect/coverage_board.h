// SPDX-License-Identifier: GPL-2.0-or-later
//
// CoverageBoardTest - a board of five registers that is nothing but a view, and accesses of it made by hand.
//
//   listener = coverage;  write("CTRL", 0x201);  read("STAT", 0xff);  event(What::kEffect, 0);
//   count_in(items, Kind::kRead, "CTRL.EN")      steps(items, "start") is "1 0 0"
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/core/bank.h"
#include "hw/inspect/coverage.h"

namespace perfboard::inspect {

using Way = ::perfboard::Access;  // Access is one of these here

inline constexpr Field kCtrlFields[] = {{"RESERVED", 31, 16, Way::ro, 0, "logical 0", "p. 1"},
                                        {"LATER", 15, 15, Way::reserved, 0, "kept for later", "p. 1"},
                                        {"MODE", 9, 8, Way::rw, 0, "Mode", "p. 1"},
                                        {"EN", 0, 0, Way::rw, 0, "Enable \"it\" <now>", "p. 1"}};
inline constexpr Field kStatFields[] = {{"SIZE", 9, 4, Way::ro, 0, "Size", "p. 2"},
                                        {"DONE", 0, 0, Way::w1c, 0, "Done", "p. 2"}};
inline constexpr Field kMaskFields[] = {{"DONE", 0, 0, Way::rw, 0, "Done", "p. 3"}};
inline constexpr Field kDataFields[] = {{"WORD", 31, 16, Way::rw, 0, "upper", "p. 4"},
                                        {"WORD", 15, 0, Way::rw, 0, "lower", "p. 4"}};
inline constexpr Field kKickFields[] = {{"GO", 31, 0, Way::wo, 0, "any write kicks", "p. 5"}};
inline constexpr Register kCoverageRegisters[] = {
    {"CTRL", 0x00, 1, kCtrlFields, "Control", "p. 1"}, {"STAT", 0x04, 1, kStatFields, "Status", "p. 2"},
    {"MASK", 0x08, 1, kMaskFields, "Mask", "p. 3"},    {"DATA", 0x0c, 4, kDataFields, "Data", "p. 4"},
    {"KICK", 0x10, 1, kKickFields, "Kick", "p. 5"},
};
static_assert(table_ok(kCoverageRegisters));

struct CoverageBoard {
  uint32_t ctrl = 0, stat = 0, mask = 0, data = 0;
  mutable uint64_t peeked_at = 0;

  uint32_t* at(std::string_view name) {
    return name == "CTRL"   ? &ctrl
           : name == "STAT" ? &stat
           : name == "MASK" ? &mask
           : name == "DATA" ? &data
                            : nullptr;
  }
};

// shown twice, listed once
inline constexpr std::span<const Register> kCoverageTables[] = {kCoverageRegisters, kCoverageRegisters};
inline constexpr WindowView kCoverageWindows[] = {{"slot", 0x20, "the registers"}};
inline constexpr Condition kCoverageConditions[] = {
    {"DONE", "STAT.DONE", "MASK.DONE", "write STAT.DONE=1", "Done", "p. 2"},
    {"SIZE", "STAT.SIZE", "", "", "a size is known", "p. 2"}};
inline constexpr std::string_view kCoverageSteps[] = {"MASK.DONE=1", "CTRL.EN=1", "effect kicked"};
inline constexpr Sequence kCoverageSequences[] = {{"start", kCoverageSteps, "how it begins", "p. 6"}};
inline constexpr Mistake kCoverageMistakes[] = {{"kicked-twice", "a kick while it runs", "p. 5"}};
inline constexpr Effect kCoverageEffects[] = {{"kicked", "it runs"}};
inline constexpr Injection kCoverageInjections[] = {
    {"inject-drop", up_to(9, ""), "next ones", "drops", "STAT", "1ms fake inject-drop 3"}};
inline constexpr uint32_t kCoverageModes[] = {0, 2}, kCoverageSizes[] = {1, 2};
inline constexpr Values kCoverageValues[] = {{"CTRL.MODE", kCoverageModes}, {"STAT.SIZE", kCoverageSizes}};

inline constexpr BoardView kCoverageView = {
    "fake",
    kCoverageWindows,
    kCoverageTables,
    kCoverageConditions,
    kCoverageSequences,
    kCoverageMistakes,
    kCoverageEffects,
    kCoverageInjections,
    kCoverageValues,
    [](const void*, unsigned, uint64_t offset) {
      return Place{find(kCoverageRegisters, static_cast<uint32_t>(offset & ~uint64_t{3})), -1,
                   static_cast<uint32_t>(offset & 3), -1};
    },
    [](const void* model, uint64_t now, const Place& place) -> std::optional<uint32_t> {
      auto* board = static_cast<CoverageBoard*>(const_cast<void*>(model));
      board->peeked_at = now;
      const uint32_t* value = board->at(place.reg->name);
      if (!value) return std::nullopt;
      return *value;
    },
};

inline uint64_t count_in(const std::vector<Item>& items, Kind kind, std::string_view name) {
  for (const Item& i : items)
    if (i.kind == kind && i.name == name) return i.count;
  ADD_FAILURE() << "no " << kind_name(kind) << " " << name;
  return 0;
}

inline std::string steps(const std::vector<Item>& items, std::string_view name) {
  std::string all;
  for (const Item& i : items) {
    if (i.kind != Kind::kSequence || i.name != name) continue;
    for (const Step& s : i.steps) all += (all.empty() ? "" : " ") + std::to_string(s.count);
  }
  return all;
}

class CoverageBoardTest : public testing::Test {
 protected:
  void write(std::string_view name, uint32_t data, uint32_t lanes = ~0u, std::span<const Event> caused = {}) {
    Part part{{&at(kCoverageRegisters, name), -1, 0, unit}, lanes, data & lanes, value(name), {}};
    if (uint32_t* reg = board.at(name)) {
      const Lanes touched{0, lanes, static_cast<uint32_t>(__builtin_popcount(lanes)) / 8};
      *reg = bank_write(*part.place.reg, *reg, touched, data);
    }
    part.after = value(name);
    deliver(part, true, caused);
  }
  void read(std::string_view name, uint32_t lanes = ~0u) {
    const uint32_t* reg = board.at(name);
    deliver({{&at(kCoverageRegisters, name), -1, 0, unit},
             lanes,
             reg ? *reg & lanes : 0,
             value(name),
             value(name)},
            false, {});
  }
  void event(What what, uint32_t number, uint64_t value = 1) {
    listener->event({what, 5, number, value, {}});
  }

  CoverageBoard board;
  Listener* listener = nullptr;
  int unit = -1;
  bool says_nothing = false;  // what registers hold

 private:
  std::optional<uint32_t> value(std::string_view name) {
    const uint32_t* reg = board.at(name);
    if (!reg || says_nothing) return std::nullopt;
    return *reg;
  }
  void deliver(const Part& part, bool write, std::span<const Event> caused) {
    Access access;
    access.ns = 5;
    access.bytes = 4;
    access.write = write;
    access.parts = {&part, 1};
    access.events = caused;
    listener->access(access);
  }
};

}  // namespace perfboard::inspect
