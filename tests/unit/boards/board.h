// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a board gives to the tests that all boards share (unit-boards): tests/unit/NAME/board.cc says how one
// is made, and rows.
//
//   class OnX : public On<OnBench, XBench, ...> { ... };   how the common tests use the fixture (on.h)
//   const Registered kX({.view = x_view(), ...});          one for each board: an object is enough
//
// A way is what a driver does, with the row of the view's list that it meets. A variant is a configuration:
// of design, of machine.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/model/view.h"
#include "tests/unit/boards/on.h"
#include "tests/unit/boards/state_members.h"

namespace perfboard::boards {

// A board with the machine around it.
class OnBench : public OnBase {
 public:
  virtual void* model() = 0;               // as the view takes it
  virtual void save() {}                   // x_pre_save()
  virtual void guest_reset() { reset(); }  // by the bus
  virtual void make_busy() {}              // all that a state can hold is in use
  virtual void lives_on() {}               // after a refused snapshot: it works as a new one
  virtual void act(
      std::mt19937& random) = 0;  // a step of a driver, of traffic or of time; the model is at the present
  // As the guest does; nothing: it is not answered now.
  virtual std::optional<uint32_t> read(unsigned window, uint64_t offset) = 0;
  // For boards that say which registers() are plain: as after power-on, but it answers; of any width, and
  // nothing: it does not take reads of this one.
  virtual void power_up() {}
  virtual std::optional<uint64_t> read_lanes(unsigned, uint64_t, unsigned) { return {}; }
  virtual void write_lanes(unsigned, uint64_t, uint64_t, unsigned) {}
  // How many of a row there are here; 0: one, which has no number.
  virtual uint32_t units(const Register&) { return 0; }
  virtual uint32_t entries(const Register&) { return 0; }
};

struct Way {
  unsigned number = 0;
  std::string what;
  unsigned variant = 0;
  std::function<void(OnBench&)> go;
};
template <typename Fixture>
struct WayOf {
  unsigned number;
  void (*go)(Fixture&);
  unsigned variant = 0;
  const char* what = "";
};
template <typename Fixture, size_t n>
std::vector<Way> ways(const WayOf<Fixture> (&rows)[n]) {
  std::vector<Way> all;
  for (const WayOf<Fixture>& row : rows)
    all.push_back({row.number, row.what, row.variant,
                   [go = row.go](OnBench& b) { go(static_cast<Fixture&>(b.rig())); }});
  return all;
}

// A damaged snapshot: how the complaint begins, and the damage.
struct Damage {
  std::string line;
  unsigned variant;
  std::function<void(void*)> make;
};
template <typename State, size_t n>
std::vector<Damage> damages(const DamageOf<State> (&rows)[n]) {
  std::vector<Damage> all;
  for (const DamageOf<State>& row : rows)
    all.push_back(
        {row.line, row.variant, [make = row.make](void* image) { make(*static_cast<State*>(image)); }});
  return all;
}

// A property with its legal range, and what is said of a value; "": nothing.
struct Limit {
  const char* property;
  uint32_t low, high;
  std::function<std::string(uint32_t)> complaint;
};

// The guest's header, transcribed on its own, against a table of the model. A flag is one bit, and has no
// shift.
struct HeaderOffset {
  std::string reg;
  uint64_t offset;
};
inline constexpr int kFlag = -1, kMaskOnly = -2;
struct HeaderField {
  std::string reg, field;
  uint64_t mask;  // UINT64_MAX: the header has no name for it
  int shift = kFlag;
};
inline constexpr uint64_t kNameless = UINT64_MAX;
enum class Has : bool { kSome, kAll };  // of the rows of the model's table
struct HeaderTable {
  const char* title;
  std::span<const Register> model;
  uint64_t base = 0;  // of the table's offsets in the header's
  std::vector<HeaderOffset> offsets;
  Has has_offsets = Has::kAll;
  std::vector<HeaderField> fields;
  Has has_fields = Has::kAll;
};
struct HeaderNumber {
  const char* name;
  uint64_t header, model;
};

// Registers of which the tests do not ask what their table says: those that hold what is configured are not
// at their reset value; those that move with an access, act, or are cleared by ones have tests of their own.
struct NotPlain {
  std::vector<std::string_view> configured, acting;
  std::vector<std::string_view> writes_act = {};  // these can be read as the others
  bool wide = false;  // it takes 64 bits as two registers, and its windows have nothing but registers
  std::optional<uint32_t> idle = {};  // what is read where no register is
};

struct Board {
  const BoardView& view;
  std::string (*manual)();  // the register tables of hw/NAME/README.md
  std::vector<std::string_view> listed,
      inferred;  // names that must be in a table of that page; in its list of what is INFERRED
  std::vector<HeaderTable> header;
  std::vector<HeaderNumber> numbers;
  std::vector<Limit> limits;
  unsigned variants = 1;
  std::unique_ptr<OnBench> (*make)(unsigned variant);
  std::vector<Way> mistakes;
  std::vector<Way> effects;  // together they meet each
  std::vector<Way> allowed;  // no mistake on the way
  std::vector<Damage> damages;
  Members members;
  std::vector<std::string_view> free;  // members that the tests' states do not have in use
  std::vector<std::string_view>
      by_rows;  // that are checked where they are in use: rows of `damages` damage them there
  std::vector<std::string_view> remade;    // that are not as they were, once they are loaded or reset
  std::vector<unsigned> at_once;           // errors on purpose that are over when they are made
  std::optional<NotPlain> registers = {};  // nothing: its own tests ask about all
};

std::vector<Board>& boards();

struct Registered {
  explicit Registered(Board board) { boards().push_back(std::move(board)); }
};

// A test of every board: its name is behind the test's.
struct EveryBoard : testing::TestWithParam<size_t> {
  const Board& board = boards()[GetParam()];
  const BoardView& view = board.view;
};

}  // namespace perfboard::boards
