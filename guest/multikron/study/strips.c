/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strips - a parallel program on the nodes of a cluster, whose states MULTIKRON samples: which share of its time does a node compute, send, wait?
 *
 *   strips STEPS COLUMNS ROWS... [DELAY...]        the rows of each node
 *
 * The nodes relax a grid of integers. Each has a strip of it; before each step it sends its first and its last row to its neighbours, over TCP, and
 * waits for theirs. It does so twice, each time from the beginning: with strips of ROWS, and with strips that are all alike.
 *
 * And twice more for each DELAY, as if the network took NS more for a message:
 *
 *   loop=NS          when its rows have come a node executes a loop that takes so long
 *   held=NS,LINK     a row counts as come when that network would have brought it, on which a message takes a node's link LINK ns. Each message
 *                    has the time at which it was sent; how long this network takes is measured before: all cards have one time
 *
 * A node that waits asks again and again, as programs on such machines did. So its processor is never halted, and what the
 * plugin marks.so counts, its instructions, is its time. In front of each sample is a mark.
 *
 * Each node compares its strips with those of a grid that it has relaxed alone, and prints "events N", its samples, and "above N" and
 * "below N": how many ns a message from that neighbour takes, from the timestamp in front of send(2) to that behind recv(2).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
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
#include "delay.h"

enum { UNEVEN = 1, EVEN, COMPUTE, SEND, WAIT, RUN = 10 }; /* RUN: from a phase's number to that of the next run's */
enum { ABOVE, BELOW, NEIGHBOURS };
#define PORT 5950
#define PAUSE_US 10000 /* until a node that does not answer is called again */
#define MOST_NODES 64
#define MOST 10000
#define MOST_NS 10000000
#define ROUNDS 20 /* of a message and its answer, the fastest of which counts */

struct message {
	uint64_t sent;
	uint32_t row[];
};

static struct neighbour {
	int fd;
	size_t done; /* bytes of a message */
	bool over;
	struct message *in, *out;
	uint64_t usual; /* ticks of the Timestamp, as all times here */
} neighbour[NEIGHBOURS] = { { .fd = -1 }, { .fd = -1 } };

static unsigned node, nodes;
static unsigned long steps, columns, events;
static unsigned long rows[MOST_NODES];
static size_t bytes; /* of a message */
static uint64_t held, occupied, free_at; /* what that network takes longer; a message its link; from when its link is free */
static unsigned long turns;

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
		neighbour[ABOVE].fd = socket(AF_INET, SOCK_STREAM, 0);
		if (neighbour[ABOVE].fd < 0)
			die("socket");
		if (!connect(neighbour[ABOVE].fd, (const struct sockaddr *)&address, sizeof(address)))
			return;
		close(neighbour[ABOVE].fd);
		usleep(PAUSE_US);
	}
}

static void answer(void)
{
	const struct sockaddr_in own = address_of(node);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0 || bind(listener, (const struct sockaddr *)&own, sizeof(own)) || listen(listener, 1))
		die("listening");
	neighbour[BELOW].fd = accept(listener, NULL, NULL);
	if (neighbour[BELOW].fd < 0)
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

/* Each of them does what can be done now, and says whether all has been. */
static bool sent(struct neighbour *n)
{
	if (!n->done) {
		const uint64_t now = mk_timestamp();

		n->out->sent = now > free_at ? now : free_at;
		free_at = n->out->sent + occupied;
	}
	n->done += moved(send(n->fd, (char *)n->out + n->done, bytes - n->done, MSG_DONTWAIT | MSG_NOSIGNAL));
	return n->done == bytes;
}

static bool received(struct neighbour *n)
{
	if (n->done < bytes)
		n->done += moved(recv(n->fd, (char *)n->in + n->done, bytes - n->done, MSG_DONTWAIT));
	return n->done == bytes;
}

/* To these neighbours, or from them, who are there. */
static void transfer(bool (*some)(struct neighbour *), unsigned first, unsigned last)
{
	bool all;

	for (unsigned i = first; i <= last; i++) {
		neighbour[i].done = 0;
		neighbour[i].over = neighbour[i].fd < 0;
	}
	do {
		all = true;
		for (unsigned i = first; i <= last; i++) {
			neighbour[i].over = neighbour[i].over || some(&neighbour[i]);
			all = all && neighbour[i].over;
		}
	} while (!all);
}

/* Until the slower network would have brought both messages, one after the other where they share this node's link. */
static void hold(void)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned i = 0; i < NEIGHBOURS; i++) {
		const struct neighbour *n = &neighbour[i];
		const uint64_t due = n->in->sent + n->usual + held;

		if (n->fd < 0)
			continue;
		first = due < first ? due : first;
		last = due > last ? due : last;
	}
	if (neighbour[ABOVE].fd >= 0 && neighbour[BELOW].fd >= 0 && last < first + occupied)
		last = first + occupied;
	while (mk_timestamp() < last)
		;
}

static void measure(unsigned i)
{
	struct neighbour *n = &neighbour[i];

	n->usual = UINT64_MAX;
	for (unsigned round = 0; n->fd >= 0 && round < ROUNDS; round++) {
		uint64_t ticks;

		if (i == BELOW)
			transfer(sent, i, i);
		transfer(received, i, i);
		ticks = mk_timestamp() - n->in->sent;
		n->usual = ticks < n->usual ? ticks : n->usual;
		if (i == ABOVE)
			transfer(sent, i, i);
	}
}

