/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbHost - all that a board model can see of the machine around it.
 *
 * A shim in hw/qemu/ fills one in; a unit test fills in a fake one. Times are in
 * nanoseconds of virtual time; addresses are guest-physical. Every function is
 * called with the opaque pointer first. A model calls nothing else: no QEMU
 * function, no host clock, no global.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_CORE_HOST_H
#define PERFBOARD_CORE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#define PB_NEVER UINT64_MAX /* a deadline that does not come */

#define PB_WHY_BYTES 320 /* room for a line that says why a snapshot is refused */

/* What a log line is about: QEMU shows each kind under a -d flag of its own. */
enum pb_log_kind {
    PB_LOG_GUEST_ERROR, /* the guest did what the paper does not allow: -d guest_errors */
    PB_LOG_UNIMP,       /* the hardware has it, this model has not: -d unimp */
};

typedef struct PbHost {
    void *opaque;
    /* Virtual time now, ns. */
    uint64_t (*now)(void *opaque);
    /* Drive the board's interrupt line; repeated calls with one level are harmless. */
    void (*set_irq)(void *opaque, bool level);
    /* Have the model's *_timer entry called once at deadline ns (PB_NEVER: not at all);
     * a new call replaces the deadline. It may be called later than asked, never earlier. */
    void (*arm)(void *opaque, uint64_t deadline);
    /* Read or write guest RAM as a bus master. False: no RAM there; nothing was transferred. */
    bool (*dma_read)(void *opaque, uint64_t addr, void *data, uint32_t bytes);
    bool (*dma_write)(void *opaque, uint64_t addr, const void *data, uint32_t bytes);
    /* One line, without newline; names the register. */
    void (*log)(void *opaque, enum pb_log_kind kind, const char *line);
    /* The guest has made a mistake: its number in the board's list (hw/model/view.h), and a line as above. NULL: log hears the line. */
    void (*mistake)(void *opaque, unsigned number, const char *line);
    /* Something has happened beside a register's new value: its number in the board's list, and a number that belongs
     * to it (0: none). NULL: nobody looks, which costs a test. May be called where now() may not be. */
    void (*effect)(void *opaque, unsigned number, uint64_t value);
} PbHost;

#endif
