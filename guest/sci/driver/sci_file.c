// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sci.ko: whose pages are, homes, first touch, and /dev/sci (guest/sci/uapi.h).
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "sci.h"
#include "../../linux/ioctl_call.h"
#include "../../linux/vm_flags.h"

/*
 * A page of the window is the user's who first touched it or set its home, as long as that user has
 * the adapter open. Another user may not move it. Set is held.
 */

static void sci_own(struct sci_card *card, u32 first, u32 count, kuid_t user)
{
	u32 n;

	for (n = first; n < first + count && n < card->pages; n++)
		if (!uid_valid(card->owner[n]))
			card->owner[n] = user;
}

static bool sci_may_move(struct sci_card *card, u32 first, u32 count, kuid_t user)
{
	u32 n;

	for (n = first; n < first + count; n++)
		if (uid_valid(card->owner[n]) && !uid_eq(card->owner[n], user))
			return capable(CAP_SYS_ADMIN);
	return true;
}

static void sci_disown(struct sci_card *card, kuid_t user)
{
	u32 n;

	for (n = 0; n < card->pages; n++)
		if (uid_eq(card->owner[n], user))
			card->owner[n] = INVALID_UID;
}

/* --- statistics and homes; the caller holds life, or the device cannot go --- */

u64 sci_statistic(struct sci_card *card, u32 node, u32 which)
{
	const u32 at = SCIR_STATS(node) + which;
	u32 low, high;

	spin_lock(&card->latch);
	low = sci_get(card, at);
	high = sci_get(card, at + 4);
	spin_unlock(&card->latch);
	return (u64)high << 32 | low;
}

void sci_enable(struct sci_card *card, bool on)
{
	sci_put(card, SCIR_CTRL, on ? SCIR_CTRL_ENABLE : 0);
}

static void sci_clear(struct sci_card *card)
{
	sci_put(card, SCIR_CTRL, (sci_get(card, SCIR_CTRL) & SCIR_CTRL_ENABLE) | SCIR_CTRL_CLEAR);
}

/*
 * The first touch of one of the kernel's pages: all window pages in it are the user's, and with
 * that policy have the toucher's node as home.
 */
static void sci_touch(struct sci_card *card, unsigned long page, kuid_t user)
{
	u32 first = page * SCI_PAGES_OF_KERNEL, n, node;

	mutex_lock(&card->set);
	sci_own(card, first, SCI_PAGES_OF_KERNEL, user);
	if (card->policy == SCI_FIRST_TOUCH && !test_and_set_bit(page, card->touched)) {
		node = sci_get(card, SCIR_NODE);
		for (n = first;
		     node < card->nodes && n < first + SCI_PAGES_OF_KERNEL && n < card->pages; n++)
			sci_put(card, SCIR_ATT(n), node);
	}
	mutex_unlock(&card->set);
}

int sci_set_policy(struct sci_card *card, u32 policy)
{
	int err = 0;

	if (policy != SCI_FIXED && policy != SCI_FIRST_TOUCH)
		return -EINVAL;
	down_write(&card->pci.life);
	if (!card->pci.regs) {
		err = -ENODEV;
	} else if (policy == SCI_FIRST_TOUCH &&
		   sci_get(card, SCIR_STATUS) & SCIR_STATUS_CLUSTER) {
		err = -EOPNOTSUPP;
	} else {
		card->policy = policy;
		bitmap_zero(card->touched, DIV_ROUND_UP(card->pages, SCI_PAGES_OF_KERNEL));
		if (policy == SCI_FIRST_TOUCH)
			pci_card_unmap_pages(&card->pci);
	}
	up_write(&card->pci.life);
	return err;
}

/* Both: EINVAL, and nothing is done, if a page or a home is none. */
static int sci_get_homes(struct sci_card *card, u32 first, u32 count, u8 *homes)
{
	u32 n;
	int err = 0;

	down_read(&card->pci.life);
	if (!card->pci.regs)
		err = -ENODEV;
	for (n = 0; !err && n < count; n++)
		homes[n] = SCIR_GET(ATT_HOME, sci_get(card, SCIR_ATT(first + n)));
	up_read(&card->pci.life);
	return err;
}

