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
 * sni_bus_* never call host->set_irq or DMA, because the big lock is not held. They call host->arm().
 * The rest is done by sni_timer(), with the big lock held.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SHRIMP_SNI_H
#define PERFBOARD_SHRIMP_SNI_H

#include "hw/model/host.h"
#include "hw/eisa/eisa_id.h"
#include "hw/shrimp/packet.h"
#include "hw/shrimp/sni_state.h"

#define EISA_SNI_ID EISA_ID('P', 'R', 'U', 0x002u, 0u) /* INFERRED: the SNI's is not given */

#ifdef __cplusplus
extern "C" {
#endif

struct SniFabric; /* hw/shrimp/fabric.h: what stands behind the network port */
struct SniBoard;
struct Cluster; /* hw/cluster/cluster.h */
struct ClusterMessage;

/* The boards of one machine that share its bus, in the order of their slots: with contention each waits for the others,
 * too. Whoever calls one of them has the lock of all. It has no state: what was on the bus each board remembers (bus.cc). */
typedef struct SniBus {
  struct SniBoard *board[EISA_LAST_SLOT];
  uint32_t boards;
} SniBus;

typedef struct SniConfig {
  uint32_t node;       /* this node, 0..nodes-1 */
  uint32_t nodes;      /* nodes of the machine, 1..64x64 */
  uint32_t mesh_width; /* columns of the backplane: node n sits at X = n % width, Y = n / width */
  uint32_t fifo_words; /* outgoing FIFO, 64-bit words, SNI_FIFO_MIN..SNI_FIFO_MAX */
  uint32_t cable_ns;   /* each way through the backplane takes so much longer, 0..SNI_CABLE_MOST */
  uint32_t acquire_ns; /* from the bus clock's edge to the grant, 0..SNI_ACQUIRE_MOST */
  bool contention;     /* processor and board wait for each other's bus cycles (bus.cc) */
  SniBus *bus;         /* with contention: the machine's; NULL: no other board is on it */
  uint32_t slot;       /* on that */
  bool links;          /* packets wait for each other's links (mesh.cc); of kSniRemote, nodes in step */
  uint32_t product_id;
  const struct SniFabric *fabric; /* NULL: loopback */
  struct Cluster *cluster;        /* of kSniRemote */
  void *opaque;
  void (*remap)(void *opaque); /* SBCR or UDCR changed: move the windows */
  /* What must be observed changed (SCR or the outgoing page table): of n pages from page `first` on sni_page_mapped()
   * may have another answer now, and sni_wants() too. */
  void (*observe)(void *opaque, uint32_t first, uint32_t n);
  void (*global_reset)(void *opaque); /* S_GRST_L pulse to the SurfBoards that listen */
} SniConfig;

typedef struct SniBoard {
  SniState state;
  SniConfig config;
  PbHost host;
} SniBoard;

typedef struct SniDelivery {
  ShrimpPacket packet; /* the SurfBoard gets it, whether it is written to memory or not */
  bool write;          /* payload is to be written to memory (page valid) */
  /* What DMA writes: bytes of payload from byte skip on, to packet.address + skip. Only a
   * one-word packet skips or leaves out bytes: those its byte enables do not enable. */
  uint32_t skip, bytes;
  uint64_t terms[SNI_TERMS];          /* the packet's latency, term by term, ns; the last is the total */
  uint32_t payload[SHRIMP_MAX_WORDS]; /* as in memory (little endian) */
} SniDelivery;

/* False, and one line that names the property, its value and the legal range. */
bool sni_config_ok(const SniConfig *config, char *why, uint32_t why_size);
void sni_init(SniBoard *b, const SniConfig *config, const PbHost *host);
void sni_power_on(SniBoard *b);
void sni_bus_reset(SniBoard *b);

uint32_t sni_io_read(SniBoard *b, uint32_t offset, uint32_t size); /* 0xC80..0xC87 */
void sni_io_write(SniBoard *b, uint32_t offset, uint32_t value, uint32_t size);
uint32_t sni_reg_read(SniBoard *b, uint32_t offset, uint32_t size); /* 1 MB window */
void sni_reg_write(SniBoard *b, uint32_t offset, uint32_t value, uint32_t size);

/* The proxy window: user-level deliberate update. A load has a side effect, and tells of it. */
uint32_t sni_proxy_read(SniBoard *b, uint64_t offset, uint32_t size);
void sni_proxy_write(SniBoard *b, uint64_t offset, uint32_t value, uint32_t size);
bool sni_proxy_enabled(const SniBoard *b);
uint32_t sni_proxy_window(const SniBoard *b);

/* A write on the memory bus: 1..16 bytes at addr, not crossing a 4 KB page. The caller tells every write
 * to a mapped page: caches write it through. A write to any other page only ends combining, so the caller
 * tells it if sni_wants() says SNI_WANTS_LOADS_TOO; its data may be NULL. */
void sni_bus_write(SniBoard *b, uint64_t now, uint64_t addr, const uint8_t *data, uint32_t bytes);
/* With contention: from when on the processor has the bus that it asks for, `now` or later, to store so many bytes.
 * It stands still until then; then comes sni_bus_write(). */
uint64_t sni_store_at(SniBoard *b, uint64_t now, uint64_t addr, uint32_t bytes);
/* The latest time that a board on the bus has seen, or `now` if that is later. An access that another board was told of
 * before this one has waited until then. */
uint64_t sni_told(const SniBoard *b, uint64_t now);
/* With contention: when an access to a register ends that the processor begins now. The access is made then. */
uint64_t sni_access_ends(SniBoard *b, uint64_t now);

/* The same for a processor whose time may not pass within an instruction, because other nodes are in step with it (bus_wait.cc). It goes on to its
 * instruction's end, `ends`, and stands still behind it. Each of its cycles is told so, and no more: bytes 0 is a read. */
void sni_cycle(SniBoard *b, uint64_t now, uint64_t ends, uint64_t addr, const uint8_t *data, uint32_t bytes);
/* True: an access to a register has to wait, so its instruction is to be given up, and made again after the wait. `now` is the instruction's end,
 * `takes` its time. With `late` the instruction has done something already, and cannot be: the access is made at once, and waited for behind it. */
bool sni_access_waits(SniBoard *b, uint64_t now, uint64_t takes, bool late);
/* Whether the instruction that ends now was given up, and has not come to its access again. What it does until then it has done before. */
bool sni_begins_again(const SniBoard *b, uint64_t now);
/* Until when the processor stands still, or sni_bus_waited() is to be called; 0: it does not stand. */
uint64_t sni_bus_waits_until(const SniBoard *b);
/* That time has come, and what other nodes have sent by then. True: the next instruction is one that was given up. */
bool sni_bus_waited(SniBoard *b, uint64_t now);

/* A read on the memory bus (a load that missed the caches): it ends combining. */
void sni_bus_read(SniBoard *b, uint64_t now, uint64_t addr);
/* So many reads, and writes to unmapped pages, came while state.open was 0. Then they only count. So an
 * observer may add them up, and tell the sum before software next sees or clears the counters. */
void sni_bus_counted(SniBoard *b, uint64_t reads, uint64_t writes);

/* What the model needs to see, given its registers. */
typedef enum SniWants {
  SNI_WANTS_NOTHING = 0, /* disabled, or no page has automatic update on */
  SNI_WANTS_STORES,      /* some page has automatic update, none combines */
  SNI_WANTS_LOADS_TOO,   /* some page combines: bus reads matter */
} SniWants;
SniWants sni_wants(const SniBoard *b);
bool sni_page_mapped(const SniBoard *b, uint64_t addr); /* its stores become packets, now */

/* The same for a caller that counts nanoseconds. */
static inline bool sni_page_mapped_fast(const SniBoard *b, uint64_t addr) {
  return b->state.snooping && addr >> 27 == 0 && b->state.out_table[addr >> 12][0] >> 31;
}

void sni_timer(SniBoard *b); /* advance to host->now(): timeouts, sends; sets the interrupt line; re-arms */
bool sni_pop_delivery(SniBoard *b, uint64_t now, SniDelivery *d);   /* next one due at or before now */
void sni_delivered(SniBoard *b, const SniDelivery *d, bool dma_ok); /* accounts it; sets the interrupt line */

/* Of a board whose fabric is kSniRemote (hw/qemu/core/links/cluster.h has what each is to do). */
#define SNI_CLUSTER_KIND 1
void sni_join(SniConfig *config, struct Cluster *cluster); /* before sni_init(): its fabric is that */
uint64_t sni_answers_after(const SniConfig *config);
void sni_promise(SniBoard *b, uint64_t now, uint64_t next, uint64_t *promise, uint64_t *answers);
/* False: it is no message that a board sends. Call sni_timer() next. */
bool sni_take(SniBoard *b, const struct ClusterMessage *message);

#define SNI_INJECT_LATE_MOST 100000000u
#define SNI_CABLE_MOST 100000000u
#define SNI_ACQUIRE 360u /* ns: timing.h */
#define SNI_ACQUIRE_MOST 3600u
/* Errors on purpose, by the number of the row in the view's list (view.h), which says what each is.
 * No reset ends one; sni_power_on() does. Counts go down as they are used. */
void sni_inject(SniBoard *b, unsigned which, uint32_t value);
uint32_t sni_injected(SniBoard *b, unsigned which);

/* A snapshot. False: the board cannot be in this state; `why` gets a line that names the member, its
 * value and what is legal, and sni_load() leaves a board that was powered on anew. */
bool sni_load(SniBoard *b, const SniState *image, char *why, uint32_t why_size);
bool sni_state_ok(const SniBoard *b, const SniState *image, char *why, uint32_t why_size);
void sni_post_load(SniBoard *b); /* after b->state was replaced by one that sni_state_ok() has passed */

/* The 45-bit global clock at ns now. */
uint64_t sni_clock(const SniBoard *b, uint64_t now);

/* The board as the access log, coverage and patterns know it: a perfboard::BoardView (hw/model/view.h). */
const void *sni_board_view(void);

bool sni_enabled(const SniBoard *b);
uint32_t sni_window(const SniBoard *b);
int sni_irq_number(const SniBoard *b);

#ifdef __cplusplus
}
#endif
#endif
