/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmmc - virtual memory-mapped communication (TR-596-99, 2.1) between the nodes of a cluster: memory of one node is a buffer that
 * others store to or send to, if the owner has let them. There is no call to receive: data is in memory when it has come.
 *
 *   struct vmmc v;
 *   vmmc_join(&v);                                          on every node of `perfboard cluster --lan`
 *   char *in = vmmc_pages(&v, 1), *out = vmmc_pages(&v, 1);
 *   vmmc_export(&v, in, 1, peer, 0, &mine);                 the peer may write to `in`, nobody else
 *   vmmc_exchange(&v, peer, &mine, sizeof(mine), &theirs, sizeof(theirs));
 *   vmmc_bind(&v, out, 1, &theirs, false);                  stores to `out` are the peer's `in` (automatic update)
 *
 *   struct vmmc_target to;
 *   struct vmmc_source from;
 *   vmmc_import(&v, &to, 1, &theirs);                       `to` stands for the peer's `in`
 *   vmmc_source(&v, &from, out, 1);
 *   vmmc_send(&to, 0, &from, 0, 4096);                      deliberate update, without a system call
 *
 * Nodes tell each other their grants over the cluster's Ethernet, as SHRIMP's did over theirs. What one node stores to another, and
 * what it sends behind it, arrives in this order; a later store to another node may arrive earlier.
 *
 * Functions return 0 (or what they were asked for), and -1 or NULL with errno set on failure. One thread at a time may send.
 */
#ifndef PERFBOARD_SHRIMP_VMMC_H
#define PERFBOARD_SHRIMP_VMMC_H

#include "../lib/snilib.h"

#define VMMC_NODES 16 /* at most */
#define VMMC_PAGE SNI_PAGE_BYTES

struct vmmc {
	int fd; /* of the network interface */
	unsigned int node, nodes;
	int peer[VMMC_NODES]; /* a connection to each other node */
};

/* Memory of another node, which deliberate updates go to. */
struct vmmc_target {
	volatile uint32_t *proxies;
	size_t count;
};

/* Own memory, which they come from. */
struct vmmc_source {
	volatile uint32_t *proxies;
	size_t count;
};

/* Waits for all nodes of the cluster. Without one there is this node alone. */
int vmmc_join(struct vmmc *v);
/* Tells the others that this node is done, and waits for them: until then they may send. */
void vmmc_leave(struct vmmc *v);

/* Zeroed pages that can be exported, bound and sent from. */
void *vmmc_pages(const struct vmmc *v, size_t count);

#define VMMC_INTERRUPT 1u /* what arrives ends the owner's sni_wait_packet() */
#define VMMC_COLOR(color) ((color) << 1) /* of the packets that arrive, 0 to 15 */
/* The node named `to` may import the pages (SNI_ANY: each may), for the same user; a grant for each page. */
int vmmc_export(const struct vmmc *v, void *pages, size_t count, uint32_t to, unsigned int flags, struct sni_grant *grants);
/* What this node and another one have to tell each other; both call it. */
int vmmc_exchange(const struct vmmc *v, unsigned int peer, const void *out, size_t out_bytes, void *in, size_t in_bytes);
/* Automatic update from own pages to the granted ones. */
int vmmc_bind(const struct vmmc *v, void *pages, size_t count, const struct sni_grant *grants, bool combine);
/* To stand for a page of another node takes a page here: its entry in the interface's table. */
int vmmc_import(const struct vmmc *v, struct vmmc_target *to, size_t count, const struct sni_grant *grants);
int vmmc_source(const struct vmmc *v, struct vmmc_source *from, const void *pages, size_t count);
/* Whole words. Returns when the last one has left. */
int vmmc_send(const struct vmmc_target *to, size_t to_offset, const struct vmmc_source *from, size_t from_offset, size_t bytes);

#endif
