// SPDX-License-Identifier: GPL-2.0-or-later
//
// Behaviours - what each register does: where its value is, and what reading and writing it do besides.
//
//   struct Request { Place place; Lanes lanes; ... };   the board's: which register (place.reg), and all else that matters
//   using Row = Behaviour<SciAdapter, SciState, Request>;
//   constexpr Row kRows[] = {
//       {"VERSION"},                                            its reset value, always
//       {"MASK", kept<&SciState::mask>},                        kept in a member; of an array of them, at place.index
//       {"STATUS", status},                                     computed: a pure function
//       {"CTRL", kept<&SciState::ctrl>, nullptr, ctrl_written}, and a write does something besides
//       {"MODE", shown<&SciState::mode>, nullptr, write_mode},  write_mode() keeps it itself
//       {"READS..PACKETSH", statistic, latch},                  registers that stand together in the table; latch()
//                                                               does what a read does, and gives what is read
//   };
//   constexpr Behaviours<Row> kBehaviours[] = {behaviours<kRegisters, kRows>, ...};    of all tables
//
// This does not compile unless the rows name every register of the table once, in the table's order.
//
//   value_at(kBehaviours, b, b->state, asked)         all bits (bank.h: what a reader gets); no side effects
//   read_at(kBehaviours, b, b->state, asked)          what an access of these lanes reads
//   write_at(kBehaviours, b, b->state, asked, data)   what it writes, as the bank says; asked.old: what was there
//
//   kByRegister<kRegisters, kRows>[i]   the row of register i, with its bits; value_of(row, ...) and so on: of a row
#pragma once

#include <array>
#include <type_traits>

#include "hw/model/bank.h"

namespace perfboard {

template <auto kMember, bool kStored>
struct MemberOf {};
template <auto kMember>
inline constexpr MemberOf<kMember, true> kept;
template <auto kMember>
inline constexpr MemberOf<kMember, false> shown;

template <auto kMember>
auto& member_at(auto& state, const auto& asked) {
  if constexpr (std::is_array_v<std::remove_reference_t<decltype(state.*kMember)>>)
    return (state.*kMember)[asked.place.index];
  else
    return state.*kMember;
}

template <typename Board, typename State, typename Request, typename Word = uint32_t>
struct Behaviour {
  // In a member, in a function, or else fixed.
  struct Value {
    Word (*get)(const State&, const Request&) = nullptr;
    void (*put)(State&, const Request&, Word value) = nullptr;
    Word (*computed)(const Board*, const Request&) = nullptr;
    Word fixed = 0;

    constexpr Value() = default;
    constexpr Value(Word (*function)(const Board*, const Request&)) : computed(function) {}
    template <auto kMember, bool kStored>
    constexpr Value(MemberOf<kMember, kStored>) {
      get = [](const State& s, const Request& asked) -> Word { return member_at<kMember>(s, asked); };
      if constexpr (kStored)
        put = [](State& s, const Request& asked, Word value) {
          auto& member = member_at<kMember>(s, asked);
          member = static_cast<std::remove_reference_t<decltype(member)>>(value);
        };
    }
  };

  std::string_view name;  // of a register, or of the first and the last of several: "READS..PACKETSH"
  Value value;
  Word (*read)(Board*, const Request&) = nullptr;  // null: the value, and nothing happens
  void (*write)(Board*, const Request&, Word fresh) = nullptr;
  Bits<Word> bits{};  // the table's
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
      all[i].value.fixed = table[i].reset();
      all[i].bits.add(table[i]);
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

auto value_of(const auto& row, const auto* b, const auto& state, const auto& asked) {
  const auto& value = row.value;
  return value.get ? value.get(state, asked) : value.computed ? value.computed(b, asked) : value.fixed;
}

auto read_of(const auto& row, auto* b, const auto& state, const auto& asked) {
  return bank_read(row.bits, row.read ? row.read(b, asked) : value_of(row, b, state, asked), asked.lanes);
}

void keep_of(const auto& row, auto* b, auto& state, const auto& asked, decltype(row.value.fixed) fresh) {
  if (row.value.put) row.value.put(state, asked, fresh);
  if (row.write) row.write(b, asked, fresh);
}

// What the register held is asked only if something is left of it, or if the board wants to know.
void write_of(const auto& row, auto* b, auto& state, auto& asked, decltype(row.value.fixed) data) {
  constexpr bool kTold = requires { asked.old; };
  decltype(data) old = 0;
  if (kTold || row.bits.written & ~asked.lanes.mask || row.bits.cleared) old = value_of(row, b, state, asked);
  if constexpr (kTold) asked.old = old;
  const auto fresh = bank_write(row.bits, old, asked.lanes, data);
  keep_of(row, b, state, asked, fresh);
}

auto value_at(const auto& tables, const auto* b, const auto& state, const auto& asked) {
  return value_of(behaviour_of(tables, asked.place.reg), b, state, asked);
}
auto read_at(const auto& tables, auto* b, const auto& state, const auto& asked) {
  return read_of(behaviour_of(tables, asked.place.reg), b, state, asked);
}
void write_at(const auto& tables, auto* b, auto& state, auto& asked, auto data) {
  write_of(behaviour_of(tables, asked.place.reg), b, state, asked, data);
}

}  // namespace perfboard