static int sci_set_homes(struct sci_card *card, u32 first, u32 count, const u8 *homes, kuid_t user)
{
	u32 n;
	int err = 0;

	for (n = 0; n < count; n++)
		if (homes[n] >= card->nodes)
			return -EINVAL;
	down_read(&card->pci.life);
	mutex_lock(&card->set);
	if (!card->pci.regs)
		err = -ENODEV;
	else if (!sci_may_move(card, first, count, user))
		err = -EPERM;
	else
		sci_own(card, first, count, user);
	for (n = 0; !err && n < count; n++) {
		set_bit((first + n) / SCI_PAGES_OF_KERNEL, card->touched);
		sci_put(card, SCIR_ATT(first + n), homes[n]);
	}
	mutex_unlock(&card->set);
	up_read(&card->pci.life);
	return err;
}

/*
 * The program's memory is touched without a lock held: it can be a page of the window, whose fault
 * takes life, and any fault takes the lock of the program's mappings, which is held where
 * sci_mmap() takes life.
 */
static int sci_homes(struct sci_card *card, unsigned int command, const struct sci_homes *h,
		     kuid_t user)
{
	u8 *homes;
	int err;

	if (h->first > card->pages || h->count > card->pages - h->first)
		return -EINVAL;
	if (!h->count)
		return 0;
	homes = kvmalloc(h->count, GFP_KERNEL);
	if (!homes)
		return -ENOMEM;
	if (command == SCI_IOC_GET_HOMES) {
		err = sci_get_homes(card, h->first, h->count, homes);
		if (!err && copy_to_user(u64_to_user_ptr(h->homes), homes, h->count))
			err = -EFAULT;
	} else if (copy_from_user(homes, u64_to_user_ptr(h->homes), h->count)) {
		err = -EFAULT;
	} else {
		err = sci_set_homes(card, h->first, h->count, homes, user);
	}
	kvfree(homes);
	return err;
}

/* --- the character device --- */

void sci_closed(struct pci_card *pci, kuid_t user)
{
	struct sci_card *card = sci_of(pci);

	down_read(&pci->life);
	mutex_lock(&card->set);
	if (!pci_card_has_user(pci, user))
		sci_disown(card, user);
	mutex_unlock(&card->set);
	up_read(&pci->life);
}

/*
 * A page's entry in the page table. x86's vmf_insert_pfn() takes the memory type from its list of
 * reserved ranges, and so one type for all mappings of a page. The window is memory of a device and
 * in no cache, and its two types may stand side by side. So the entry is made by hand, as i915
 * does.
 */
#ifdef CONFIG_X86
struct sci_entry {
	struct vm_area_struct *vma;
	unsigned long pfn;
};

static int sci_make_entry(pte_t *pte, unsigned long address, void *data)
{
	struct sci_entry *e = data;

	/* Another thread was faster. */
	if (pte_none(*pte))
		set_pte_at(e->vma->vm_mm, address, pte,
			   pte_mkspecial(pfn_pte(e->pfn, e->vma->vm_page_prot)));
	return 0;
}

static vm_fault_t sci_insert(struct vm_area_struct *vma, unsigned long address, unsigned long pfn)
{
	struct sci_entry e = { vma, pfn };

	return apply_to_page_range(vma->vm_mm, address, PAGE_SIZE, sci_make_entry, &e)
		       ? VM_FAULT_OOM
		       : VM_FAULT_NOPAGE;
}
#else
static vm_fault_t sci_insert(struct vm_area_struct *vma, unsigned long address, unsigned long pfn)
{
	return vmf_insert_pfn(vma, address, pfn);
}
#endif

static u64 sci_offset(unsigned long pgoff)
{
	return ((u64)pgoff << PAGE_SHIFT) & ~SCI_MMAP_WC;
}

vm_fault_t sci_fault(struct pci_card *pci, struct vm_fault *vmf)
{
	const u64 offset = sci_offset(vmf->pgoff);

	sci_touch(sci_of(pci), offset >> PAGE_SHIFT, pci_card_user(vmf->vma->vm_file));
	return sci_insert(vmf->vma, vmf->address & PAGE_MASK,
			  (sci_of(pci)->window + offset) >> PAGE_SHIFT);
}

