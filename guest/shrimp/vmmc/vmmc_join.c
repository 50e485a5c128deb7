/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes' connections: TCP over the cluster's Ethernet. Who has the higher number calls.
 */
#define _GNU_SOURCE
#include "vmmc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 5960
#define PAUSE_US 10000 /* until a node that does not answer is called again */

/* Node K's address (guest/CLUSTER.md). */
static struct sockaddr_in address_of(unsigned int node)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(0x0a000001 + node) };
}

static int transfer(int fd, void *data, size_t bytes, bool out)
{
	char *p = data;

	while (bytes) {
		const ssize_t n = out ? write(fd, p, bytes) : read(fd, p, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!n)
				errno = ECONNRESET;
			return -1;
		}
		p += n;
		bytes -= (size_t)n;
	}
	return 0;
}

int vmmc_exchange(const struct vmmc *v, unsigned int peer, const void *out, size_t out_bytes, void *in, size_t in_bytes)
{
	const bool first = v->node < peer;

	/* In turns: both may have more to say than a connection holds. */
	for (int turn = 0; turn < 2; turn++)
		if ((turn == 0) == first ? transfer(v->peer[peer], (void *)out, out_bytes, true) : transfer(v->peer[peer], in, in_bytes, false))
			return -1;
	return 0;
}

static int call(struct vmmc *v, unsigned int peer)
{
	const struct sockaddr_in address = address_of(peer);
	uint32_t number = v->node;

	for (;;) {
		const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return -1;
		if (!connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
			v->peer[peer] = fd;
			return transfer(fd, &number, sizeof(number), true);
		}
		close(fd);
		usleep(PAUSE_US);
	}
}

static int answer(struct vmmc *v, int listener)
{
	uint32_t number = 0;
	const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0 || transfer(fd, &number, sizeof(number), false))
		return -1;
	if (number <= v->node || number >= v->nodes || v->peer[number] >= 0) {
		errno = EPROTO;
		return -1;
	}
	v->peer[number] = fd;
	return 0;
}

static int connect_all(struct vmmc *v)
{
	struct sockaddr_in own = address_of(v->node);
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(listener, (struct sockaddr *)&own, sizeof(own)) || listen(listener, VMMC_NODES))
		return -1;
	for (unsigned int peer = 0; peer < v->node; peer++)
		if (call(v, peer))
			return -1;
	for (unsigned int k = v->node + 1; k < v->nodes; k++)
		if (answer(v, listener))
			return -1;
	return close(listener);
}

static unsigned int from_environment(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned int)strtoul(text, NULL, 10) : otherwise;
}

int vmmc_join(struct vmmc *v)
{
	struct sni_info info;

	v->node = from_environment("PERFBOARD_NODE", 0);
	v->nodes = from_environment("PERFBOARD_NODES", 1);
	for (unsigned int peer = 0; peer < VMMC_NODES; peer++)
		v->peer[peer] = -1;
	v->fd = sni_open();
	if (v->fd < 0 || sni_get_info(v->fd, &info))
		return -1;
	if (!v->nodes || v->nodes > VMMC_NODES || v->node >= v->nodes || (v->nodes > 1 && (info.node != v->node || info.nodes != v->nodes))) {
		errno = EINVAL;
		return -1;
	}
	return v->nodes > 1 ? connect_all(v) : 0;
}

void vmmc_leave(struct vmmc *v)
{
	uint32_t word = 0;

	for (unsigned int peer = 0; peer < v->nodes; peer++)
		if (v->peer[peer] >= 0) {
			vmmc_exchange(v, peer, &word, sizeof(word), &word, sizeof(word));
			close(v->peer[peer]);
		}
	sni_close(v->fd);
}
