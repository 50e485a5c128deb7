/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SMiLE hardware monitor - C entry points of the model (papers: smile.txt).
 *
 *   smile_init(&m, &config, &host)   once, before anything else; then it is as after smile_reset()
 *   smile_reset                      PCI's RST#: the initial design is loaded. A daughter board keeps its own
 *   smile_power_lost                 the same, and the daughter board has lost its configuration
 *   smile_packet                     a packet passes on the B-Link; those of other nodes are ignored
 *   smile_read / smile_write         an access of 1, 2 or 4 bytes to BAR 0, within one 32-bit register. Memories (ring,
 *                                    second dual-ported RAM, RAM cache, flash) are the shim's RAM and do not come here
 *   smile_timer                      the deadline that host->arm() asked for has come
 *   smile_xchecker                   bytes on the cable of the daughter board (daughter.h): up to smile_xchecker_takes()
 *   smile_xchecker_answer            behind smile_timer(): what the cable answers
 *   smile_xchecker_hangup            another one is at the cable: half a command is forgotten
 *   smile_set_design                 what a reconfiguration does: resets all but the card (card.h) and loads a design
 *   smile_set_cable                  whether a cable is plugged in; the configuration's property, no state
 *   smile_pre_save                   before the state is saved
 *   smile_load / smile_state_ok      a snapshot's state in place of the monitor's, if the monitor can be in it
 *
 * Packets may come in any thread; the shim serialises all calls. smile_packet() calls host.arm() only, never
 * host.now() or host.set_irq(): the interrupt line follows in smile_timer().
 *
 * The memories behind `ring` and `swap_queue` are part of a snapshot, and the shim saves them. Both are little endian.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SMILE_SMILE_H
#define PERFBOARD_SMILE_SMILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/model/host.h"
#include "hw/sci/packet.h"

/* All that a SMiLE monitor remembers, but for its memories. Plain data: reset is one assignment, a snapshot is whole. */
#define SMILE_MAX_ENTRIES 64
#define SMILE_TRANSACTIONS 64
#define SMILE_TABLE_PAGES 32
#define SMILE_TABLE_EVENTS 16
#define SMILE_STATIC_COUNTERS 16
#define SMILE_BRIDGE_WORDS 29
#define SMILE_XCHECKER_COMMAND 258 /* bytes of the cable's longest command: daughter.h */
#define SMILE_STEPS 1024 /* clocks: 20 us, what lies ahead of an access and what MSR looks back for */

#define STATE_LIST "hw/smile/state.def"
#include "hw/model/state_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

/* BAR 0. */
#define SMILE_BAR_BYTES 0x1000000u
#define SMILE_BRIDGE_BASE 0x000000u /* 9060-style runtime registers: bridge.cc */
#define SMILE_BRIDGE_BYTES 0x100u
#define SMILE_TARGET_BASE 0x100000u /* PCI_Target registers: access.cc */
#define SMILE_TARGET_BYTES 0x1000u
#define SMILE_RING_BASE 0x200000u
#define SMILE_RING_WORDS 4096u
#define SMILE_CACHE_BASE 0x400000u  /* configuration RAM cache: two slots */
#define SMILE_SLOT_BYTES 0x40000u
#define SMILE_CACHE_BYTES (2 * SMILE_SLOT_BYTES)
#define SMILE_FLASH_BASE 0x600000u  /* the initial configuration at its start */
#define SMILE_FLASH_BYTES 0x200000u
#define SMILE_CCM_BASE 0x800000u    /* configuration cache manager: ccm.cc */
#define SMILE_CCM_BYTES 0x20u

/* SMILE_TARGET: PCI core and PCI_Target without an F.R.L., which is on a daughter board. */
enum smile_design { SMILE_NONE, SMILE_STATIC, SMILE_DYNAMIC, SMILE_TARGET };

/* Fig. 3 and Fig. 9; the numbers that MSR shows. */
enum smile_decode_state { SMILE_DECODE_IDLE, SMILE_DECODE_BD1, SMILE_DECODE_BD2 };
enum smile_frl_state { SMILE_IDLE, SMILE_FORWARD, SMILE_BUSY, SMILE_SWAP, SMILE_SWAP_ALL };

