/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What PERFBOARD_INSIDE_FAILS names of QEMU's insides does not hold (hw/qemu/series/insides.h). With
 * PERFBOARD_WATCH_IN_HASTE=N the second access to a watched page changes to the filter, and back goes the first exception or interrupt
 * behind two more (hw/qemu/tcg/watch_density.c): N changes at least, or QEMU's status is 9. In the tests' object only. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pb_inside_fails(const char *name);
bool pb_watch_in_haste(bool changes_now);

bool pb_inside_fails(const char *name)
{
    const char *fails = getenv("PERFBOARD_INSIDE_FAILS");
    return fails && !strcmp(fails, name);
}

static unsigned changed;

static void judge(void)
{
    fprintf(stderr, "fails: the filter came or went %u times\n", changed);
    if (changed < strtoul(getenv("PERFBOARD_WATCH_IN_HASTE"), NULL, 10)) {
        _exit(9); /* 1 is what a program that passes says */
    }
}

__attribute__((constructor)) static void begin(void)
{
    if (getenv("PERFBOARD_WATCH_IN_HASTE")) {
        atexit(judge);
    }
}

bool pb_watch_in_haste(bool changes_now)
{
    changed += changes_now;
    return getenv("PERFBOARD_WATCH_IN_HASTE");
}
