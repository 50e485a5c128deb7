/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study.h"

#include <stdint.h>
#include <string.h>

#include "guest/common/fatal.h"
#include "study.h"

enum { KEYS = 14, NODES = 4096 };

/* A leaf has values; an inner node's key n is the least below its child n + 1. */
struct node {
	unsigned count;
	bool leaf;
	unsigned long key[KEYS];
	union {
		unsigned long value[KEYS];
		struct node *child[KEYS + 1];
	};
	struct node *next; /* of leaves */
};

static struct node *nodes, *root;
static size_t used;

static struct node *new_node(bool leaf)
{
	struct node *n = &nodes[used++];

	if (used > NODES) {
		refuse("the index is full");
		exit(1);
	}
	memset(n, 0, sizeof(*n));
	n->leaf = leaf;
	return n;
}

void btree_empty(void)
{
	if (!nodes)
		nodes = pages(NODES * sizeof(*nodes));
	used = 0;
	root = new_node(true);
}

/* How many keys are less; of an inner node, or equal: which child. */
static unsigned place(const struct node *n, unsigned long key)
{
	unsigned low = 0, high = n->count;

	while (low < high) {
		const unsigned middle = (low + high) / 2;

		if (n->key[middle] < key || (!n->leaf && n->key[middle] == key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The upper half of a full child becomes its neighbour. */
static void split(struct node *parent, unsigned at)
{
	struct node *low = parent->child[at], *high = new_node(low->leaf);
	const unsigned half = KEYS / 2, first = low->leaf ? half : half + 1;

	high->count = KEYS - first;
	memcpy(high->key, low->key + first, high->count * sizeof(high->key[0]));
	if (low->leaf) {
		memcpy(high->value, low->value + first, high->count * sizeof(high->value[0]));
		high->next = low->next;
		low->next = high;
	} else {
		memcpy(high->child, low->child + first, (high->count + 1) * sizeof(high->child[0]));
	}
	low->count = half;
	memmove(parent->key + at + 1, parent->key + at, (parent->count - at) * sizeof(parent->key[0]));
	memmove(parent->child + at + 2, parent->child + at + 1, (parent->count - at) * sizeof(parent->child[0]));
	parent->key[at] = low->key[half];
	parent->child[at + 1] = high;
	parent->count++;
}

void btree_put(unsigned long key, unsigned long value)
{
	struct node *n;
	unsigned at;

	if (root->count == KEYS) {
		struct node *old = root;

		root = new_node(false);
		root->child[0] = old;
		split(root, 0);
	}
	for (n = root; !n->leaf; n = n->child[at]) {
		at = place(n, key);
		if (n->child[at]->count == KEYS) {
			split(n, at);
			at = place(n, key);
		}
	}
	at = place(n, key);
	if (at == n->count || n->key[at] != key) {
		memmove(n->key + at + 1, n->key + at, (n->count - at) * sizeof(n->key[0]));
		memmove(n->value + at + 1, n->value + at, (n->count - at) * sizeof(n->value[0]));
		n->key[at] = key;
		n->count++;
	}
	n->value[at] = value;
}

unsigned long btree_sum(unsigned long key, size_t n, size_t *found)
{
	const struct node *leaf = root;
	unsigned long sum = 0;

	while (!leaf->leaf)
		leaf = leaf->child[place(leaf, key)];
	*found = 0;
	for (unsigned at = place(leaf, key); leaf && *found < n; leaf = leaf->next, at = 0)
		for (; at < leaf->count && *found < n; at++, ++*found)
			sum += leaf->value[at];
	return sum;
}

size_t btree_count(void)
{
	const struct node *leaf = root;
	unsigned long last = 0;
	size_t count = 0;

	while (!leaf->leaf)
		leaf = leaf->child[0];
	for (; leaf; leaf = leaf->next)
		for (unsigned at = 0; at < leaf->count; at++, count++) {
			if (count && leaf->key[at] <= last)
				return SIZE_MAX;
			last = leaf->key[at];
		}
	return count;
}
