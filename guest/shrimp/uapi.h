/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * sni.h - what the SHRIMP network interface driver (sni.ko) offers on /dev/sni0, and for another board of the machine on /dev/sni1 (and so on).
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
 * mmap offset SNI_MAP_PROXY + 4096 * frame maps the proxy of one page (MAP_SHARED), for the process that has mapped the page
 * (EACCES: for no other, and no child). A store to the proxy of a page that is imported with SNI_IMPORT_DU, of a count of bytes,
 * and a load from the proxy of a page begin a transfer: guest/shrimp/regs.h, SNI_PROXY_*. ENODEV: the board's window found no room.
 *
 * What changes the board needs a descriptor that is open for writing, else EBADF: EXPORT, IMPORT, EXPORT_TO, IMPORT_FROM,
 * DU, DU_TO, SETREG.
 *
 * A page that EXPORT exports is for all who may open the device, on any node: IMPORT and DU reach such pages, and no others.
 * EXPORT_TO names who may import the page, and gives the exporter a grant, which he hands on as he likes. IMPORT_FROM wants
 * the grant: EACCES if it is not for the caller, or not what a driver gave. The board drops what goes to a page otherwise.
 *
 * An export and an import end when the process that made them unmaps the page, closes the descriptor (any copy of it),
 * executes another program or ends, though a child may have the page still. What then goes to the page is dropped, also
 * when the next one exports it to somebody: each EXPORT_TO makes what was granted for the page before void.
 *
 * An export with the interrupt bit can notify its process: NOTIFY names a signal, and NOTIFIED takes one notification for
 * each packet. They wait while they are blocked. What waits for an export ends with it, also when the page is exported anew.
 *
 * SETREG sets the board's registers for all. So the device is for a group (mode 0660). Within it a process never gets a page
 * that another one, or the kernel for it, still holds.
 */
#ifndef PERFBOARD_UAPI_SNI_H
#define PERFBOARD_UAPI_SNI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SNI_MAP_PAGES 0
#define SNI_MAP_PROXY 0x40000000 /* + page frame * 4096 */

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
	__u32 interrupt; /* 0/1; ENOSPC: 1024 pages have one */
	__u32 reserved;
};

#define SNI_IMPORT_AU      1u /* automatic update */
#define SNI_IMPORT_COMBINE 2u
#define SNI_IMPORT_DU      8u /* user-level deliberate update */
#define SNI_IMPORT_TIMEOUT 4u /* combining ends after SNI_IOC_SETREG CTOR */
struct sni_import {
	__u64 addr;     /* user address of the local page */
	__u32 node;     /* destination node number */
	__u32 pfn;      /* its page frame */
	__u32 flags;    /* SNI_IMPORT_*; 0 unmaps */
	__u32 boundary; /* 256, 512, 1024, 2048 or 4096 bytes */
};

#define SNI_ANY 0xffffffffu /* every node; every user */
struct sni_grant {
	__u32 node, pfn;        /* the page */
	__u32 key;              /* its export */
	__u32 to_node, to_user; /* who may import it */
	__u32 reserved;
	__u64 seal;
};

struct sni_export_to {
	struct sni_export page;   /* valid is 1 */
	__u32 node, user;         /* who may import it; SNI_ANY: any */
	struct sni_grant grant;   /* out */
};

struct sni_import_from {
	struct sni_import page; /* node and pfn are the grant's */
	struct sni_grant grant;
};

struct sni_du { /* deliberate update */
	__u64 addr;  /* source: user address inside a mapping, word aligned */
	__u32 node, pfn, offset; /* destination */
	__u32 words; /* 1..1024, within one page on both sides */
};

struct sni_du_to { /* the same, to where an import leads */
	__u64 addr;  /* source, as above */
	__u64 to;    /* user address inside the imported page: its offset there, too */
	__u32 words;
	__u32 reserved;
};

struct sni_wait {
	__u32 timeout_ms;  /* 0 returns at once, 0xffffffff waits for ever */
	__u32 reserved;
	__u64 deadline_ns; /* 0; a call that a signal interrupts leaves its end here, and the next one keeps it */
};

#define SNI_NOTIFY_OFF     0u /* with signal 0; what waits is gone */
#define SNI_NOTIFY_ON      1u
#define SNI_NOTIFY_BLOCKED 2u
struct sni_notify {
	__u32 mode;   /* SNI_NOTIFY_* */
	__u32 signal; /* 1..64 */
};

struct sni_notified { /* a packet came */
	__u64 addr; /* for this page: where it was when it was exported */
	__u32 pfn;
	__u32 reserved;
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
/* ENOSPC: the page has been exported so 1023 times; another one has not. EINVAL: no such node or user. */
#define SNI_IOC_EXPORT_TO   _IOWR(SNI_IOC_MAGIC, 0x89, struct sni_export_to)
#define SNI_IOC_IMPORT_FROM _IOW(SNI_IOC_MAGIC, 0x8A, struct sni_import_from)
#define SNI_IOC_DU_TO       _IOW(SNI_IOC_MAGIC, 0x8B, struct sni_du_to) /* as DU. ENXIO: the page imports nothing */
/*
 * Of packets from now on to what the calling process has exported, and exports, by this open file. A signal means that one
 * notification or more can be taken. Unblocking sends it if one waits. EBUSY: another process has called it for the file.
 */
#define SNI_IOC_NOTIFY   _IOW(SNI_IOC_MAGIC, 0x8C, struct sni_notify)
#define SNI_IOC_NOTIFIED _IOR(SNI_IOC_MAGIC, 0x8D, struct sni_notified) /* the next one; pages take turns. EAGAIN: none waits */

#endif
