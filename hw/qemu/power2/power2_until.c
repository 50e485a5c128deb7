/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Until plugins/blocks.h and plugins/special.h are there: instructions and branches by event counts, and nothing else. All
 * weak: what comes takes its place. */
#include "qemu/osdep.h"
#include "hw/power2/power2.h"
#include "plugins/blocks.h"
#include "plugins/cpu_hooks.h"

#define UNTIL __attribute__((weak))

static PbEvents *until;
static uint8_t state_of_all[256][256];

UNTIL bool pb_blocks_open(const PbBlockModel *model, unsigned vcpus, char **why)
{
    static const char *const names[] = { "instructions", "branches" };
    until = pb_events_open(names, 2, vcpus, NULL, why);
    return until;
}

UNTIL void pb_blocks_count(bool on)
{
    pb_events_watch(until, on);
}

UNTIL void pb_blocks_read(unsigned vcpu, unsigned contexts, uint64_t *totals)
{
    uint64_t two[2];
    memset(totals, 0, P2_STATS * sizeof(*totals));
    pb_events_read(until, vcpu, contexts, two);
    totals[P2S_insns] = totals[P2S_cycles] = two[0];
    totals[P2S_branches] = two[1];
}

UNTIL void pb_blocks_pattern(unsigned vcpu, uint32_t pattern)
{
}

UNTIL uint64_t pb_blocks_matched(unsigned vcpu, unsigned contexts)
{
    return 0;
}

UNTIL void pb_blocks_context(unsigned vcpu, bool *privileged, bool *marked)
{
    *privileged = true;
    *marked = false;
}

UNTIL size_t pb_blocks_state_bytes(void)
{
    return 192;
}

UNTIL void pb_blocks_save(unsigned vcpu, void *state)
{
    memcpy(state, state_of_all[vcpu], pb_blocks_state_bytes());
}

UNTIL void pb_blocks_load(unsigned vcpu, const void *state)
{
    memcpy(state_of_all[vcpu], state, pb_blocks_state_bytes());
}

UNTIL void pb_blocks_reset(void)
{
}

UNTIL void pb_blocks_keep_mark(bool on)
{
}

void pb_special_watch(bool on);
void pb_special_read(unsigned vcpu, uint64_t by_context[4]);

UNTIL void pb_special_watch(bool on)
{
}

UNTIL void pb_special_read(unsigned vcpu, uint64_t by_context[4])
{
    memset(by_context, 0, 4 * sizeof(*by_context));
}
