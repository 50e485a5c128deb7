/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mk_start.h - a MULTIKRON found, and reset, with all counters on the external inputs; for mk.h and ppc/rt.h, whose functions it uses. */
#ifndef PERFBOARD_BARE_MK_START_H
#define PERFBOARD_BARE_MK_START_H

bool mk_find(unsigned i, struct mk *card);

static inline void mk_start_external(const struct mk *c) {
  mk_put(c, MKR_RESET, 0);
  mk_put64(c, MKR_MUXSEL, 0xffff);
}

#endif
