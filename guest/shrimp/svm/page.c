/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses: a page that is not valid here is fetched, and one that may only be read is noted when it is stored to.
 */
#define _GNU_SOURCE
#include "svm_inside.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE_FAULT_WRITE 2 /* of the error code that the processor gives a page fault */

void svm_set_state(size_t page, enum state state)
{
	static const int rights[] = { [INVALID] = PROT_NONE, [READ] = PROT_READ, [WRITE] = PROT_READ | PROT_WRITE };

	svm.page[page].state = state;
	svm.page[page].stale &= state == WRITE;
	if (mprotect(svm.base + page * SVM_PAGE, SVM_PAGE, rights[state]))
		svm_die("mprotect");
}

static void access_page(size_t page, bool store)
{
	struct svm_page *p = &svm.page[page];

	if (store)
		svm.counts.write_faults++;
	else
		svm.counts.read_faults++;
	if (p->state == INVALID && store && p->store_only) {
		p->stale = true;
	} else if (p->state == INVALID) {
		/* Own stores to the copy are on their way home before the request. */
		svm.counts.fetches++;
		svm_ask(p->home, REQUEST_PAGE, (uint32_t)page);
	}
	if (store)
		p->dirty = true;
	svm_set_state(page, store ? WRITE : READ);
}

void svm_store_only(void *start, size_t bytes, bool on)
{
	const size_t first = (size_t)((char *)start - svm.base) / SVM_PAGE;

	for (size_t page = first; page < first + (bytes + SVM_PAGE - 1) / SVM_PAGE; page++) {
		svm.page[page].store_only = on;
		if (svm.page[page].stale)
			svm_set_state(page, INVALID);
	}
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *u = context;
	const uintptr_t offset = (uintptr_t)info->si_addr - (uintptr_t)svm.base;
	const bool store = u->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE;
	const int kept = errno;

	if (offset >= svm.taken * SVM_PAGE) {
		/* Not ours: the access is made again, and ends the program. */
		struct sigaction none = { .sa_handler = SIG_DFL };

		sigaction(signal, &none, NULL);
		return;
	}
	access_page(offset / SVM_PAGE, store);
	errno = kept;
}

void svm_catch_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGSEGV, &action, NULL))
		svm_die("sigaction");
}
