/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SNI - C entry points of the SHRIMP network interface model (hw/shrimp/README.md is its manual).
 *
 * Two kinds of caller:
 *   observation (vCPU threads, no big lock): sni_bus_write, sni_bus_read - what the Xpress bus
 *     of the node carries, in order, with virtual times;
 *   machine (under the big lock): registers, timer, deliveries.
 * The shim holds one lock of this board around every call, so the model sees one caller at a
 * time; it performs DMA and hands packets to the SurfBoard outside that lock:
 *
 *   while (sni_pop_delivery(b, now, &d)) { DMA d.payload to d.packet.address; surf_packet(); ... }
 *
 * sni_bus_* never call host->set_irq or DMA; they only arm(): the timer then does the rest
 * (sni_timer) with the big lock held.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SHRIMP_SNI_H
#define PERFBOARD_SHRIMP_SNI_H

#include "hw/core/host.h"
#include "hw/shrimp/packet.h"
#include "hw/shrimp/sni_state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SniConfig {
    uint16_t node;        /* this node, 0..nodes-1 */
    uint16_t nodes;       /* nodes of the machine, 1..64x64 */
    uint16_t mesh_width;  /* columns of the backplane: node n sits at X = n % width, Y = n / width */
    uint32_t fifo_words;  /* outgoing FIFO, 64-bit words, SNI_FIFO_MIN..SNI_FIFO_MAX */
    uint32_t product_id;
    void *opaque;
    void (*remap)(void *opaque);           /* SBCR changed: move the register window */
    /* What must be observed changed (SCR or the outgoing page table): see sni_wants(). */
    void (*observe)(void *opaque);
    void (*global_reset)(void *opaque);    /* S_GRST_L pulse to the SurfBoards of this node */
} SniConfig;

typedef struct SniBoard {
    SniState state;
    SniConfig config;
    PbHost host;
} SniBoard;

typedef struct SniDelivery {
    ShrimpPacket packet;
    bool write;               /* payload is to be written to memory (page valid) */
    uint32_t payload[SHRIMP_MAX_WORDS];
} SniDelivery;

void sni_init(SniBoard *b, const SniConfig *config, const PbHost *host);
void sni_power_on(SniBoard *b);
void sni_bus_reset(SniBoard *b);

uint32_t sni_io_read(SniBoard *b, uint32_t offset, uint32_t size);  /* 0xC80..0xC87 */
void sni_io_write(SniBoard *b, uint32_t offset, uint32_t value, uint32_t size);
uint32_t sni_reg_read(SniBoard *b, uint32_t offset, uint32_t size); /* 1 MB window */
void sni_reg_write(SniBoard *b, uint32_t offset, uint32_t value, uint32_t size);

/* A write on the memory bus: 1..16 bytes at addr, not crossing a 4 KB page. The model ignores
 * what it does not care for: sni_page_mapped() is the cheap question to ask first. */
void sni_bus_write(SniBoard *b, uint64_t now, uint64_t addr, const uint8_t *data, uint32_t bytes);
/* A read on the memory bus (a load that missed the caches), or a write that only matters
 * because it is on the bus (rule 3): both end combining. */
void sni_bus_read(SniBoard *b, uint64_t now, uint64_t addr);

/* What the model needs to see, given its registers. */
typedef enum SniWants {
    SNI_WANTS_NOTHING = 0, /* disabled, or no page has automatic update on */
    SNI_WANTS_STORES,      /* some page has automatic update, none combines */
    SNI_WANTS_LOADS_TOO,   /* some page combines: bus reads matter */
} SniWants;
SniWants sni_wants(const SniBoard *b);
bool sni_page_mapped(const SniBoard *b, uint64_t addr); /* automatic update on for that page */

void sni_timer(SniBoard *b); /* advance to host->now(): timeouts, sends; sets the interrupt line; re-arms */
bool sni_pop_delivery(SniBoard *b, uint64_t now, SniDelivery *d); /* next one due at or before now */
void sni_delivered(SniBoard *b, const SniDelivery *d, bool dma_ok); /* accounts it; sets the interrupt line */
void sni_post_load(SniBoard *b);

bool sni_enabled(const SniBoard *b);
uint32_t sni_window(const SniBoard *b);
int sni_irq_number(const SniBoard *b);

#ifdef __cplusplus
}
#endif
#endif
