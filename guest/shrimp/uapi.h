/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * sni.h - what the SHRIMP network interface driver (sni.ko) offers on /dev/sni0.
 *
 * A program mmaps pages of the device for sending and receiving (physically below 128 MB,
 * allocated by the driver, freed with the last unmapping), then names the mapping:
 *
 *   receive: SNI_IOC_EXPORT  local page -> (valid, colour, interrupt)
 *   send:    SNI_IOC_IMPORT  local page -> (node, remote page frame), automatic update, combining
 *
 * mmap offset SNI_MAP_PAGES allocates fresh zeroed pages (MAP_SHARED, at most 4096 in one mapping). They
 * stay in memory and count against the process's RLIMIT_MEMLOCK, unless it has CAP_IPC_LOCK. ENOMEM:
 * the limit is reached, or no page below 128 MB is free. The page frame numbers are asked for with
 * SNI_IOC_PFN (a peer must be told them: on SHRIMP over the LAN).
 *
 * What changes the board needs a descriptor that is open for writing, else EBADF: EXPORT, IMPORT, DU, SETREG.
 *
 * Who may open the device is trusted with what it reaches: a store or an update goes to any page of any node that is
 * exported there, whoever exported it, and SETREG sets the board's registers for all. So the device is for a group (mode
 * 0660). Within it a process never gets a page that another one, or the kernel for it, still holds.
 */
#ifndef PERFBOARD_UAPI_SNI_H
#define PERFBOARD_UAPI_SNI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SNI_MAP_PAGES 0

struct sni_info {
	__u32 slot, product_id, irq;
	__u32 node, nodes;
	__u32 mesh_width, mesh_height;
	__u32 fifo_words;
};

struct sni_pfn {
	__u64 addr; /* in: user address inside a mapping of this device */
	__u32 pfn;  /* out */
	__u32 reserved;
};

struct sni_export {
	__u64 addr;      /* user address of the page */
	__u32 valid;     /* 0 withdraws it */
	__u32 color;     /* 0..15 */
	__u32 interrupt; /* 0/1 */
	__u32 reserved;
};

#define SNI_IMPORT_AU      1u /* automatic update */
#define SNI_IMPORT_COMBINE 2u
#define SNI_IMPORT_TIMEOUT 4u /* combining ends after SNI_IOC_SETREG CTOR */
struct sni_import {
	__u64 addr;     /* user address of the local page */
	__u32 node;     /* destination node number */
	__u32 pfn;      /* its page frame */
	__u32 flags;    /* SNI_IMPORT_*; 0 unmaps */
	__u32 boundary; /* 256, 512, 1024, 2048 or 4096 bytes */
};

struct sni_du { /* deliberate update */
	__u64 addr;  /* source: user address inside a mapping, word aligned */
	__u32 node, pfn, offset; /* destination */
	__u32 words; /* 1..1024, within one page on both sides */
};

struct sni_wait {
	__u32 timeout_ms;  /* 0 returns at once, 0xffffffff waits for ever */
	__u32 reserved;
	__u64 deadline_ns; /* 0; a call that a signal interrupts leaves its end here, and the next one keeps it */
};

struct sni_reg { __u32 offset, value; }; /* registers below 0x40000 only */

struct sni_stats { /* the driver's own counts */
	__u64 irqs, high_water, low_water, receive, receive_error, overflow, clock_wraps;
	__u64 throttle_ns; /* time in the busy loop that waits for the low-water mark */
	__u64 throttle_loops; /* and its turns */
	__u64 timer_ticks; /* local timer interrupts of this machine so far, all CPUs */
};

#define SNI_IOC_MAGIC 0xD5
#define SNI_IOC_INFO   _IOR(SNI_IOC_MAGIC, 0x80, struct sni_info)
#define SNI_IOC_PFN    _IOWR(SNI_IOC_MAGIC, 0x81, struct sni_pfn)
#define SNI_IOC_EXPORT _IOW(SNI_IOC_MAGIC, 0x82, struct sni_export)
#define SNI_IOC_IMPORT _IOW(SNI_IOC_MAGIC, 0x83, struct sni_import)
/*
 * Waits until done. ETIMEDOUT: not within a second; it is done when the network takes it, and the pages of its mapping stay
 * the board's until then. EBUSY: such a one runs still, and this one was not begun. EIO: the board refuses it.
 */
#define SNI_IOC_DU     _IOW(SNI_IOC_MAGIC, 0x84, struct sni_du)
#define SNI_IOC_GETREG _IOWR(SNI_IOC_MAGIC, 0x85, struct sni_reg)
#define SNI_IOC_SETREG _IOW(SNI_IOC_MAGIC, 0x86, struct sni_reg)
#define SNI_IOC_STATS  _IOR(SNI_IOC_MAGIC, 0x87, struct sni_stats)
/*
 * Waits for a packet with the interrupt bit; ETIMEDOUT. One that came since this open file's last
 * wait (or its opening) counts: none is missed. poll says POLLIN for it. EINTR: a signal came. The same
 * structure then continues the wait, as a call does that the kernel restarts (SA_RESTART).
 */
#define SNI_IOC_WAIT   _IOWR(SNI_IOC_MAGIC, 0x88, struct sni_wait)

#endif
