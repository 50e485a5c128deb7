/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strips - a parallel program on the nodes of a cluster, whose states MULTIKRON samples: which share of its time does a node compute, send, wait?
 *
 *   strips STEPS COLUMNS ROWS...        the rows of each node
 *
 * The nodes relax a grid of integers. Each has a strip of it; before each step it sends its first and its last row to its neighbours, over TCP, and
 * waits for theirs. It does so twice, each time from the beginning: with strips of ROWS, and with strips that are all alike.
 *
 * A node that waits asks again and again, as programs on such machines did. So its processor is never halted, and what the
 * plugin marks.so counts, its instructions, is its time. In front of each sample is a mark.
 *
 * At the end each node compares its strip with that of a grid that it has relaxed alone, and prints "events N": its samples.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../common/fatal.h"
#include "../../common/mark.h"
#include "../lib/mklib.h"

enum { UNEVEN = 1, EVEN, COMPUTE, SEND, WAIT };
enum { ABOVE, BELOW, NEIGHBOURS };
#define PORT 5950
#define PAUSE_US 10000 /* until a node that does not answer is called again */
#define MOST_NODES 64
#define MOST 10000

static unsigned node, nodes;
static unsigned long steps, columns, events;
static unsigned long rows[MOST_NODES];
static int peer[NEIGHBOURS] = { -1, -1 };

static inline void event(unsigned kind, unsigned state)
{
	MARK();
	MK_TRACE(0, MK_EVENT(kind, state, 0));
	events++;
}

/* --- the neighbours --- */

/* Node K's address (guest/CLUSTER.md). */
static struct sockaddr_in address_of(unsigned number)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(0x0a000001 + number) };
}

static void call(unsigned number)
{
	const struct sockaddr_in address = address_of(number);

	for (;;) {
		peer[ABOVE] = socket(AF_INET, SOCK_STREAM, 0);
		if (peer[ABOVE] < 0)
			die("socket");
		if (!connect(peer[ABOVE], (const struct sockaddr *)&address, sizeof(address)))
			return;
		close(peer[ABOVE]);
		usleep(PAUSE_US);
	}
}

static void answer(void)
{
	const struct sockaddr_in own = address_of(node);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0 || bind(listener, (const struct sockaddr *)&own, sizeof(own)) || listen(listener, 1))
		die("listening");
	peer[BELOW] = accept(listener, NULL, NULL);
	if (peer[BELOW] < 0)
		die("accept");
	close(listener);
}

/* Moves what can be moved now. */
static size_t moved(ssize_t n)
{
	if (!n) {
		errno = ECONNRESET;
		die("a neighbour");
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		die("a neighbour");
	return n < 0 ? 0 : (size_t)n;
}

/* One of them is NULL: from both neighbours, or to both, bytes each. */
static void transfer(char *const in[NEIGHBOURS], const char *const out[NEIGHBOURS], size_t bytes)
{
	size_t done[NEIGHBOURS] = {};
	bool all;

	do {
		all = true;
		for (unsigned i = 0; i < NEIGHBOURS; i++) {
			if (peer[i] < 0 || done[i] == bytes)
				continue;
			done[i] += moved(in ? recv(peer[i], in[i] + done[i], bytes - done[i], MSG_DONTWAIT)
					    : send(peer[i], out[i] + done[i], bytes - done[i], MSG_DONTWAIT | MSG_NOSIGNAL));
			all = all && done[i] == bytes;
		}
	} while (!all);
}

/* A word goes to the last node and back: then all have come. */
static void meet(void)
{
	char word = 0;
	const unsigned way[] = { ABOVE, BELOW, BELOW, ABOVE };

	for (unsigned i = 0; i < sizeof(way) / sizeof(*way); i++) {
		if (peer[way[i]] < 0)
			continue;
		if ((i % 2 ? send(peer[way[i]], &word, 1, MSG_NOSIGNAL) : recv(peer[way[i]], &word, 1, MSG_WAITALL)) != 1)
			die("meeting the others");
	}
}

static void join(void)
{
	const int yes = 1;

	if (node)
		call(node - 1);
	if (node + 1 < nodes)
		answer();
	for (unsigned i = 0; i < NEIGHBOURS; i++)
		if (peer[i] >= 0 && setsockopt(peer[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)))
			die("TCP_NODELAY");
}

/* --- the grid --- */

static __attribute__((noinline)) void relax_rows(uint32_t *to, const uint32_t *from, unsigned long count)
{
	const size_t width = columns + 2;

	for (size_t row = 1; row <= count; row++)
		for (size_t i = row * width + 1; i <= row * width + columns; i++)
			to[i] = (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]) / 4;
}

