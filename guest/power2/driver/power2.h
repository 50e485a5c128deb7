/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside power2.ko, each file above those that it calls: the card, its power, attributes and
 * registers in debugfs (power2_card.c), the character device and a session that is left
 * (power2_file.c), sessions (power2_session.c), segments of code (power2_segment.c), the kernel's
 * trace events in the log, and which hooks record (power2_hook.c), probes (power2_probe.c), a
 * processor's monitor (power2_cpu.c), who is counted and marked (power2_task.c), the kernel's perf
 * subsystem (power2_perf.c), the log (power2_log.c), the mark (power2_mark.c), who holds the
 * counters (power2_hold.c).
 *
 * There is one card, as there is one monitor in each processor, and what is here is the module's,
 * not the card's: a card that goes away leaves descriptors that answer ENODEV.
 *
 * Each session has an area for each processor. It holds what the session has counted there, and
 * only that processor touches it, with interrupts off. p2_cpus.area says whose counts the counters
 * hold just now. So nothing in a probe takes a lock but for forks and exits. Whoever wants to know
 * what an area holds just now, or that a processor obeys a change, interrupts that processor; one
 * that has nothing of the session is left in peace (p2_refresh()), and what it has counted before
 * is read as it lies.
 *
 * p2_mutex orders whoever opens, closes and changes sessions. Which processes belong to which
 * session is read under RCU. A program's memory and files are not touched under it: who answers for
 * them may take his time.
 */
#ifndef PERFBOARD_POWER2_DRIVER_H
#define PERFBOARD_POWER2_DRIVER_H

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../regs.h"
#include "../uapi.h"

/* The registers in the byte order of this kernel: no access needs a swap. */
#define P2_BAR (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 2 : 0)

/*
 * MMCR and the counters as the registers lie: one load or store for two, as POWER's load multiple
 * would.
 */
#define P2_REGISTERS (1 + P2_COUNTERS)
#define P2_PAIRS (P2_REGISTERS / 2) /* and one is left */
union p2_registers {
	u64 pair[P2_PAIRS + 1];
	u32 reg[2 * P2_PAIRS + 2]; /* 0: MMCR; 1 + i: counter i */
};

/* What a processor has written into a session's log. It writes, one reader at a time reads. */
struct p2_ring {
	struct p2_record *record;
	u32 room; /* a power of two; 0: no log */
	u64 head; /* written so far */
	u64 tail; /* read so far */
	u64 lost, told; /* woken for this head */
};

struct p2_count {
	u64 counter[P2_COUNTERS];
	u64 running_ns;
};

/* What an area has counted of one set, up to a moment. */
struct p2_view {
	struct p2_count count;
	u64 switches, unanswered;
};

/* A session's counts on one processor. */
struct p2_area {
	struct p2_session *session;
	seqcount_t sequence;	/* odd while its processor changes what p2_area_view() reads */
	/* What the counters held when saved: the low halves of the totals of this set, or more. */
	union p2_registers raw;
	u32 set;		/* that the counters hold, or held last */
	u64 since;		/* when running_ns was brought up to date; while it is loaded */
	u64 slice_ns;		/* how long this set is counted already */
	u64 loose_ns;		/* how long of that the totals do not have */
	u64 next_log;		/* P2_LOG_TICK: when */
	u64 switches;
	u64 unanswered; /* how often the monitor was not there to be asked */
	struct p2_ring ring;
	struct p2_count count[]; /* of each set */
};

