/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TLB shootdown - what one vCPU tells the others that their TLBs are to drop: pb_tlb_shootdown() (plugins/machine.h).
 *
 *   pb_tlb_shootdown_begin(vcpus, drop);   drop() is called for each page, or for PB_ALL_PAGES: in the vCPU's thread, or while no vCPU is in a block
 *   pb_tlb_shootdown_gone(vcpu);           another one may have its index
 *   pb_tlb_shootdown_take();               what waits of it is done now; while no vCPU is in a block
 *
 * A vCPU takes what it is told before its next block. It may be in a hypervisor call or an access for long, and the others go on telling it.
 * When 4,096 pages wait for one, all vCPUs stop before their next block, and all pages are dropped then. Until then each may tell it
 * as many more as one block has instructions.
 */
#ifndef PB_TLB_SHOOTDOWN_H
#define PB_TLB_SHOOTDOWN_H

#include <stdint.h>

void pb_tlb_shootdown_begin(unsigned vcpus, void (*drop)(unsigned vcpu, uint64_t page));
void pb_tlb_shootdown_gone(unsigned vcpu);
void pb_tlb_shootdown_take(void);

#endif
