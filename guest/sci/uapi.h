/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * sci.h - what the driver of the PCI-SCI adapter (sci.ko) offers on /dev/sci.
 *
 *   mmap    the window of global shared memory: the file's offset is the window's. MAP_SHARED.
 *           Uncached; with SCI_MMAP_WC added to the offset write-combining: adjacent stores travel together.
 *   ioctl   homes of pages, how pages get their home, statistics
 *
 * Pages come into a mapping one by one, when a program first touches them. With the policy SCI_FIRST_TOUCH that is
 * also when a page gets its home: the node of the processor that touched it. On a kernel with pages of 64 KB all 16
 * window pages of a kernel's page get theirs at once.
 *
 * What changes the adapter needs a descriptor that is open for writing, else EBADF. What all programs see (policy, statistics, whether
 * it is enabled) needs CAP_SYS_ADMIN, too, else EPERM. A page is its user's who first touched it or set its home, until that user
 * has closed the adapter everywhere; others may load and store in it, but not move it.
 */
#ifndef PERFBOARD_UAPI_SCI_H
#define PERFBOARD_UAPI_SCI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SCI_PAGE_BYTES 4096u
#define SCI_MMAP_WC 0x40000000ull /* above the largest window */

#define SCI_FIXED 0u       /* homes are what SCI_IOC_SET_HOMES says */
#define SCI_FIRST_TOUCH 1u /* a page that is touched for the first time since the policy was set gets a home */

struct sci_info {
	__u32 nodes;
	__u32 pages;   /* of SCI_PAGE_BYTES */
	__u32 latency; /* 1: remote accesses take time */
	__u32 policy;
	__u32 enabled; /* 0: the window is plain memory */
	__u32 node;    /* of the processor that asks; 0xffffffff: none */
	__u32 cluster; /* 1: the other nodes are machines of their own, each with homes of its own */
	__u32 reserved; /* 0 */
};

struct sci_homes {
	__u32 first, count; /* pages; EINVAL beyond the window */
	__u64 homes;        /* pointer to count times __u8 */
};

struct sci_stats {
	__u32 node; /* in; EINVAL: there is no such node */
	__u32 reserved; /* 0 */
	__u64 reads, writes, locks, unlocks; /* requests that the node sent */
	__u64 received;    /* requests that reached it */
	__u64 wait_ns;     /* its processor was held */
	__u64 outstanding; /* now */
	__u64 packets;     /* on its B-Link */
};

#define SCI_IOC_MAGIC 0xD5
#define SCI_IOC_INFO      _IOR(SCI_IOC_MAGIC, 0x60, struct sci_info)
#define SCI_IOC_GET_HOMES _IOW(SCI_IOC_MAGIC, 0x61, struct sci_homes)
/* EINVAL: a home that is no node; EPERM: a page of another user, without CAP_SYS_ADMIN; nothing was changed. A page whose home was set is not set anew by a first touch. */
#define SCI_IOC_SET_HOMES _IOW(SCI_IOC_MAGIC, 0x62, struct sci_homes)
/* Also SCI_FIRST_TOUCH again: all pages are untouched from now on, in every mapping. EOPNOTSUPP: SCI_FIRST_TOUCH where nodes are machines of their own,
   none of which knows who touches a page elsewhere. */
#define SCI_IOC_POLICY    _IOW(SCI_IOC_MAGIC, 0x63, __u32)
#define SCI_IOC_STATS     _IOWR(SCI_IOC_MAGIC, 0x64, struct sci_stats)
#define SCI_IOC_CLEAR     _IO(SCI_IOC_MAGIC, 0x65) /* statistics of all nodes to 0 */
#define SCI_IOC_ENABLE    _IOW(SCI_IOC_MAGIC, 0x66, __u32) /* 1, or 0; the driver enables the adapter when it is loaded */

#endif
