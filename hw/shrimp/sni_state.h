/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SniState - everything that a snapshot of the SHRIMP network interface holds.
 *
 * Plain data of fixed width: copying it copies the board. Members under "derived" follow from the
 * others: sni_post_load() recomputes them. sni_state_ok() says which values are legal.
 *
 * Times are virtual ns. A packet goes through these places, in order:
 *
 *   fifo[]    the outgoing FIFO, a ring of 64-bit words: header, timestamp (SCR.TSE), payload
 *   flight[]  a ring of packets between the FIFO and the receiver's memory. Four counts that
 *             only grow divide it: popped <= done <= granted <= arrived
 *               popped..done     in memory, waits for sni_pop_delivery
 *               done..granted    has the receiver's bus (0 or 1)
 *               granted..arrived in the backplane or waiting for the receiver's bus
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SHRIMP_SNI_STATE_H
#define PERFBOARD_SHRIMP_SNI_STATE_H

#include <stdint.h>

#include "hw/shrimp/packet.h"

#define SNI_PAGES 32768   /* 4 KB pages that both page tables cover: 128 MB */
#define SNI_FIFO_MIN 1100 /* 64-bit words: two largest packets */
#define SNI_FIFO_MAX 65536
#define SNI_CREDITS 6   /* packets at most between the FIFO and the end of DMA */
#define SNI_FLIGHTS 128 /* the ring: those, and what the shim has not yet popped */
#define SNI_COUNTERS 20 /* 64-bit counters at 0x100..0x19F */
#define SNI_TERMS 6     /* latency terms at 0x200..0x25F */

typedef struct SniFlight {
  uint64_t header;    /* as in the FIFO: see hw/shrimp/pipeline.h */
  uint64_t timestamp; /* 45 bits, 100 ns */
  uint64_t first;     /* the first word was written */
  uint64_t close;     /* the packet was complete */
  uint64_t ready;     /* it could leave the FIFO (or the deliberate update engine) */
  uint64_t leave;     /* its first word left */
  uint64_t arrive;    /* its head reached the receiver's board */
  uint64_t tail;      /* its last word did */
  uint64_t start;     /* first word on S_DATA */
  uint64_t end;       /* last word on S_DATA */
  uint64_t landed;    /* DMA done */
  uint16_t sender;    /* coordinate as the receiver sees it */
  uint16_t entry;     /* the receiver's incoming page table entry, sampled at start */
  uint32_t spare;
  uint32_t payload[SHRIMP_MAX_WORDS];
} SniFlight;

typedef struct SniLatency {
  uint64_t sum;
  uint32_t min;
  uint32_t max;
} SniLatency;

typedef struct SniState {
  /* Registers that software writes, as the bank stores them. */
  uint32_t sbcr, scr, sisr, sier, fhwm, flwm, ctor, dusa, duda, dudn, duwc;
  /* Registers that events write. */
  uint32_t rxpg, rxep, clkh;
  uint32_t latch;        /* high word of the counter read last ... */
  uint32_t latch_offset; /* ... and that counter's offset; 0: none */

  uint64_t now;         /* latest event seen: time does not run backwards */
  uint64_t clock_base;  /* ns at which the 45-bit clock stood at clock_start */
  uint64_t clock_start; /* ticks */

  uint64_t counter[SNI_COUNTERS];
  SniLatency latency[SNI_TERMS];

  /* Outgoing FIFO. Positions are below config.fifo_words. */
  uint32_t fifo_head;    /* header of the oldest packet */
  uint32_t fifo_count;   /* words occupied, an open packet included */
  uint32_t fifo_packets; /* complete packets, the one being sent included */
  uint8_t fifo_was_high; /* SISR.HW was set, and SISR.LW not since */

  /* The packet open for combining; open_at is its header's place. */
  uint8_t open;
  uint8_t open_timed; /* its page has TOE */
  uint8_t spare0;
  uint32_t open_at;
  uint32_t open_words; /* 32-bit words so far */
  uint64_t open_next;  /* the address that continues it */
  uint64_t open_limit; /* the boundary it may not cross */
  uint64_t open_last;  /* when its last word came */

  /* Arbiter and link. */
  uint8_t sending; /* 0 idle, 1 from the FIFO, 2 from the deliberate update engine */
  uint8_t credits_used;
  uint8_t irq; /* level of the interrupt line as set last */
  uint8_t spare1;
  uint32_t sending_words; /* FIFO words of the packet sent last, freed at sent_at; 0: a deliberate update */
  uint64_t sent_at;
  uint64_t link_free; /* the link can take the next packet */
  uint64_t credit_at; /* when a credit came back last */

  /* Deliberate update engine: one transfer. */
  uint8_t du_busy;
  uint8_t spare2[3];
  uint32_t du_words;
  uint64_t du_header;
  uint64_t du_timestamp;
  uint64_t du_first; /* first word read */
  uint64_t du_last;  /* last word read */

  /* Receiver. */
  uint32_t popped, done, granted, arrived; /* counts, modulo 2^32 */
  uint8_t any_before;                      /* there was one */
  uint8_t spare4[7];
  uint64_t last_start, last_end, last_landed; /* of the packet before */
  uint64_t grant_late;                        /* when the grant comes that a CPU's store delays; 0: none */
  uint64_t cpu_from, cpu_until;               /* the CPU's last automatic-update store holds the bus */

  /* Derived. */
  uint64_t next_event; /* nothing happens before: the cheap test */
  uint64_t armed;      /* what host->arm() was last asked */
  uint32_t mapped_pages, combining_pages;
  uint8_t snooping; /* ENABLE, SCR.EN and SCR.AUE */
  uint8_t spare3[7];

  uint32_t out_table[SNI_PAGES][2];
  uint16_t in_table[SNI_PAGES]; /* implemented bits 9..0 */
  uint64_t fifo[SNI_FIFO_MAX];
  /* At a packet's header: when its first word came; at its second word: when it closed. */
  uint64_t fifo_time[SNI_FIFO_MAX];
  uint32_t du_data[SHRIMP_MAX_WORDS];
  SniFlight flight[SNI_FLIGHTS];
} SniState;

#endif