/* When a packet's states begin, in B-Link clocks after BD1. The decoder is in BD1 and BD2 for a clock each. The F.R.L. is in
 * Forward and Busy for a clock each and in Swap and Swap_All for two clocks a record, since the ring takes 32 bits a clock. */
#define SMILE_CLOCK_BD2 1u
#define SMILE_CLOCK_FORWARD 2u
#define SMILE_CLOCK_BUSY 3u
#define SMILE_CLOCK_SWAP 4u
#define SMILE_CLOCKS_PER_RECORD 2u

/* What decoder and F.R.L. did with a packet: config.wave(). A demanded SWAP_OUT is told with packet NULL, `last` SMILE_SWAP_ALL
 * and ns of its beginning. */
#define SMILE_NO_ENTRY 0xffu
typedef struct SmileWave {
    uint64_t ns;         /* of BD1 */
    uint8_t decoded;     /* a packet that the monitor knows, no echo: the next members hold what the decoder got out of it */
    uint8_t source, destination, trans, command;
    uint8_t orphan;      /* a response without an address: not handed to the F.R.L. */
    uint8_t clash;       /* a request that overwrote an address whose response was still to come */
    uint16_t page, offset; /* a response's are those of its request; 0 for an orphan */
    uint8_t last;        /* enum smile_frl_state: it went through Idle, Forward ... up to this, and back to Idle */
    uint8_t entry;       /* of the range table, or the static event; SMILE_NO_ENTRY: none */
    uint16_t records;    /* stored in Swap or Swap_All */
} SmileWave;

#define SMILE_MIN_ENTRIES 4u
#define SMILE_DEFAULT_ENTRIES 16u
#define SMILE_DEFAULT_QUEUE 65536u
#define SMILE_MAX_QUEUE 1048576u
#define SMILE_DEFAULT_CCLK 10000000u /* INFERRED: the most that the XC4000XLA takes bit by bit */
#define SMILE_DAUGHTER_BYTES 240617u /* of the daughter board's configuration memory: all frames, bit 7 of each byte first */
#define SMILE_DEFAULT_XCHECKER_RATE 115200u /* INFERRED: the most that a PC's serial port has */
#define SMILE_MIN_XCHECKER_RATE 9600u
#define SMILE_MAX_XCHECKER_RATE 100000000u
#define SMILE_XCHECKER_ANSWER 256u /* bytes of the cable's longest answer */
#define SMILE_MIN_CCLK 100000u
#define SMILE_MAX_CCLK 100000000u

typedef struct SmileConfig {
    uint32_t entries;    /* of the range table, SMILE_MIN_ENTRIES..SMILE_MAX_ENTRIES */
    uint32_t queue;      /* records that the swap queue holds, 0..SMILE_MAX_QUEUE */
    uint32_t node;       /* whose B-Link the cable is plugged into, 0..31 */
    enum smile_design initial; /* what a load from flash gives where there is no flash */
    const uint8_t *flash;      /* SMILE_FLASH_BYTES bytes; may be NULL */
    const uint8_t *cache;      /* SMILE_CACHE_BYTES bytes; NULL: nothing can be loaded from it */
    uint32_t cclk;             /* Hz, SMILE_MIN_CCLK..SMILE_MAX_CCLK: a load takes one clock a bit */
    bool two;                  /* there is a daughter board, which holds the F.R.L.; what follows is for that card only */
    enum smile_design daughter; /* what the daughter board holds at first, where `stream` has none */
    const uint8_t *stream;      /* the bitstream that it holds at first, SMILE_SLOT_BYTES at the most; NULL */
    uint32_t stream_bytes;
    const uint8_t *streams[SMILE_DYNAMIC + 1]; /* its designs, for inject-daughter; NULL in a bench */
    uint32_t streams_bytes[SMILE_DYNAMIC + 1];
    uint8_t *daughter_memory;   /* SMILE_DAUGHTER_BYTES; NULL: it reads zeros, and no stream makes a design */
    uint32_t xchecker_rate;     /* of the cable, bits a second; 0: the default */
    uint8_t *ring;       /* 4 * SMILE_RING_WORDS bytes */
    uint8_t *swap_queue; /* 8 * queue bytes; may be NULL if queue is 0 */

    void *opaque; /* for the function below, which may be NULL */
    void (*wave)(void *opaque, const SciPacket *packet, const SmileWave *what);
} SmileConfig;

