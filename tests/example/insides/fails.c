/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What PERFBOARD_INSIDE_FAILS names of QEMU's insides does not hold (hw/qemu/series/insides.h). In the tests' object only. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool pb_inside_fails(const char *name);

bool pb_inside_fails(const char *name)
{
    const char *fails = getenv("PERFBOARD_INSIDE_FAILS");
    return fails && !strcmp(fails, name);
}
