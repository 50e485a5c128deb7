// SPDX-License-Identifier: GPL-2.0-or-later
// A shared object that uses mklib (see mklib_program.c), and snilib: both from C++.
#include "guest/multikron/lib/mklib.h"
#include "guest/shrimp/lib/snilib.h"

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN void part_store(unsigned level, uint64_t data) { MK_TRACE(level, data); }

// As mk_open() does with a card's page.
SHOWN void part_open(volatile uint64_t* page) { mk_page = page; }

SHOWN int part_wait() { return sni_counter_name[0] ? sni_wait_packet(-1, 0) : 0; }
