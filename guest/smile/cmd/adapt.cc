// SPDX-License-Identifier: GPL-2.0-or-later
// smile adapt: locality as a service. Pages move to the nodes that use them most, while programs run.
#include <cstdio>
#include <exception>

#include "guest/common/output.h"
#include "guest/smile/cmd/commands.h"
#include "guest/smile/cmd/settle.h"
#include "guest/smile/cmd/timer.h"

namespace perfboard::smile {
namespace {

using fmt::print;

class Adapt {
 public:
  explicit Adapt(const Words& w)
      : words_(w), settle_({w.least, w.margin, w.rest, w.fade}), cards_(w.cards), interval_(SCI_PAGE_BYTES) {
    program_dynamic(cards_, w);
    cards_.run(true);
  }

  // An interval is over.
  void step(bool last = false) {
    cards_.collect(interval_, true);
    for (const smile_cell& cell : interval_.hottest()) settle_.counted(cell.unit, cell.source, cell.count);
    const uint64_t remote = interval_.total();
    lost_ += interval_.lost();
    interval_.clear();
    size_t moved = 0;
    if (!last)
      for (const Move& m : settle_.moves(adapter_.homes())) {
        if (!words_.dry_run) adapter_.set_home(static_cast<unsigned>(m.page), m.better);
        ++moved;
      }
    ++intervals_;
    if (!words_.file.empty()) lines_ += fmt::format("{},{},{}\n", intervals_, remote, moved);
    remote_ += remote;
    moved_ += moved;
  }
  // Records wait to be read.
  void read(size_t card) { smile_histogram_read(interval_.get(), cards_.all()[card]); }
  std::vector<int> descriptors() {
    std::vector<int> list;
    for (const ::smile* card : cards_.all()) list.push_back(card->fd);
    return list;
  }

  void stop() { cards_.run(false); }
  // The last interval. False: records were lost.
  bool end() {
    stop();
    step(true);
    print("{} intervals, {} remote accesses, {} times a page {}\n", intervals_, remote_, moved_,
          words_.dry_run ? "would have moved" : "moved");
    std::fflush(stdout);
    if (!words_.file.empty()) {
      Output out(words_.file);
      out.write("interval,remote,moved\n" + lines_);
      out.close();
    }
    warn_of_loss(lost_);
    return !lost_;
  }

 private:
  const Words& words_;
  Settle settle_;
  Cards cards_;
  Adapter adapter_;
  Histogram interval_;
  std::string lines_;
  unsigned intervals_ = 0;
  uint64_t remote_ = 0, moved_ = 0, lost_ = 0;
};

struct Run {
  Adapt* adapt;
  const Timer* timer;
  size_t cards;
  std::exception_ptr failure;
};

// The program runs on to its end when pages cannot be moved any more.
void ready(void* context, size_t n) {
  auto* run = static_cast<Run*>(context);
  if (n < run->cards) {
    run->adapt->read(n);
  } else if (run->timer->over() && !run->failure) {
    try {
      run->adapt->step();
    } catch (const Failure&) {
      run->failure = std::current_exception();
    }
  }
}

}  // namespace

int adapt(const Words& w) {
  if (!(w.margin >= 0)) throw Misuse(fmt::format("--margin {}: legal are 0 and more", w.margin));
  Adapt adapt(w);
  int status = 0;
  if (w.command.empty()) {
    const Interruptible interruptible;
    for (unsigned n = 1; interruptible.wait(w.interval) && n != w.count; ++n) adapt.step();
  } else {
    std::vector<int> descriptors = adapt.descriptors();
    const Timer timer(w.interval);
    Run run{&adapt, &timer, descriptors.size(), nullptr};
    descriptors.push_back(timer.descriptor());
    status = run_program(w.command, descriptors, ready, &run);
    if (run.failure) {
      adapt.stop();
      std::rethrow_exception(run.failure);
    }
  }
  const bool whole = adapt.end();
  return status ? status : !whole;
}

}  // namespace perfboard::smile