/* A word goes to the last node and back: then all have come. They go on at the same time, which the last one says: soon, when all know it. */
static void meet(void)
{
	uint64_t start = 0;
	const unsigned way[] = { ABOVE, BELOW, BELOW, ABOVE };

	for (unsigned i = 0; i < sizeof(way) / sizeof(*way); i++) {
		const int fd = neighbour[way[i]].fd;

		if (i == 2 && fd < 0)
			start = mk_timestamp() + nodes * (mk_main.info.timestamp_hz / 2000);
		if (fd < 0)
			continue;
		if ((i % 2 ? send(fd, &start, sizeof(start), MSG_NOSIGNAL) : recv(fd, &start, sizeof(start), MSG_WAITALL)) != sizeof(start))
			die("meeting the others");
	}
	while (mk_timestamp() < start)
		;
}

static void join(void)
{
	const int yes = 1;

	if (node)
		call(node - 1);
	if (node + 1 < nodes)
		answer();
	for (unsigned i = 0; i < NEIGHBOURS; i++)
		if (neighbour[i].fd >= 0 && setsockopt(neighbour[i].fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)))
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

/* The whole grid, relaxed by one node. */
static uint32_t *relax_alone(void)
{
	const unsigned long all = sum(rows, nodes);
	uint32_t *grid[2] = { make_grid(1, all), make_grid(1, all) };

	for (unsigned long step = 0; step < steps; step++)
		relax_rows(grid[(step + 1) % 2], grid[step % 2], all);
	free(grid[(steps + 1) % 2]);
	return grid[steps % 2];
}

static void phase(unsigned state, const unsigned long *of, const uint32_t *alone)
{
	const unsigned long first = 1 + sum(of, node), count = of[node];
	const size_t width = columns + 2, row = width * sizeof(*alone);
	uint32_t *grid[2] = { make_grid(first, count), make_grid(first, count) };

	meet();
	event(MK_KIND_ENTER, state);
	for (unsigned long step = 0; step < steps; step++) {
		uint32_t *from = grid[step % 2];

		event(MK_KIND_ENTER, SEND);
		memcpy(neighbour[ABOVE].out->row, from + width, row);
		memcpy(neighbour[BELOW].out->row, from + count * width, row);
		transfer(sent, ABOVE, BELOW);
		event(MK_KIND_EXIT, SEND);
		event(MK_KIND_ENTER, WAIT);
		transfer(received, ABOVE, BELOW);
		loop(turns);
		if (held)
			hold();
		if (neighbour[ABOVE].fd >= 0)
			memcpy(from, neighbour[ABOVE].in->row, row);
		if (neighbour[BELOW].fd >= 0)
			memcpy(from + (count + 1) * width, neighbour[BELOW].in->row, row);
		event(MK_KIND_EXIT, WAIT);
		event(MK_KIND_ENTER, COMPUTE);
		relax_rows(grid[(step + 1) % 2], from, count);
		event(MK_KIND_EXIT, COMPUTE);
	}
	event(MK_KIND_EXIT, state);
	if (memcmp(alone + first * width, grid[steps % 2] + width, count * row)) {
		fprintf(stderr, "strips: the strip is not that of one node\n");
		exit(1);
	}
	free(grid[0]);
	free(grid[1]);
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

static uint64_t ticks_of_ns(const char *text)
{
	return operand(text, 1, MOST_NS) * mk_main.info.timestamp_hz / 1000000000;
}

static void delay(char *text)
{
	const char *kind = strsep(&text, "="), *ns = strsep(&text, ",");

	held = occupied = turns = 0;
	if (!strcmp(kind, "loop") && ns && !text) {
		turns = ticks_of_ns(ns) * TURNS / TICKS_OF(loop(TURNS));
	} else if (!strcmp(kind, "held") && ns && text) {
		held = ticks_of_ns(ns);
		occupied = ticks_of_ns(text);
	} else {
		fprintf(stderr, "strips: %s: legal are loop=NS and held=NS,LINK\n", kind);
		exit(2);
	}
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
	if (argc < 3 + (int)nodes) {
		fprintf(stderr, "usage: strips STEPS COLUMNS ROWS... [loop=NS|held=NS,LINK...], ROWS for each node\n");
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
	bytes = sizeof(struct message) + (columns + 2) * sizeof(uint32_t);
	for (unsigned i = 0; i < NEIGHBOURS; i++) {
		neighbour[i].in = memory(1, bytes);
		neighbour[i].out = memory(1, bytes);
	}
}

int main(int argc, char **argv)
{
	static const char *const names[NEIGHBOURS] = { "above", "below" };
	unsigned long alike[MOST_NODES];
	uint32_t *alone;

	set_up(argc, argv);
	for (unsigned i = 0; i < nodes; i++)
		alike[i] = sum(rows, nodes) / nodes;
	alone = relax_alone();
	set_up_card();
	join();
	measure(ABOVE);
	measure(BELOW);
	for (unsigned run = 0; run <= (unsigned)argc - 3 - nodes; run++) {
		if (run)
			delay(argv[2 + nodes + run]);
		phase(RUN * run + UNEVEN, rows, alone);
		phase(RUN * run + EVEN, alike, alone);
	}
	meet();
	mk_csr(MKR_CSR_SEOFF);
	printf("events %lu\noverruns %u\n", events, mk_overruns());
	for (unsigned i = 0; i < NEIGHBOURS; i++)
		if (neighbour[i].fd >= 0)
			printf("%s %" PRIu64 "\n", names[i], neighbour[i].usual * 1000000000 / mk_main.info.timestamp_hz);
	return 0;
}
