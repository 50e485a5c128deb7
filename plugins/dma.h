// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dma - the event sources "dma-reads" and "dma-writes": lines of memory that devices read and write.
//
//   dma_open();                 before the first use, while devices are made
//   dma_use(true);              from now on they count; as many users as have said so
//   uint64_t n = dma_count(vcpu, context, true);
//
// All with the big lock held.
#ifndef PERFBOARD_PLUGINS_DMA_H
#define PERFBOARD_PLUGINS_DMA_H

#include <cstdint>

namespace perfboard {

void dma_open();
void dma_use(bool on);
// Lines that devices have moved while the vCPU was in that context.
uint64_t dma_count(unsigned vcpu, unsigned context, bool write);

}  // namespace perfboard
#endif
