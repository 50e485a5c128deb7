/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts by unit, source and destination: a hash table with open addresses. An empty place has the count 0. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "smilelib.h"

#define NODE_BITS 5
#define LEAST_PLACES 64u
#define READ_RECORDS 512
#define WHYS 4u

struct place {
	uint64_t key, count;
};

struct smile_histogram {
	unsigned unit_words, unit_shift; /* shift: of an address in words */
	struct place *place;
	size_t places, used; /* places: a power of two */
	uint64_t records[WHYS], lost;
};

static uint64_t key_of(uint64_t unit, unsigned source, unsigned destination)
{
	return (unit << NODE_BITS | source) << NODE_BITS | destination;
}

static struct smile_cell cell_of(const struct place *p)
{
	const unsigned nodes = (1u << NODE_BITS) - 1;
	const struct smile_cell c = { p->key >> 2 * NODE_BITS, (uint8_t)(p->key >> NODE_BITS & nodes), (uint8_t)(p->key & nodes), p->count };

	return c;
}

/* Where the key is, or would be. */
static struct place *find(struct place *place, size_t places, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (places - 1);

	while (place[at].count && place[at].key != key)
		at = (at + 1) & (places - 1);
	return &place[at];
}

struct smile_histogram *smile_histogram_new(unsigned unit_words)
{
	struct smile_histogram *h;

	if (!unit_words || unit_words & (unit_words - 1) || unit_words > SMR_RANGE_ADDRESS_MASK) {
		errno = EINVAL;
		return NULL;
	}
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->unit_words = unit_words;
	while (unit_words >>= 1)
		h->unit_shift++;
	h->places = LEAST_PLACES;
	h->place = calloc(h->places, sizeof(*h->place));
	if (!h->place) {
		free(h);
		return NULL;
	}
	return h;
}

void smile_histogram_free(struct smile_histogram *h)
{
	if (h)
		free(h->place);
	free(h);
}

void smile_histogram_clear(struct smile_histogram *h)
{
	memset(h->place, 0, h->places * sizeof(*h->place));
	memset(h->records, 0, sizeof(h->records));
	h->used = 0;
	h->lost = 0;
}

static int grow(struct smile_histogram *h)
{
	struct place *bigger = calloc(2 * h->places, sizeof(*bigger));

	if (!bigger)
		return -1;
	for (size_t i = 0; i < h->places; i++)
		if (h->place[i].count)
			*find(bigger, 2 * h->places, h->place[i].key) = h->place[i];
	free(h->place);
	h->place = bigger;
	h->places *= 2;
	return 0;
}

static int count(struct smile_histogram *h, uint64_t key, uint64_t by)
{
	struct place *p = find(h->place, h->places, key);

	if (!by)
		return 0;
	if (!p->count) {
		if (2 * (h->used + 1) > h->places) {
			if (grow(h))
				return -1;
			p = find(h->place, h->places, key);
		}
		p->key = key;
		h->used++;
	}
	p->count += by;
	return 0;
}

int smile_histogram_add_cell(struct smile_histogram *h, const struct smile_cell *cell)
{
	return count(h, key_of(cell->unit, cell->source, cell->destination), cell->count);
}

int smile_histogram_add(struct smile_histogram *h, const struct smile_record *records, size_t n)
{
	for (const struct smile_record *r = records; r < records + n; r++) {
		const uint32_t kind = SMR_GET(RECORD_KIND, r->word0);
		const uint64_t value = SMR_GET(RECORD_COUNT, r->word1) + (r->word0 & SMR_RECORD_OVF ? SMR_OVERFLOW_VALUE : 0);

		if (kind == SMR_RECORD_LOSS)
			h->lost += r->word1;
		if (kind != SMR_RECORD_RANGE)
			continue;
		if (count(h, key_of(SMR_GET(RECORD_ADDRESS, r->word0) >> h->unit_shift, SMR_GET(RECORD_SOURCE, r->word1),
				    SMR_GET(RECORD_DESTINATION, r->word1)), value))
			return -1;
		h->records[SMR_GET(RECORD_WHY, r->word0)]++;
	}
	return 0;
}

