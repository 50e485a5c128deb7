/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Injections - the errors on purpose that a board's view lists (hw/model/view.h), in C: for whoever makes properties of them.
 *
 *   PbInjection i;
 *   for (unsigned n = 0; pb_view_injection(view, n, &i); n++) ...
 *   pb_view_inject(view, model, i.number, 3);         a board's own; under its lock
 *
 * view: NULL: a board that has only those that every board has. */
#ifndef PERFBOARD_INSPECT_INJECTIONS_H
#define PERFBOARD_INSPECT_INJECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbInjection {
    const char *property;     /* "inject-..." */
    const char *help;         /* in one line, without the legal range */
    const char *const *words; /* values by number, then NULL. NULL: a number, */
    uint64_t most;            /* from 0 to this */
    bool is_switch;           /* the words are off and on */
    unsigned number;          /* of the view's */
} PbInjection;

bool pb_view_injection(const void *view, unsigned number, PbInjection *injection); /* false: there are no more */
uint64_t pb_view_injected(const void *view, void *model, unsigned number);         /* what is left of it; 0 of what is done at once */
void pb_view_inject(const void *view, void *model, unsigned number, uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
