/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "vmmc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void *vmmc_pages(const struct vmmc *v, size_t count)
{
	return sni_pages(v->fd, count);
}

static char *page_of(const void *pages, size_t i)
{
	return (char *)pages + i * VMMC_PAGE;
}

int vmmc_export(const struct vmmc *v, void *pages, size_t count, uint32_t to, unsigned int flags, struct sni_grant *grants)
{
	for (size_t i = 0; i < count; i++)
		if (sni_export_to(v->fd, page_of(pages, i), flags / VMMC_COLOR(1), flags & VMMC_INTERRUPT, to, geteuid(), &grants[i]))
			return -1;
	return 0;
}

int vmmc_bind(const struct vmmc *v, void *pages, size_t count, const struct sni_grant *grants, bool combine)
{
	const uint32_t flags = SNI_IMPORT_AU | (combine ? SNI_IMPORT_COMBINE : 0);

	for (size_t i = 0; i < count; i++)
		if (sni_import_from(v->fd, page_of(pages, i), &grants[i], flags, VMMC_PAGE))
			return -1;
	return 0;
}

int vmmc_import(const struct vmmc *v, struct vmmc_target *to, size_t count, const struct sni_grant *grants)
{
	void *pages = vmmc_pages(v, count);

	if (!pages)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (sni_import_from(v->fd, page_of(pages, i), &grants[i], SNI_IMPORT_DU, 0))
			return -1;
	to->count = count;
	to->proxies = sni_proxies(v->fd, pages, count);
	return to->proxies ? 0 : -1;
}

int vmmc_source(const struct vmmc *v, struct vmmc_source *from, const void *pages, size_t count)
{
	from->count = count;
	from->proxies = sni_proxies(v->fd, pages, count);
	return from->proxies ? 0 : -1;
}

int vmmc_send(const struct vmmc_target *to, size_t to_offset, const struct vmmc_source *from, size_t from_offset, size_t bytes)
{
	if (to_offset + bytes > to->count * VMMC_PAGE || from_offset + bytes > from->count * VMMC_PAGE || (to_offset | from_offset | bytes) % 4) {
		errno = EINVAL;
		return -1;
	}
	while (bytes) { /* a transfer stays within a page on both sides */
		const size_t to_left = VMMC_PAGE - to_offset % VMMC_PAGE, from_left = VMMC_PAGE - from_offset % VMMC_PAGE;
		const size_t most = to_left < from_left ? to_left : from_left, part = bytes < most ? bytes : most;
		volatile uint32_t *source = from->proxies + from_offset / 4;

		if (sni_user_send(to->proxies + to_offset / 4, source, part)) {
			errno = EIO;
			return -1;
		}
		while (!sni_user_done(source))
			continue;
		to_offset += part;
		from_offset += part;
		bytes -= part;
	}
	return 0;
}

/* --- the nodes' connections: TCP over the cluster's Ethernet; who has the higher number calls --- */

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
