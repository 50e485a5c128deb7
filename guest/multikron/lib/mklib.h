/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mklib - a program's use of the MULTIKRON (C and C++): events that cost one store, counters that cost one load.
 *
 *   if (mk_open(NULL)) perror("multikron");       /dev/multikron0
 *   mk_trace_me(0, 0);                            samples carry node.process from now on
 *   mk_filter(1 << 0 | 1 << 3);                   levels that are taken     (needs CAP_PERFMON,
 *   mk_csr(MKR_CSR_SE);                           sampling on                as `mk` on the command line)
 *   MK_TRACE(3, 0x123456789abc);                  a trace sample on level 3, 48 bits of data
 *   MK_RESOURCE(3, n);                            with the 16 resource counters
 *   MK_ENTER(COMPUTE); ... MK_EXIT(COMPUTE);      states, for mkstat
 *   uint64_t t = mk_timestamp(), c = mk_counter(0);
 *   MK_COUNT(2);                                  a software count
 *
 * The macros and the loads are here, the rest is in mklib.c. A process has one state: after mk_open() in the program its
 * shared objects store to the card as well. A program without shared objects that use mklib compiles mklib.c
 * with its own files. Otherwise the program and all those shared objects link libmk.so.
 *
 * MK_TRACE and MK_RESOURCE are exactly one 64-bit store. Before mk_open() and after mk_close() the store goes to
 * memory that nobody reads: instrumentation can stay in, and a program runs without a card.
 *
 * MK_COUNT is one store as well if the program may have the registers mapped for writing (CAP_SYS_RAWIO),
 * else an ioctl.
 *
 * Several cards. MK_TRACE goes to the card that mk_open() opened; a sample from a processor that this card does not
 * serve has no source. A thread that stays on a processor can ask for the card that serves it:
 *   struct mk *mk = mk_card_of(cpu);              opens it if need be; NULL: none
 *   MK_TRACE_ON(mk, level, data), MK_RESOURCE_ON(mk, level, data)
 * and hand it to the functions that take a card: mk_get(mk, address, &value), mk_set(mk, address, value), ...
 *
 * Functions return 0, or -1 with errno set. Wrong counter and level numbers are the caller's fault.
 *
 * Events. What mkstat, mk2trace and mkdump make of the 48 bits of data (the chip knows nothing of it):
 *
 *   bits 47-40  kind: 1 enter a state, 2 leave it, 3 a point, 4 a value
 *   bits 39-24  which state, point or value
 *   bits 23-0   argument
 */
#ifndef PERFBOARD_MKLIB_H
#define PERFBOARD_MKLIB_H

#include <stddef.h>
#include <stdint.h>

#include "../regs.h"
#include "../uapi.h"

#if UINTPTR_MAX < UINT64_MAX
#error "a 32-bit program has no 64-bit store: a sample would lose 16 bits of its data"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MK_DEVICE "/dev/multikron0"
#define MK_CARDS 32 /* of a machine, at most */

struct mk {
	volatile uint64_t *sample;         /* sample page; mk_nowhere while closed */
	const volatile uint64_t *register_; /* register page */
	volatile uint64_t *raw;            /* writable, or NULL */
	int fd;                            /* -1: closed */
	struct mk_info info;
};

/* The state of the process. */
extern volatile uint64_t mk_nowhere[MKR_ADDRESSES];
extern volatile uint64_t *mk_page; /* where MK_TRACE and MK_RESOURCE store */
extern struct mk mk_main;

/* PCI is little-endian. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define MK_BUS(value) __builtin_bswap64(value)
#else
#define MK_BUS(value) (value)
#endif

/* --- events --- */

#define MK_TRACE(level, data) ((void)(mk_page[MKR_SAMPLE_TRACE(level)] = MK_BUS((uint64_t)(data))))
#define MK_RESOURCE(level, data) ((void)(mk_page[MKR_SAMPLE_RESOURCE(level)] = MK_BUS((uint64_t)(data))))
#define MK_TRACE_ON(mk, level, data) ((void)((mk)->sample[MKR_SAMPLE_TRACE(level)] = MK_BUS((uint64_t)(data))))
#define MK_RESOURCE_ON(mk, level, data) ((void)((mk)->sample[MKR_SAMPLE_RESOURCE(level)] = MK_BUS((uint64_t)(data))))

#define MK_KIND_ENTER 1u
#define MK_KIND_EXIT 2u
#define MK_KIND_POINT 3u
#define MK_KIND_VALUE 4u
#define MK_EVENT(kind, id, argument) \
	((uint64_t)(kind) << 40 | ((uint64_t)(id) & 0xffffu) << 24 | ((uint64_t)(argument) & 0xffffffu))

