/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of drivertest share. */
#ifndef PERFBOARD_DRIVERTEST_H
#define PERFBOARD_DRIVERTEST_H

#include <stdint.h>
#include <sys/time.h>

#include "guest/surfboard/regs.h"
#include "guest/shrimp/lib/snilib.h"
#include "guest/surfboard/uapi.h"
#include "tests/guest/linux/contract.h"

#define WORD 0x600D600Du /* what a test sends that is to arrive */

extern int surf, sni; /* open devices */
extern struct surf_info info;
extern struct sni_info network; /* of sni */

uint32_t get(uint32_t offset);
void put(uint32_t offset, uint32_t value);
uint64_t counter(uint32_t offset); /* of the SNI's */
/* Until so many more packets have come, delivered or dropped, than `before`: nothing is under way then. */
void settle(uint64_t before, uint64_t packets);

/* From now after so many us, and then each: 0 and 0 are the end. */
static inline void alarms(suseconds_t first, suseconds_t each)
{
	must(!setitimer(ITIMER_REAL, &(struct itimerval){ { 0, each }, { 0, first } }, NULL), "setitimer");
}

/* Processes: a descriptor of their own, a byte over a pipe. */
void open_own(void); /* sni */
void step(int fd);
void await(int fd);

/* Pages of the SNI's, which it has; grants; the program ends if that fails. */
void *own_pages(size_t count);
void unmap_page(volatile uint32_t *page);
struct sni_grant exported(volatile uint32_t *page, uint32_t user);
void import(volatile uint32_t *page, const struct sni_grant *grant, uint32_t flags);

/* A page that receives, and one whose stores come back to it: as the ring's loopback has it. */
struct ring {
	volatile uint32_t *send, *receive;
	uint32_t pfn;
};
struct ring open_ring(bool interrupt);
void begin(uint32_t ttcr, uint32_t iemr, uint32_t htcr); /* A.9.2 */
void send(struct ring *r, uint32_t packets);

/* The tests, by drivertest.c's table: words are those behind the name. drivertest_rules.c */
void rules(char **words);
void waits(char **words);
void pages(char **words);
void limit(char **words);
void held(char **words);
void drain(char **words);
/* drivertest_protect.c */
void protect(char **words);
void offer(char **words);
void accept_grant(char **words);
void user(char **words);
/* drivertest_notify.c */
void notify(char **words);
void unmask(char **words); /* signals */
void stand(char **words); /* as root, until standard input ends */
void set_uid_program(void); /* made of this one */
/*
 * One with this process's memory arms a signal, and executes it; then a packet comes. Its status: 0, or the signal that ended it; -1: it came to
 * nothing. free: whether this process can arm the descriptor meanwhile.
 */
int arm_raise_and_send(int signal, bool *free);
/* drivertest_fuzz.c */
void fuzz(char **words);
/* drivertest_power.c */
void power(char **words);
void next_kernel(char **words);
void injected(char **words);

#endif
