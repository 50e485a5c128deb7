// SPDX-License-Identifier: GPL-2.0-or-later
// smile adapt: locality as a service. While programs run, pages move to the nodes that use them most, or
// threads to the nodes whose memory they use most.
#include <dirent.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <memory>

#include "guest/common/output.h"
#include "guest/smile/cmd/cards.h"
#include "guest/smile/cmd/commands.h"
#include "guest/smile/cmd/placement.h"

namespace perfboard::smile {
namespace {

// Threads of a process and of all that it has started, as /proc has them; and on which node each is.
//
// A node is a processor. A thread is on a node if that is the only processor on which it may run. Any other
// thread is the scheduler's, and is not in the lists.

struct Close {
  void operator()(DIR* folder) const { closedir(folder); }
};

// A process may end at any time, and its folder with it.
std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> list;
  const std::unique_ptr<DIR, Close> folder(opendir(fmt::format("/proc/{}/task", process).c_str()));
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    if (std::from_chars(name.begin(), name.end(), thread).ec == std::errc()) list.push_back(thread);
  }
  return list;
}

// The node; -1: it is on none.
int node_of(pid_t thread, unsigned nodes) {
  cpu_set_t set;
  if (sched_getaffinity(thread, sizeof set, &set) || CPU_COUNT(&set) != 1) return -1;
  for (unsigned node = 0; node < nodes; ++node)
    if (CPU_ISSET(node, &set)) return static_cast<int>(node);
  return -1;
}

// Of the process itself, too, unless it is the caller.
ThreadPlacement::Threads threads_on_nodes(pid_t process, unsigned nodes) {
  ThreadPlacement::Threads on(nodes);
  std::vector<pid_t> processes{process};
  for (size_t i = 0; i < processes.size(); ++i)
    for (const pid_t thread : threads_of(processes[i])) {
      std::ifstream children(fmt::format("/proc/{}/task/{}/children", processes[i], thread));
      for (pid_t child; children >> child;) processes.push_back(child);
      if (const int node = node_of(thread, nodes); node >= 0 && processes[i] != getpid())
        on[static_cast<unsigned>(node)].push_back(thread);
    }
  for (std::vector<int>& threads : on) std::sort(threads.begin(), threads.end());
  return on;
}

// False: it has ended.
bool move_thread(pid_t thread, unsigned node) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(node, &set);
  if (!sched_setaffinity(thread, sizeof set, &set)) return true;
  if (errno == ESRCH) return false;
  throw system_failure(fmt::format("thread {} to node {}", thread, node));
}

// What it calls itself; empty: it has ended.
std::string thread_name(pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/comm", thread));
  std::string name;
  std::getline(file, name);
  return name;
}

using fmt::print;

PlacementOptions options_of(const Words& w) { return {w.least, w.margin, w.rest, w.fade}; }

// What moves.
class Movers {
 public:
  virtual ~Movers() = default;
  virtual void counted(const smile_cell& cell) = 0;
  // The interval is over: how many move.
  virtual size_t move(bool dry_run) = 0;
  // What a node's accesses were before a move says nothing of that node afterwards.
  virtual bool sources_moved() const = 0;
  virtual const char* name() const = 0;
  virtual void report() const {}
};

class Pages : public Movers {
 public:
  explicit Pages(const Words& w) : pages_(options_of(w)) {}
  void counted(const smile_cell& cell) override { pages_.counted(cell.unit, cell.source, cell.count); }
  size_t move(bool dry_run) override {
    const std::vector<Move> moves = pages_.moves(adapter_.homes());
    for (const Move& m : moves)
      if (!dry_run) adapter_.set_home(static_cast<unsigned>(m.page), m.better);
    return moves.size();
  }
  bool sources_moved() const override { return false; }
  const char* name() const override { return "page"; }

 private:
  PagePlacement pages_;
  Adapter adapter_;
};

