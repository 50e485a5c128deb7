// SPDX-License-Identifier: GPL-2.0-or-later
// Commands of the dynamic design: histograms of what crosses the network.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "guest/common/output.h"
#include "guest/smile/cmd/advice.h"
#include "guest/smile/cmd/commands.h"
#include "guest/smile/cmd/words.h"

namespace perfboard::smile {

// smile advise, smile apply: pages move to the node that uses them most.

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

namespace {

using fmt::print;

// Into a file, which is there when it is whole, or to standard output.
void write_text(std::string_view text, const std::string& file) {
  std::fflush(stdout);
  Output out(file);
  out.write(text);
  out.close();
}

void write_csv(const Histogram& h, const std::string& file) {
  char* text = nullptr;
  size_t bytes = 0;
  FILE* memory = open_memstream(&text, &bytes);
  if (!memory) throw system_failure(file);
  sci adapter;
  const bool have = !sci_open(&adapter, nullptr);
  const int wrong = smile_histogram_write(h.get(), memory, have ? &adapter : nullptr);
  if (have) sci_close(&adapter);
  std::fclose(memory);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  if (wrong) throw system_failure(file);
  write_text({text, bytes}, file);
}

struct Reader {
  Cards* cards;
  Histogram* histogram;
};

// A failure is told by the last collect(); here the program's run goes on.
void read_card(void* context, size_t n) {
  const auto* r = static_cast<Reader*>(context);
  smile_histogram_read(r->histogram->get(), r->cards->all()[n]);
}

void stop_at_end(Cards& cards, Histogram& h) {
  cards.run(false);
  cards.collect(h, true);
}

}  // namespace

void program_dynamic(Cards& cards, const Words& w) {
  const uint64_t range = parse_bytes("--range", w.range);
  if (range < 4 || range % 4 || range / 4 - 1 > SMR_MAXR_MASK)
    throw Misuse(fmt::format("--range {}: legal are multiples of 4 from 4 to {}", w.range,
                             4ull * (SMR_MAXR_MASK + 1)));
  const uint32_t filter = parse_filter(w.filter);
  cards.need(SMILE_DESIGN_DYNAMIC);
  cards.run(false);
  cards.reset();
  cards.dynamic(range - 4, filter);
}

void load(const Words& w) {
  Cards cards(w.cards);
  cards.load(w.design == "initial" ? "" : w.design);
  for (::smile* card : cards.all()) print("{}: {}\n", card->device, design_name(card->info.design));
}

void start(const Words& w) {
  Cards cards(w.cards);
  program_dynamic(cards, w);
  cards.run(true);
}

void stop(const Words& w) { Cards(w.cards).run(false); }

void dump(const Words& w) {
  Histogram h(parse_bytes("--unit", w.unit));
  Cards cards(w.cards);
  const Names names = names_of(w);
  cards.collect(h, !w.no_swap);
  const std::string file = w.file.empty() ? "-" : w.file;
  if (w.names.empty())
    write_csv(h, file);
  else
    write_text(shares_csv(h, names), file);
  warn_of_loss(h.lost());
}

int run(const Words& w) {
  Histogram h(parse_bytes("--unit", w.unit));
  Cards cards(w.cards);
  program_dynamic(cards, w);
  Reader reader{&cards, &h};
  std::vector<int> descriptors;
  for (const ::smile* card : cards.all()) descriptors.push_back(card->fd);
  cards.run(true);
  if (!w.names.empty()) setenv(SMILE_NAMES, w.names.c_str(), 1);
  const int status = run_program(w.command, descriptors, read_card, &reader);
  stop_at_end(cards, h);
  if (!w.file.empty()) write_csv(h, w.file);
  const Names names = names_of(w);
  if (w.file != "-") {
    print("{} transactions in {} monitors, {} records, {} lost\n", h.total(), cards.count(),
          smile_histogram_records(h.get(), SMR_RECORD_REPLACED) +
              smile_histogram_records(h.get(), SMR_RECORD_OVERFLOW) +
              smile_histogram_records(h.get(), SMR_RECORD_DEMAND),
          h.lost());
    show_hottest(h, w.rows, names);
    if (!w.names.empty()) {
      print("\n");
      show_shares(h, names);
    }
  }
  warn_of_loss(h.lost());
  return status ? status : h.lost() != 0;
}

// Joins monitors that run, with their settings; else it starts them, and stops them at the end.
void top(const Words& w) {
  Histogram h(parse_bytes("--unit", w.unit));
  const Names names = names_of(w);
  Cards cards(w.cards);
  const bool join = cards.running();
  if (join)
    cards.collect(h, true);
  else
    program_dynamic(cards, w);
  h.clear();
  if (!join) cards.run(true);
  const bool terminal = isatty(STDOUT_FILENO);
  const Interruptible interruptible(SA_RESTART);
  for (unsigned n = 1; interruptible.wait(w.interval); ++n) {
    cards.collect(h, true);
    if (terminal) print("\033[H\033[2J");
    print("{}: {} transactions in {} s, {} monitors, {} lost\n", n, h.total(), w.interval, cards.count(),
          h.lost());
    show_hottest(h, w.rows, names);
    if (!terminal) print("\n");
    std::fflush(stdout);
    h.clear();
    if (n == w.count) break;
  }
  if (!join) cards.run(false);
}

}  // namespace perfboard::smile
