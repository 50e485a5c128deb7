// SPDX-License-Identifier: GPL-2.0-or-later
// What smile shows: the adapter and the monitors, the hottest parts of the window.
#include <algorithm>
#include <cstdio>

#include "guest/smile/cmd/commands.h"

namespace perfboard::smile {
namespace {

using fmt::print;

struct Card {
  smile_info info;
  smile_stats stats;
};

Card ask(::smile& card) {
  Card c{card.info, {}};
  if (smile_get_stats(&card, &c.stats)) throw system_failure(card.device);
  return c;
}

std::string node_text(const smile_info& info) {
  return info.node == SMILE_NO_NODE ? "-" : std::to_string(info.node);
}

void show_adapter() {
  sci adapter;
  if (sci_open(&adapter, nullptr)) return;
  const sci_info& i = adapter.info;
  print("adapter: {} nodes, {} pages, remote accesses {} time, homes {}{}\n", i.nodes, i.pages,
        i.latency ? "take" : "take no", i.policy == SCI_FIRST_TOUCH ? "by first touch" : "fixed",
        i.enabled ? "" : ", disabled");
  sci_close(&adapter);
}

}  // namespace

void info(const Words& w) {
  Cards cards(w.cards);
  if (w.csv)
    print("card,node,design,entries,running,records,lost,interrupts,waiting,queue,packets,orphans,clashes\n");
  else
    show_adapter();
  for (::smile* card : cards.all()) {
    const auto [i, s] = ask(*card);
    if (w.csv)
      print("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", i.index, node_text(i), design_name(i.design),
            i.entries, i.running, s.records, s.lost, s.interrupts, s.waiting, s.queue, s.packets, s.orphans,
            s.clashes);
    else
      print("smile{}: node {}, {}{}{}, {}; {} packets, {} records, {} lost, {} not read\n", i.index,
            node_text(i), design_name(i.design), i.entries ? fmt::format(" ({} entries)", i.entries) : "",
            i.daughter ? " on the daughter board" : "", i.running ? "running" : "stopped", s.packets,
            s.records, s.lost, s.waiting);
  }
}

Names names_of(const Words& w) {
  Names names;
  if (w.names.empty()) return names;
  Input in(w.names);
  read_names(in, names);
  return names;
}

Shares shares_of(const Histogram& h, const Names& names) {
  Shares shares(names, h.unit_bytes());
  for (const smile_cell& cell : h.hottest()) shares.add(cell);
  return shares;
}

void show_shares(const Histogram& h, const Names& names) {
  const Shares shares = shares_of(h, names);
  const std::vector<Shares::Row> rows = shares.rows();
  unsigned nodes = 1;
  for (const Shares::Row& row : rows)
    for (const auto& [pair, count] : row.count) nodes = std::max(nodes, pair.first + 1);
  print("{:<20}", "");
  for (unsigned node = 0; node < nodes; ++node) print(" {:>11}", fmt::format("node {}", node));
  print(" {:>12}   share\n", "all");
  for (const Shares::Row& row : rows) {
    print("{:<20}", row.name);
    for (unsigned node = 0; node < nodes; ++node) print(" {:11}", row.from(node));
    print(" {:12} {:6.2f}%\n", row.all(),
          100.0 * static_cast<double>(row.all()) / static_cast<double>(h.total()));
  }
  if (shares.divided())
    print("{} of them in units of {} bytes that several structures share: divided by their bytes there\n",
          shares.divided(), h.unit_bytes());
}

std::string shares_csv(const Histogram& h, const Names& names) {
  std::string text = "name,source,destination,count\n";
  for (const Shares::Row& row : shares_of(h, names).rows())
    for (const auto& [pair, count] : row.count)
      text += fmt::format("{},{},{},{}\n", row.name, pair.first, pair.second, count);
  return text;
}

void show_hottest(const Histogram& h, unsigned rows, const Names& names) {
  const uint64_t total = h.total();
  print("    offset   page  home  source        count   share\n");
  for (const smile_cell& cell : h.hottest()) {
    if (!rows--) break;
    const uint64_t offset = cell.unit * h.unit_bytes();
    const std::string name = names.text(offset, h.unit_bytes());
    print("{:#010x} {:6} {:5} {:7} {:12} {:6.2f}%{}{}\n", offset, offset / SCI_PAGE_BYTES, cell.destination,
          cell.source, cell.count, 100.0 * static_cast<double>(cell.count) / static_cast<double>(total),
          name.empty() ? "" : "  ", name);
  }
}

void warn_of_loss(uint64_t lost) {
  if (lost)
    std::fputs(fmt::format("smile: {} records were lost: counts are too small\n", lost).c_str(), stderr);
}

}  // namespace perfboard::smile