int smile_histogram_read(struct smile_histogram *h, struct smile *m)
{
	struct smile_record records[READ_RECORDS];
	struct smile_stats stats;
	uint64_t left = UINT64_MAX;
	ptrdiff_t got;

	/* Less than a block: there was no more. Traffic can be faster than the reader, so what comes meanwhile is left for later. */
	do {
		got = smile_read(m, records, READ_RECORDS);
		if (got < 0 || smile_histogram_add(h, records, (size_t)got))
			return -1;
		if (left != UINT64_MAX) {
			left -= (uint64_t)got < left ? (uint64_t)got : left;
		} else {
			if (smile_get_stats(m, &stats))
				return -1;
			left = stats.waiting + stats.queue + SMR_RING_WORDS / 2;
		}
	} while (got == READ_RECORDS && left);
	return 0;
}

int smile_collect(struct smile *m, struct smile_histogram *h)
{
	/* ENOBUFS: the driver may keep no more. Reading makes room for what is still in the card. */
	if (smile_swap(m) && errno != ENOBUFS)
		return -1;
	return smile_histogram_read(h, m);
}

int smile_collect_all(struct smile_set *set, struct smile_histogram *h)
{
	for (unsigned n = 0; n < set->count; n++)
		if (smile_collect(&set->card[n], h))
			return -1;
	return 0;
}

uint64_t smile_histogram_get(const struct smile_histogram *h, uint64_t unit, unsigned source, unsigned destination)
{
	return find(h->place, h->places, key_of(unit, source, destination))->count;
}

uint64_t smile_histogram_total(const struct smile_histogram *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < h->places; i++)
		total += h->place[i].count;
	return total;
}

unsigned smile_histogram_unit_words(const struct smile_histogram *h) { return h->unit_words; }
uint64_t smile_histogram_records(const struct smile_histogram *h, unsigned why) { return why < WHYS ? h->records[why] : 0; }
uint64_t smile_histogram_lost(const struct smile_histogram *h) { return h->lost; }

static int by_place(const void *a, const void *b)
{
	const struct smile_cell *x = a, *y = b;
	const uint64_t kx = key_of(x->unit, x->source, x->destination), ky = key_of(y->unit, y->source, y->destination);

	return (kx > ky) - (kx < ky);
}

static int by_count(const void *a, const void *b)
{
	const struct smile_cell *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : by_place(a, b);
}

static struct smile_cell *sorted(const struct smile_histogram *h, size_t *n, int (*order)(const void *, const void *))
{
	struct smile_cell *cells;

	*n = 0;
	errno = 0;
	if (!h->used)
		return NULL;
	cells = malloc(h->used * sizeof(*cells));
	if (!cells)
		return NULL;
	for (size_t i = 0; i < h->places; i++)
		if (h->place[i].count)
			cells[(*n)++] = cell_of(&h->place[i]);
	qsort(cells, *n, sizeof(*cells), order);
	return cells;
}

struct smile_cell *smile_histogram_cells(const struct smile_histogram *h, size_t *n) { return sorted(h, n, by_place); }
struct smile_cell *smile_histogram_hottest(const struct smile_histogram *h, size_t *n) { return sorted(h, n, by_count); }

int smile_histogram_write(const struct smile_histogram *h, FILE *to, const struct sci *sci)
{
	const uint64_t unit_bytes = 4ull * h->unit_words;
	size_t n;
	struct smile_cell *cells = smile_histogram_cells(h, &n);

	if (!cells && errno)
		return -1;
	fprintf(to, "# unit %llu bytes\n", (unsigned long long)unit_bytes);
	if (sci)
		fprintf(to, "# nodes %u pages %u\n", sci->info.nodes, sci->info.pages);
	fprintf(to, "# records replaced %llu overflow %llu demand %llu lost %llu\n",
		(unsigned long long)h->records[SMR_RECORD_REPLACED], (unsigned long long)h->records[SMR_RECORD_OVERFLOW],
		(unsigned long long)h->records[SMR_RECORD_DEMAND], (unsigned long long)h->lost);
	fprintf(to, "offset,page,source,destination,count\n");
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%llu,%llu,%u,%u,%llu\n", (unsigned long long)(cells[i].unit * unit_bytes),
			(unsigned long long)(cells[i].unit * unit_bytes / SCI_PAGE_BYTES), cells[i].source, cells[i].destination,
			(unsigned long long)cells[i].count);
	free(cells);
	return ferror(to) ? -1 : 0;
}
