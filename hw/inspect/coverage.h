// SPDX-License-Identifier: GPL-2.0-or-later
//
// Coverage - what a driver has done to a board, and what of the board it has never touched.
//
//   auto coverage = Coverage::make(surf_view(), {board}, why);   a Listener, one for each device
//   coverage->access(...);                                       as the guest goes on
//   for (const Item& i : coverage->items()) ...                  what coverage_file.h writes
//
// Everything that a view lists is an Item with a count: README.md says when it counts. What is enabled
// without a bit for it is so when it is raised. Devices of one board count together: the driver is one. Steps
// of a sequence, and conditions, are followed for each device and unit by itself. A reset of the bus begins
// all sequences anew.
//
// Counts wrap at 2^64. Calls of one Coverage may come from several threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/inspect/access.h"
#include "hw/inspect/pattern.h"

namespace perfboard::inspect {

enum class Kind : uint8_t {
  kRead,
  kWritten,
  kValue,
  kSet,
  kCleared,
  kRaised,
  kEnabled,
  kServiced,
  kSequence,
  kEffect,
  kInjection,
  kMistake,
  kNarrow,
  kNothing,
};
std::string_view kind_name(Kind kind);  // "read", as in the file
std::optional<Kind> kind_of(std::string_view name);

struct Step {
  std::string pattern;
  uint64_t count = 0;
};

struct Item {
  Kind kind;
  std::string name;  // "HTCR.TEN", "TTCR.MODE=3", "trace"
  std::string text, source;
  uint64_t count = 0;
  std::vector<Step> steps;  // a sequence's
};

// How to look at a board's conditions beside the accesses.
struct Look {
  // as BoardView::peek takes it; null: conditions are known by the guest's accesses alone
  const void* model = nullptr;
  // Virtual ns, for settle().
  uint64_t (*now)(void* opaque) = nullptr;
  // Around a look at the model, which is then one at the end only; null: who calls holds what is needed, and
  // every access is a look.
  void (*lock)(void* opaque, bool on) = nullptr;
  void* opaque = nullptr;
};

class Coverage final : public Listener {
 public:
  // Null and why: the view names a register or field that it has not, or a pattern that is none.
  static std::unique_ptr<Coverage> make(const BoardView& view, Look look, std::string& why);

  void access(const Access& access) override;
  void event(const Event& event) override;

  // The conditions once more as they are now; before the counts are read. Only while the machine stands
  // still.
  void settle();
  std::vector<Item> items() const;  // in the view's order; a copy
  std::string_view board() const { return view_.board; }

 private:
  struct FieldItems {  // indices of items_; kNone: there is no such item
    const Field* field;
    size_t read, written, set, cleared, values;  // values: the first of legal.size()
    std::span<const uint32_t> legal;
  };
  struct RegisterItems {
    std::vector<FieldItems> fields;
    size_t narrow;
  };
  struct Bit {  // a field that a condition is made of
    const Register* reg = nullptr;
    uint32_t mask = 0;
  };
  struct ConditionItems {
    Bit status, enable;
    std::vector<Pattern> service;  // one, or none
    size_t raised, enabled, serviced;
  };
  struct SequenceItems {
    std::vector<Pattern> steps;
    // by step: holds what the step writes after a reset; null: it is to be done
    std::vector<const Register*> given;
    size_t item;
  };
  struct Unit {                         // what is followed for each unit of the device
    std::vector<size_t> next;           // step of each sequence
    std::set<const Register*> written;  // since the reset
    struct Line {
      bool raised = false, enabled = false, waits = false;  // waits: raised, and not serviced since
    };
    std::vector<Line> lines;
  };

  Coverage(const BoardView& view, Look look) : view_(view), look_(look), who_{view.board, {}, &view} {}
  size_t add(Kind kind, std::string name, std::string_view text, std::string_view source);
  void add_fields(const Register& reg);
  bool add_conditions(std::string& why);
  bool add_sequences(std::string& why);
  // The register that holds after a reset what the step would write; null: none.
  const Register* given(const Pattern& step) const;
  bool find_bit(std::string_view dotted, Bit& bit, std::string& why) const;
  bool parse(std::string_view text, std::vector<Pattern>& patterns, std::string& why) const;
  const RegisterItems* items_of(const Register* reg) const;
  Unit& unit(int number);
  static void reset(Unit& u);
  void hit(size_t item) {
    if (item != kNone) ++items_[item].count;
  }
  void count_part(const Access& access, const Part& part);
  void count_event(const Event& event);
  // Of the register the bits that `known` names are as in value.
  void learn(Unit& u, const Register* reg, uint32_t value, uint32_t known);
  void peek_conditions(Unit& u, int number, uint64_t now);
  // An Access or an Event: whether a sequence goes on, a condition is taken back.
  template <typename Happening>
  void walk(Unit& u, const Happening& happening);

  static constexpr size_t kNone = SIZE_MAX;
  const BoardView& view_;
  const Look look_;
  const Who who_;
  mutable std::mutex lock_;
  std::vector<Item> items_;
  std::map<const Register*, RegisterItems> registers_;
  std::vector<ConditionItems> conditions_;
  std::vector<const Register*> condition_registers_;
  std::vector<SequenceItems> sequences_;
  size_t effects_ = 0, injections_ = 0, mistakes_ = 0, nothing_ = 0;  // the first item of each
  std::map<int, Unit> units_;
};

}  // namespace perfboard::inspect
