// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/timeline.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "guest/common/kernel_trace.h"
#include "guest/smile/cmd/cards.h"
#include "guest/smile/cmd/commands.h"
#include "guest/smile/cmd/words.h"

namespace perfboard::smile {
namespace {

// A buffer of its own in the kernel's trace, while the object is there: whoever else traces is left alone.
class Recording {
 public:
  explicit Recording(unsigned kilobytes) : folder_(fmt::format("instances/smile-{}/", getpid())) {
    mount_tracing();
    if (mkdir((kTracing + folder_).c_str(), 0700)) system_error(kTracing + folder_);
    try {
      put_tracing(folder_ + "trace_clock", "mono");
      put_tracing(folder_ + "buffer_size_kb", std::to_string(kilobytes));
      put_tracing(folder_ + "events/smile/enable", "1");
    } catch (...) {
      rmdir((kTracing + folder_).c_str());
      throw;
    }
    setenv(SMILE_TIMELINE, file("trace_marker").c_str(), 1);
  }
  ~Recording() { rmdir(file("").c_str()); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void stop() { put_tracing(folder_ + "tracing_on", "0"); }
  std::string file(const std::string& name) const { return kTracing + folder_ + name; }
  // "# entries-in-buffer/entries-written: 205/311   #P:4"
  uint64_t overwritten() const {
    std::ifstream in(file("trace"));
    for (std::string line; std::getline(in, line) && line.starts_with('#');) {
      unsigned long long kept = 0, written = 0;
      if (std::sscanf(line.c_str(), "# entries-in-buffer/entries-written: %llu/%llu", &kept, &written) == 2)
        return written - kept;
    }
    return 0;
  }

 private:
  std::string folder_;
};

// Reads the monitors out again and again; each time all curves get a value.
class Readout {
 public:
  Readout(Cards& cards, Histogram& h, const Words& w) : cards_(cards), h_(h), w_(w) {}

  void read() {
    smile_begin(kReadout);
    cards_.collect(h_, true);
    std::map<std::string, uint64_t> values;
    for (const std::string& curve : curves_) values[curve] = 0;
    if (w_.names.empty()) {
      for (const smile_cell& cell : h_.hottest())
        values[fmt::format("{}node {} to {}", kCurve, cell.source, cell.destination)] += cell.count;
    } else {
      const Names names = names_if_there();
      for (const Shares::Row& row : shares_of(h_, names).rows()) values[kCurve + row.name] += row.all();
    }
    for (const auto& [curve, n] : values) {
      smile_value(curve.c_str(), n);
      curves_.insert(curve);
      requests_ += n;
    }
    lost_ += h_.lost();
    h_.clear();
    smile_end();
    ++times_;
  }
  uint64_t requests() const { return requests_; }
  uint64_t lost() const { return lost_; }
  unsigned times() const { return times_; }

 private:
  // The program may not have written them yet.
  Names names_if_there() const { return access(w_.names.c_str(), F_OK) ? Names() : names_of(w_); }

  Cards& cards_;
  Histogram& h_;
  const Words& w_;
  std::set<std::string> curves_;
  uint64_t requests_ = 0, lost_ = 0;
  unsigned times_ = 0;
};

// Where a program keeps all processors busy, readouts would wait for a processor. The program is not meant:
// it runs as it would.
void go_first() {
  const sched_param first{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first)) throw system_failure("SCHED_FIFO");
}

struct Tick {
  Timer timer;
  Readout readout;
};

void tick(void* context, size_t) {
  auto* t = static_cast<Tick*>(context);
  if (t->timer.over()) t->readout.read();
}

}  // namespace

int timeline(const Words& w) {
  Histogram h(w.names.empty() ? SCI_PAGE_BYTES : parse_bytes("--unit", w.unit));
  Output out(w.file.empty() ? "-" : w.file);
  Recording recording(w.buffer_kb);
  Cards cards(w.cards);
  program_dynamic(cards, w);
  if (!w.names.empty()) setenv(SMILE_NAMES, w.names.c_str(), 1);
  go_first();
  cards.run(true);
  Tick t{Timer(w.interval), Readout(cards, h, w)};
  const int status = run_program(w.command, {t.timer.descriptor()}, tick, &t);
  cards.run(false);
  t.readout.read();
  recording.stop();
  const uint64_t overwritten = recording.overwritten();
  Input in(recording.file("trace"));
  const TimelineCounts n = timeline_json(in, out);
  out.close();
  std::fputs(
      fmt::format("smile: {} readouts, {} requests; {} values of the monitors, {} events of the driver, {} "
                  "calls of the library, {} phases\n",
                  t.readout.times(), t.readout.requests(), n.hardware, n.driver, n.library, n.program)
          .c_str(),
      stderr);
  warn_of_loss(t.readout.lost());
  if (!overwritten) return status ? status : t.readout.lost() != 0;
  throw Failure(fmt::format("{} events had no room in the kernel's trace: --buffer {} is too little",
                            overwritten, w.buffer_kb));
}

}  // namespace perfboard::smile
