// SPDX-License-Identifier: GPL-2.0-or-later
//
// Hit filter - virtual lines that an access leaves as they are: the newest of its set in the data cache (for
// a store: modified, too), in the page that is the newest of its set in the TLB. Translated code finds them
// in a table (machine.h), and leaves the callback out. An access moves nothing but its own set, so whoever
// changes a set takes its newest line out of the table first, and nothing else need be known.
//
//   hit_filter_touch_line(cpu, line);              the line's set is about to change
//   hit_filter_touch(cpu, addr, bytes);            all of these bytes' sets
//   hit_filter_touch_page(cpu, page);              the page's set of the TLB
//   hit_filter_put(cpu, mode, vaddr, line, dirty)  the access was made, and another one would change nothing
//   hit_filter_put_below(s, mode, vaddr, line)     the same of a store that went past level 1
//   hit_filter_clear_pages(cpu);                   all of the TLB
//   hit_filter_clear(cpu);                         everything
//
// While one model of caches, or one of a TLB, or one of each is in use. The data cache here is its level 1:
// what hits that does nothing to level 2. At most one virtual line of each set of the cache is in it, and
// lines of one MMU mode's page of each set of the TLB: so each set knows what to take out. QEMU takes a
// page's lines out when it fills its own TLB with the page. In the vCPU's thread, or while it does not run.
#ifndef PERFBOARD_PLUGINS_HIT_FILTER_H
#define PERFBOARD_PLUGINS_HIT_FILTER_H

#include <cstring>

#include "plugins/layer.h"
#include "plugins/machine.h"

namespace perfboard {

// No vCPU runs, and no block is left.
void hit_filter_renew();

void hit_filter_clear(Vcpu& cpu);
void hit_filter_clear_pages(Vcpu& cpu);

inline void hit_filter_take_out(HitFilter& s, uint32_t& place) {
  if (place) s.table[0].line[place - 1] = {PB_HIT_NONE, PB_HIT_NONE};
  place = 0;
}

inline void hit_filter_touch_line(Vcpu& cpu, uint64_t line) {
  HitFilter& s = cpu.hit_filter;
  if (s.of_line) hit_filter_take_out(s, s.of_line[line & s.line_mask]);
  if (s.of_below) hit_filter_take_out(s, s.of_below[line & s.below_mask]);
}

// addr: of the only cache in use.
void hit_filter_touch(Vcpu& cpu, uint64_t addr, uint32_t bytes);

inline constexpr uint64_t hit_filter_owner(uint64_t page, unsigned mode) {
  return page << (1 + PB_INFO_MODE_BITS) | mode << 1 | 1;
}
void hit_filter_take_out_page(Vcpu& cpu, uint64_t& owner);
// So the TLB has nothing newer in the page's set. There is a TLB.
inline bool hit_filter_has_page(const HitFilter& s, uint64_t page, unsigned mode) {
  return s.of_page[page & s.page_mask] == hit_filter_owner(page, mode);
}
// The page is the newest of its set in the TLB.
inline void hit_filter_set_page(Vcpu& cpu, uint64_t page, unsigned mode) {
  uint64_t& owner = cpu.hit_filter.of_page[page & cpu.hit_filter.page_mask];
  hit_filter_take_out_page(cpu, owner);
  owner = hit_filter_owner(page, mode);
}
inline void hit_filter_touch_page(Vcpu& cpu, uint64_t page) {
  if (cpu.hit_filter.of_page)
    hit_filter_take_out_page(cpu, cpu.hit_filter.of_page[page & cpu.hit_filter.page_mask]);
}

// The page has lines in it already, if there is a TLB.
inline void hit_filter_put_line(HitFilter& s, unsigned mode, uint64_t vaddr, uint64_t line, bool dirty) {
  const uint64_t number = vaddr >> s.bits, key = number << s.bits;
  const uint32_t at = mode * PB_HIT_LINES + (number & (PB_HIT_LINES - 1));
  if (s.of_line) {
    uint32_t& place = s.of_line[line & s.line_mask];
    if (place != at + 1) hit_filter_take_out(s, place);
    place = at + 1;
  }
  s.modes |= 1u << mode;
  s.table[0].line[at] = {key, dirty ? key : PB_HIT_NONE};
}

// A store that brings no line to level 1, which has it not, has found it in level 2, of one way, or has made
// it dirty there.
inline void hit_filter_put_below(HitFilter& s, unsigned mode, uint64_t vaddr, uint64_t line) {
  const uint64_t number = vaddr >> s.bits;
  const uint32_t at = mode * PB_HIT_LINES + (number & (PB_HIT_LINES - 1));
  uint32_t& place = s.of_below[line & s.below_mask];
  if (place != at + 1) hit_filter_take_out(s, place);
  place = at + 1;
  s.modes |= 1u << mode;
  s.table[0].line[at] = {PB_HIT_NONE, number << s.bits};
}

inline void hit_filter_put(Vcpu& cpu, unsigned mode, uint64_t vaddr, uint64_t line, bool dirty) {
  const uint64_t page = vaddr >> PB_PAGE_BITS;
  if (!cpu.hit_filter.bits) return;
  if (cpu.hit_filter.of_page && !hit_filter_has_page(cpu.hit_filter, page, mode))
    hit_filter_set_page(cpu, page, mode);
  hit_filter_put_line(cpu.hit_filter, mode, vaddr, line, dirty);
}

}  // namespace perfboard
#endif
