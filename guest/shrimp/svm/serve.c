/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests: a thread that is awake only when one has come, before all else that runs. A node asks for one thing at a time.
 */
#define _GNU_SOURCE
#include "svm_inside.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex; /* of the locks, and of sending: a store and a load belong together */

static struct {
	bool held;
	bool waits[VMMC_NODES];
	unsigned int last; /* who had it last: the one behind is next */
	uint32_t vector[VMMC_NODES];
} lock_of[SVM_LOCKS];

void svm_send(const struct vmmc_target *to, size_t to_offset, const struct vmmc_source *from, size_t from_offset, size_t bytes)
{
	pthread_mutex_lock(&mutex);
	if (vmmc_send(to, to_offset, from, from_offset, bytes))
		svm_die("deliberate update");
	pthread_mutex_unlock(&mutex);
}

/* --- the answers: mutex is held --- */

static void answer(unsigned int node)
{
	struct svm_channel *c = &svm.channel[node];

	c->control->answered = ++c->served;
}

static void give_page(unsigned int node, const volatile struct svm_message *request)
{
	const struct svm_page *p = &svm.page[request->object];

	errno = EPROTO;
	if (request->object >= svm.taken || p->home != svm.v.node)
		svm_die("a request for a page of another home");
	svm_wait_for(request->vector);
	if (vmmc_send(p->copies[node], p->place, p->source, p->place, SVM_PAGE))
		svm_die("sending a page");
	answer(node);
}

/* To the next one that waits, if there is one. */
static void give_lock(uint32_t lock)
{
	for (unsigned int i = 1; i <= svm.v.nodes && !lock_of[lock].held; i++) {
		const unsigned int node = (lock_of[lock].last + i) % svm.v.nodes;

		if (!lock_of[lock].waits[node])
			continue;
		lock_of[lock].waits[node] = false;
		lock_of[lock].held = true;
		lock_of[lock].last = node;
		for (unsigned int k = 0; k < svm.v.nodes; k++)
			svm.channel[node].mail->granted[k] = lock_of[lock].vector[k];
		answer(node);
	}
}

static void serve(unsigned int node, const volatile struct svm_message *request)
{
	const uint32_t object = request->object;

	errno = EPROTO;
	if (request->kind != REQUEST_PAGE && object >= SVM_LOCKS)
		svm_die("a request for a lock that there is not");
	switch (request->kind) {
	case REQUEST_PAGE:
		give_page(node, request);
		break;
	case REQUEST_LOCK:
		lock_of[object].waits[node] = true;
		give_lock(object);
		break;
	case REQUEST_UNLOCK:
		for (unsigned int k = 0; k < svm.v.nodes; k++)
			lock_of[object].vector[k] = request->vector[k];
		lock_of[object].held = false;
		answer(node);
		give_lock(object);
		break;
	default:
		svm_die("a request that there is not");
	}
}

static void *server(void *nothing)
{
	for (;;) {
		if (sni_wait_packet(svm.v.fd, 0xffffffff) && errno != EINTR)
			svm_die("waiting for requests");
		pthread_mutex_lock(&mutex);
		for (unsigned int node = 0; node < svm.v.nodes; node++) {
			struct svm_channel *c = &svm.channel[node];

			if (node == svm.v.node || *c->bell_in == c->heard)
				continue;
			c->heard++;
			serve(node, &c->mail_in->request);
		}
		pthread_mutex_unlock(&mutex);
	}
	return nothing;
}

/*
 * All that the packet needs is loaded before its first word is stored: a load in between that missed the caches would end it, and then a request were two
 * packets where the program's pages of memory lie so.
 */
void svm_ask(unsigned int node, enum request kind, uint32_t object)
{
	struct svm_channel *c = &svm.channel[node];
	volatile struct svm_message *request = &c->mail->request;
	volatile uint32_t *bell = c->bell;
	const unsigned int nodes = svm.v.nodes;
	const uint32_t asked = ++c->asked;
	uint32_t known[VMMC_NODES];

	for (unsigned int k = 0; k < nodes; k++)
		known[k] = svm.known[k];
	for (unsigned int k = 0; k < nodes; k++)
		(void)*(volatile uint32_t *)&known[k];
	request->kind = kind;
	request->object = object;
	for (unsigned int k = 0; k < nodes; k++)
		request->vector[k] = known[k];
	*bell = asked;
	if (node == svm.v.node) {
		pthread_mutex_lock(&mutex);
		serve(node, request);
		pthread_mutex_unlock(&mutex);
	}
	while (c->control_in->answered != c->asked)
		continue;
}

void svm_serve_begin(void)
{
	const struct sched_param priority = { .sched_priority = 1 };
	pthread_mutexattr_t kind;
	pthread_attr_t attributes;
	pthread_t thread;

	/* Who holds it goes on while the server waits for it. */
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &kind);
	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
	pthread_attr_setschedparam(&attributes, &priority);
	errno = pthread_create(&thread, &attributes, server, NULL);
	if (errno)
		svm_die("a thread");
}
