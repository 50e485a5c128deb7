// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "hw/model/number.h"

namespace perfboard::p2 {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is as memory is");
constexpr char kMagic[] = "P2LOG1\n";  // with its 0: 8 bytes

struct FixedHead {
  p2_info info;
  uint64_t begun_ns;
};
constexpr uint32_t kMostBytes = 1 << 28;

}  // namespace

LogWriter::LogWriter(Output& out, const LogHead& head) : out_(out) {
  out.write({kMagic, sizeof(kMagic)});
  const FixedHead fixed{head.info, head.begun_ns};
  std::string data(reinterpret_cast<const char*>(&fixed), sizeof(fixed));
  data.append(reinterpret_cast<const char*>(head.sets.data()), head.sets.size() * sizeof(p2_set));
  part(Part::kHead, data.data(), data.size());
  std::string names;
  for (const std::string& event : head.events) names += event + '\n';
  text(Part::kEvents, names);
}

void LogWriter::part(Part part, const void* data, size_t size) {
  const uint32_t words[] = {static_cast<uint32_t>(part), static_cast<uint32_t>(size)};
  out_.write({reinterpret_cast<const char*>(words), sizeof(words)});
  out_.write({static_cast<const char*>(data), size});
}

void LogWriter::records(const p2_record* records, size_t count) {
  if (count) part(Part::kRecords, records, count * sizeof(*records));
}

void LogWriter::text(Part which, std::string_view text) {
  for (constexpr size_t kMost = kMostBytes / 2; !text.empty();
       text.remove_prefix(std::min(kMost, text.size())))
    part(which, text.data(), std::min(kMost, text.size()));
}

LogReader::LogReader(const std::string& name) : in_(name) {
  char magic[sizeof(kMagic)];
  exactly(magic, sizeof(magic));
  if (memcmp(magic, kMagic, sizeof(magic)) != 0) fail("not a file that `p2trace record` has written");
  if (!part() || head_.sets.empty()) fail("the head is missing");
  if (!part() || head_.events.empty()) fail("the events' names are missing");
}

void LogReader::fail(const char* what) const { throw FileError(fmt::format("{}: {}", in_.name(), what)); }

void LogReader::exactly(void* to, size_t size) {
  for (auto* at = static_cast<char*>(to); size;) {
    const size_t got = in_.read(at, size);
    if (!got) fail("cut off");
    at += got;
    size -= got;
  }
}

// False: the end.
bool LogReader::part() {
  uint32_t words[2];
  const size_t got = in_.read(words, sizeof(words));
  if (!got) return false;
  exactly(reinterpret_cast<char*>(words) + got, sizeof(words) - got);
  if (words[1] > kMostBytes) fail("a part is longer than it may be");
  const auto kind = static_cast<Part>(words[0]);
  if (kind == Part::kRecords) {
    if (!words[1] || words[1] % sizeof(p2_record)) fail("a part of records is of no whole number of them");
    records_.resize(words[1] / sizeof(p2_record));
    at_ = 0;
    exactly(records_.data(), words[1]);
    return true;
  }
  std::string data(words[1], 0);
  exactly(data.data(), data.size());
  if (kind == Part::kHead) {
    FixedHead fixed;
    if (data.size() < sizeof(fixed) || (data.size() - sizeof(fixed)) % sizeof(p2_set))
      fail("the head is wrong");
    memcpy(&fixed, data.data(), sizeof(fixed));
    head_.info = fixed.info;
    head_.begun_ns = fixed.begun_ns;
    head_.sets.resize((data.size() - sizeof(fixed)) / sizeof(p2_set));
    memcpy(head_.sets.data(), data.data() + sizeof(fixed), head_.sets.size() * sizeof(p2_set));
  } else if (kind == Part::kEvents) {
    for (size_t from = 0; from < data.size();) {
      const size_t end = std::min(data.find('\n', from), data.size());
      head_.events.push_back(data.substr(from, end - from));
      from = end + 1;
    }
  } else if (kind == Part::kEventNames) {
    for (size_t from = 0; from < data.size();) {
      const size_t end = std::min(data.find('\n', from), data.size()), blank = data.find(' ', from);
      uint32_t id = 0;
      if (blank < end && parse_number(std::string_view(data).substr(from, blank - from), id))
        event_names_[id] = data.substr(blank + 1, end - blank - 1);
      from = end + 1;
    }
  } else if (kind == Part::kKernelTrace) {
    kernel_trace_ += data;
  } else {
    fail("a part of an unknown kind");
  }
  return true;
}

bool LogReader::next() {
  while (at_ >= records_.size()) {
    records_.clear();
    at_ = 0;
    if (!part()) return false;
  }
  at_++;
  records_[at_ - 1].comm[sizeof(p2_record::comm) - 1] = 0;
  return true;
}

std::string LogReader::event_name(uint32_t id) const {
  const auto found = event_names_.find(id);
  return found == event_names_.end() ? fmt::format("event {}", id) : found->second;
}

const char* record_name(uint32_t type) {
  static const char* const names[] = {"?", "switch", "tick", "hook", "event", "fork", "exec", "exit", "set"};
  return names[type < std::size(names) ? type : 0];
}

Slicer::Cpu& Slicer::cpu_of(const p2_record& r) {
  const auto [found, is_new] = cpus_.try_emplace(r.cpu);
  Cpu& cpu = found->second;
  if (is_new) {
    cpu.time_ns = std::min<uint64_t>(head_.begun_ns, r.clock_ns);
    cpu.totals.resize(head_.sets.size());
    cpu.late.resize(head_.sets.size());
  }
  return cpu;
}

// What the set has counted since it was last looked at. A total that has fallen: somebody reset the counters.
void Slicer::count(Cpu& cpu, size_t set, const p2_record& r, Slice& slice) const {
  Counters& total = cpu.totals[set];
  for (size_t i = 0; i < P2_COUNTERS; i++) {
    slice.counts[i] = r.counter[i] >= total[i] ? r.counter[i] - total[i] : r.counter[i];
    total[i] = r.counter[i];
  }
}

void Slicer::add(const p2_record& r) {
  Cpu& cpu = cpu_of(r);
  Slice slice;
  slice.cpu = r.cpu;
  slice.pid = r.pid;
  slice.tgid = r.tgid;
  slice.command = r.comm;
  slice.begin_ns = cpu.time_ns;
  slice.end_ns = std::max<uint64_t>(r.clock_ns, cpu.time_ns);
  slice.set = cpu.set;
  slice.record = r;
  cpu.time_ns = slice.end_ns;
  if (r.type != P2_RECORD_SET) {
    count(cpu, cpu.set, r, slice);
    return emit_(slice);
  }
  cpu.late[cpu.set] = {true, slice};
  if (r.id >= head_.sets.size()) return;
  cpu.set = r.id;
  Late& late = cpu.late[cpu.set];
  Slice ended = late.slice;
  count(cpu, cpu.set, r, ended);
  if (std::exchange(late.there, false)) emit_(ended);
}

SliceEvents::SliceEvents(const LogHead& head) : names_(head.events) {
  for (const p2_set& set : head.sets) {
    std::vector<int>& counters = counter_.emplace_back();
    for (const std::string& name : names_) counters.push_back(p2_counter_of(set.mmcr, name.c_str()));
  }
}

double SliceEvents::count(const Slice& slice, size_t event) const {
  const int counter = counter_[slice.set][event];
  return counter < 0 ? std::numeric_limits<double>::quiet_NaN()
                     : static_cast<double>(slice.counts[static_cast<size_t>(counter)]);
}

}  // namespace perfboard::p2
