/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "svm_inside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE_FAULT_WRITE 2 /* of the error code that the processor gives a page fault */

struct svm svm;

void svm_die(const char *what)
{
	fprintf(stderr, "svm: node %u: %s: %s\n", svm.v.node, what, strerror(errno));
	_Exit(1);
}

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		svm_die("memory");
	return p;
}

static void *pages(size_t count)
{
	void *p = vmmc_pages(&svm.v, count);

	if (!p)
		svm_die("pages of the network interface");
	return p;
}

/* --- channels --- */

enum { CONTROL, MAIL, BELL, WRITTEN }; /* the pages of a channel, in this order; WRITTEN and behind: the table */

static void open_channel(unsigned int peer)
{
	struct svm_channel *c = &svm.channel[peer];
	const size_t count = WRITTEN + svm.written_pages;
	struct sni_grant *mine = zeroed(count, sizeof(*mine)), *theirs = zeroed(count, sizeof(*theirs));
	char *in = pages(count), *out = pages(WRITTEN);

	if (vmmc_export(&svm.v, in, count, peer, 0, mine) ||
	    vmmc_export(&svm.v, in + BELL * VMMC_PAGE, 1, peer, VMMC_INTERRUPT, &mine[BELL]))
		svm_die("export of a channel");
	if (vmmc_exchange(&svm.v, peer, mine, count * sizeof(*mine), theirs, count * sizeof(*theirs)))
		svm_die("grants of a channel");
	if (vmmc_bind(&svm.v, out + CONTROL * VMMC_PAGE, 1, &theirs[CONTROL], false) ||
	    vmmc_bind(&svm.v, out + MAIL * VMMC_PAGE, 1, &theirs[MAIL], true) ||
	    vmmc_bind(&svm.v, out + BELL * VMMC_PAGE, 1, &theirs[BELL], false) ||
	    vmmc_import(&svm.v, &c->written, svm.written_pages, &theirs[WRITTEN]))
		svm_die("import of a channel");
	c->control = (void *)(out + CONTROL * VMMC_PAGE);
	c->control_in = (void *)(in + CONTROL * VMMC_PAGE);
	c->mail = (void *)(out + MAIL * VMMC_PAGE);
	c->mail_in = (void *)(in + MAIL * VMMC_PAGE);
	c->bell = (void *)(out + BELL * VMMC_PAGE);
	c->bell_in = (void *)(in + BELL * VMMC_PAGE);
	c->written_in = (void *)(in + WRITTEN * VMMC_PAGE);
	free(mine);
	free(theirs);
}

/* To oneself: plain memory. */
static void open_own_channel(void)
{
	struct svm_channel *c = &svm.channel[svm.v.node];

	c->control = c->control_in = zeroed(1, sizeof(*c->control));
	c->mail = c->mail_in = zeroed(1, sizeof(*c->mail));
	c->bell = c->bell_in = zeroed(1, sizeof(*c->bell));
}

void svm_init(size_t bytes, bool combine)
{
	if (vmmc_join(&svm.v))
		svm_die("the cluster");
	svm.combine = combine;
	svm.pages = (bytes + SVM_PAGE - 1) / SVM_PAGE;
	svm.page = zeroed(svm.pages, sizeof(*svm.page));
	svm.base = pages(svm.pages);
	svm.written_pages = (svm.pages * sizeof(uint32_t) + VMMC_PAGE - 1) / VMMC_PAGE;
	svm.written = pages(svm.written_pages);
	if (vmmc_source(&svm.v, &svm.written_source, (void *)svm.written, svm.written_pages))
		svm_die("proxies");
	open_own_channel();
	for (unsigned int peer = 0; peer < svm.v.nodes; peer++)
		if (peer != svm.v.node)
			open_channel(peer);
	svm_catch_faults();
	svm_serve_begin();
}

void svm_end(void)
{
	svm_barrier();
	vmmc_leave(&svm.v);
}