/* On level MK_LEVEL, which a file may define before it includes this. */
#ifndef MK_LEVEL
#define MK_LEVEL 0
#endif
#define MK_ENTER(state) MK_ENTER_AT(MK_LEVEL, state)
#define MK_EXIT(state) MK_EXIT_AT(MK_LEVEL, state)
#define MK_POINT(id, argument) MK_POINT_AT(MK_LEVEL, id, argument)
#define MK_VALUE(id, value) MK_VALUE_AT(MK_LEVEL, id, value)
#define MK_ENTER_AT(level, state) MK_TRACE(level, MK_EVENT(MK_KIND_ENTER, state, 0))
#define MK_EXIT_AT(level, state) MK_TRACE(level, MK_EVENT(MK_KIND_EXIT, state, 0))
#define MK_POINT_AT(level, id, argument) MK_TRACE(level, MK_EVENT(MK_KIND_POINT, id, argument))
#define MK_VALUE_AT(level, id, value) MK_TRACE(level, MK_EVENT(MK_KIND_VALUE, id, value))

/* --- one load each --- */

static inline uint64_t mk_read(const struct mk *mk, unsigned address)
{
	return MK_BUS(mk->register_[address]);
}
/* 56 bits, in periods of info.timestamp_hz. */
static inline uint64_t mk_timestamp(void)
{
	return mk_read(&mk_main, MKR_TIMESTAMP);
}
/* With MKR_COUNTER_ERROR (bit 63) the value is wrong: the shadow registers were being sent (Table 3A). */
static inline uint64_t mk_counter(unsigned n)
{
	return mk_read(&mk_main, MKR_COUNTER(n));
}

/* --- opening --- */

/* NULL: MK_DEVICE. Before other threads trace. */
int mk_open(const char *device);
void mk_close(void);
int mk_open_card(struct mk *mk, const char *device);
void mk_close_card(struct mk *mk);

/* The CPU ID line of a processor, -1: the card does not serve it. */
int mk_line_of(const struct mk *mk, unsigned cpu);
/*
 * The card that serves a processor, the main one before others; NULL with errno ENODEV if there is none. Not by two
 * threads at once: ask before they start.
 */
struct mk *mk_card_of(unsigned cpu);

/* --- registers --- */

int mk_get(struct mk *mk, unsigned address, uint64_t *value);
int mk_set(struct mk *mk, unsigned address, uint64_t value);
/* Counter i's input: MKR_MUX_SLOW, _EXTERNAL, _SOFTWARE, _NODE (Table 4). The register holds all counters'. */
int mk_set_mux(struct mk *mk, unsigned i, unsigned source);

int mk_count_ioctl(struct mk *mk, unsigned i);
static inline int mk_count_on(struct mk *mk, unsigned i)
{
	if (!mk->raw)
		return mk_count_ioctl(mk, i);
	mk->raw[MKR_COUNTER(i)] = 0;
	return 0;
}
#define MK_COUNT(i) mk_count_on(&mk_main, (i))

/* Of the main card. Sets of counters are masks. */
static inline int mk_reset(void) { return mk_set(&mk_main, MKR_RESET, 0); }
static inline int mk_csr(uint32_t commands) { return mk_set(&mk_main, MKR_CSR, commands); }
static inline int mk_filter(uint32_t levels) { return mk_set(&mk_main, MKR_FILTER, levels); }
static inline int mk_mux(unsigned i, unsigned source) { return mk_set_mux(&mk_main, i, source); }
static inline int mk_enable(uint32_t counters) { return mk_set(&mk_main, MKR_ENABLE, counters); }
static inline int mk_disable(uint32_t counters) { return mk_set(&mk_main, MKR_DISABLE, counters); }
static inline int mk_clear(uint32_t counters) { return mk_set(&mk_main, MKR_RRESET, counters); }
static inline int mk_clear_waits(void) { return mk_set(&mk_main, MKR_WAIT, 0); }
static inline int mk_clear_overruns(void) { return mk_set(&mk_main, MKR_OVERRUN, 0); }
static inline uint32_t mk_waits(void) { return (uint32_t)mk_read(&mk_main, MKR_WAIT); }
static inline uint32_t mk_overruns(void) { return (uint32_t)mk_read(&mk_main, MKR_OVERRUN); }

/* --- who is traced: on all cards --- */

/* flags: MK_TRACE_*; guest/multikron/uapi.h says what they mean. The source that samples carry, or -1. */
int64_t mk_trace_me(uint32_t flags, uint32_t source);
/* 0: the process; MK_TRACE_THREAD: the calling thread. */
int mk_untrace_me(uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
