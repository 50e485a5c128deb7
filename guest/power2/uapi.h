/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * power2.h - what the driver of the POWER2 performance monitor (power2.ko) offers on /dev/power2.
 *
 *   open     a descriptor is a session, idle at first. O_RDWR; CAP_PERFMON or CAP_SYS_ADMIN for what is not one's own process
 *   ioctl    P2_IOC_OPEN says what is counted, of whom; P2_IOC_ENABLE, _DISABLE, _RESET, _READ; P2_IOC_MARK, _HOOK, _SEGMENT, _RULES, _TAKE
 *   read     records of the log (struct p2_record), if P2_IOC_OPEN asked for one; poll
 *   close    ends the session, but for P2_KEEP
 *
 * Counts are 64 bits wide: the driver reads the 32-bit counters at each switch and at least every 10 ms.
 *
 * Scopes
 *   P2_SYSTEM   all processors, whoever runs; MMCR as given
 *   P2_MARKED   the paper's way: the processes named have MSR(PM) set, MMCR has DMR set (or DMS, to leave them out), and
 *               the counters are neither saved nor restored. One count for all of them
 *   P2_PRIVATE  counters of their own for each process named: saved and restored at each switch ("Basic monitoring considerations")
 * A P2_MARKED session of a user without CAP_PERFMON is loaded only while a process runs that it has marked, and then saved as private ones are: it
 * costs others nothing, and its log has nothing of them.
 *
 * One P2_SYSTEM or P2_MARKED session at a time, any number of P2_PRIVATE ones on different processes while there is none: else EBUSY.
 * Counters that perf holds are busy as well.
 *
 * One's own processes are those that one may read with ptrace(). A process that gains rights by an exec (a set-uid program), or executes what
 * cannot be read, leaves the sessions that were opened without CAP_PERFMON.
 *
 * Memory (sets, logs, segments) counts against the user's RLIMIT_MEMLOCK, unless the caller has CAP_IPC_LOCK: ENOMEM.
 */
#ifndef PERFBOARD_UAPI_POWER2_H
#define PERFBOARD_UAPI_POWER2_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define P2_UAPI_COUNTERS 22 /* in the order of regs.h */
#define P2_MOST_SETS 64

struct p2_info {
	__u32 version; /* of the card: 1 */
	__u32 monitors;
	__u32 clock_hz;
	__u32 node; /* as P2R_CARD_NODE */
	__u32 dcache_bytes, dcache_line, icache_bytes;
	__u32 dcache_penalty, tlb_penalty, icache_penalty; /* cycles */
	__u32 flags;   /* P2_INFO_* */
	__u32 reserved[5];
};
#define P2_INFO_POWER 1u /* a POWER processor: the mark is MSR(PM), IMR takes instruction words */

/* What MMCR and IMR hold while a set is counted. */
struct p2_set {
	__u32 mmcr;
	__u32 imr;
};

enum { P2_SYSTEM = 0, P2_MARKED = 1, P2_PRIVATE = 2 };

#define P2_CHILDREN 1u /* P2_PRIVATE: processes forked from now on by those named, and theirs, count too. Those of the marked do without it */
#define P2_ALONE 2u    /* P2_MARKED, P2_IOC_MARK: a mark is not inherited. Else a child is marked as its parent is ("process group") */
#define P2_STOPPED 4u  /* P2_IOC_ENABLE starts it */
#define P2_LOG_SWITCH 8u /* a record at each switch to another process */
#define P2_LOG_TICK 16u  /* a record every log_ns on each processor */
#define P2_LOG_HOOK 32u  /* a record at each P2_IOC_HOOK and, with CAP_PERFMON, each trace event of /sys/module/power2/parameters/hooks */
#define P2_ON_EXEC 64u /* P2_PRIVATE, P2_MARKED: begins when the process named next calls exec */
#define P2_KEEP 128u   /* P2_SYSTEM, P2_MARKED: stays when its descriptor is closed, for P2_IOC_TAKE. CAP_PERFMON; no log */
/* With P2_LOG_HOOK: trace events that the opener's own process comes to are not recorded. Who reads the log by a system call that is such an
 * event finds a record of that call, and so on without end. */
#define P2_HOOK_OTHERS 256u

struct p2_open {
	__u32 scope;
	__u32 flags;
	__s32 pid;  /* 0: the caller. P2_SYSTEM: ignored */
	__u32 sets; /* 1..P2_MOST_SETS */
	__u64 set;  /* pointer to that many struct p2_set */
	__u64 period_ns; /* multiplexing: each set is counted that long, 1 ms or more; 0 with one set */
	__u64 log_ns;    /* P2_LOG_TICK: 1 ms or more */
	__u32 log_records; /* room of the log for each processor; 0: 4096, less if all had more than 4 MB. What does not fit is counted as lost */
	__u32 reserved[3];
};

struct p2_read {
	__u32 set;	/* in */
	__s32 cpu;	/* in: a processor, or -1 for the sum. P2_PRIVATE: -1 */
	__u64 counter[P2_UAPI_COUNTERS];
	__u64 enabled_ns; /* how long the session was enabled (P2_PRIVATE: and its processes ran), over all processors */
	__u64 running_ns; /* how long of that this set was counted */
	__u64 switches; /* how often counters were saved or read by the driver */
	__u64 lost;	/* records of the log */
	__u64 unanswered; /* how often a monitor did not answer: what it counted since it was last read is missing */
	__u64 reserved[3];
};