/* --- allocation --- */

void svm_color(unsigned int color)
{
	svm.color = color;
}

size_t svm_share(size_t n, unsigned int part)
{
	return n * part / svm.v.nodes;
}

/* The pages of an allocation whose home is a node. */
struct run {
	size_t first, count;
};

static struct run run_of(size_t first, size_t count, unsigned int home, unsigned int node)
{
	if (home != SVM_SPREAD)
		return (struct run){ first, home == node ? count : 0 };
	return (struct run){ first + svm_share(count, node), svm_share(count, node + 1) - svm_share(count, node) };
}

static void *at(size_t page)
{
	return svm.base + page * SVM_PAGE;
}

/* The peer's run is mapped here, and mine there: it has copies of mine, and I of its. */
static void share_with(unsigned int peer, struct run mine, struct run theirs, const struct sni_grant *own)
{
	const size_t count = mine.count + theirs.count;
	struct sni_grant *out = zeroed(count + 1, sizeof(*out)), *in = zeroed(count + 1, sizeof(*in));
	struct vmmc_target *copies = zeroed(1, sizeof(*copies));

	memcpy(out, own, mine.count * sizeof(*out));
	if (vmmc_export(&svm.v, at(theirs.first), theirs.count, peer, VMMC_COLOR(svm.color), out + mine.count))
		svm_die("export of copies");
	/* In: its home pages, then its copies of mine. */
	if (vmmc_exchange(&svm.v, peer, out, count * sizeof(*out), in, count * sizeof(*in)))
		svm_die("grants of pages");
	if (vmmc_bind(&svm.v, at(theirs.first), theirs.count, in, svm.combine))
		svm_die("automatic update of copies");
	if (mine.count && vmmc_import(&svm.v, copies, mine.count, in + theirs.count))
		svm_die("import of copies");
	for (size_t i = 0; i < mine.count; i++)
		svm.page[mine.first + i].copies[peer] = copies;
	free(out);
	free(in);
}

void *svm_alloc(size_t bytes, unsigned int home)
{
	const size_t first = svm.taken, count = (bytes + SVM_PAGE - 1) / SVM_PAGE;
	const struct run mine = run_of(first, count, home, svm.v.node);
	struct sni_grant *grants = zeroed(mine.count + 1, sizeof(*grants));
	struct vmmc_source *source = zeroed(1, sizeof(*source));

	errno = ENOMEM;
	if (count > svm.pages - svm.taken)
		svm_die("more is allocated than svm_init() was told");
	svm.taken += count;
	if (mine.count && vmmc_source(&svm.v, source, at(mine.first), mine.count))
		svm_die("proxies of pages");
	if (vmmc_export(&svm.v, at(mine.first), mine.count, SNI_ANY, VMMC_COLOR(svm.color), grants))
		svm_die("export of pages");
	for (unsigned int node = 0; node < svm.v.nodes; node++) {
		const struct run theirs = run_of(first, count, home, node);

		for (size_t i = 0; i < theirs.count; i++) {
			struct svm_page *p = &svm.page[theirs.first + i];

			p->home = node;
			p->source = source;
			p->place = i * SVM_PAGE;
			svm_set_state(theirs.first + i, READ); /* all copies are zero, as the home is */
		}
		if (node != svm.v.node)
			share_with(node, mine, theirs, grants);
	}
	free(grants);
	svm_barrier(); /* nobody asks for what the home cannot send yet */
	return at(first);
}

/* --- accesses: a page that is not valid here is fetched, and one that may only be read is noted when it is stored to --- */

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

/* --- questions --- */

unsigned int svm_node(void)
{
	return svm.v.node;
}

unsigned int svm_nodes(void)
{
	return svm.v.nodes;
}

int svm_board(void)
{
	return svm.v.fd;
}

struct svm_counts svm_get_counts(void)
{
	struct svm_counts counts = svm.counts;

	counts.barriers = svm.barrier;
	return counts;
}
