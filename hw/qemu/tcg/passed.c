/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/atomic.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/passed.h"

enum {
    SIZES = 8,     /* of accesses, by log2 */
    ASIDE = 0xd00, /* near.h */
};

typedef struct Beyond {
    uint64_t begin, limit[SIZES];
} Beyond;

typedef struct Passing {
    PbPassed count;
    const Beyond *limits; /* mode, or nothing */
    Beyond mode[PB_MMU_MODES];
} Passing;

static const Beyond nothing[PB_MMU_MODES];
static intptr_t distance;                 /* from a vCPU's state; 0: nothing ever passes */
static Passing *passing_of[PB_MAX_VCPUS]; /* by vCPU index, of those that went, too */

void pb_passed_start(const PbNearSpan *span)
{
    CPUState *cpu;

    distance = pb_near_place(span, ASIDE, sizeof(Passing));
    CPU_FOREACH(cpu) {
        Passing *p = distance ? (Passing *)(pb_env_of(cpu) + distance) : NULL;
        passing_of[pb_vcpu_index(cpu)] = p;
        if (p) {
            p->limits = p->mode;
        }
    }
}

void pb_passed_window(CPUState *cpu, unsigned mode, PbWindow w)
{
    Beyond *b;

    if (!distance) {
        return;
    }
    b = &((Passing *)(pb_env_of(cpu) + distance))->mode[mode];
    b->begin = w.high + 1;
    for (int n = 0; n < SIZES; n++) {
        b->limit[n] = (UINT64_MAX - w.span) >> n;
    }
}

bool pb_passed_at(unsigned mode, unsigned log2_bytes, bool store, PbPassedAt *at)
{
    const intptr_t of_mode = mode * sizeof(Beyond);

    g_assert(mode < PB_MMU_MODES && log2_bytes < SIZES);
    *at = (PbPassedAt){
        .begin = distance + offsetof(Passing, mode) + of_mode + offsetof(Beyond, begin),
        .table = distance + offsetof(Passing, limits),
        .limit = of_mode + offsetof(Beyond, limit) + log2_bytes * sizeof(uint64_t),
        .count = distance + offsetof(Passing, count) + (store ? offsetof(PbPassed, stores) : offsetof(PbPassed, loads)),
    };
    return distance;
}

bool pb_passed(unsigned vcpu, PbPassed *count)
{
    const Passing *p;

    g_assert(vcpu < PB_MAX_VCPUS);
    p = passing_of[vcpu];
    if (p) {
        *count = (PbPassed){ qatomic_read(&p->count.loads), qatomic_read(&p->count.stores) };
    }
    return p;
}

void pb_passed_none(bool on)
{
    for (int i = 0; i < PB_MAX_VCPUS; i++) {
        if (passing_of[i]) {
            qatomic_set(&passing_of[i]->limits, on ? nothing : passing_of[i]->mode);
        }
    }
}
