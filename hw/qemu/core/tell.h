/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tell - work for a vCPU's own thread, of which one piece of a kind waits at most. A guest asks for it by a register, as often as it
 * likes, and the other vCPU's thread gets to its work when the host lets it.
 *
 *   if (pb_tell(cpu, PB_TELL_TYPES)) async_run_on_cpu(cpu, work, ...);   false: such work waits already
 *   pb_tell_begins(cpu, PB_TELL_TYPES);                                   first in the work: what is wanted now is looked up behind it
 *   pb_tell_fresh(vcpu);                                                  a vCPU begins: work of one that went is not its
 */
#ifndef PB_TELL_H
#define PB_TELL_H

#include "hw/core/cpu.h"

enum {
    PB_TELL_RETRANSLATE = 1,
    PB_TELL_RETRANSLATE_STAND = 2,
    PB_TELL_WINDOWS = 4,
    PB_TELL_WINDOWS_STAND = 8,
    PB_TELL_TYPES = 16,
    PB_TELL_MARK = 32,
    PB_TELL_PAGES = 64,
    PB_TELL_FULL = 128,
    PB_TELL_FULL_STAND = 256,
};

bool pb_tell(const CPUState *cpu, unsigned what);
void pb_tell_begins(const CPUState *cpu, unsigned what);
void pb_tell_fresh(unsigned vcpu);

#endif
