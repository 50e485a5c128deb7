// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pages - which guest-physical pages are marked, and for whom: a bit for each of 32 owners.
//
//   pages.mark(first, n, owner, true);      big lock held
//   uint32_t owners = pages.owners(page);   any thread; exact
//   if (pages.maybe(host)) ...              any thread; one load. False: no marked page is at that host address
//   pages.map(map);                         the machine's memory lies elsewhere now (big lock held)
//
// A page is 4 KB of guest-physical space and may be marked whether or not there is memory. maybe() is what
// the fast paths ask: it counts marked pages by the low 16 bits of their page number in the host, so there
// are no bounds to check.
//
// A guest says where a board's window lies, and with it which pages are marked. So what has no marked page is
// given back: a marked page costs 96 KB at most (a Leaf and a Middle of its own), wherever it was before.
#ifndef PERFBOARD_PLUGINS_PAGES_H
#define PERFBOARD_PLUGINS_PAGES_H

#include <atomic>
#include <cstdint>
#include <vector>

#include "plugins/port.h"

namespace perfboard {

class Pages {
 public:
  static constexpr unsigned kOwners = 32;
  // Pages that can be marked: guest-physical space of 2^52 bytes.
  static constexpr uint64_t kPages = uint64_t{1} << 40;

  Pages() = default;
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void mark(uint64_t first, uint64_t n, unsigned owner, bool on);
  void unmark_all(unsigned owner);
  uint32_t owners(uint64_t page) const {
    const std::atomic<uint32_t>* const found = find(page);
    return found ? found->load(std::memory_order_acquire) : 0;  // who they are was written before
  }
  bool maybe(const uint8_t* host) const { return maybe_[slot(host)].load(std::memory_order_relaxed) != 0; }
  void map(const PbRamMap* map);

 private:
  static constexpr unsigned kTopBits = 14, kBits = 13;  // of a page number: 14, 13, 13
  static constexpr uint64_t kLow = (1 << kBits) - 1;
  // used: how many are not empty; of whoever holds the big lock.
  struct Leaf {
    std::atomic<uint32_t> owners[1 << kBits];
    uint32_t used;
  };
  struct Middle {
    std::atomic<Leaf*> leaf[1 << kBits];
    uint32_t used;
  };

  static uint16_t slot(const uint8_t* host) {
    return static_cast<uint16_t>(reinterpret_cast<uintptr_t>(host) >> PB_PAGE_BITS);
  }
  const uint8_t* host_of(uint64_t page) const;
  std::atomic<uint32_t>* find(uint64_t page) const {
    if (page >= kPages) return nullptr;
    const Middle* const middle = top_[page >> (2 * kBits)].load(std::memory_order_acquire);
    Leaf* const leaf = middle ? middle->leaf[page >> kBits & kLow].load(std::memory_order_acquire) : nullptr;
    return leaf ? &leaf->owners[page & kLow] : nullptr;
  }
  Leaf& make(uint64_t page);
  Leaf* leaf_of(uint64_t page) const;
  template <typename F>
  void each(F&& f) const;  // f(page, leaf) of each marked page
  void change(uint64_t page, Leaf& leaf, unsigned owner, bool on);
  void give_back(uint64_t page);  // what is empty of the tables that lead to it

  std::atomic<Middle*> top_[1 << kTopBits] = {};
  std::atomic<uint16_t> maybe_[1 << 16] = {};
  const PbRamMap* map_ = nullptr;
};

}  // namespace perfboard
#endif
