// SPDX-License-Identifier: GPL-2.0-or-later
//
// BoardView - what a board looks like from outside: its windows, and by name all that a driver can do to it
// or learn from it.
//
//   const BoardView& surf_view();     each board has one, in hw/BOARD/view.cc
//
// Data, and functions that have no side effects, but for inject(). The access log, the coverage of a driver,
// `registers` over QMP, patterns ("HTCR.TRG=1") and the manual page's lists are all made of it (hw/inspect).
// Nothing of it runs while nobody looks.
//
//   conditions   what can interrupt: a status field, and the field that enables it
//   sequences    programming sequences of the manual page, each step a pattern (hw/inspect/pattern.h)
//   mistakes     what the paper forbids, with its page; a model tells of one with log_mistake() (log.h)
//   effects      what an access, or traffic, causes beside the register's new value; tell_effect()
//   injections   errors on purpose: the properties inject-*
//   values       the legal values of enumerated fields
//
// Numbers of mistakes, effects and injections are indices of these lists, which stand in the board's view.h;
// its mistake("fifo-empty"), effect("packet") and injection("inject-drop") are those numbers, for code. Of an
// injection whose row names a member (PB_MEMBER) inject_in() and injected_in() do all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/model/register.h"

namespace perfboard {

// A byte of a window, as a register's.
struct Place {
  const Register* reg = nullptr;  // none: nothing answers there
  int index = -1;                 // of an array of registers ("SOURCE", 3); -1: there is one only
  uint32_t byte = 0;              // 0..3: which byte of the register
  // of a card with several alike (a processor's monitor); -1: there is one only
  int unit = -1;
  // no register, but a byte that belongs to the access of one: the upper half of its address
  bool filler = false;

  bool operator==(const Place&) const = default;
};

struct WindowView {
  std::string_view name;  // "slot", "registers", "bar0"
  uint64_t bytes;
  std::string_view text;
  bool big = false;  // its bytes are in big-endian order
};

// The whole access of which a byte is part.
struct AccessRequest {
  uint64_t first = 0;  // its offset
  uint32_t bytes = 1;
  int vcpu = -1;  // that makes it; -1: none
};

struct Condition {
  std::string_view name;     // "TC"
  std::string_view status;   // "ISCR.TC"
  std::string_view enable;   // "IEMR.TC"; empty: always enabled
  std::string_view service;  // the pattern of the access that takes it back: "write ISCR.TC=0"
  std::string_view text;
  std::string_view source;  // "p. 58"
};

struct Sequence {
  std::string_view name;  // "trace"
  // patterns, walked in this order; other accesses may stand between
  std::span<const std::string_view> steps;
  std::string_view text;
  std::string_view source;
};

struct Mistake {
  std::string_view name;    // "fifo-empty"
  std::string_view text;    // what is forbidden, in one line
  std::string_view source;  // the page that forbids it, or "INFERRED: why"
  bool ignored = false;     // of a register that can be written, a write that is one does nothing
};
inline constexpr bool kIgnored = true;

struct Effect {
  std::string_view name;  // "fifo-popped"
  std::string_view text;
  bool injection = false;  // its value is the number of an error on purpose
};

// The number of the row with that name; a name that no row has does not compile.
template <typename Row, size_t n>
consteval unsigned row_number(const Row (&rows)[n], std::string_view name) {
  for (unsigned i = 0; i < n; ++i)
    if (rows[i].name == name) return i;
  no_such_name();
}

// What an injection's number stands for.
enum class Stands : uint8_t {
  kItself,
  kSet,    // bit n: PREFIXn
  kBitOf,  // bit n % 32 of PREFIXm, m = n / 32
};

// What an error on purpose may be set to: a word, or a number.
struct InjectionValues {
  const char* const* words;  // by number, then null; kOffOn: a switch. Null: a number,
  uint64_t most;             // from 0 to this
  // behind it: " packets". If `most` is UINT64_MAX: all that there is to say of the number
  std::string_view what;
  Stands stands = Stands::kItself;
  std::string_view prefix = {};
};
inline constexpr const char* kOffOn[] = {"off", "on", nullptr};
inline constexpr InjectionValues kOffOrOn = {kOffOn, 1, ""};

template <size_t kWords>
constexpr InjectionValues one_of(const char* const (&words)[kWords]) {
  return {words, kWords - 2, ""};
}
constexpr InjectionValues up_to(uint64_t most, std::string_view what, Stands stands = Stands::kItself,
                                std::string_view prefix = {}) {
  return {nullptr, most, what, stands, prefix};
}
constexpr InjectionValues any_number(std::string_view what) { return up_to(UINT32_MAX, what); }

// Which member of the board's state, or of its struct of them, keeps an injection's value: 1 or 4 bytes.
struct InjectionMember {
  size_t at, bytes;
};
#define PB_MEMBER(type, name) \
  ::perfboard::InjectionMember { offsetof(type, name), sizeof(type::name) }

// Texts end with a zero: they go to C as well.
struct Injection {
  std::string_view name;  // of the property: "inject-drop"
  InjectionValues values;
  std::string_view help;     // in one line, for -plugin perfboard.so,help: "next packets that are lost"
  std::string_view text;     // what happens
  std::string_view reaches;  // the condition that the paper names, as register, interrupt and tool show it
  std::string_view example;  // a line of a scenario file: "1ms surfboard inject-drop 3"
  InjectionMember member{};  // none: it is done at once, or the board says what is left
};

// Nothing, and false: it has no member. state: what its member is of.
inline std::optional<uint64_t> injected_in(const void* state, const Injection& injection) {
  const InjectionMember m = injection.member;
  if (!m.bytes) return {};
  const auto* const at = static_cast<const unsigned char*>(state) + m.at;
  return m.bytes == 1 ? *at : *reinterpret_cast<const uint32_t*>(at);
}

inline bool inject_in(void* state, const Injection& injection, uint64_t value) {
  const InjectionMember m = injection.member;
  auto* const at = static_cast<unsigned char*>(state) + m.at;
  if (m.bytes == 1) *at = static_cast<unsigned char>(value);
  if (m.bytes == 4) *reinterpret_cast<uint32_t*>(at) = static_cast<uint32_t>(value);
  return m.bytes != 0;
}

struct Values {
  std::string_view field;  // "TTCR.MODE"
  std::span<const uint32_t> legal;
};

struct BoardView {
  std::string_view board;  // as hw/boards: "surfboard"
  std::span<const WindowView> windows;
  // Every table that a window shows. Coverage lists their registers.
  std::span<const std::span<const Register>> tables;
  std::span<const Condition> conditions;
  std::span<const Sequence> sequences;
  std::span<const Mistake> mistakes;
  std::span<const Effect> effects;
  // the board's own, and then those that every board has (generic_injections.h)
  std::span<const Injection> injections;
  std::span<const Values> values;

