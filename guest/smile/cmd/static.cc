// SPDX-License-Identifier: GPL-2.0-or-later
// Commands of the static design: data structures with names, global events.
#include <fmt/ranges.h>

#include <cstdio>

#include "guest/smile/cmd/commands.h"
#include "guest/smile/cmd/words.h"

namespace perfboard::smile {
namespace {

using fmt::print;

struct Watched {
  Cards cards;
  Adapter adapter;
  std::vector<smile_watch> watches;

  explicit Watched(const std::string& list) : cards(list) {}
};

void program(Watched& x, const std::vector<Watch>& watches, const Words& w) {
  x.watches = resolve(watches);
  uint64_t ns = w.timer_ns.empty() ? 0 : parse_bytes("--timer", w.timer_ns);
  if (ns / SMR_BLINK_CLOCK_NS > UINT32_MAX || ns % SMR_BLINK_CLOCK_NS)
    throw Misuse(fmt::format("--timer {}: legal are multiples of {} ns", w.timer_ns, SMR_BLINK_CLOCK_NS));
  x.cards.need(SMILE_DESIGN_STATIC);
  x.cards.run(false);
  x.cards.reset();
  for (::smile* card : x.cards.all()) {
    if (smile_watch_program(card, x.adapter.get(), x.watches.data(), x.watches.size())) {
      if (errno == ENOSPC)
        throw Failure(fmt::format("the structures lie in more than {} parts of pages", SMR_EVENTS));
      if (errno == EINVAL)
        throw Failure(
            fmt::format("a structure is beyond the window of {} bytes, or starts or stops with one that lies "
                        "in several pages",
                        uint64_t{x.adapter.pages()} * SCI_PAGE_BYTES));
      throw system_failure(card->device);
    }
    if (smile_set_timer(card, static_cast<uint32_t>(ns / SMR_BLINK_CLOCK_NS)))
      throw system_failure(card->device);
  }
}

void show_head(Watched& x, const Words& w) {
  if (w.csv) {
    print("time,name");
    for (const ::smile* card : x.cards.all()) print(",smile{}", card->info.index);
    print(",all\n");
    return;
  }
  print("{:<16}", "");
  for (const ::smile* card : x.cards.all())
    print(" {:>11}", card->info.node == SMILE_NO_NODE ? "no node" : fmt::format("node {}", card->info.node));
  print(" {:>11}\n", "all");
}

// Lost records.
uint64_t show_counts(Watched& x, unsigned time, const Words& w) {
  std::vector<smile_counters> counters;
  uint64_t lost = 0;
  for (::smile* card : x.cards.all()) {
    smile_counters c;
    if (smile_get_counters(card, &c)) throw system_failure(card->device);
    counters.push_back(c);
    lost += c.lost;
    // The records of it are not needed: one for each counter, and overflows.
    smile_record records[512];
    for (int n = 0; n < 64 && smile_read(card, records, std::size(records)) == std::ssize(records); ++n) {
    }
  }
  if (!w.csv) show_head(x, w);
  for (const smile_watch& watch : x.watches) {
    uint64_t sum = 0;
    const auto show = [&](uint64_t count) { w.csv ? print(",{}", count) : print(" {:>11}", count); };
    w.csv ? print("{},{}", time, watch.name) : print("{:<16}", watch.name);
    for (const smile_counters& c : counters) {
      const uint64_t count = smile_watch_count(&watch, &c);
      sum += count;
      show(count);
    }
    show(sum);
    print("\n");
  }
  std::fflush(stdout);
  return lost;
}

void nothing(void*, size_t) {}

}  // namespace

int watch(const Words& w) {
  std::vector<Watch> watches;
  const Names names = names_of(w);
  for (const std::string& text : w.watches.empty() ? names.all() : w.watches)
    watches.push_back(parse_watch(w.names.empty() ? text : names.expand(text, w.names)));
  Watched x(w.cards);
  program(x, watches, w);
  if (w.csv) show_head(x, w);
  Follower follower(x.cards, x.adapter, x.watches);
  x.cards.run(true);
  if (!w.command.empty()) {
    const int status = run_program(w.command, {}, nothing, nullptr, &follower);
    x.cards.run(false);
    if (const std::vector<std::string> moved = follower.moved(); !moved.empty())
      throw Failure(fmt::format(
          "{}, so it has no count: let {} keep its pages where they are (watch it again: they have "
          "homes now), or set homes by SCI_IOC_SET_HOMES",
          fmt::join(moved, "; "), w.command[0]));
    const uint64_t lost = show_counts(x, 1, w);
    warn_of_loss(lost);
    return status ? status : lost != 0;
  }
  uint64_t lost = 0;
  const Interruptible interruptible(SA_RESTART);
  for (unsigned n = 1; interruptible.wait(w.interval); ++n) {
    lost = show_counts(x, n, w);
    if (n == w.count) break;
  }
  x.cards.run(false);
  warn_of_loss(lost);
  return lost != 0;
}

void event(const Words& w) {
  const uint32_t number = parse_global(w.event);
  Cards cards(w.cards);
  for (::smile* card : cards.all())
    if (smile_global_event(card, number)) throw system_failure(card->device);
}

}  // namespace perfboard::smile
