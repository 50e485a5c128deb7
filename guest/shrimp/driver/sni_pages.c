// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sni.ko: the pages that programs map.
 *
 * The tables cover 128 MB, so the pages must lie below. The kernel has zones that end at 16 MB and
 * 4 GB and nothing between. So a search takes blocks from the larger zone and sets those aside that
 * lie too high, until it has enough (kexec finds its pages in the same way). Only what is missing
 * then comes out of the 16 MB. A search can go through all free memory, and many kernels zero what
 * they hand out. So the driver keeps a stock of free pages for the next mapping, one block at most.
 *
 * The pages stay in memory, so they count as pinned memory of the process that maps them (VmPin in
 * /proc/PID/status), and RLIMIT_MEMLOCK is the limit, unless the process has CAP_IPC_LOCK.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "sni_driver.h"
#include "../../linux/vm_flags.h"

#define SNI_AREA_PAGES 4096 /* largest single mapping */
#define SNI_ORDER 10        /* the largest blocks: 4 MB */
#define SNI_DMA_PAGES (0x1000000 >> PAGE_SHIFT)
#define SNI_REJECTS 1024    /* blocks of one size that a search sets aside: 4 GB of the largest */
#define SNI_SINGLES 256     /* single pages */
#define SNI_LEFT 32         /* a 32nd of the zone */
#define SNI_RECEIVE_US 400  /* twice what the largest packet takes */

/*
 * A search takes what is free, at once: no memory is written out for it, and the log says nothing.
 */
#define SNI_SEARCH (GFP_DMA32 | __GFP_NOWARN | __GFP_NORETRY | __GFP_NOMEMALLOC)

/* Of the stock, and of searches: one search at a time, as two would take each other's blocks. */
static DEFINE_MUTEX(sni_stock_mutex);
static LIST_HEAD(sni_stock);
static unsigned long sni_stock_count;

/* --- accounting --- */

/* As InfiniBand accounts for what it pins. */
static int sni_charge(struct sni_area *area, unsigned long count)
{
	struct mm_struct *mm = current->mm;

	if (!mm)
		return 0;
	if (atomic64_add_return(count, &mm->pinned_vm) > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT &&
	    !capable(CAP_IPC_LOCK)) {
		atomic64_sub(count, &mm->pinned_vm);
		return -ENOMEM;
	}
	mmgrab(mm);
	area->mm = mm;
	area->charged = count;
	return 0;
}

static void sni_uncharge(struct sni_area *area)
{
	if (!area->mm)
		return;
	atomic64_sub(area->charged, &area->mm->pinned_vm);
	mmdrop(area->mm);
}

/* --- finding pages: sni_stock_mutex is held --- */

/*
 * A page that somebody else holds still (a pipe that vmsplice filled, a transfer of another device)
 * goes back to the kernel: it is free when the last one lets it go. From the stock the next program
 * would get it, and the other would see what that writes.
 */
static void sni_give(struct page *page, bool worn)
{
	/* Other drivers have nothing but the lowest 16 MB. */
	if (worn || page_count(page) != 1 || page_to_pfn(page) < SNI_DMA_PAGES ||
	    sni_stock_count == 1ul << SNI_ORDER) {
		put_page(page);
		return;
	}
	list_add(&page->lru, &sni_stock);
	sni_stock_count++;
}

static void sni_take_stock(struct sni_area *area, unsigned long count)
{
	while (area->count < count && sni_stock_count) {
		struct page *page = list_first_entry(&sni_stock, struct page, lru);

		list_del(&page->lru);
		sni_stock_count--;
		area->pages[area->count++].page = page;
	}
}

/* Of a block that lies low: the pages that are wanted; the others go into the stock. */
static void sni_keep(struct sni_area *area, struct page *block, unsigned int order,
		     unsigned long count)
{
	unsigned long i;

	if (order)
		split_page(block, order);
	for (i = 0; i < 1ul << order; i++)
		if (area->count < count)
			area->pages[area->count++].page = block + i;
		else
			sni_give(block + i, false);
}

