/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of mktest share. */
#ifndef PERFBOARD_MKTEST_H
#define PERFBOARD_MKTEST_H

#include <stdbool.h>

#include "guest/multikron/lib/mklib.h"

extern unsigned long stored_trace, stored_resource; /* what must come out of the network */

void __attribute__((format(printf, 2, 3))) check(bool good, const char *format, ...);
void must(bool good, const char *what);
void check_refused(long result, int error, const char *what, unsigned value);
long try_map(int protection, int flags, size_t bytes, long offset);
void settle(void);
void fresh(uint32_t commands);

void pin(unsigned cpu);
uint32_t source_now(unsigned cpu);

void sources(void);
int is(const char *expected);
void churn(void);
void gone(const char *device);
void others(void); /* mktest_others.c */
void power(void);  /* mktest_power.c */

#endif
