// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inspector - whoever looks at one board: it makes complete accesses of what the bus and the model tell, and
// hands them to listeners.
//
//   Inspector in(board);  in.add(&listener);
//   in.begin(access); ... in.effect(number, value) ... in.end(value);
//
// inspect.h says what belongs to an access, and who may call what.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/inspect/access.h"
#include "hw/inspect/inspect.h"
#include "hw/inspect/owned_access.h"
#include "hw/inspect/parts.h"
#include "hw/inspect/pattern.h"

namespace perfboard::inspect {

class Inspector {
 public:
  explicit Inspector(const PbInspectBoard& board);

  // A listener is called from now on; it must live until look_away().
  void add(Listener* listener);
  // Nobody looks any more: no listener is called, nothing is kept, broken at or awaited.
  void look_away();
  void set_break(std::optional<Pattern> pattern);
  void set_recent(uint32_t n);
  // come() is called at the next access or event that the pattern fits, in its thread, and then no more until
  // this is switched on again.
  struct Await {
    Pattern pattern;
    void (*come)(void* opaque, uint64_t ns);
    void* opaque;
    bool on;
  };
  Await* await(Pattern pattern, void (*come)(void* opaque, uint64_t ns), void* opaque);
  void await(Await* await, bool on);
  // What log= keeps; the log's to ask, under the inspector's lock.
  void set_filter(Filter filter);
  const Filter& filter() const { return filter_; }

  bool looking() const { return looking_.load(std::memory_order_relaxed); }
  bool may_break() const { return may_break_.load(std::memory_order_relaxed); }
  bool breaks(const PbInspectAccess& access);

  void begin(const PbInspectAccess& access);
  void end(uint64_t value);
  static void given_up();

  // What happens: of the calling thread's access, or alone.
  void tell(What what, uint32_t number, uint64_t value, std::string_view line = {});

  std::string registers(uint64_t ns, bool irq);
  // Conditions whose status and enable bits are set: "ISCR.TP never acknowledged (write ISCR.TP=1)", commas
  // between. Empty: none.
  std::string pending(uint64_t ns);

  const PbInspectBoard& board() const { return board_; }
  const BoardView* view() const { return static_cast<const BoardView*>(board_.view); }
  const Who& who() const { return who_; }

 private:
  class Look;
  struct Flight;
  static Flight& of_thread();

  void fill(const PbInspectAccess& from, Access& access, Parts& parts) const;
  void look(uint64_t ns, Parts& parts, std::optional<uint32_t> Part::* into) const;
  template <typename Told>
  void deliver(const Told& told);  // an access, or an event alone
  template <typename What>
  std::vector<Await*> awaited(const What& what);
  void settle();  // looking_ and may_break_
  void find_registers();
  template <typename Each>
  void each_register(uint64_t ns, Each&& each);

  const PbInspectBoard board_;
  const std::string unit_;
  const Who who_;
  std::mutex lock_;  // around all below but spots_; never held at a look at the model
  std::vector<Listener*> listeners_;
  Filter filter_;
  Recent recent_;
  std::optional<Pattern> break_;
  std::deque<Await> awaits_;
  std::atomic<bool> looking_{false}, may_break_{false};
  struct Spot {
    unsigned window;
    uint64_t offset;
  };
  std::vector<Spot> spots_;  // where the registers are; found when somebody asks for them, who does so alone
};

}  // namespace perfboard::inspect
