// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/pages.h"

#include <algorithm>

#include "plugins/access.h"
#include "plugins/machine.h"

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

Pages::Leaf& Pages::make(uint64_t page) {
  auto& top = top_[page >> (2 * kBits)];
  if (!top.load(kRelaxed)) top.store(new Middle(), std::memory_order_release);
  Middle& middle = *top.load(kRelaxed);
  auto& leaf = middle.leaf[page >> kBits & kLow];
  if (!leaf.load(kRelaxed)) {
    leaf.store(new Leaf(), std::memory_order_release);
    middle.used++;
  }
  return *leaf.load(kRelaxed);
}

Pages::Leaf* Pages::leaf_of(uint64_t page) const {
  const Middle* const middle = top_[page >> (2 * kBits)].load(kRelaxed);
  return middle ? middle->leaf[page >> kBits & kLow].load(kRelaxed) : nullptr;
}

// A vCPU's thread may be looking at them just now.
void Pages::give_back(uint64_t page) {
  auto& top = top_[page >> (2 * kBits)];
  Middle* const middle = top.load(kRelaxed);
  if (!middle) return;
  auto& at = middle->leaf[page >> kBits & kLow];
  if (Leaf* const leaf = at.load(kRelaxed); leaf && !leaf->used) {
    at.store(nullptr, kRelaxed);
    middle->used--;
    pb_machine.release_later(leaf, [](void* p) { delete static_cast<Leaf*>(p); });
  }
  if (middle->used) return;
  top.store(nullptr, kRelaxed);
  pb_machine.release_later(middle, [](void* p) { delete static_cast<Middle*>(p); });
}

const uint8_t* Pages::host_of(uint64_t page) const {
  const uint64_t addr = page << PB_PAGE_BITS;
  const PbRamPiece* const piece = map_ ? piece_of_addr(*map_, addr) : nullptr;
  return piece ? piece->host + (addr - piece->addr) : nullptr;
}

void Pages::change(uint64_t page, Leaf& leaf, unsigned owner, bool on) {
  std::atomic<uint32_t>& owners = leaf.owners[page & kLow];
  const uint32_t was = owners.load(kRelaxed), bit = uint32_t{1} << owner;
  const uint32_t now = on ? was | bit : was & ~bit;
  if ((was != 0) == (now != 0)) {
    owners.store(now, std::memory_order_release);
    return;
  }
  leaf.used += on ? 1u : -1u;
  // A vCPU that finds the page by maybe() must find its owner, too.
  const uint8_t* const host = host_of(page);
  if (host && on) maybe_[slot(host)].fetch_add(1, kRelaxed);
  owners.store(now, std::memory_order_release);
  if (host && !on) maybe_[slot(host)].fetch_sub(1, kRelaxed);
}

void Pages::mark(uint64_t first, uint64_t n, unsigned owner, bool on) {
  if (first >= kPages) return;
  const uint64_t end = first + std::min(n, kPages - first);
  for (uint64_t page = first; page < end; ++page) {
    Leaf* const leaf = on ? &make(page) : leaf_of(page);
    if (leaf) change(page, *leaf, owner, on);
  }
  if (on) return;
  for (uint64_t page = first; page < end; page = (page | kLow) + 1) give_back(page);
}

template <typename F>
void Pages::each(F&& f) const {
  for (uint64_t t = 0; t < 1 << kTopBits; ++t) {
    const Middle* const middle = top_[t].load(kRelaxed);
    for (uint64_t m = 0; middle && m < 1 << kBits; ++m) {
      Leaf* const leaf = middle->leaf[m].load(kRelaxed);
      for (uint64_t l = 0; leaf && l < 1 << kBits; ++l)
        if (leaf->owners[l].load(kRelaxed)) f(t << (2 * kBits) | m << kBits | l, *leaf);
    }
  }
}

void Pages::unmark_all(unsigned owner) {
  std::vector<uint64_t> leaves;  // their first pages: nothing is given back while they are walked through
  each([&](uint64_t page, Leaf& leaf) {
    change(page, leaf, owner, false);
    if (leaves.empty() || leaves.back() != (page & ~kLow)) leaves.push_back(page & ~kLow);
  });
  for (const uint64_t page : leaves) give_back(page);
}

void Pages::map(const PbRamMap* map) {
  map_ = map;
  std::vector<uint16_t> fresh(std::size(maybe_));
  each([&](uint64_t page, const Leaf&) {
    if (const uint8_t* const host = host_of(page)) fresh[slot(host)]++;
  });
  // Slot by slot: the slot of a page that stays marked and in its place is never 0 in between.
  for (size_t i = 0; i < fresh.size(); ++i) maybe_[i].store(fresh[i], kRelaxed);
}

}  // namespace perfboard