  // Which byte of which register is at `offset` of a window. model: the board (as its entry points take it),
  // for what depends on its state or on who asks (a processor's own monitor).
  Place (*place)(const void* model, unsigned window, uint64_t offset);
  // All 32 bits of that register now, whatever the guest may read of it; no side effects, and no catching up:
  // a counter of events is as of the model's last step, one of a clock as of now. Nothing: the register holds
  // nothing (write only). now: ns of virtual time.
  std::optional<uint32_t> (*peek)(const void* model, uint64_t now, const Place& place);

  // As place(), where it matters how wide the access is or which processor makes it. Null: it does not.
  Place (*place_asked)(const void* model, unsigned window, uint64_t offset,
                       const AccessRequest& asked) = nullptr;

  // Errors on purpose, by the number of the board's own row: what is left of one, and a new one. Null: it has
  // none of its own.
  uint64_t (*injected)(void* model, unsigned number) = nullptr;
  void (*inject)(void* model, unsigned number, uint64_t value) = nullptr;

  // How many a row of the tables stands for, at most: Place::index is less. 0: it has no index. Null: none
  // has.
  uint32_t (*entries)(const Register& reg) = nullptr;
};

// The board's own functions, for a view: injected_by<sci_injected>, inject_by<sci_inject>.
template <typename Function>
struct ModelOf;
template <typename Result, typename Model, typename... Rest>
struct ModelOf<Result (*)(Model*, Rest...)> {
  static Model* of(void* model) { return static_cast<Model*>(model); }
};
template <auto kFunction>
uint64_t injected_by(void* model, unsigned number) {
  return kFunction(ModelOf<decltype(kFunction)>::of(model), number);
}
template <auto kFunction>
void inject_by(void* model, unsigned number, uint64_t value) {
  kFunction(ModelOf<decltype(kFunction)>::of(model), number, value);
}

inline uint32_t entries_of(const BoardView& view, const Register& reg) {
  return view.entries ? view.entries(reg) : 0;
}

// What is at `offset` for this access.
inline Place place_of(const BoardView& view, const void* model, unsigned window, uint64_t offset,
                      const AccessRequest& asked) {
  return view.place_asked ? view.place_asked(model, window, offset, asked)
                          : view.place(model, window, offset);
}

// The field "REG.FIELD" of the tables; none: null.
const Field* find_field(const BoardView& view, std::string_view dotted);

// Whether log, coverage and manual page can work with the view. Empty: yes. Else one line that names the row.
//
// Checked: every list's names are unique, lower case and without spaces, or registers' names; every condition
// and enumerated field names a field of the tables, and its values fit; texts and sources are there; an
// injection's example names its property. What only the board knows (place, peek, whether a mistake is ever
// told of) its own tests check.
std::string view_error(const BoardView& view);

}  // namespace perfboard
