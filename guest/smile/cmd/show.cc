// SPDX-License-Identifier: GPL-2.0-or-later
// What smile shows: the adapter and the monitors, the hottest parts of the window.
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

void show_hottest(const Histogram& h, unsigned rows) {
  const uint64_t total = h.total();
  print("    offset   page  home  source        count   share\n");
  for (const smile_cell& cell : h.hottest()) {
    if (!rows--) break;
    const uint64_t offset = cell.unit * h.unit_bytes();
    print("{:#010x} {:6} {:5} {:7} {:12} {:6.2f}%\n", offset, offset / SCI_PAGE_BYTES, cell.destination,
          cell.source, cell.count, 100.0 * static_cast<double>(cell.count) / static_cast<double>(total));
  }
}

void warn_of_loss(uint64_t lost) {
  if (lost)
    std::fputs(fmt::format("smile: {} records were lost: counts are too small\n", lost).c_str(), stderr);
}

}  // namespace perfboard::smile
