// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sni.ko: proxies of pages, with which a program begins a deliberate update by a store and a load.
 *
 * Page by page, and only to the process that has mapped the pages. Each process has a number,
 * its context, in the entries of its pages. The board takes a store and a load for a pair only
 * if both pages have the same. So nothing needs to be done when processes are switched, and
 * other processors may run others meanwhile. A child has no proxies of its parent's pages.
 */
#include <linux/idr.h>

#include "sni_driver.h"
#include "../../linux/vm_flags.h"

#define SNI_CONTEXT_LAST (SNI_OPT1_CONTEXT_MASK >> SNI_OPT1_CONTEXT_SHIFT)

static DEFINE_IDA(sni_contexts);

/* areas_mutex is held. */
static int sni_take_context(struct sni *s, struct sni_area *area)
{
	struct sni_area *other;
	int context = 0;

	if (area->context)
		return 0;
	list_for_each_entry(other, &s->areas, list)
		if (other->mm == area->mm && other->context)
			context = other->context;
	if (!context)
		context = ida_alloc_range(&sni_contexts, 1, SNI_CONTEXT_LAST, GFP_KERNEL);
	if (context < 0)
		return context;
	area->context = context;
	return 0;
}

void sni_end_context(struct sni_area *area)
{
	struct sni_area *other;

	if (!area->context)
		return;
	list_for_each_entry(other, &area->sni->areas, list)
		if (other->context == area->context)
			return;
	ida_free(&sni_contexts, area->context);
}

/* areas_mutex is held. */
static struct sni_area *sni_area_of(struct sni *s, u32 frame, struct sni_page **page)
{
	struct sni_area *area;
	unsigned long i;

	list_for_each_entry(area, &s->areas, list)
		for (i = 0; area->mm == current->mm && i < area->mapped; i++)
			if (sni_frame(&area->pages[i]) == frame && !area->pages[i].left) {
				*page = &area->pages[i];
				return area;
			}
	return NULL;
}

/* With a reference to the page's area, which the mapping keeps. */
static struct sni_area *sni_proxy_area(struct sni *s, u32 frame)
{
	struct sni_area *area;
	struct sni_page *p;
	int err;

	mutex_lock(&s->areas_mutex);
	area = sni_area_of(s, frame, &p);
	err = area ? sni_take_context(s, area) : -EACCES;
	if (!err && !kref_get_unless_zero(&area->ref))
		err = -EACCES; /* it is just being freed */
	if (!err) {
		mutex_lock(&s->entries_mutex);
		sni_set_context(s, p, area->context);
		mutex_unlock(&s->entries_mutex);
	}
	mutex_unlock(&s->areas_mutex);
	return err ? ERR_PTR(err) : area;
}

static void sni_proxy_open(struct vm_area_struct *vma)
{
	sni_area_get(vma->vm_private_data);
}

static void sni_proxy_close(struct vm_area_struct *vma)
{
	sni_area_put(vma->vm_private_data);
}

static const struct vm_operations_struct sni_proxy_operations = {
	.open = sni_proxy_open,
	.close = sni_proxy_close,
};

int sni_map_proxy(struct sni *s, struct vm_area_struct *vma)
{
	const unsigned long frame = vma->vm_pgoff - (SNI_MAP_PROXY >> PAGE_SHIFT);
	struct sni_area *area;
	int err;

	if (!s->proxies.start)
		return -ENODEV;
	if (frame >= SNI_PAGES || vma_pages(vma) != 1 || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	area = sni_proxy_area(s, frame);
	if (IS_ERR(area))
		return PTR_ERR(area);
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	err = io_remap_pfn_range(vma, vma->vm_start, (s->proxies.start >> PAGE_SHIFT) + frame,
				 PAGE_SIZE, vma->vm_page_prot);
	if (err) {
		sni_area_put(area);
		return err;
	}
	vma->vm_private_data = area;
	vma->vm_ops = &sni_proxy_operations;
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	return 0;
}
