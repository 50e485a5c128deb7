/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine model's face for C: the shim hands these to plugins/blocks.h. machine.h is the manual.
 *
 *   insns   array of ModelInsn (hw/processor/insn.h)
 *   state   p2_machine_state_bytes() bytes, plain data; all 0: an empty pipeline
 *   counts  p2_machine_counts() numbers in the order of stats.def
 */
#ifndef PERFBOARD_POWER2_MACHINE_C_H
#define PERFBOARD_POWER2_MACHINE_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

unsigned p2_machine_counts(void);
unsigned p2_machine_insns(void), p2_machine_cycles(void); /* which of them these are */
unsigned p2_machine_state_bytes(void);
void p2_machine_run(const void *insns, size_t n, void *state, uint32_t *counts);
bool p2_machine_state_ok(const void *state);
bool p2_machine_imr_matches(const void *insn, uint32_t imr, bool power);
uint32_t p2_machine_imr_of(const void *insn, bool power); /* the value that names it */

#ifdef __cplusplus
}
#endif
#endif
