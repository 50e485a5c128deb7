/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * multikron.h - what the MULTIKRON driver (multikron.ko) offers on /dev/multikron0, /dev/multikron1, ...
 *
 *   mmap    MK_MAP_SAMPLE     the sample page: a 64-bit store at MKR_AT8(MKR_SAMPLE_TRACE(level)) is a sample
 *           MK_MAP_REGISTERS  the registers, read-only: a counter or the Timestamp is one 64-bit load
 *           MK_MAP_RAW        the same, writable, for CAP_SYS_RAWIO: a software count is one store
 *           One page each (MK_MAP_BYTES, or a page of the kernel if that is more), MAP_SHARED. Little-endian, as PCI is:
 *           a big-endian program turns each word round.
 *   ioctl   registers, software counts, the card's information, who is traced
 *
 * Everybody may open the device, map the first two pages, read registers, count in software, and have
 * himself traced. Writing a register and naming a source need CAP_PERFMON or CAP_SYS_ADMIN. MK_IOC_SET, _COUNT,
 * _TRACE and _UNTRACE need a descriptor that is open for writing, else EBADF.
 *
 * Source Address registers. While a traced thread runs on a processor, the register of that processor's
 * CPU ID line holds its source, in all cards that serve the processor; while others run, 0. Processes
 * are traced as a whole: their threads, later ones too, share the source, and exec changes nothing.
 * MK_TRACE_THREAD gives one thread a source of its own, which goes before its process's. A source ends with
 * its process or thread. MK_TRACE_CHILDREN: processes that the process forks from now on are traced as well,
 * and theirs: with a source that was named each with the same, else each with its own (a child whose own
 * source another process has is not traced, and the kernel's log says so).
 * A register that MK_IOC_SET wrote holds until the driver next changes it.
 */
#ifndef PERFBOARD_UAPI_MULTIKRON_H
#define PERFBOARD_UAPI_MULTIKRON_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MK_MAP_SAMPLE    0x0000u
#define MK_MAP_REGISTERS 0x10000u
#define MK_MAP_RAW       0x20000u
#define MK_MAP_BYTES     0x1000u

#define MK_INFO_LINES 8

struct mk_info {
	__u32 version;      /* of the card */
	__u32 index;        /* N of /dev/multikronN */
	__u32 cards;        /* how many there are */
	__u32 cpus;         /* processors of the machine (possible ones) */
	__u32 node_hz;      /* node clock */
	__u32 timestamp_hz; /* Timestamp clock */
	__u32 fifo_depth;
	__u32 lines;        /* CPU ID lines that are connected */
	__u32 cpu[MK_INFO_LINES]; /* the processor on each, as Linux numbers them; 0xffffffff: none */
	__u32 node;         /* upper half of the sources that the driver makes: parameter node= */
	__u32 reserved[3];  /* 0 */
};

struct mk_register {
	__u32 address;  /* of Table A-1: MKR_* */
	__u32 reserved; /* 0 */
	__u64 value;
};

#define MK_TRACE_SOURCE   1u /* `source` is the source (EPERM); else node << 16 | process number & 0xffff */
#define MK_TRACE_THREAD   2u /* the calling thread alone; default source: its thread number */
#define MK_TRACE_CHILDREN 4u /* not with MK_TRACE_THREAD */
struct mk_trace {
	__u32 flags;
	__u32 source; /* in: with MK_TRACE_SOURCE; out: the source there is now */
};

#define MK_IOC_MAGIC 0xD5
#define MK_IOC_INFO    _IOR(MK_IOC_MAGIC, 0x40, struct mk_info)
/* EINVAL: no address that can be read. A counter's value can have MKR_COUNTER_ERROR. */
#define MK_IOC_GET     _IOWR(MK_IOC_MAGIC, 0x41, struct mk_register)
/*
 * EINVAL: no address that can be written, or CSR bits that set and clear the same; ERANGE: bits that the
 * register lacks; EPERM. What counts only as a write (RESET, WAIT, OVERRUN) takes the value 0. Counters and samples
 * are not written so: MK_IOC_COUNT, mmap.
 */
#define MK_IOC_SET     _IOW(MK_IOC_MAGIC, 0x42, struct mk_register)
#define MK_IOC_COUNT   _IOW(MK_IOC_MAGIC, 0x43, __u32) /* one software count; EINVAL: no such counter */
/* EBUSY: another process has the source that the process's number makes. */
#define MK_IOC_TRACE   _IOWR(MK_IOC_MAGIC, 0x44, struct mk_trace)
#define MK_IOC_UNTRACE _IOW(MK_IOC_MAGIC, 0x45, __u32) /* 0 the process, MK_TRACE_THREAD the thread; ESRCH: was not */

#endif