/* A descriptor. */
struct p2_session {
	struct list_head list; /* of those that count; p2_mutex */
	bool opened;	       /* P2_IOC_OPEN was called */
	bool enabled;
	/*
	 * Who opened it may count what is not his own. Else it is loaded only where a process of
	 * its own runs.
	 */
	bool privileged;
	struct p2_open open;
	struct p2_set *set;
	struct p2_area **area; /* by processor */
	/* By processor, of each set: as it was at the last P2_IOC_RESET; s->own. */
	struct p2_view **since;
	const struct cred *payer; /* whose user is charged for */
	unsigned long charged;	  /* pages of memory */
	/* That are counted or marked for it, and live; changes under the table's lock. */
	unsigned int processes;
	bool marks; /* P2_IOC_MARK was called */
	bool spe;   /* P2_IOC_SPE was called */
	bool hooks; /* the kernel's trace events are in its log */
	struct pid *collector; /* P2_HOOK_OTHERS: whose events are not; held */
	struct p2_rule *rules; /* which hooks record; NULL: all. Set once */
	u32 rule_count;
	atomic_t state; /* of the rules */
	bool entered; /* processes were in it: a processor may still look at it */
	struct list_head segments; /* own. There is one: processes count only inside */
	unsigned int segments_count;

	struct p2_session *taken; /* the descriptor's instead of this one; set once */
	struct mutex own;    /* whoever changes the session */
	spinlock_t reader;   /* whoever takes records out of its log */
	wait_queue_head_t wait;
	struct irq_work wake;
};

static inline struct p2_session *p2_session_of(const struct file *file)
{
	struct p2_session *s = file->private_data;

	return smp_load_acquire(&s->taken) ?: s;
}

/* What is of one processor. Only it touches this, and its monitor, with interrupts off. */
struct p2_cpu {
	bool works;	      /* the monitor may be touched */
	bool marked;	      /* what MARK holds */
	bool busy;	      /* a record is being written */
	bool silent;	      /* the monitor did not answer: what it holds is not known */
	u64 unanswered;	      /* how often */
	/* The process that runs here; right while there are probes. Others read it. */
	pid_t running;
	struct p2_area *area; /* whose counts the counters hold. Others compare it */
	struct hrtimer timer;
};

/* power2_hold.c */
extern struct p2_info p2_card; /* what it says of itself */
extern void __iomem *p2_regs;  /* of the processor that makes the access */
DECLARE_PER_CPU(struct p2_cpu, p2_cpus);
bool p2_there(void); /* the card is; the answer can be old when it is used */
void p2_set_there(bool there);
extern struct mutex p2_mutex;
/* P2_SYSTEM or P2_MARKED, enabled or not; read by probes under RCU. */
extern struct p2_session *p2_everybody;
extern unsigned int p2_sessions, p2_perf_events; /* who holds the counters */
int p2_hold(bool alone); /* for a session */
void p2_release(void);
int p2_hold_perf(bool child); /* for an event; a child of one that counts is refused nothing */
void p2_release_perf(void);
/* Memory to the caller's RLIMIT_MEMLOCK; all of it comes back with the session's end. */
int p2_charge(struct p2_session *s, u64 bytes);
void p2_uncharge(struct p2_session *s);

/*
 * Raw: the registers are this processor's own, in its byte order, and nobody else waits for them.
 * So they need no order with memory.
 */
static inline u32 p2_get(u32 reg)
{
	return __raw_readl(p2_regs + P2R_OWN + reg);
}

static inline void p2_put(u32 reg, u32 value)
{
	__raw_writel(value, p2_regs + P2R_OWN + reg);
}

/* power2_cpu.c */
int p2_cpu_init(void);
void p2_cpu_exit(void);
void p2_cpu_start(void); /* the card is there: all processors */
void p2_cpu_stop(void);	 /* it goes: no processor touches it after this */
/* Brings the totals of what is loaded up to date: its processor, interrupts off. */
void p2_cpu_settle(struct p2_area *area);
/* Of any processor's. */
void p2_area_view(const struct p2_area *area, u32 set, struct p2_view *view);
void p2_cpu_run(struct task_struct *task); /* runs from now on, or still: the same */
u64 p2_unanswered(void); /* how often no monitor answered, by any processor */
void p2_refresh_all(void); /* all processors look again who is counted and marked */
/* Those that it concerns, after a change of the session or of its processes. */
void p2_refresh(struct p2_session *s);
void p2_refresh_here(void);