#define P2_MARK_OFF 0x100u
struct p2_mark {
	__s32 pid;   /* 0: the caller */
	__u32 flags; /* P2_ALONE, P2_CHILDREN, P2_MARK_OFF */
};

/* A user's hook: a place in a program that is worth a record. */
struct p2_hook {
	__u32 id; /* 0..0xffff */
	__u32 reserved;
	__u64 data[2];
	__u64 link; /* the link register as the program's hook finds it: behind the call. 0: where the program has entered the kernel */
};

/*
 * Which hooks record ("on the basis of the hook ID, some state variables, and the link register"). Rules are looked at in their order; the first
 * that fits says whether there is a record, and changes the session's state, which is 0 at first. None fits: no record. A session without
 * rules records all. They come once, before P2_IOC_ENABLE (P2_STOPPED): else EBUSY.
 */
#define P2_MOST_RULES 32
#define P2_RULE_HOOK 1u	  /* fits hook `id` of programs only */
#define P2_RULE_EVENT 2u  /* only the kernel's trace event number `id` of the parameter hooks */
#define P2_RULE_LINK 4u	  /* only if link_first <= link register <= link_last. Of a trace event: the program's (x86: its instruction pointer) */
#define P2_RULE_SILENT 8u /* no record */
struct p2_rule {
	__u32 flags;
	__u32 id;
	/* fits if (argument & mask) == value: a hook's data, a trace event's first two arguments. (An event with fewer: mask 0) */
	__u64 value[2], mask[2];
	__u64 link_first, link_last;
	__u32 state_value, state_mask; /* fits if (state & state_mask) == state_value */
	__u32 set_value, set_mask;     /* afterwards state is (state & ~set_mask) | set_value */
};
struct p2_rules {
	__u32 count; /* 1..P2_MOST_RULES */
	__u32 reserved;
	__u64 rule; /* pointer to that many struct p2_rule */
};

/* A segment of code: counting is enabled at its entry, and ends at the trap at each of its exits; without exits when the function returns whose first
 * instruction the entry is. The session's process is the only one looked at. Offsets in the file, of instructions. Needs CAP_PERFMON: a trap is in
 * the file. ENOSPC: P2_MOST_SEGMENTS, or 1024 of all sessions; EOPNOTSUPP: a kernel without CONFIG_MEMCG. The file's file system cannot be unmounted
 * meanwhile. */
#define P2_MOST_EXITS 16
#define P2_MOST_SEGMENTS 64 /* of a session */
struct p2_segment {
	__s32 file; /* descriptor of the program or library */
	__u32 exits;
	__u64 entry;
	__u64 exit[P2_MOST_EXITS];
};

enum {
	P2_RECORD_SWITCH = 1, /* pid stops running; counters as they were then */
	P2_RECORD_TICK = 2,
	P2_RECORD_HOOK = 3,   /* id, data: the user's */
	P2_RECORD_EVENT = 4,  /* id: number of the kernel's trace event */
	P2_RECORD_FORK = 5,   /* data[0]: the child */
	P2_RECORD_EXEC = 6,   /* comm is the new one */
	P2_RECORD_EXIT = 7,
	P2_RECORD_SET = 8,    /* multiplexing: the next set's MMCR from now on */
};

/* The paper's entry: process id, MMCR, counters, clock ("Monitoring all events using a log"). Counters are totals
 * of the processor since the session began, or of the set since it was loaded; P2_IOC_RESET leaves them alone. */
struct p2_record {
	__u32 type;
	__u32 cpu;
	__s32 pid, tgid;
	__u64 clock_ns; /* CLOCK_MONOTONIC */
	__u32 mmcr;
	__u32 id;
	__u64 data[2];
	char comm[16];
	__u64 counter[P2_UAPI_COUNTERS];
};

#define P2_IOC_MAGIC 0xD5
#define P2_IOC_INFO	_IOR(P2_IOC_MAGIC, 0x20, struct p2_info)
#define P2_IOC_OPEN	_IOW(P2_IOC_MAGIC, 0x21, struct p2_open)
#define P2_IOC_ENABLE	_IO(P2_IOC_MAGIC, 0x22)
#define P2_IOC_DISABLE	_IO(P2_IOC_MAGIC, 0x23)
#define P2_IOC_RESET	_IO(P2_IOC_MAGIC, 0x24)
#define P2_IOC_READ	_IOWR(P2_IOC_MAGIC, 0x25, struct p2_read)
#define P2_IOC_MARK	_IOW(P2_IOC_MAGIC, 0x26, struct p2_mark)
#define P2_IOC_HOOK	_IOW(P2_IOC_MAGIC, 0x27, struct p2_hook)
#define P2_IOC_SEGMENT	_IOW(P2_IOC_MAGIC, 0x28, struct p2_segment)
#define P2_IOC_SPE	_IOW(P2_IOC_MAGIC, 0x29, __u32) /* 0 or 1: the SPE bit of the caller's processor; CAP_PERFMON */
/* The session that a descriptor has left (P2_KEEP) is this one's from now on: what one command has set, the next one reads. In: `set`, with room
 * for `sets`; flags: P2_KEEP, to leave it again, or 0, to end it with this descriptor. Out: as it was opened. ENOENT: none was left; EBUSY: another
 * descriptor has it; ENOSPC: more sets than room; CAP_PERFMON. It ends with the module, too. */
#define P2_IOC_TAKE	_IOWR(P2_IOC_MAGIC, 0x2a, struct p2_open)
#define P2_IOC_RULES	_IOW(P2_IOC_MAGIC, 0x2b, struct p2_rules)

#endif
