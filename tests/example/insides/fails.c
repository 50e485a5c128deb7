/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What PERFBOARD_INSIDE_FAILS names of QEMU's insides does not hold (hw/qemu/series/insides.h). With PERFBOARD_WATCH_IN_HASTE each second access to
 * a watched page changes to the filter or back (hw/qemu/tcg/watch.c). In the tests' object only. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pb_inside_fails(const char *name);
bool pb_watch_in_haste(bool changes_now);

bool pb_inside_fails(const char *name)
{
    const char *fails = getenv("PERFBOARD_INSIDE_FAILS");
    return fails && !strcmp(fails, name);
}

static unsigned changed;

static void say_changes(void)
{
    fprintf(stderr, "fails: the filter came or went %u times\n", changed);
}

bool pb_watch_in_haste(bool changes_now)
{
    const bool in_haste = getenv("PERFBOARD_WATCH_IN_HASTE");

    if (in_haste && changes_now && !changed++) {
        atexit(say_changes);
    }
    return in_haste;
}
