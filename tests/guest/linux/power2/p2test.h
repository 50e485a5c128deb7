/* SPDX-License-Identifier: GPL-2.0-or-later */
/* p2test: what its parts share. Programs of known length, sessions, and what they count. */
#ifndef PERFBOARD_P2TEST_H
#define PERFBOARD_P2TEST_H

#include "guest/power2/regs.h"
#include "guest/power2/uapi.h"
#include "tests/guest/linux/contract.h"

#define DEVICE "/dev/power2"
#define USER P2_MMCR_DP   /* what is not privileged */
#define KERNEL P2_MMCR_DU
#define INSTRUCTIONS P2_ICU0 /* of group 0 */
#define BRANCHES (P2_ICU0 + 1)
#define LOOP_INSTRUCTIONS 2  /* of each round of loop() */

extern const struct p2_set user_set, marked_set;
extern const struct contract contract;

int device(void);		  /* opens it */
void loop(unsigned long rounds);  /* LOOP_INSTRUCTIONS and a branch for each, and nothing that depends on rounds */
void loop_calls(unsigned long rounds, unsigned calls); /* with system calls in between */
void work(unsigned long bytes);   /* touches that many */
pid_t start(void (*run)(unsigned long), unsigned long argument); /* in a process, that waits for go() */
void go(pid_t pid);
pid_t burn(unsigned cpu);	  /* a process that computes there until it is killed, with system calls */
void stop(pid_t pid);

struct p2_open session(uint32_t scope, uint32_t flags, pid_t pid, const struct p2_set *set);
int opened(const struct p2_open *o); /* a descriptor with that session; the program ends if that fails */
int counting(uint32_t scope, uint32_t flags, pid_t pid, const struct p2_set *set); /* the same, of session()'s */
void refuse_open(struct p2_open o, int error, const char *what);
struct p2_read counted(int fd, uint32_t set, int cpu);
uint64_t count_of(int fd, unsigned counter);
void become_user(void); /* without rights, but of the device's group */
void as_user(void (*run)(void)); /* so, in a process of its own */
void set_hooks(const char *names, bool good);
#define MOST_RECORDS 20000
extern struct p2_record records[MOST_RECORDS];
unsigned take_records(int fd); /* all that its log has; how many */
void segment_places(struct p2_segment *g); /* of a function's instructions, in this program's file */
unsigned processors(void);

#define P2_TESTS(X)                                                                                                      \
	X(info) X(rules) X(user) X(exact) X(children) X(threads) X(exec) X(program) X(death) X(enable) X(system) X(marks)  \
	X(spe) X(perf) X(perf_tasks) X(pinned) X(keep) X(gone) X(sleep) X(log) X(hooks) X(segments) X(perf_gone) X(device) \
	X(user_segments) X(user_execs) X(user_schedule) X(user_memory) X(user_storms) X(kept) X(leave) X(when) X(late) X(hidden)
#define P2_DECLARED(name) void test_##name(char **words);
P2_TESTS(P2_DECLARED)

#endif
