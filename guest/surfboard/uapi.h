/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * surf.h - what the SurfBoard driver (surf.ko) offers on /dev/surf0, /dev/surf1, ...
 *
 *   ioctl   registers, sizes, FPGA configuration, waiting for an interrupt
 *   mmap    offset SURF_MAP_TRACE or SURF_MAP_HIST: the board's memories
 *   pread/pwrite at the same offsets: the same memories, any length
 *   poll    POLLPRI while an exception (interrupt) has not been cleared
 *
 * What changes the board needs a descriptor that is open for writing, else EBADF: PUTREG, CONFIG, CLEAR.
 * Mappings are MAP_SHARED; those of a descriptor that is open for reading only are readable only.
 */
#ifndef PERFBOARD_UAPI_SURF_H
#define PERFBOARD_UAPI_SURF_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SURF_MAP_TRACE 0x00000000u
#define SURF_MAP_HIST  0x04000000u /* as in the board's own address space: A.7, A.8 */

struct surf_reg {
	__u32 offset; /* from RBASE, 0x00..0x38, a multiple of 4 */
	__u32 value;
};

struct surf_info {
	__u32 slot;       /* EISA slot */
	__u32 product_id; /* the four bytes at nC80 */
	__u32 trace_size; /* bytes, found by aliasing */
	__u32 hist_size;
	__u32 irq;        /* 0: none */
	__u32 reserved[3];
};

struct surf_exception {
	__u32 timeout_ms;  /* in: 0 returns at once, 0xffffffff waits for ever */
	__u32 iscr;        /* out: ISCR at the last interrupt */
	__u32 count;       /* out: interrupts since the last clear */
	__u32 reserved;
	__u64 deadline_ns; /* in: 0; a call that a signal interrupts leaves its end here, and the next one keeps it */
};

struct surf_has {
	__u64 bits;  /* user pointer: the bitstream, first bit in bit 7 of byte 0 */
	__u32 bytes;
	__u32 fccr;  /* out: FCCR afterwards (DONE, ERR, CFG) */
};

#define SURF_IOC_MAGIC 0xD5
#define SURF_IOC_INFO    _IOR(SURF_IOC_MAGIC, 0x00, struct surf_info)
#define SURF_IOC_GETREG  _IOWR(SURF_IOC_MAGIC, 0x01, struct surf_reg)
#define SURF_IOC_PUTREG  _IOW(SURF_IOC_MAGIC, 0x02, struct surf_reg)
#define SURF_IOC_CONFIG  _IOWR(SURF_IOC_MAGIC, 0x03, struct surf_has)  /* EIO: ERR or not DONE */
/*
 * Waits until the count is not 0; ETIMEDOUT. EINTR: a signal came. The same structure then continues the
 * wait, until the time that the first call has set, as a call does that the kernel restarts (SA_RESTART).
 */
#define SURF_IOC_WAIT    _IOWR(SURF_IOC_MAGIC, 0x04, struct surf_exception)
#define SURF_IOC_CLEAR   _IO(SURF_IOC_MAGIC, 0x05) /* forget the exception; re-enables what the handler masked */

/*
 * The handler masks in IEMR the conditions that caused the interrupt (a level interrupt would
 * come again), counts it and wakes waiters; it takes nothing from the FIFO and clears nothing
 * in ISCR: the program does, then calls SURF_IOC_CLEAR, which restores IEMR. A program that
 * writes IEMR itself has decided anew: what was masked is forgotten, the count is not.
 */
#endif