static bool sni_is_low(struct page *block, unsigned int order)
{
	return page_to_pfn(block) + (1ul << order) <= SNI_PAGES;
}

/* Others need memory as well: so much of a zone stays free all the time. pfn: of any page in it. */
static bool sni_leaves_enough(unsigned long pfn, unsigned int order)
{
	struct zone *zone = page_zone(pfn_to_page(pfn));

	return zone_page_state(zone, NR_FREE_PAGES) >
	       high_wmark_pages(zone) + zone_managed_pages(zone) / SNI_LEFT + (1ul << order);
}

/* Blocks of one size, until there are enough or `most` lie too high. */
static void sni_search_order(struct sni_area *area, unsigned long count, int order, int most,
			     struct list_head *rejects)
{
	while (most && area->count < count && sni_leaves_enough(SNI_DMA_PAGES, order)) {
		struct page *block = alloc_pages(SNI_SEARCH, order);

		if (!block)
			return;
		if (sni_is_low(block, order)) {
			sni_keep(area, block, order, count);
		} else {
			set_page_private(block, order);
			list_add(&block->lru, rejects);
			most--;
		}
		cond_resched();
	}
}

static void sni_search(struct sni_area *area, unsigned long count)
{
	LIST_HEAD(rejects);
	struct page *block, *next;
	int order;

	/*
	 * Pages that have just been given back are in the processor's store of single pages. Then
	 * the largest blocks: a few of them are all of the zone.
	 */
	sni_search_order(area, count, 0, SNI_SINGLES, &rejects);
	for (order = SNI_ORDER; order > 0; order--)
		sni_search_order(area, count, order, SNI_REJECTS, &rejects);
	list_for_each_entry_safe(block, next, &rejects, lru) {
		order = page_private(block);
		set_page_private(block, 0);
		__free_pages(block, order);
	}
}

/* The last resort. A kernel without a zone for DMA gives any page. */
static void sni_take_dma(struct sni_area *area, unsigned long count)
{
	while (area->count < count && sni_leaves_enough(SNI_DMA_PAGES - 1, 0)) {
		struct page *page = alloc_page(GFP_KERNEL | GFP_DMA | __GFP_NOWARN | __GFP_NORETRY);

		if (!page)
			return;
		if (!sni_is_low(page, 0)) {
			__free_page(page);
			return;
		}
		area->pages[area->count++].page = page;
	}
}

/* --- areas --- */

static int sni_area_fill(struct sni_area *area, unsigned long count)
{
	struct device *dev = area->sni->board.dev;
	unsigned long i;

	mutex_lock(&sni_stock_mutex);
	sni_take_stock(area, count);
	if (area->count < count)
		sni_search(area, count);
	sni_take_dma(area, count);
	mutex_unlock(&sni_stock_mutex);
	for (i = 0; i < area->count; i++) {
		struct sni_page *p = &area->pages[i];

		clear_highpage(p->page);
		p->bus = dma_map_page(dev, p->page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(dev, p->bus))
			return -ENOMEM;
		area->mapped++;
	}
	return area->count < count ? -ENOMEM : 0;
}

static struct sni_area *sni_area_alloc(struct sni *s, unsigned long count)
{
	struct sni_area *area = kvzalloc(struct_size(area, pages, count), GFP_KERNEL_ACCOUNT);
	int err;

	if (!area)
		return ERR_PTR(-ENOMEM);
	area->sni = s;
	kref_init(&area->ref);
	mutex_lock(&s->areas_mutex);
	list_add(&area->list, &s->areas);
	mutex_unlock(&s->areas_mutex);
	err = sni_charge(area, count);
	if (!err)
		err = sni_area_fill(area, count);
	if (err) {
		sni_area_put(area);
		return ERR_PTR(err);
	}
	return area;
}

/* --- mappings --- */

