/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * smile.h - what the driver of the SMiLE hardware monitor (smile.ko) offers on /dev/smile0, /dev/smile1, ... in PCI order.
 *
 *   read    records (struct smile_record), oldest first, whole ones. The driver's interrupt handler saves the card's ring into
 *           memory of the kernel (16 MB, the parameter `limit`), so nothing is lost as long as programs read, and the card's own
 *           swap queue lasts while the handler is on its way. read() takes what is in the ring, too. It waits if there is nothing, until the
 *           ring was full or a demanded swap is over; with O_NONBLOCK: EAGAIN. Each record is read once, whoever reads.
 *   poll    readable: records have been saved. What is in a ring that is not full does not count: who polls is not woken by
 *           each record
 *   ioctl   loading designs, programming them, swaps
 *
 * A card counts with the static or with the dynamic design, whichever is loaded. An ioctl of the design that is not
 * loaded fails with ENOMEDIUM. Addresses are those of the adapter's window, in words of 4 bytes.
 *
 * Settings need a descriptor that is open for writing, else EBADF. ENODEV: the card is gone.
 */
#ifndef PERFBOARD_UAPI_SMILE_H
#define PERFBOARD_UAPI_SMILE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SMILE_DESIGN_NONE 0u
#define SMILE_DESIGN_STATIC 1u
#define SMILE_DESIGN_DYNAMIC 2u

#define SMILE_PAGES 32u    /* of the static design's page table */
#define SMILE_EVENTS 16u   /* of its event table; events 16 to 31 are global */
#define SMILE_COUNTERS 16u

#define SMILE_NO_NODE 0xffffffffu

struct smile_record {
	__u32 word0, word1; /* SMR_RECORD_* of guest/smile/regs.h, in the processor's byte order */
};

struct smile_info {
	__u32 index;   /* N of /dev/smileN */
	__u32 cards;   /* how many there are */
	__u32 design;  /* what is loaded: SMILE_DESIGN_* */
	__u32 node;    /* whose B-Link the card listens to; SMILE_NO_NODE: no cable */
	__u32 entries; /* of the range table; static design: 0 */
	__u32 running;
	__u32 irq;     /* 0: none */
	__u32 daughter; /* 1: the design is on a daughter board, and is exchanged over its cable, not by the driver */
};

struct smile_stats { /* since the driver was loaded, but for the last group */
	__u64 records;    /* saved from the ring */
	__u64 lost;       /* that the card could not keep */
	__u64 interrupts;
	__u64 swaps;      /* demanded, and done */
	__u64 loads, copies; /* of designs; those that had to be copied into a slot of the RAM cache */
	__u64 waiting;    /* records in the driver's memory, not read yet */
	__u32 packets, orphans, clashes; /* since the card's last reset, modulo 2^32 */
	__u32 queue;      /* records in the card's swap queue, now */
};

#define SMILE_NAME_BYTES 32
#define SMILE_LOAD_COPY 1u /* copy the image again, though a slot has a design of that name */
struct smile_load {
	char name[SMILE_NAME_BYTES]; /* /lib/firmware/smile/NAME.bit; "": the initial design, from the flash */
	__u32 flags;
	__u32 design; /* out: SMILE_DESIGN_* */
	__u32 copied; /* out: 0 if a slot had it already */
	__u32 reserved;
};

struct smile_dynamic {
	__u32 max_range; /* words: addresses no further apart than that count as similar */
	__u32 mask;      /* SMR_FILTER_* */
};

struct smile_page {
	__u32 index; /* below SMILE_PAGES */
	__u32 valid; /* 0: the entry is free */
	__u32 page;  /* of the window */
	__u32 node;  /* its home */
};

struct smile_event {
	__u32 index; /* below SMILE_EVENTS */
	__u32 valid;
	__u32 page;  /* index in the page table */
	__u32 filter; /* SMR_FILTER_* */
	__u32 bottom, top; /* words of the page, both included */
};

#define SMILE_NO_EVENT 0xffffffffu
struct smile_counter {
	__u32 index; /* below SMILE_COUNTERS */
	__u32 start, stop, count; /* events 0 to 31, or SMILE_NO_EVENT */
	__u32 active; /* counts from now on, without a start event */
	__u32 reserved;
};

struct smile_counters {
	__u64 value[SMILE_COUNTERS];
	__u64 lost; /* records that the card lost since its reset: not 0 means that values may be too small */
};

#define SMILE_IOC_MAGIC 0xD5
#define SMILE_IOC_INFO    _IOR(SMILE_IOC_MAGIC, 0x70, struct smile_info)
#define SMILE_IOC_STATS   _IOR(SMILE_IOC_MAGIC, 0x71, struct smile_stats)
/*
 * Loads a design. What the old one still held is swapped out first, and can be read. The new one is in its reset state, does
 * not run, and has the node ID of its cable. Other calls for the card wait meanwhile (a tenth of a second).
 * ENOENT: no such file; EFBIG: larger than a slot; EIO: the card refused the image and has loaded its initial design.
 * A card with a daughter board has its design there: the name of the one that is there makes it begin anew; EOPNOTSUPP: any other,
 * which comes over the board's cable only. After that the driver goes on with it, as it is.
 */
#define SMILE_IOC_LOAD    _IOWR(SMILE_IOC_MAGIC, 0x72, struct smile_load)
#define SMILE_IOC_DYNAMIC _IOW(SMILE_IOC_MAGIC, 0x73, struct smile_dynamic)
#define SMILE_IOC_PAGE    _IOW(SMILE_IOC_MAGIC, 0x74, struct smile_page)
#define SMILE_IOC_EVENT   _IOW(SMILE_IOC_MAGIC, 0x75, struct smile_event)
#define SMILE_IOC_COUNTER _IOW(SMILE_IOC_MAGIC, 0x76, struct smile_counter)
#define SMILE_IOC_TIMER   _IOW(SMILE_IOC_MAGIC, 0x77, __u32) /* period of event 16 in clocks of 20 ns; 0: off */
#define SMILE_IOC_GLOBAL_EVENT _IOW(SMILE_IOC_MAGIC, 0x78, __u32) /* event 17 to 31 happens now; 16 is the timer's */
#define SMILE_IOC_RUN     _IOW(SMILE_IOC_MAGIC, 0x79, __u32) /* 1, or 0 */
/*
 * Counters, range table, ring, what was not read yet: gone. Settings stay; the monitor runs if it did. No static counter
 * counts before its start event, or before SMILE_IOC_COUNTER makes it active again.
 */
#define SMILE_IOC_RESET   _IO(SMILE_IOC_MAGIC, 0x7a)
/* SWAP_OUT on demand; when it returns, all records up to its own can be read without waiting. */
#define SMILE_IOC_SWAP    _IO(SMILE_IOC_MAGIC, 0x7b)
/* Totals of the static counters, 64 bits. Swaps on demand; records of it can be read as after SMILE_IOC_SWAP. */
#define SMILE_IOC_COUNTERS _IOR(SMILE_IOC_MAGIC, 0x7c, struct smile_counters)

#endif
