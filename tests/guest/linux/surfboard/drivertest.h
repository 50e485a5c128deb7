/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of drivertest share. */
#ifndef PERFBOARD_DRIVERTEST_H
#define PERFBOARD_DRIVERTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/surfboard/regs.h"
#include "guest/shrimp/lib/snilib.h"
#include "guest/surfboard/uapi.h"

extern int surf, sni; /* open devices */
extern struct surf_info info;

void __attribute__((format(printf, 2, 3))) check(bool good, const char *format, ...);
int failed(void); /* checks so far, of this process */
void check_refused(long result, int error, const char *what);
void must(bool good, const char *what);
uint32_t get(uint32_t offset);
void put(uint32_t offset, uint32_t value);
uint64_t counter(uint32_t offset); /* of the SNI's */
/* Until so many more packets have come, delivered or dropped, than `before`: nothing is under way then. */
void settle(uint64_t before, uint64_t packets);

/* Processes: a descriptor of their own, another user, a byte over a pipe. */
void open_own(void); /* sni */
void become(unsigned int user);
void step(int fd);
void await(int fd);

/* A page that receives, and one whose stores come back to it: as the ring's loopback has it. */
struct ring {
	volatile uint32_t *send, *receive;
	uint32_t pfn;
};
struct ring open_ring(bool interrupt);
void begin(uint32_t ttcr, uint32_t iemr, uint32_t htcr); /* A.9.2 */
void send(struct ring *r, uint32_t packets);

/* drivertest_rules.c */
void rules(void);
void waits(void);
void pages(void);
void limit(void);
/* drivertest_others.c */
void held(void);
void drain(void);
/* drivertest_protect.c */
void protect(void);
/* drivertest_grant.c */
void offer(const char *name);
void accept_grant(const char *text);
/* drivertest_networks.c */
void networks(void);
/* drivertest_notify.c */
void notify(void);
void unmask(void); /* signals */
int stand(void); /* as root, until standard input ends */
void set_uid_program(void); /* made of this one */
/*
 * One with this process's memory arms a signal, and executes it; then a packet comes. Its status: 0, or the signal that ended it; -1: it came to
 * nothing. free: whether this process can arm the descriptor meanwhile.
 */
int arm_raise_and_send(int signal, bool *free);
/* drivertest_user.c */
void user(void);
/* drivertest_fuzz.c */
void fuzz(uint32_t operations, uint32_t seed);
uint32_t any(uint32_t below); /* by the seed */
/* drivertest_hostile.c */
void hostile_open(void);
bool hostile(void); /* does anything; false: something is wrong */
/* drivertest_power.c */
void power(void);
void next_kernel(bool crash, const char *kernel, const char *initrd, const char *line);
/* drivertest_inject.c */
void injected(void);

#endif
