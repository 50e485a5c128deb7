/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of mktest share. */
#ifndef PERFBOARD_MKTEST_H
#define PERFBOARD_MKTEST_H

#include "guest/multikron/lib/mklib.h"
#include "tests/guest/linux/check.h"

extern unsigned long stored_trace, stored_resource; /* what must come out of the network */

void refused_of(long result, int error, const char *what, unsigned value);
/* Of the card: protection, flags, bytes, offset. */
#define try_map(...) try_mmap(mk_main.fd, __VA_ARGS__)
void settle(void);
void fresh(uint32_t commands);
uint32_t source_now(unsigned cpu);

void sources(char **words); /* mktest_sources.c */
void is(char **words);
void churn(char **words);
void gone(char **words);
void power(char **words);
void others(char **words); /* mktest_others.c */

#endif