/* power2_task.c */
struct p2_who {
	struct p2_session *session; /* who has named it for counters that are loaded with it */
	bool mark;
};
struct p2_who p2_look(struct task_struct *task, struct p2_session *everybody); /* RCU */
int p2_task_enter(struct p2_session *s, s32 pid, u32 flags, bool mark);
/* Marks of P2_IOC_MARK; p2_task_drop() when all processors have seen that it is not active. */
pid_t p2_task_end(struct p2_session *s, s32 pid);
void p2_task_drop(struct p2_session *s, pid_t tgid);
void p2_task_forget(struct p2_session *s); /* all of them; no processor has one of them active */
/* False: it is not in the session. */
bool p2_task_switch(struct p2_session *s, struct task_struct *task, bool active);
bool p2_task_in(struct p2_session *s, pid_t tgid);
void p2_task_rest(struct p2_session *s); /* none is active */
unsigned int p2_task_count(void);
void p2_task_forked(struct task_struct *parent, struct task_struct *child);
void p2_task_execed(struct task_struct *task);
void p2_task_exited(struct task_struct *task); /* its last thread */

/* power2_mark.c */
/* Of who runs, or is next; interrupts are off. */
void p2_mark_task(struct task_struct *task, bool mark);
void p2_mark_used(void);
void p2_unmark(void); /* with no probe left nobody else would take it from a thread that sleeps */

/* power2_probe.c */
int p2_probes_get(void); /* p2_mutex; p2_probes_put() as often */
void p2_probes_put(void);
bool p2_probes_on(void);
void p2_probes_exit(void);

/* power2_session.c */
int p2_session_open(struct p2_session *s, const struct p2_open *o, struct p2_set **set);
int p2_session_enable(struct p2_session *s, bool on);
int p2_session_reset(struct p2_session *s);
int p2_session_read(struct p2_session *s, struct p2_read *r);
int p2_session_mark(struct p2_session *s, const struct p2_mark *m);
void p2_sessions_wake(void); /* the card is gone */
int p2_session_segment(struct p2_session *s, const struct p2_segment *g);
void p2_session_close(struct p2_session *s); /* s is free to go */

/* power2_log.c; on the processor itself, interrupts off */
#define P2_LOG_FLAGS (P2_LOG_SWITCH | P2_LOG_TICK | P2_LOG_HOOK)
u32 p2_log_room(const struct p2_open *o); /* records of each processor */
int p2_log_make(struct p2_session *s);
void p2_log_free(struct p2_session *s);
void p2_log(struct p2_area *area, u32 type, struct task_struct *task, u32 id, u64 a, u64 b);
void p2_log_wake(struct p2_area *area);
void p2_log_woken(struct irq_work *work);
ssize_t p2_log_read(struct file *file, char __user *to, size_t bytes, loff_t *at);
__poll_t p2_log_poll(struct file *file, struct poll_table_struct *table);
u64 p2_log_lost(struct p2_session *s);

/* power2_hook.c */
int p2_hooks_get(void); /* p2_mutex; p2_hooks_put() as often */
void p2_hooks_put(void);
int p2_session_rules(struct p2_session *s, const struct p2_rules *from, struct p2_rule **rule);
/* A hook's session, where the hook is. link 0: not known. */
bool p2_rules_record(struct p2_session *s, u32 kind, u32 id, const u64 *data, u64 link);

/* power2_segment.c; s->own, or nobody else has s */
int p2_segment_add(struct p2_session *s, const struct p2_segment *g);
void p2_segments_remove(struct p2_session *s);

/* power2_perf.c */
int p2_perf_init(void);
void p2_perf_exit(void);
void p2_perf_save(void);
void p2_perf_load(void);

/* power2_file.c */
extern const struct file_operations p2_operations;
void p2_keep_exit(void); /* the session that is left */

#endif
