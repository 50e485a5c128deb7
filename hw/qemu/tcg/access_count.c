/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/atomic.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/access_count.h"

enum {
    SIZES = 8,     /* of accesses, by log2 */
    ASIDE = 0xd00, /* env_relative.h */
};

typedef struct Beyond {
    uint64_t begin, limit[SIZES];
} Beyond;

typedef struct Passing {
    PbAccessCount count;
    const Beyond *limits; /* mode, or nothing */
    Beyond mode[PB_MMU_MODES];
} Passing;

static const Beyond nothing[PB_MMU_MODES];
static intptr_t distance;                 /* from a vCPU's state; 0: nothing ever passes */
static Passing *passing_of[PB_MAX_VCPUS]; /* by vCPU index, of those that went, too */

void pb_access_count_start(const PbEnvSpan *span)
{
    CPUState *cpu;

    distance = pb_env_place(span, ASIDE, sizeof(Passing));
    CPU_FOREACH(cpu) {
        Passing *p = distance ? (Passing *)(pb_env_of(cpu) + distance) : NULL;
        passing_of[pb_vcpu_index(cpu)] = p;
        if (p) {
            p->limits = p->mode;
        }
    }
}

void pb_access_count_range(CPUState *cpu, unsigned mode, PbFilterRange w)
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

bool pb_access_count_at(unsigned mode, unsigned log2_bytes, bool store, PbPassedAt *at)
{
    const intptr_t of_mode = mode * sizeof(Beyond);

    g_assert(mode < PB_MMU_MODES && log2_bytes < SIZES);
    *at = (PbPassedAt){
        .begin = distance + offsetof(Passing, mode) + of_mode + offsetof(Beyond, begin),
        .table = distance + offsetof(Passing, limits),
        .limit = of_mode + offsetof(Beyond, limit) + log2_bytes * sizeof(uint64_t),
        .count = distance + offsetof(Passing, count) + (store ? offsetof(PbAccessCount, stores) : offsetof(PbAccessCount, loads)),
    };
    return distance;
}

bool pb_access_count(unsigned vcpu, PbAccessCount *count)
{
    const Passing *p;

    g_assert(vcpu < PB_MAX_VCPUS);
    p = passing_of[vcpu];
    if (p) {
        *count = (PbAccessCount){ qatomic_read(&p->count.loads), qatomic_read(&p->count.stores) };
    }
    return p;
}

void pb_access_count_none(bool on)
{
    for (int i = 0; i < PB_MAX_VCPUS; i++) {
        if (passing_of[i]) {
            qatomic_set(&passing_of[i]->limits, on ? nothing : passing_of[i]->mode);
        }
    }
}
