/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of svm share: svm.c (set-up, faults), order.c (intervals, barriers, locks), serve.c (requests of others).
 *
 * Each two nodes have a channel in each direction: pages of the receiver that only the sender writes. Time is counted in intervals: a release
 * ends a node's interval. A vector says for each node which of its intervals one has to know.
 */
#ifndef PERFBOARD_SHRIMP_SVM_INSIDE_H
#define PERFBOARD_SHRIMP_SVM_INSIDE_H

#include "../vmmc/vmmc.h"
#include "svm.h"

enum request { REQUEST_PAGE, REQUEST_LOCK, REQUEST_UNLOCK };

/* Not combined: a word is sent when it is stored. */
struct svm_control {
	uint32_t interval; /* the sender's last one that has ended: all it stored here before is in memory */
	uint32_t barrier;  /* barriers that it has come to */
	uint32_t answered; /* the number of the receiver's last request that it has answered */
};

/* Combined: a packet, which the store to another page behind it closes. */
struct svm_message {
	uint32_t kind, object;
	uint32_t vector[VMMC_NODES];
};
struct svm_mail {
	struct svm_message request;
	uint32_t granted[VMMC_NODES]; /* the vector that comes with a lock */
};

/* To another node, and from it. */
struct svm_channel {
	volatile struct svm_control *control, *control_in;
	volatile struct svm_mail *mail, *mail_in;
	volatile uint32_t *bell, *bell_in; /* how many requests there are: wakes the receiver */
	volatile uint32_t *written_in;     /* for each page the sender's last interval that has stored to it */
	struct vmmc_target written;
	uint32_t asked, heard, served;     /* requests to it; of it, and those that are answered */
};

enum state { INVALID, READ, WRITE };

struct svm_page {
	unsigned char home, state;
	bool dirty;                                   /* stored to in this interval */
	bool store_only, stale;                       /* stale: not fetched, only stored to */
	const struct vmmc_source *source;             /* at home: */
	const struct vmmc_target *copies[VMMC_NODES]; /* where the others have theirs */
	size_t place;                                 /* in both */
};

struct svm {
	struct vmmc v;
	bool combine;
	unsigned int color;
	char *base;
	size_t pages, taken;
	struct svm_page *page;
	volatile uint32_t *written; /* by page: the last own interval that has stored to it */
	struct vmmc_source written_source;
	size_t written_pages;
	struct svm_channel channel[VMMC_NODES];
	uint32_t interval, barrier;        /* own */
	uint32_t known[VMMC_NODES];        /* the vector: what has been taken away here; own interval included */
	struct svm_counts counts;
};
extern struct svm svm;

/* svm.c */
__attribute__((noreturn)) void svm_die(const char *what);
void svm_catch_faults(void);
void svm_set_state(size_t page, enum state state);

/* order.c */
void svm_release(void);
void svm_acquire(const volatile uint32_t *vector);
void svm_wait_for(const volatile uint32_t *vector); /* until what others stored here in these intervals is here */

/* serve.c */
void svm_serve_begin(void);
void svm_ask(unsigned int node, enum request kind, uint32_t object); /* returns when it is answered */
void svm_send(const struct vmmc_target *to, size_t to_offset, const struct vmmc_source *from, size_t from_offset, size_t bytes);

#endif