/* Rows first - 1 to first + count of the whole grid. */
static uint32_t *make_grid(unsigned long first, unsigned long count)
{
	const size_t width = columns + 2, elements = (count + 2) * width;
	uint32_t *made = malloc(elements * sizeof(*made));

	if (!made)
		die("memory");
	for (size_t i = 0; i < elements; i++)
		made[i] = (uint32_t)(((first - 1) * width + i) * 2654435761u >> 4);
	return made;
}

static unsigned long sum(const unsigned long *of, unsigned n)
{
	unsigned long total = 0;

	for (unsigned i = 0; i < n; i++)
		total += of[i];
	return total;
}

static void check(const uint32_t *strip, unsigned long first, unsigned long count)
{
	const unsigned long all = sum(rows, nodes);
	uint32_t *alone[2] = { make_grid(1, all), make_grid(1, all) };
	const size_t width = columns + 2;

	for (unsigned long step = 0; step < steps; step++)
		relax_rows(alone[(step + 1) % 2], alone[step % 2], all);
	if (memcmp(alone[steps % 2] + first * width, strip + width, count * width * sizeof(*strip))) {
		fprintf(stderr, "strips: the strip is not that of one node\n");
		exit(1);
	}
	free(alone[0]);
	free(alone[1]);
}

static void phase(unsigned state, const unsigned long *of, uint32_t *grid[2])
{
	const size_t width = columns + 2, last = of[node] * width, beyond = last + width;

	event(MK_KIND_ENTER, state);
	for (unsigned long step = 0; step < steps; step++) {
		uint32_t *from = grid[step % 2];

		event(MK_KIND_ENTER, SEND);
		transfer(NULL, (const char *const[]){ (char *)(from + width), (char *)(from + last) }, width * sizeof(*from));
		event(MK_KIND_EXIT, SEND);
		event(MK_KIND_ENTER, WAIT);
		transfer((char *const[]){ (char *)from, (char *)(from + beyond) }, NULL, width * sizeof(*from));
		event(MK_KIND_EXIT, WAIT);
		event(MK_KIND_ENTER, COMPUTE);
		relax_rows(grid[(step + 1) % 2], from, of[node]);
		event(MK_KIND_EXIT, COMPUTE);
	}
	event(MK_KIND_EXIT, state);
}

/* --- before and after --- */

static void set_up_card(void)
{
	if (mk_open(NULL))
		die(MK_DEVICE);
	if (mk_reset() || mk_trace_me(0, 0) < 0 || mk_filter(1))
		die("setting the card up");
	MK_TRACE(0, 0); /* not taken yet. The page is mapped: no fault between the first mark and its sample */
	if (mk_csr(MKR_CSR_SE))
		die("sampling on");
}

static void set_up(int argc, char **argv)
{
	const char *own = getenv("PERFBOARD_NODE"), *count = getenv("PERFBOARD_NODES");

	if (!own || !count) {
		fprintf(stderr, "strips: this machine is no node: perfboard cluster --lan\n");
		exit(2);
	}
	nodes = operand(count, 2, MOST_NODES);
	node = operand(own, 0, nodes - 1);
	if (argc != 3 + (int)nodes) {
		fprintf(stderr, "usage: strips STEPS COLUMNS ROWS..., as many as there are nodes\n");
		exit(2);
	}
	steps = operand(argv[1], 1, MOST);
	columns = operand(argv[2], 1, MOST);
	for (unsigned i = 0; i < nodes; i++)
		rows[i] = operand(argv[3 + i], 1, MOST);
	if (sum(rows, nodes) % nodes) {
		fprintf(stderr, "strips: %lu rows in all: legal are multiples of %u\n", sum(rows, nodes), nodes);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	unsigned long alike[MOST_NODES];
	uint32_t *grid[2][2];

	set_up(argc, argv);
	for (unsigned i = 0; i < nodes; i++)
		alike[i] = sum(rows, nodes) / nodes;
	for (unsigned i = 0; i < 2; i++) {
		grid[0][i] = make_grid(1 + sum(rows, node), rows[node]);
		grid[1][i] = make_grid(1 + sum(alike, node), alike[node]);
	}
	set_up_card();
	join();
	meet();
	phase(UNEVEN, rows, grid[0]);
	phase(EVEN, alike, grid[1]);
	meet();
	mk_csr(MKR_CSR_SEOFF);
	check(grid[0][steps % 2], 1 + sum(rows, node), rows[node]);
	check(grid[1][steps % 2], 1 + sum(alike, node), alike[node]);
	printf("events %lu\noverruns %u\n", events, mk_overruns());
	return 0;
}
