// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pages - which guest-physical pages are marked, and for whom: a bit for each of 32 owners.
//
//   pages.mark(first, n, owner, true);      big lock held
//   uint32_t owners = pages.owners(page);   any thread; exact
//   if (pages.maybe(host)) ...              any thread; one load. False: no page at that host address is
//   marked. pages.map(map);                         the machine's memory lies elsewhere now (big lock held)
//
// A page is 4 KB of guest-physical space and may be marked whether or not there is memory. maybe() is what
// the fast paths ask: it counts marked pages by the low 16 bits of their page number in the host, so there
// are no bounds to check.
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
    return found ? found->load(std::memory_order_relaxed) : 0;
  }
  bool maybe(const uint8_t* host) const { return maybe_[slot(host)].load(std::memory_order_relaxed) != 0; }
  void map(const PbRamMap* map);

 private:
  static constexpr unsigned kTopBits = 14, kBits = 13;  // of a page number: 14, 13, 13
  struct Leaf {
    std::atomic<uint32_t> owners[1 << kBits];
  };
  struct Middle {
    std::atomic<Leaf*> leaf[1 << kBits];
  };

  static uint16_t slot(const uint8_t* host) {
    return static_cast<uint16_t>(reinterpret_cast<uintptr_t>(host) >> PB_PAGE_BITS);
  }
  const uint8_t* host_of(uint64_t page) const;
  std::atomic<uint32_t>* find(uint64_t page) const {
    if (page >= kPages) return nullptr;
    const Middle* const middle = top_[page >> (2 * kBits)].load(std::memory_order_acquire);
    Leaf* const leaf =
        middle ? middle->leaf[page >> kBits & ((1 << kBits) - 1)].load(std::memory_order_acquire) : nullptr;
    return leaf ? &leaf->owners[page & ((1 << kBits) - 1)] : nullptr;
  }
  std::atomic<uint32_t>& make(uint64_t page);
  template <typename F>
  void each(F&& f) const;  // f(page, owners) of each marked page
  void change(uint64_t page, std::atomic<uint32_t>& owners, unsigned owner, bool on);

  std::atomic<Middle*> top_[1 << kTopBits] = {};
  std::atomic<uint16_t> maybe_[1 << 16] = {};
  const PbRamMap* map_ = nullptr;
};

}  // namespace perfboard
#endif
