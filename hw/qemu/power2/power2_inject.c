/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The monitors' errors on purpose (hw/power2/inject.cc), as properties. */
#include "qemu/osdep.h"

#include "hw/qemu/power2/power2.h"

enum { ERRORS, ROLL_OVER, SILENT };

#define MOST_SILENT 64u /* processors that a set of inject-silent can name */

static uint64_t get(Object *board, unsigned which)
{
    const P2Card *card = &POWER2_PM(board)->card;
    uint64_t set = 0;

    for (unsigned i = 0; which == SILENT && i < MIN(card->count, MOST_SILENT); i++) {
        set |= (uint64_t)card->monitors[i].state.silent << i;
    }
    return set; /* the others are done at once */
}

static void set(Object *board, unsigned which, uint64_t value)
{
    Power2Device *s = POWER2_PM(board);

    if (which == ERRORS) {
        p2_inject_errors(&s->card.monitors[s->errors_cpu], value);
    }
    for (unsigned i = 0; i < s->card.count; i++) {
        if (which == ROLL_OVER) {
            p2_inject_roll_over(&s->card.monitors[i], value);
        } else if (which == SILENT) {
            p2_inject_silent(&s->card.monitors[i], i < MOST_SILENT && value >> i & 1);
        }
    }
}

#define INJECTION(name, number, ...) { .property = name, .which = number, .get = get, .set = set, __VA_ARGS__ }

const PbInjection power2_injections[] = {
    INJECTION("inject-errors", ERRORS, .most = UINT32_MAX, .text = "errors that the memory corrects; correctable-errors-cpu says whose monitor counts them"),
    INJECTION("inject-roll-over", ROLL_OVER, .most = UINT32_MAX, .text = "every counter is so many events before its roll-over; 0: nothing happens"),
    INJECTION("inject-silent", SILENT, .most = UINT64_MAX, .text = "a set of processors, bit n: n, whose monitors answer nothing"),
    { .property = NULL },
};
