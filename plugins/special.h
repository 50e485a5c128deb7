/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Special numbers - how many executed floating-point instructions had a denormal, infinite or not-a-number operand.
 *
 *   pb_special_watch(true);                       from the next block on; false: the counts stand still
 *   n = pb_special_read(0, PB_USER | PB_USER_MARKED);   of vCPU 0, while it was not privileged (events.h)
 *
 * Counted are instructions that compute with floating-point numbers (plugins/isa/floats.h): POWER's scalar, VSX and VMX ones,
 * x86's SSE, AVX, FMA and x87 ones. An instruction counts once, however many of its operands are special, when it completes;
 * one that faults counts when it is made again. Looked at are its operands in registers and in memory as they are before it.
 * Not looked at: decimal and half precision, POWER's accumulators, x86's loads of ten bytes (they change nothing), 3DNow.
 * Only while watched, and only on these instructions, blocks carry a callback.
 *
 * With the big lock held. Never falls. Totals are the process's own: a snapshot does not hold them. */
#ifndef PERFBOARD_PLUGINS_SPECIAL_H
#define PERFBOARD_PLUGINS_SPECIAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On processors that machine.h does not know nothing is counted. */
void pb_special_watch(bool on);
uint64_t pb_special_read(unsigned vcpu, unsigned contexts);

#ifdef __cplusplus
}
#endif
#endif
