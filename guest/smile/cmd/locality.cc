// SPDX-License-Identifier: GPL-2.0-or-later
// smile advise, smile apply: pages move to the node that uses them most.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "guest/smile/cmd/advice.h"
#include "guest/smile/cmd/commands.h"

namespace perfboard::smile {

using fmt::print;

namespace {

// As they are now; none on a machine without an adapter.
std::vector<uint8_t> homes_now() {
  sci adapter;
  if (sci_open(&adapter, nullptr)) return {};
  std::vector<uint8_t> homes(adapter.info.pages);
  const int wrong = sci_get_homes(&adapter, 0, adapter.info.pages, homes.data());
  sci_close(&adapter);
  if (wrong) throw system_failure("homes");
  return homes;
}

}  // namespace

void advise(const Words& w) {
  Traffic traffic;
  Input in(w.input);
  read_traffic(in, traffic);
  const std::vector<Advice> list = advise(traffic, homes_now(), {w.least, w.percent});
  uint64_t all = 0, gain = 0;
  for (const auto& [number, page] : traffic)
    all = std::accumulate(page.by_source.begin(), page.by_source.end(), all);
  for (const Advice& a : list) gain += a.gain;
  print("# {} of {} pages have a better home: {} of {} remote accesses fewer\n", list.size(), traffic.size(),
        gain, all);
  print("page,home,better,remote,gain\n");
  for (const Advice& a : list) print("{},{},{},{},{}\n", a.page, a.home, a.better, a.remote, a.gain);
}

void apply(const Words& w) {
  Input in(w.input);
  const std::vector<Move> moves = read_moves(in);
  const Adapter adapter;
  const std::vector<uint8_t> homes = adapter.homes();
  for (const Move& m : moves)
    if (m.page >= adapter.pages() || m.better >= adapter.nodes())
      throw Failure(fmt::format("{}: page {} to node {}: there are {} pages and {} nodes; nothing moved",
                                in.name(), m.page, m.better, adapter.pages(), adapter.nodes()));
  size_t moved = 0;
  for (const Move& m : moves) {
    if (homes[m.page] == m.better) continue;
    if (!w.dry_run) adapter.set_home(static_cast<unsigned>(m.page), m.better);
    ++moved;
  }
  print("{} of {} pages {}\n", moved, moves.size(), w.dry_run ? "would move" : "moved");
}

}  // namespace perfboard::smile
