/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SurfBoard - C entry points of the model (TR-596-99, appendix A).
 *
 *   surf_init(&s, &cfg, &host)   once, before anything else; implies surf_power_on()
 *   surf_power_on / surf_bus_reset
 *   surf_io_read/write           EISA slot-specific I/O, offsets 0xC80..0xC87 (EPIR, EBCR)
 *   surf_reg_read/write          memory-mapped registers, offset in the 64 KB at RBASE
 *   surf_memory_access           an access to a memory is about to be made
 *   surf_catch_up                packets that are done by now take effect, as before any access
 *   surf_packet                  a raw packet from the SNI (J2/J3)
 *   surf_timer                   the deadline that host->arm() asked for has come
 *   surf_ext_input               level of the external connector's wire changed
 *   surf_global_reset            S_GRST_L from the SNI: receive clock to 0
 *   surf_inject                  an error on purpose
 *   surf_load                    a snapshot's state in place of the board's, if the board can be in it
 *
 * All times are virtual ns. The shim serialises calls (QEMU: under the big lock).
 * The trace and histogram memories are the shim's RAM (SurfConfig). The model stores to them as
 * packets are done, and calls wrote() for each store. The shim makes the guest's accesses itself,
 * but announces each with surf_memory_access(), so that the packets that are done come before it
 * and LED 6 lights. watch_memory(false) says that no access need be announced for now: LED 6
 * shines already, and no packet can reach a memory. The guest may then have plain RAM.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SURFBOARD_SURFBOARD_H
#define PERFBOARD_SURFBOARD_SURFBOARD_H

#include "hw/model/host.h"
#include "hw/eisa/eisa_id.h"
#include "hw/shrimp/packet.h"
#include "hw/surfboard/surfboard_state.h"

/* PNUM 0x001: A.5. INFERRED: the paper does not give the manufacturer's letters; PRU for Princeton University. */
#define EISA_SURFBOARD_ID EISA_ID('P', 'R', 'U', 0x001u, 0u)

#ifdef __cplusplus
extern "C" {
#endif

enum surf_memory { SURF_MEM_TRACE, SURF_MEM_HIST };

typedef struct SurfConfig {
    uint32_t trace_bytes; /* SIMM size: 0 (empty socket), 4, 16 or 64 MiB */
    uint32_t hist_bytes;
    uint8_t *trace;       /* trace_bytes of little-endian memory, NULL if 0 */
    uint8_t *hist;
    uint32_t product_id;  /* EPIR, the four bytes at nC80..nC83 as a little-endian word */
    void *opaque;         /* for the functions below */
    void (*wrote)(void *opaque, enum surf_memory which, uint32_t offset, uint32_t bytes);
    /* Accesses to the memories must be announced from now on (true, as after surf_init), or need not be. */
    void (*watch_memory)(void *opaque, bool on);
    /* EBCR changed: (de)activate and move the register and memory windows (surf_window_*). */
    void (*remap)(void *opaque);
    /* The open-collector output: true pulls the wire low. May call surf_ext_input() before it returns. */
    void (*ext_drive)(void *opaque, bool low);
} SurfConfig;

typedef struct SurfBoard {
    SurfState state;   /* everything that a snapshot holds */
    SurfConfig config;
    PbHost host;
} SurfBoard;

enum surf_selector_fault { SURF_SELECTOR_GOOD, SURF_SELECTOR_NEVER_DONE, SURF_SELECTOR_INIT_LOW };
enum surf_simm_fault { SURF_SIMM_WHOLE, SURF_SIMM_ABSENT, SURF_SIMM_HALF };

void surf_init(SurfBoard *b, const SurfConfig *config, const PbHost *host);
void surf_power_on(SurfBoard *b);  /* state = power-on values; memories keep their contents */
void surf_bus_reset(SurfBoard *b); /* EISA reset: A.9.1 */

uint32_t surf_io_read(SurfBoard *b, uint32_t offset, uint32_t size);
void surf_io_write(SurfBoard *b, uint32_t offset, uint32_t value, uint32_t size);
uint32_t surf_reg_read(SurfBoard *b, uint32_t offset, uint32_t size);
void surf_reg_write(SurfBoard *b, uint32_t offset, uint32_t value, uint32_t size);

void surf_memory_access(SurfBoard *b);
void surf_catch_up(SurfBoard *b);

/* Hand packets over in the order of start_ns, each at its end_ns or as soon after as possible, never
 * before its start_ns. A late packet has the times, the category and the external input of one on time. */
void surf_packet(SurfBoard *b, const ShrimpPacket *p);
void surf_timer(SurfBoard *b);
void surf_ext_input(SurfBoard *b, bool level_high);
void surf_global_reset(SurfBoard *b);

/* Errors on purpose, by the number of the row in the view's list (view.h), which says what each is. No reset ends one; surf_power_on() does. Counts go down as they are used. */
void surf_inject(SurfBoard *b, unsigned which, uint32_t value);
uint32_t surf_injected(SurfBoard *b, unsigned which);
/* What of a SIMM answers; 0: nothing. From 0 on, and repeated. */
uint32_t surf_memory_bytes(const SurfBoard *b, enum surf_memory which);

/* A snapshot. False: the board cannot be in this state; `why` gets a line that names the member, its
 * value and what is legal, and surf_load() leaves a board that was powered on anew. While it runs,
 * config.ext_drive() says what the board drives now; that is no edge, and an answer is not heard. */
bool surf_load(SurfBoard *b, const SurfState *image, char *why, uint32_t why_size);
bool surf_state_ok(const SurfBoard *b, const SurfState *image, char *why, uint32_t why_size);
void surf_post_load(SurfBoard *b); /* after b->state was replaced by one that surf_state_ok() has passed */

/* The board as the access log, coverage and patterns know it: a perfboard::BoardView (hw/model/view.h). */
const void *surf_board_view(void);

/* Decoded from EBCR, for the shim. */
bool surf_enabled(const SurfBoard *b);
uint32_t surf_window_registers(const SurfBoard *b); /* base of the 64 KB */
uint32_t surf_window_memory(const SurfBoard *b);    /* base of the 128 MB */
int surf_irq_number(const SurfBoard *b);            /* 5, 9, 10, 12, 14, 15; -1 disabled */

/* The ten LEDs of A.3 as they shine now: bit 0 is LED 1. The EISA-access and packet LEDs
 * (6, 8, 9) are on while the access or packet is there and for a visible while after. */
uint32_t surf_leds(SurfBoard *b);
/* The 44-bit receive clock, 100 ns; settable so that a test need not wait 20 days. */
uint64_t surf_receive_time(SurfBoard *b);
void surf_set_receive_time(SurfBoard *b, uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
