/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include <sys/mman.h>

#include "hw/qemu/tcg/ops.h"

bool pb_env_span(PbEnvSpan *span)
{
    CPUState *cpu, *other, *one = NULL;

    *span = (PbEnvSpan){ UINTPTR_MAX, 0, SIZE_MAX };
    CPU_FOREACH(cpu) {
        if (one && cpu->cc != one->cc) {
            return false;
        }
        one = cpu;
        span->first = MIN(span->first, pb_env_of(cpu));
        span->last = MAX(span->last, pb_env_of(cpu));
        CPU_FOREACH(other) {
            if (pb_env_of(other) > pb_env_of(cpu)) {
                span->gap = MIN(span->gap, pb_env_of(other) - pb_env_of(cpu));
            }
        }
    }
    return one && current_machine->smp.max_cpus == current_machine->smp.cpus;
}

intptr_t pb_env_place(const PbEnvSpan *span, size_t aside, size_t bytes)
{
    const uintptr_t page = qemu_real_host_page_size(), step = 2 * MiB;
    const size_t all = ROUND_UP(span->last - span->first + aside + bytes, page) + page;

    for (uintptr_t d = step; d + all < 2 * GiB - step; d += step) {
        for (int below = 0; below < 2; below++) {
            intptr_t distance = below ? -(intptr_t)ROUND_UP(d + all, step) : (intptr_t)d;
            void *at = (void *)ROUND_DOWN(span->first + distance, page);
            void *got =
                mmap(at, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
            if (got == at) {
                return distance + (intptr_t)aside;
            }
            if (got != MAP_FAILED) {
                munmap(got, all); /* a kernel that takes the address as a hint */
            }
        }
    }
    return 0;
}
