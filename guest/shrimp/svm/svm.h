/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svm - shared virtual memory over VMMC (guest/shrimp/vmmc): a program runs on each node of a cluster, and what it allocates here is one
 * memory for all of them. The protocol is AURC (Iftode and others, HPCA 1996), as far as TR-596-99 tells of it.
 *
 *   svm_init(1 << 20, true);                      on all nodes
 *   double *a = svm_alloc(n * 8, SVM_SPREAD);     on all nodes, in the same order; zeroed
 *   a[i] = x;                                     plain memory
 *   svm_lock(0); sum[0] += own; svm_unlock(0);
 *   svm_barrier();                                a[] is the same for all
 *   svm_end();
 *
 * Release consistency: what a node has stored is seen by another one behind a lock that the first has unlocked, or behind a barrier of
 * both. Two nodes may store to different words of one page meanwhile.
 *
 * Every page has a home node. Others have a copy, whose stores the network interface sends home (automatic update; combined, if svm_init()
 * is told so). A release says which pages have been stored to, by deliberate update, and behind all stores that it has happened.
 * An acquire takes those pages away, and the next access asks the home for the page, which it sends by deliberate update.
 *
 * One thread of a node may touch the memory, and no system call: read() into it is EFAULT where the page is not there.
 * What fails ends the program with a line that says why.
 */
#ifndef PERFBOARD_SHRIMP_SVM_H
#define PERFBOARD_SHRIMP_SVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SVM_PAGE 4096
#define SVM_LOCKS 64
#define SVM_SPREAD 0xffffffffu /* the first node has the first part, and so on */

/* bytes: at most so many will be allocated, each allocation in whole pages. */
void svm_init(size_t bytes, bool combine);
void svm_end(void);
unsigned int svm_node(void);
unsigned int svm_nodes(void);
/* Of the pages that are allocated from now on, 0 to 15 (0): a monitor on the network tells packets to them from others by it. The rest is 0. */
void svm_color(unsigned int color);
/* home: the pages' home node, or SVM_SPREAD. */
void *svm_alloc(size_t bytes, unsigned int home);
/*
 * On: until it is off again this node only stores to these pages, and reads nothing of them. A page that it does not have is not fetched
 * then: the stores go home, and at the next release the page is gone.
 */
void svm_store_only(void *start, size_t bytes, bool on);
void svm_lock(unsigned int lock);
void svm_unlock(unsigned int lock);
void svm_barrier(void);

struct svm_counts { /* of this node, so far */
	uint64_t read_faults, write_faults, fetches, invalidations, barriers;
};
struct svm_counts svm_get_counts(void);
/* The descriptor of the network interface, for its counters. */
int svm_board(void);

/* Part `part` of n, divided among the nodes as SVM_SPREAD divides pages: from svm_share(n, k) up to svm_share(n, k + 1). */
size_t svm_share(size_t n, unsigned int part);

#endif
