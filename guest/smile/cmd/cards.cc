// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/cards.h"

#include <cerrno>
#include <cstdlib>

#include "guest/common/ranges.h"

namespace perfboard::smile {
namespace {

constexpr const char* kDesigns[] = {"none", "static", "dynamic"};

Failure card_failure(const ::smile& card, const char* what) {
  return system_failure(fmt::format("{}: {}", card.device, what));
}

}  // namespace

const char* design_name(uint32_t design) { return design < std::size(kDesigns) ? kDesigns[design] : "?"; }

std::vector<uint8_t> Adapter::homes() const {
  std::vector<uint8_t> homes(pages());
  if (sci_get_homes(&sci_, 0, pages(), homes.data())) throw system_failure("homes");
  return homes;
}

void Adapter::set_home(unsigned page, unsigned home) const {
  if (sci_set_home(&sci_, page, home)) throw system_failure(fmt::format("page {} to node {}", page, home));
}

Histogram::Histogram(uint64_t unit_bytes) {
  h_ = unit_bytes % 4 || unit_bytes / 4 > UINT32_MAX
           ? nullptr
           : smile_histogram_new(static_cast<unsigned>(unit_bytes / 4));
  if (!h_) throw Misuse(fmt::format("--unit {}: legal are powers of two from 4", unit_bytes));
}

std::vector<smile_cell> Histogram::hottest() const {
  size_t count;
  smile_cell* const cells = smile_histogram_hottest(h_, &count);
  if (!cells && errno) throw system_failure("histogram");
  const std::unique_ptr<smile_cell, decltype(&std::free)> owner(cells, &std::free);
  return {cells, cells + count};
}

Cards::Cards(const std::string& list) : set_(std::make_unique<smile_set>()) {
  if (smile_open_all(set_.get())) throw system_failure("/dev/smile*");
  if (list == "all") return;
  const List wanted("--card", list, SMILE_CARDS - 1);
  unsigned kept = 0;
  for (unsigned n = 0; n < set_->count; ++n) {
    if (wanted.has(set_->card[n].info.index))
      set_->card[kept++] = set_->card[n];
    else
      smile_close(&set_->card[n]);
  }
  set_->count = kept;
  if (!kept) throw Failure(fmt::format("--card {}: there is no such monitor", list));
}

std::vector<::smile*> Cards::all() {
  std::vector<::smile*> cards;
  for (unsigned n = 0; n < set_->count; ++n) cards.push_back(&set_->card[n]);
  return cards;
}

namespace {

// The driver cannot load what is on a daughter board.
Failure load_failure(const ::smile& card, const char* what) {
  if (errno != EOPNOTSUPP || !card.info.daughter) return card_failure(card, what);
  return Failure(fmt::format(
      "{}: {}: the design is on the daughter board ({} is there): exchange it over the board's cable",
      card.device, what, design_name(card.info.design)));
}

}  // namespace

void Cards::load(const std::string& name) {
  for (::smile* card : all())
    if (smile_load_design(card, name.c_str()))
      throw load_failure(*card, name.empty() ? "initial" : name.c_str());
}

void Cards::need(uint32_t design) {
  for (::smile* card : all())
    if (card->info.design != design && smile_load_design(card, design_name(design)))
      throw load_failure(*card, design_name(design));
}

void Cards::dynamic(uint64_t range_bytes, uint32_t filter) {
  for (::smile* card : all())
    if (smile_set_dynamic(card, static_cast<uint32_t>(range_bytes / 4), filter))
      throw card_failure(*card, "range and filter");
}

void Cards::reset() {
  for (::smile* card : all())
    if (smile_reset(card)) throw card_failure(*card, "reset");
}

void Cards::run(bool on) {
  if (smile_run_all(set_.get(), on)) throw system_failure(on ? "start" : "stop");
}

bool Cards::running() const {
  for (unsigned n = 0; n < set_->count; ++n)
    if (set_->card[n].info.running) return true;
  return false;
}

void Cards::collect(Histogram& h, bool swap) {
  for (::smile* card : all())
    if (swap ? smile_collect(card, h.get()) : smile_histogram_read(h.get(), card))
      throw card_failure(*card, "records");
}

}  // namespace perfboard::smile