static void sni_area_free(struct kref *ref)
{
	struct sni_area *area = container_of(ref, struct sni_area, ref);
	struct sni *s = area->sni;
	unsigned long i;

	sni_end_all(area);
	mutex_lock(&s->areas_mutex);
	list_del(&area->list);
	sni_end_context(area);
	mutex_unlock(&s->areas_mutex);
	/*
	 * A packet that arrives from now on finds no entry. But the board may have read the entry
	 * of an earlier packet, and write that packet still. The pages are freed after that.
	 */
	for (i = 0; i < SNI_RECEIVE_US && sni_get(s, SNI_SSR) & SNI_SSR_RXB; i++)
		udelay(1);
	for (i = 0; i < area->mapped; i++)
		dma_unmap_page(s->board.dev, area->pages[i].bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
	mutex_lock(&sni_stock_mutex);
	for (i = 0; i < area->count; i++)
		sni_give(area->pages[i].page, i < area->mapped && sni_worn(s, &area->pages[i]));
	mutex_unlock(&sni_stock_mutex);
	sni_uncharge(area);
	kvfree(area);
}

void sni_area_get(struct sni_area *area)
{
	kref_get(&area->ref);
}

void sni_area_put(struct sni_area *area)
{
	kref_put(&area->ref, sni_area_free);
}

/* So that a program need not wait for the first search. */
void sni_fill_stock(struct sni *s)
{
	struct sni_area *area = sni_area_alloc(s, 1);

	if (!IS_ERR(area))
		sni_area_put(area);
}

void sni_empty_stock(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &sni_stock, lru)
		__free_page(page);
}

static void sni_vm_open(struct vm_area_struct *vma)
{
	sni_area_get(vma->vm_private_data);
}

/* What a process has exported and imported ends with its mapping, though another has the page
 * still. */
static void sni_vm_close(struct vm_area_struct *vma)
{
	sni_end_part(vma->vm_private_data, vma->vm_mm, vma->vm_pgoff, vma_pages(vma));
	sni_area_put(vma->vm_private_data);
}

static const struct vm_operations_struct sni_vm_operations = {
	.open = sni_vm_open,
	.close = sni_vm_close,
};

/* The board would not see stores to a private mapping. */
int sni_map_pages(struct sni *s, struct vm_area_struct *vma)
{
	unsigned long count = vma_pages(vma), i;
	struct sni_area *area;
	int err = 0;

	if (vma->vm_pgoff != SNI_MAP_PAGES >> PAGE_SHIFT || count > SNI_AREA_PAGES ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	area = sni_area_alloc(s, count);
	if (IS_ERR(area))
		return PTR_ERR(area);
	/* The network interface snoops the memory bus: stores must not stay in a cache. */
	vma->vm_page_prot = pgprot_writethrough(vma->vm_page_prot);
	for (i = 0; i < count && !err; i++)
		err = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE, area->pages[i].page);
	if (err) {
		sni_area_put(area);
		return err;
	}
	vma->vm_private_data = area;
	vma->vm_ops = &sni_vm_operations;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	return 0;
}

/* The caller's mmap_lock is held: the page stays mapped so long. */
struct sni_page *sni_page_find(struct sni *s, u64 addr, struct sni_area **area)
{
	struct vm_area_struct *vma;
	unsigned long page;

	if (addr != (unsigned long)addr)
		return NULL;
	vma = find_vma(current->mm, addr);
	if (!vma || vma->vm_start > addr || vma->vm_ops != &sni_vm_operations)
		return NULL;
	page = ((addr - vma->vm_start) >> PAGE_SHIFT) + vma->vm_pgoff;
	*area = vma->vm_private_data;
	if ((*area)->sni != s || page >= (*area)->mapped)
		return NULL;
	return &(*area)->pages[page];
}

struct sni_area *sni_area_find(struct sni *s, u64 addr, u32 *frame)
{
	struct sni_area *area = NULL;
	struct sni_page *p;

	if (!current->mm)
		return NULL;
	mmap_read_lock(current->mm);
	p = sni_page_find(s, addr, &area);
	if (p) {
		*frame = sni_frame(p);
		sni_area_get(area);
	}
	mmap_read_unlock(current->mm);
	return p ? area : NULL;
}