/* Which static counters an event starts, stops, advances: a bit for each. */
typedef struct SmileWires {
    uint16_t starts[32], stops[32], counts[32];
} SmileWires;

typedef struct SmileHwm {
    SmileState state; /* everything that a snapshot holds, but for the memories */
    SmileConfig config;
    PbHost host;
    bool cable;
    /* Not state: made anew from it, or the process's own. */
    uint64_t all;     /* a bit for each entry of the range table */
    uint64_t free;    /* entries that are not valid */
    SmileWires wires;
    uint64_t armed;   /* what host.arm() was last told */
    uint32_t answer_bytes; /* of what the cable answers, until it is taken */
    uint8_t answer[SMILE_XCHECKER_ANSWER];
    bool attention;   /* the interrupt's condition came up in smile_packet(); smile_timer() drives the line */
} SmileHwm;

void smile_init(SmileHwm *m, const SmileConfig *config, const PbHost *host);
void smile_reset(SmileHwm *m);
void smile_power_lost(SmileHwm *m);
void smile_set_design(SmileHwm *m, enum smile_design design);
/* A daughter board's FPGA has another design, or none: what belongs to the B-Link's side is reset. */
void smile_set_daughter(SmileHwm *m, enum smile_design design);
void smile_set_cable(SmileHwm *m, bool plugged);
void smile_packet(SmileHwm *m, const SciPacket *packet);
/* `offset` in BAR 0: a write there may end what is counted (MCR), or take it. Packets that are on their way come before it. */
bool smile_ends_counting(uint64_t offset, uint32_t size);
/* `offset` in BAR 0; size 1, 2 or 4. */
uint32_t smile_read(SmileHwm *m, uint32_t offset, uint32_t size);
void smile_write(SmileHwm *m, uint32_t offset, uint32_t size, uint32_t value);
void smile_timer(SmileHwm *m);
uint32_t smile_xchecker_takes(const SmileHwm *m); /* bytes; 0: a command is under way */
void smile_xchecker(SmileHwm *m, const uint8_t *bytes, uint32_t count);
uint32_t smile_xchecker_answer(SmileHwm *m, uint8_t *to); /* up to SMILE_XCHECKER_ANSWER bytes; how many */
void smile_xchecker_hangup(SmileHwm *m);
void smile_pre_save(SmileHwm *m);
/* A snapshot. False: the monitor cannot be in this state; `why` gets a line that names the member, its value and what is legal,
 * and smile_load() leaves a monitor that was reset. */
bool smile_load(SmileHwm *m, const SmileState *image, char *why, uint32_t why_size);
bool smile_state_ok(const SmileHwm *m, const SmileState *image, char *why, uint32_t why_size);

#define SMILE_RING_RECORDS (SMILE_RING_WORDS / 2 - 1)
/* Errors on purpose, by the number of the row in the view's list (view.h), which says what each is.
 * No reset ends one. Not in smile_packet(). */
uint64_t smile_injected(const SmileHwm *m, unsigned which);
void smile_inject(SmileHwm *m, unsigned which, uint64_t value);

const void *smile_board_view(void); /* view.h: a BoardView of hw/model/view.h */

/* A load is under way: the card is off the bus, and neither its BARs nor its configuration space answer. */
bool smile_away(const SmileHwm *m);

/* False, and one line: option (entries, queue, node, cclk, xchecker-rate), value, legal range. */
bool smile_config_ok(const SmileConfig *config, char *why, uint32_t why_size);
/* Whether an image is a design for this FPGA; `clocks` gets the CCLKs until it was loaded or was found to be wrong. */
enum smile_fpga { SMILE_FPGA_ONE, SMILE_FPGA_CARD, SMILE_FPGA_DAUGHTER }; /* of a card without a daughter board; of one with it; the daughter board's */
bool smile_image_ok(const uint8_t *image, uint32_t bytes, enum smile_fpga fpga, uint32_t *clocks);

#ifdef __cplusplus
}
#endif
#endif