int sci_map(struct pci_card *pci, struct vm_area_struct *vma)
{
	const u64 all = sci_of(pci)->bytes, offset = sci_offset(vma->vm_pgoff);

	if (!(vma->vm_flags & VM_MAYSHARE) || offset >= all ||
	    vma->vm_end - vma->vm_start > all - offset)
		return -EINVAL;
	return vm_map_device(vma,
			     (u64)vma->vm_pgoff << PAGE_SHIFT & SCI_MMAP_WC
				     ? pgprot_writecombine(vma->vm_page_prot)
				     : pgprot_noncached(vma->vm_page_prot),
			     &pci_card_pages);
}

union sci_argument {
	struct sci_info info;
	struct sci_homes homes;
	struct sci_stats stats;
	u32 number;
};

static bool sci_changes(unsigned int command)
{
	switch (command) {
	case SCI_IOC_SET_HOMES:
	case SCI_IOC_POLICY:
	case SCI_IOC_CLEAR:
	case SCI_IOC_ENABLE:
		return true;
	default:
		return false;
	}
}

/* These change what all programs see. */
static bool sci_for_all(unsigned int command)
{
	return command == SCI_IOC_POLICY || command == SCI_IOC_CLEAR || command == SCI_IOC_ENABLE;
}

static int sci_get_stats(struct sci_card *card, struct sci_stats *s)
{
	if (s->reserved || s->node >= card->nodes)
		return -EINVAL;
	s->reads = sci_statistic(card, s->node, SCIR_STATS_READS);
	s->writes = sci_statistic(card, s->node, SCIR_STATS_WRITES);
	s->locks = sci_statistic(card, s->node, SCIR_STATS_LOCKS);
	s->unlocks = sci_statistic(card, s->node, SCIR_STATS_UNLOCKS);
	s->received = sci_statistic(card, s->node, SCIR_STATS_RECEIVED);
	s->wait_ns = sci_statistic(card, s->node, SCIR_STATS_WAIT);
	s->outstanding = sci_statistic(card, s->node, SCIR_STATS_OUTSTANDING);
	s->packets = sci_statistic(card, s->node, SCIR_STATS_PACKETS);
	return 0;
}

static int sci_do(struct sci_card *card, unsigned int command, union sci_argument *a)
{
	switch (command) {
	case SCI_IOC_INFO:
		a->info.nodes = card->nodes;
		a->info.pages = card->pages;
		a->info.latency = !!(sci_get(card, SCIR_STATUS) & SCIR_STATUS_LATENCY);
		a->info.cluster = !!(sci_get(card, SCIR_STATUS) & SCIR_STATUS_CLUSTER);
		a->info.policy = card->policy;
		a->info.enabled = !!(sci_get(card, SCIR_CTRL) & SCIR_CTRL_ENABLE);
		a->info.node = sci_get(card, SCIR_NODE);
		return 0;
	case SCI_IOC_STATS:
		return sci_get_stats(card, &a->stats);
	case SCI_IOC_CLEAR:
		sci_clear(card);
		return 0;
	case SCI_IOC_ENABLE:
		if (a->number > 1)
			return -EINVAL;
		sci_enable(card, a->number);
		return 0;
	default:
		return -ENOTTY;
	}
}

static int sci_call(struct file *file, unsigned int command, void *argument)
{
	struct pci_card *pci = pci_card_of(file);
	int err;

	if (command == SCI_IOC_POLICY)
		return sci_set_policy(sci_of(pci), *(u32 *)argument);
	if (command == SCI_IOC_GET_HOMES || command == SCI_IOC_SET_HOMES)
		return sci_homes(sci_of(pci), command, argument, pci_card_user(file));
	down_read(&pci->life);
	err = pci->regs ? sci_do(sci_of(pci), command, argument) : -ENODEV;
	up_read(&pci->life);
	return err;
}

static const struct ioctl_calls sci_calls = {
	.magic = SCI_IOC_MAGIC, .changes = sci_changes, .call = sci_call,
};

static long sci_ioctl(struct file *file, unsigned int command, unsigned long user)
{
	union sci_argument a;

	if (sci_for_all(command) && file->f_mode & FMODE_WRITE && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	return ioctl_call(&sci_calls, file, command, user, &a, sizeof(a));
}

const struct file_operations sci_operations = {
	.owner = THIS_MODULE,
	.open = pci_card_open,
	.release = pci_card_release,
	.unlocked_ioctl = sci_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = pci_card_mmap,
};