class Threads : public Movers {
 public:
  explicit Threads(const Words& w)
      : process_(w.pid ? static_cast<pid_t>(w.pid) : getpid()), threads_(options_of(w), adapter_.nodes()) {
    if (adapter_.get()->info.cluster)
      throw Failure("--threads: the nodes are machines of their own, which no thread can leave");
  }
  void counted(const smile_cell& cell) override {
    threads_.counted(cell.source, cell.destination, cell.count);
  }
  size_t move(bool dry_run) override {
    const ThreadPlacement::Threads on = threads_on_nodes(process_, adapter_.nodes());
    for (const std::vector<int>& threads : on) seen_ |= !threads.empty();
    size_t moved = 0;
    for (const ThreadMove& move : threads_.moves(on))
      for (const int thread : on[move.from])
        if (dry_run) {
          ++moved;
        } else if (move_thread(thread, move.to)) {
          ++moved;
          note(thread, move);
        }
    return moved;
  }
  bool sources_moved() const override { return true; }
  const char* name() const override { return "thread"; }
  void report() const override {
    if (!seen_) std::fputs("smile: no thread was on one node alone, so none could move\n", stderr);
    if (!paths_.empty()) print("{:>8} {:>16} {:>6} {:>6} {:>6}\n", "thread", "name", "from", "to", "moves");
    for (const auto& [thread, path] : paths_)
      print("{:>8} {:>16} {:>6} {:>6} {:>6}\n", thread, path.name, path.from, path.to, path.moves);
  }

 private:
  struct Path {
    std::string name;
    unsigned from, to, moves;
  };
  void note(int thread, const ThreadMove& move) {
    Path& path = paths_.try_emplace(thread, Path{thread_name(thread), move.from, move.to, 0}).first->second;
    path.to = move.to;
    ++path.moves;
  }

  Adapter adapter_;
  pid_t process_;
  ThreadPlacement threads_;
  bool seen_ = false;  // a thread that is on a node
  std::map<int, Path> paths_;
};

class Adapt {
 public:
  explicit Adapt(const Words& w) : words_(w), cards_(w.cards), interval_(SCI_PAGE_BYTES) {
    if (w.threads)
      movers_ = std::make_unique<Threads>(w);
    else
      movers_ = std::make_unique<Pages>(w);
    program_dynamic(cards_, w);
    cards_.run(true);
  }

  // An interval is over.
  void step(bool last = false) {
    cards_.collect(interval_, true);
    for (const smile_cell& cell : interval_.hottest()) movers_->counted(cell);
    uint64_t remote = taken();
    const size_t moved = last ? 0 : movers_->move(words_.dry_run);
    if (moved && movers_->sources_moved()) {
      // What was counted between the look and the moves: whose it is nobody knows.
      cards_.collect(interval_, true);
      remote += taken();
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
    print("{} intervals, {} remote accesses, {} times a {} {}\n", intervals_, remote_, moved_,
          movers_->name(), words_.dry_run ? "would have moved" : "moved");
    movers_->report();
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
  // The interval's accesses; then it is empty.
  uint64_t taken() {
    const uint64_t remote = interval_.total();
    lost_ += interval_.lost();
    interval_.clear();
    return remote;
  }

  const Words& words_;
  Cards cards_;
  std::unique_ptr<Movers> movers_;
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

// The program runs on to its end when nothing can be moved any more.
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
  if (w.pid && !w.threads) throw Misuse("--pid: only together with --threads");
  if (w.threads && w.command.empty() == !w.pid)
    throw Misuse("--threads: of a program that is run (-- COMMAND), or of one that runs already (--pid)");
  if (w.pid && kill(static_cast<pid_t>(w.pid), 0)) throw system_failure(fmt::format("--pid {}", w.pid));
  Adapt adapt(w);
  int status = 0;
  if (w.command.empty()) {
    const Interruptible interruptible(SA_RESTART);
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
