// SPDX-License-Identifier: GPL-2.0-or-later
//
// Behaviours - what each register does: where its value is, and what reading and writing it do besides.
//
//   struct Request { Place place; ... };   the board's: which register (place.reg), and all else that matters
//   using Row = Behaviour<SciAdapter, SciState, Request>;
//   constexpr Row kRows[] = {
//       {"VERSION"},                                         its reset value, always
//       {"MASK", &SciState::mask},                           kept in the board's state
//       {"STATUS", status},                                  computed: a pure function
//       {"CTRL", &SciState::ctrl, nullptr, ctrl_written},    and a write does something besides
//       {"READS..PACKETSH", statistic, latch},               registers that stand together in the table
//   };
//   constexpr Behaviours<Row> kBehaviours[] = {behaviours<kRegisters, kRows>, ...};    of all tables
//
// This does not compile unless the rows name every register of the table once, in the table's order.
//
//   value_at(kBehaviours, b, b->state, asked)          all 32 bits (bank.h: what a reader gets); no side effects
//   read_at(kBehaviours, b, b->state, asked)           the same, and then what a read does besides
//   write_at(kBehaviours, b, b->state, asked, value)   keeps it, and then does what a write does besides
//
//   kByRegister<kRegisters, kRows>[i]   the row of register i; rows may be of a board's own type, which has a name
#pragma once

#include <array>
#include <type_traits>

#include "hw/core/register.h"

namespace perfboard {

template <typename Board, typename State, typename Request>
struct Behaviour {
  // In a member, in a function, or else fixed.
  struct Value {
    uint32_t State::* kept = nullptr;
    uint32_t (*computed)(const Board*, const Request&) = nullptr;
    uint32_t fixed = 0;

    constexpr Value() = default;
    constexpr Value(uint32_t State::* member) : kept(member) {}
    constexpr Value(uint32_t (*function)(const Board*, const Request&)) : computed(function) {}
  };

  std::string_view name;  // of a register, or of the first and the last of several: "READS..PACKETSH"
  Value value;
  void (*read)(Board*, const Request&) = nullptr;  // besides; null: nothing
  void (*write)(Board*, const Request&, uint32_t value) = nullptr;
};

// A table, and a row for each of its registers, at the same place.
template <typename Row>
struct Behaviours {
  std::span<const Register> table;
  const Row* rows;
};

template <const auto& table, const auto& rows>
inline constexpr auto kByRegister = [] {
  std::array<std::remove_cvref_t<decltype(rows[0])>, std::size(table)> all{};
  size_t i = 0;
  for (const auto& row : rows) {
    const size_t dots = row.name.find("..");
    const std::string_view last = dots == row.name.npos ? row.name : row.name.substr(dots + 2);
    if (i == all.size() || table[i].name != row.name.substr(0, dots)) no_such_name();
    for (bool more = true; more; ++i) {
      if (i == all.size()) no_such_name();
      all[i] = row;
      if constexpr (requires { row.value.fixed; }) all[i].value.fixed = table[i].reset();
      more = table[i].name != last;
    }
  }
  if (i != all.size()) no_such_name();
  return all;
}();
template <const auto& table, const auto& rows>
inline constexpr Behaviours<std::remove_cvref_t<decltype(rows[0])>> behaviours = {
    std::span<const Register>(table), kByRegister<table, rows>.data()};

const auto& behaviour_of(const auto& tables, const Register* reg) {
  for (const auto& t : tables)
    if (among(t.table, reg)) return t.rows[reg - t.table.data()];
  no_such_name();
}

uint32_t value_at(const auto& tables, const auto* b, const auto& state, const auto& asked) {
  const auto& value = behaviour_of(tables, asked.place.reg).value;
  return value.kept ? state.*value.kept : value.computed ? value.computed(b, asked) : value.fixed;
}

uint32_t read_at(const auto& tables, auto* b, const auto& state, const auto& asked) {
  const uint32_t value = value_at(tables, b, state, asked);
  if (const auto read = behaviour_of(tables, asked.place.reg).read) read(b, asked);
  return value;
}

// False: the register has no place for a value, and a write does nothing.
bool write_at(const auto& tables, auto* b, auto& state, const auto& asked, uint32_t value) {
  const auto& row = behaviour_of(tables, asked.place.reg);
  if (row.value.kept) state.*row.value.kept = value;
  if (row.write) row.write(b, asked, value);
  return row.value.kept || row.write;
}

}  // namespace perfboard
