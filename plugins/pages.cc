// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/pages.h"

#include <algorithm>

#include "plugins/access.h"

namespace perfboard {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

Pages::~Pages() {
  for (auto& top : top_) {
    Middle* const middle = top.load(kRelaxed);
    if (!middle) continue;
    for (auto& leaf : middle->leaf) delete leaf.load(kRelaxed);
    delete middle;
  }
}

std::atomic<uint32_t>& Pages::make(uint64_t page) {
  auto& top = top_[page >> (2 * kBits)];
  if (!top.load(kRelaxed)) top.store(new Middle(), std::memory_order_release);
  auto& leaf = top.load(kRelaxed)->leaf[page >> kBits & ((1 << kBits) - 1)];
  if (!leaf.load(kRelaxed)) leaf.store(new Leaf(), std::memory_order_release);
  return leaf.load(kRelaxed)->owners[page & ((1 << kBits) - 1)];
}

const uint8_t* Pages::host_of(uint64_t page) const {
  const uint64_t addr = page << PB_PAGE_BITS;
  const PbRamPiece* const piece = map_ ? piece_of_addr(*map_, addr) : nullptr;
  return piece ? piece->host + (addr - piece->addr) : nullptr;
}

void Pages::change(uint64_t page, std::atomic<uint32_t>& owners, unsigned owner, bool on) {
  const uint32_t was = owners.load(kRelaxed), bit = uint32_t{1} << owner;
  const uint32_t now = on ? was | bit : was & ~bit;
  // A vCPU that finds the page by maybe() must find its owner, too.
  const uint8_t* const host = (was != 0) != (now != 0) ? host_of(page) : nullptr;
  if (host && on) maybe_[slot(host)].fetch_add(1, kRelaxed);
  owners.store(now, std::memory_order_release);
  if (host && !on) maybe_[slot(host)].fetch_sub(1, kRelaxed);
}

void Pages::mark(uint64_t first, uint64_t n, unsigned owner, bool on) {
  if (first >= kPages) return;
  for (uint64_t page = first; page < first + std::min(n, kPages - first); ++page) {
    std::atomic<uint32_t>* const found = on ? &make(page) : find(page);
    if (found) change(page, *found, owner, on);
  }
}

template <typename F>
void Pages::each(F&& f) const {
  for (uint64_t t = 0; t < 1 << kTopBits; ++t) {
    const Middle* const middle = top_[t].load(kRelaxed);
    for (uint64_t m = 0; middle && m < 1 << kBits; ++m) {
      Leaf* const leaf = middle->leaf[m].load(kRelaxed);
      for (uint64_t l = 0; leaf && l < 1 << kBits; ++l)
        if (leaf->owners[l].load(kRelaxed)) f(t << (2 * kBits) | m << kBits | l, leaf->owners[l]);
    }
  }
}

void Pages::unmark_all(unsigned owner) {
  each([&](uint64_t page, std::atomic<uint32_t>& owners) { change(page, owners, owner, false); });
}

void Pages::map(const PbRamMap* map) {
  map_ = map;
  std::vector<uint16_t> fresh(std::size(maybe_));
  each([&](uint64_t page, const std::atomic<uint32_t>&) {
    if (const uint8_t* const host = host_of(page)) fresh[slot(host)]++;
  });
  // Slot by slot: the slot of a page that stays marked and in its place is never 0 in between.
  for (size_t i = 0; i < fresh.size(); ++i) maybe_[i].store(fresh[i], kRelaxed);
}

}  // namespace perfboard
