/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Alone - something is done while no vCPU is in a block: before the calling vCPU's next block, and before any other's.
 *
 *   static PbAlone flush = { .work = flush_all, .does = PB_TELL_FLUSH, .stands = PB_TELL_FLUSH_STAND };
 *   pb_alone(&flush);                  any thread, as often as a guest makes it; work() is done once for all that have asked
 *
 * It is safe work of the first vCPU, which nobody can eject. The others, the caller too, stand between two blocks until it is done. While one
 * stands it does what others want of it: QEMU's kvmvapic has a vCPU wait within an access for each other one. One that is to go goes: the
 * vCPU that ejects it waits within an access, too. With safe work for each of them either would wait for ever.
 *
 * With all vCPUs in turn on one thread nobody runs before this one stops: that which is in a block has the work, or each has (`each`).
 */
#ifndef PB_ALONE_H
#define PB_ALONE_H

#include "hw/core/cpu.h"

typedef struct PbAlone {
    void (*work)(CPUState *cpu); /* whose thread it is; without the big lock */
    unsigned does, stands;       /* bits of PB_TELL_* of its own */
    bool each;
    unsigned asked, done;
} PbAlone;

void pb_alone(PbAlone *a);

#endif
