// SPDX-License-Identifier: GPL-2.0-or-later
//
// SequenceWalk - whether accesses walk a programming sequence of a board's view, as a driver's coverage sees
// it.
//
//   SequenceWalk walk(mk_view(), &chip, "trace");
//   walk.write(window, offset, bytes, value, [&] { ...the model... });      or read(), whose function returns the value
//   walk.tell(effect, value);                                             what the model tells of, in an access or alone
//   EXPECT_EQ(walk.next(), "");                                           the step that it waits for; "": it is walked
//
// Covered - a bench whose accesses a driver's coverage counts.
//
//   class LookedAt : public Covered<XBench, [](XBench& b) { return &b.board; }> { ... };
//   b.covered_read(window, offset, [&] { ...the model... });  b.walked("trace");  b.expect_all_met();
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/inspect/coverage.h"
#include "hw/inspect/inspector.h"
#include "tests/unit/model/rig.h"

namespace perfboard {

class SequenceWalk final : public inspect::Listener {
 public:
  SequenceWalk(const BoardView& view, const void* model, std::string_view sequence)
      : inspector_({.view = &view,
                    .model = model,
                    .board = "board",
                    .unit = "",
                    .opaque = nullptr,
                    .now = [](void*) { return uint64_t{0}; }}) {
    for (const Sequence& s : view.sequences) {
      if (s.name != sequence) continue;
      for (const std::string_view step : s.steps) add(step);
    }
    EXPECT_FALSE(steps_.empty()) << "no sequence " << sequence;
    inspector_.add(this);
  }

  template <typename Do>
  void write(unsigned window, uint64_t offset, uint32_t bytes, uint64_t value, Do go, int vcpu = 0) {
    begin(window, offset, bytes, vcpu, true, value);
    go();
    inspector_.end(value);
  }
  template <typename Do>
  uint64_t read(unsigned window, uint64_t offset, uint32_t bytes, Do go, int vcpu = 0) {
    begin(window, offset, bytes, vcpu, false, 0);
    const uint64_t value = go();
    inspector_.end(value);
    return value;
  }
  void tell(unsigned number, uint64_t value) { inspector_.tell(inspect::What::kEffect, number, value); }
  std::string_view next() const { return done_ < steps_.size() ? std::string_view(texts_[done_]) : ""; }

 private:
  void add(std::string_view step) {
    std::string why;
    const auto pattern = inspect::parse_pattern(step, why);
    ASSERT_TRUE(pattern) << step << ": " << why;
    EXPECT_TRUE(inspect::pattern_known(*pattern, inspector_.who(), why)) << step << ": " << why;
    steps_.push_back(*pattern);
    texts_.emplace_back(step);
  }
  void begin(unsigned window, uint64_t offset, uint32_t bytes, int vcpu, bool write, uint64_t value) {
    PbInspectAccess a = {};
    a.vcpu = vcpu;
    a.window = window;
    a.offset = offset;
    a.bytes = bytes;
    a.write = write;
    a.value = value;
    inspector_.begin(a);
  }
  template <typename What>
  void step(const What& what) {
    if (done_ < steps_.size() && inspect::matches(steps_[done_], inspector_.who(), what)) ++done_;
  }
  void access(const inspect::Access& access) override { step(access); }
  void event(const inspect::Event& event) override { step(event); }

  inspect::Inspector inspector_;
  std::vector<inspect::Pattern> steps_;
  std::vector<std::string> texts_;
  size_t done_ = 0;
};

template <typename Bench, auto kModel>
class Covered : public Bench {
 public:
  template <typename... Arguments>
  explicit Covered(const BoardView& view, Arguments... arguments)
      : Bench(arguments...),
        view_(view),
        inspector_({.view = &view,
                    .model = kModel(*this),
                    .board = "board",
                    .unit = "",
                    .opaque = static_cast<Rig*>(this),
                    .now = [](void* o) { return self(o).now; }}) {
    std::string why;
    coverage_ = inspect::Coverage::make(view, {.model = kModel(*this)}, why);
    EXPECT_NE(coverage_, nullptr) << why;
    inspector_.add(coverage_.get());
    kModel(*this)->host.effect = [](void* o, unsigned number, uint64_t value) {
      self(o).inspector_.tell(inspect::What::kEffect, number, value);
    };
    kModel(*this)->host.set_irq = [](void* o, bool level) {
      self(o).irq = level;
      self(o).inspector_.tell(inspect::What::kIrq, 0, level);
    };
  }
  // Of 32 bits.
  template <typename Do>
  uint32_t covered_read(unsigned window, uint32_t offset, Do go) {
    inspector_.begin({.ns = this->now, .vcpu = 0, .window = window, .offset = offset, .bytes = 4});
    const uint32_t value = go();
    inspector_.end(value);
    return value;
  }
  template <typename Do>
  void covered_write(unsigned window, uint32_t offset, uint32_t value, Do go) {
    inspector_.begin({.ns = this->now,
                      .vcpu = 0,
                      .window = window,
                      .offset = offset,
                      .bytes = 4,
                      .write = true,
                      .value = value});
    go();
    inspector_.end(0);
  }
  uint64_t count(inspect::Kind kind, std::string_view name) const {
    for (const inspect::Item& i : coverage_->items())
      if (i.kind == kind && i.name == name) return i.count;
    ADD_FAILURE() << "no such item: " << name;
    return 0;
  }
  bool walked(std::string_view sequence) const { return count(inspect::Kind::kSequence, sequence) != 0; }
  void expect_all_walked() const {
    for (const Sequence& s : view_.sequences) EXPECT_TRUE(walked(s.name)) << s.name;
  }
  void expect_all_met() const {
    using enum inspect::Kind;
    for (const Condition& c : view_.conditions)
      for (const inspect::Kind kind : {kRaised, kEnabled, kServiced})
        EXPECT_NE(count(kind, c.name), 0u) << inspect::kind_name(kind) << " " << c.name;
  }

 private:
  static Covered& self(void* o) { return static_cast<Covered&>(*static_cast<Rig*>(o)); }
  const BoardView& view_;
  inspect::Inspector inspector_;
  std::unique_ptr<inspect::Coverage> coverage_;
};

}  // namespace perfboard
