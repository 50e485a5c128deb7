/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the instruction is that accesses a port (x86: IN, OUT, INS, OUTS).
 *
 * An access to memory tells where in translated code it was made. An access to a port does not: QEMU makes it in a helper that leaves no
 * such trace. So while somebody asks, blocks note the program counter before each instruction that may be one.
 *
 *   pb_ports_watch(true);                      as many users as have said so; big lock held
 *   if (pb_port_pc(vcpu, &pc)) ...             in the vCPU's thread, in the access
 *
 * Free-running, blocks note it from the next block on. Under icount an access ends its block, so it is the next instruction.
 */
#ifndef PERFBOARD_PLUGINS_PORTS_H
#define PERFBOARD_PLUGINS_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void pb_ports_watch(bool on);
/* Guest-virtual. False: no block has noted it yet. */
bool pb_port_pc(unsigned vcpu, uint64_t *pc);

#ifdef __cplusplus
}
#endif
#endif
