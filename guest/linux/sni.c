// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sni.ko - the SHRIMP network interface (hw/shrimp/README.md is its manual).
 *
 * The board in the first slot that holds one becomes /dev/sni0; what the device offers is in
 * guest/uapi/sni.h. The pages that programs map belong to the driver: they lie below 128 MB,
 * which is as far as the board addresses memory, and their page table entries go with them.
 *
 * Parameter irq=N: the interrupt (5, 9, 10, 12, 14, 15); 0 chooses.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <asm/hardirq.h>

#include "../include/sni_regs.h"
#include "../uapi/sni.h"
#include "eisa_slot.h"

#define SNI_AREA_PAGES 4096 /* largest single mapping */
#define SNI_REJECTS 64      /* pages above the limit that one allocation may set aside */
#define SNI_DU_TIMEOUT HZ
/* The FIFO empties in milliseconds; a network that takes nothing for this long has stopped. */
#define SNI_RECEIVE_US 400 /* a largest packet takes half of it; later ones found no entry */
#define SNI_THROTTLE_MAX_NS (100 * NSEC_PER_MSEC)
#define SNI_INTERRUPTS (SNI_SIER_HW | SNI_SIER_RXI | SNI_SIER_RXE | SNI_SIER_OVF | SNI_SIER_DUD | \
			SNI_SIER_DUE | SNI_SIER_CKV)

static int irq;
module_param(irq, int, 0444);
MODULE_PARM_DESC(irq, "interrupt: 5, 9, 10, 12, 14 or 15; 0 chooses");

static const int sni_irq_choices[] = { 10, 5, 9, 0 };

struct sni {
	int slot;
	u32 product;
	bool ours; /* configured here, not by firmware */
	int irq;
	struct resource window;
	void __iomem *regs;

	u32 nodes, node, width, height, fifo_words;

	struct mutex du_mutex;
	struct completion du_done;
	u32 du_status; /* SISR bits of the last one */

	spinlock_t lock; /* what follows */
	struct sni_stats stats;
	wait_queue_head_t wait;

	struct miscdevice misc;
};

static struct sni *sni_board;

struct sni_file {
	struct sni *sni;
	u64 seen; /* receive interrupts that SNI_IOC_WAIT has reported */
};

/* One mmap; its pages live until the last part of it is unmapped. */
struct sni_area {
	struct sni *sni;
	struct kref ref;
	unsigned long count;
	struct page *pages[];
};

static inline u32 sni_get(struct sni *s, u32 offset)
{
	return readl(s->regs + offset);
}

static inline void sni_put(struct sni *s, u32 offset, u32 value)
{
	writel(value, s->regs + offset);
}

static u32 sni_coordinate(struct sni *s, u32 node)
{
	return SNI_PUT(COORD_X, node % s->width) | SNI_PUT(COORD_Y, node / s->width);
}

/* --- interrupts --- */

/*
 * 4.4.2: when the FIFO fills, the driver holds the processor in a busy loop until it has
 * emptied to the low-water mark.
 */
static void sni_throttle(struct sni *s)
{
	u64 start = ktime_get_ns();
	u64 now = start;
	bool low;

	s->stats.high_water++;
	/* Before the loop: if another processor fills the FIFO again meanwhile, HW comes again. */
	sni_put(s, SNI_SISR, SNI_SISR_HW);
	do {
		low = sni_get(s, SNI_SSR) & SNI_SSR_BLW;
		s->stats.throttle_loops++;
		cpu_relax();
		now = ktime_get_ns();
	} while (!low && now - start < SNI_THROTTLE_MAX_NS);
	s->stats.throttle_ns += now - start;
	if (low)
		s->stats.low_water++;
	else
		pr_warn_ratelimited("the network takes nothing: %u words wait\n", sni_get(s, SNI_FCNT));
	sni_put(s, SNI_SISR, SNI_SISR_LW);
}

static irqreturn_t sni_interrupt(int number, void *board)
{
	struct sni *s = board;
	u32 status;

	spin_lock(&s->lock);
	status = sni_get(s, SNI_SISR);
	if (!(status & SNI_SISR_PEND)) {
		spin_unlock(&s->lock);
		return IRQ_NONE;
	}
	s->stats.irqs++;
	if (status & SNI_SISR_HW)
		sni_throttle(s);
	if (status & SNI_SISR_RXI)
		s->stats.receive++;
	if (status & SNI_SISR_RXE)
		s->stats.receive_error++;
	if (status & SNI_SISR_OVF)
		s->stats.overflow++;
	if (status & SNI_SISR_CKV)
		s->stats.clock_wraps++;
	status &= SNI_INTERRUPTS;
	sni_put(s, SNI_SISR, status & ~SNI_SISR_HW);
	sni_get(s, SNI_SISR); /* the line is down before the interrupt is acknowledged */
	spin_unlock(&s->lock);

	if (status & (SNI_SISR_DUD | SNI_SISR_DUE)) {
		s->du_status = status;
		complete(&s->du_done);
	}
	if (status & SNI_SISR_RXI)
		wake_up_interruptible(&s->wait);
	return IRQ_HANDLED;
}

static void sni_copy_stats(struct sni *s, struct sni_stats *stats)
{
	unsigned long flags;
	int cpu;

	spin_lock_irqsave(&s->lock, flags);
	*stats = s->stats;
	spin_unlock_irqrestore(&s->lock, flags);
	stats->timer_ticks = 0;
#ifdef CONFIG_X86_LOCAL_APIC
	for_each_possible_cpu(cpu)
		stats->timer_ticks += per_cpu(irq_stat, cpu).apic_timer_irqs;
#endif
}

/* --- pages --- */

static void sni_area_free(struct kref *ref)
{
	struct sni_area *area = container_of(ref, struct sni_area, ref);
	unsigned long i;

	for (i = 0; i < area->count; i++) {
		unsigned long pfn = page_to_pfn(area->pages[i]);

		sni_put(area->sni, SNI_OPT(pfn), 0);
		sni_put(area->sni, SNI_OPT(pfn) + 4, 0);
		sni_put(area->sni, SNI_IPT(pfn), 0);
	}
	/*
	 * Packets that come from here on find the entries gone, but one whose entry the board has
	 * read already is still being written: nobody else gets the pages before that is over.
	 */
	for (i = 0; i < SNI_RECEIVE_US && sni_get(area->sni, SNI_SSR) & SNI_SSR_RXB; i++)
		udelay(1);
	for (i = 0; i < area->count; i++)
		__free_page(area->pages[i]);
	kvfree(area);
}

/* A page below 128 MB: there is no zone of that size, so look for one before asking for DMA. */
static struct page *sni_page(void)
{
	struct page *rejects[SNI_REJECTS], *page;
	int n = 0;

	for (;;) {
		page = alloc_page(GFP_KERNEL | GFP_DMA32 | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY);
		if (!page || page_to_pfn(page) < SNI_PAGES)
			break;
		if (n == SNI_REJECTS) {
			__free_page(page);
			page = NULL;
			break;
		}
		rejects[n++] = page;
	}
	while (n)
		__free_page(rejects[--n]);
	return page ? page : alloc_page(GFP_KERNEL | GFP_DMA | __GFP_ZERO);
}

static void sni_vm_open(struct vm_area_struct *vma)
{
	struct sni_area *area = vma->vm_private_data;

	kref_get(&area->ref);
}

static void sni_vm_close(struct vm_area_struct *vma)
{
	struct sni_area *area = vma->vm_private_data;

	kref_put(&area->ref, sni_area_free);
}

static const struct vm_operations_struct sni_vm_operations = {
	.open = sni_vm_open,
	.close = sni_vm_close,
};

static int sni_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct sni_file *f = file->private_data;
	unsigned long count = vma_pages(vma), i;
	struct sni_area *area;
	int err = 0;

	if (vma->vm_pgoff != SNI_MAP_PAGES >> PAGE_SHIFT || count > SNI_AREA_PAGES ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	area = kvzalloc(struct_size(area, pages, count), GFP_KERNEL);
	if (!area)
		return -ENOMEM;
	area->sni = f->sni;
	kref_init(&area->ref);
	/* The network interface snoops the memory bus: stores must not stay in a cache. */
	vma->vm_page_prot = pgprot_writethrough(vma->vm_page_prot);
	for (i = 0; i < count; i++) {
		struct page *page = sni_page();

		if (!page || page_to_pfn(page) >= SNI_PAGES) {
			if (page)
				__free_page(page);
			err = -ENOMEM;
			break;
		}
		area->pages[area->count++] = page;
		err = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE, page);
		if (err)
			break;
	}
	if (err) {
		kref_put(&area->ref, sni_area_free);
		return err;
	}
	vma->vm_private_data = area;
	vma->vm_ops = &sni_vm_operations;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
#else
	vma->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
#endif
	return 0;
}

/* The page of a user address in one of our mappings; the caller puts the area. */
static struct sni_area *sni_find(struct sni *s, u64 addr, unsigned long *pfn)
{
	struct vm_area_struct *vma;
	struct sni_area *area = NULL;

	if (!current->mm || addr != (unsigned long)addr)
		return NULL;
	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, addr);
	if (vma && vma->vm_start <= addr && vma->vm_ops == &sni_vm_operations) {
		unsigned long page = ((addr - vma->vm_start) >> PAGE_SHIFT) + vma->vm_pgoff;

		area = vma->vm_private_data;
		if (area->sni == s && page < area->count) {
			*pfn = page_to_pfn(area->pages[page]);
			kref_get(&area->ref);
		} else {
			area = NULL;
		}
	}
	mmap_read_unlock(current->mm);
	return area;
}

static int sni_export(struct sni *s, const struct sni_export *e, unsigned long pfn)
{
	if (e->color > 15 || e->interrupt > 1 || e->valid > 1)
		return -EINVAL;
	sni_put(s, SNI_IPT(pfn),
		e->valid ? SNI_IPT_VALID | (e->interrupt ? SNI_IPT_INT : 0) | SNI_PUT(IPT_COLOR, e->color) : 0);
	return 0;
}

static int sni_import(struct sni *s, const struct sni_import *m, unsigned long pfn)
{
	const u32 known = SNI_IMPORT_AU | SNI_IMPORT_COMBINE | SNI_IMPORT_TIMEOUT;
	u32 word = 0;

	if (m->flags & ~known)
		return -EINVAL;
	if (!m->flags) {
		sni_put(s, SNI_OPT(pfn), 0);
		return 0;
	}
	if (m->node >= s->nodes || m->pfn >= SNI_PAGES)
		return -EINVAL;
	if (m->flags & SNI_IMPORT_COMBINE) {
		if (!is_power_of_2(m->boundary) || m->boundary < 256 || m->boundary > 4096)
			return -EINVAL;
		word = SNI_OPT1_COMB | SNI_PUT(OPT1_BOUND, ilog2(m->boundary) - 8);
	}
	if (m->flags & SNI_IMPORT_TIMEOUT)
		word |= SNI_OPT1_TOE;
	/* Off while the second word changes: the board reads both at every store. */
	sni_put(s, SNI_OPT(pfn), 0);
	sni_put(s, SNI_OPT(pfn) + 4, word);
	sni_put(s, SNI_OPT(pfn),
		SNI_PUT(OPT0_DPAGE, m->pfn) | SNI_PUT(OPT0_DNODE, sni_coordinate(s, m->node)) |
		(m->flags & SNI_IMPORT_AU ? SNI_OPT0_AU : 0));
	return 0;
}

static int sni_deliberate(struct sni *s, const struct sni_du *du, unsigned long pfn)
{
	u32 source = offset_in_page(du->addr);
	long left;
	int err;

	if (source % 4 || du->offset % 4 || !du->words || du->words > PAGE_SIZE / 4 ||
	    source + 4 * du->words > PAGE_SIZE || du->offset >= PAGE_SIZE ||
	    du->offset + 4 * du->words > PAGE_SIZE || du->node >= s->nodes || du->pfn >= SNI_PAGES)
		return -EINVAL;
	err = mutex_lock_interruptible(&s->du_mutex);
	if (err)
		return err;
	reinit_completion(&s->du_done);
	sni_put(s, SNI_DUSA, (pfn << PAGE_SHIFT) + source);
	sni_put(s, SNI_DUDA, (du->pfn << PAGE_SHIFT) + du->offset);
	sni_put(s, SNI_DUDN, sni_coordinate(s, du->node));
	sni_put(s, SNI_DUWC, du->words);
	/* Not interruptible: the board reads the page until it is done. */
	left = wait_for_completion_timeout(&s->du_done, SNI_DU_TIMEOUT);
	if (!left)
		err = -ETIMEDOUT;
	else if (s->du_status & SNI_SISR_DUE)
		err = -EIO;
	mutex_unlock(&s->du_mutex);
	return err;
}

/* --- the character device --- */

static bool sni_received(struct sni_file *f)
{
	return READ_ONCE(f->sni->stats.receive) != f->seen;
}

static int sni_wait(struct sni_file *f, u32 timeout_ms)
{
	long left = wait_event_interruptible_timeout(f->sni->wait, sni_received(f),
						     msecs_to_jiffies(timeout_ms));

	if (left < 0)
		return left;
	if (!left)
		return -ETIMEDOUT;
	f->seen = READ_ONCE(f->sni->stats.receive);
	return 0;
}

/* The interrupt's bits and its mask are the driver's. */
static bool sni_register_ok(u32 offset, bool write)
{
	if (offset % 4 || offset >= SNI_LAT_TOTAL + 16)
		return false;
	return !write || (offset != SNI_SISR && offset != SNI_SIER && (offset < SNI_DUSA || offset > SNI_DUWC));
}

static long sni_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct sni_file *f = file->private_data;
	struct sni *s = f->sni;
	void __user *user = (void __user *)argument;
	struct sni_area *area = NULL;
	unsigned long pfn = 0;
	union {
		struct sni_info info;
		struct sni_pfn pfn;
		struct sni_export export;
		struct sni_import import;
		struct sni_du du;
		struct sni_reg reg;
		struct sni_stats stats;
		u64 addr; /* first member of those that have one */
		u32 timeout_ms;
	} u;
	long err = 0;

	memset(&u, 0, sizeof(u));
	if (_IOC_TYPE(command) != SNI_IOC_MAGIC || _IOC_SIZE(command) > sizeof(u))
		return -ENOTTY;
	if ((_IOC_DIR(command) & _IOC_WRITE) && copy_from_user(&u, user, _IOC_SIZE(command)))
		return -EFAULT;
	switch (command) {
	case SNI_IOC_PFN:
	case SNI_IOC_EXPORT:
	case SNI_IOC_IMPORT:
	case SNI_IOC_DU:
		area = sni_find(s, u.addr, &pfn);
		if (!area)
			return -EFAULT;
		break;
	}
	switch (command) {
	case SNI_IOC_INFO:
		u.info.slot = s->slot;
		u.info.product_id = s->product;
		u.info.irq = s->irq;
		u.info.node = s->node;
		u.info.nodes = s->nodes;
		u.info.mesh_width = s->width;
		u.info.mesh_height = s->height;
		u.info.fifo_words = s->fifo_words;
		break;
	case SNI_IOC_PFN:
		u.pfn.pfn = pfn;
		break;
	case SNI_IOC_EXPORT:
		err = sni_export(s, &u.export, pfn);
		break;
	case SNI_IOC_IMPORT:
		err = sni_import(s, &u.import, pfn);
		break;
	case SNI_IOC_DU:
		err = sni_deliberate(s, &u.du, pfn);
		break;
	case SNI_IOC_GETREG:
		if (sni_register_ok(u.reg.offset, false))
			u.reg.value = sni_get(s, u.reg.offset);
		else
			err = -EINVAL;
		break;
	case SNI_IOC_SETREG:
		if (sni_register_ok(u.reg.offset, true))
			sni_put(s, u.reg.offset, u.reg.value);
		else
			err = -EINVAL;
		break;
	case SNI_IOC_STATS:
		sni_copy_stats(s, &u.stats);
		break;
	case SNI_IOC_WAIT:
		err = sni_wait(f, u.timeout_ms);
		break;
	default:
		err = -ENOTTY;
	}
	if (area)
		kref_put(&area->ref, sni_area_free);
	if (!err && (_IOC_DIR(command) & _IOC_READ) && copy_to_user(user, &u, _IOC_SIZE(command)))
		return -EFAULT;
	return err;
}

static __poll_t sni_poll(struct file *file, poll_table *table)
{
	struct sni_file *f = file->private_data;

	poll_wait(file, &f->sni->wait, table);
	return sni_received(f) ? EPOLLIN | EPOLLPRI : 0;
}

static int sni_open(struct inode *inode, struct file *file)
{
	struct sni_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->sni = container_of(file->private_data, struct sni, misc);
	f->seen = READ_ONCE(f->sni->stats.receive);
	file->private_data = f;
	return 0;
}

static int sni_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static const struct file_operations sni_operations = {
	.owner = THIS_MODULE,
	.open = sni_open,
	.release = sni_release,
	.unlocked_ioctl = sni_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = sni_poll,
	.mmap = sni_mmap,
};

/* --- sysfs --- */

#define SNI_ATTRIBUTE(name, format, ...)                                               \
	static ssize_t name##_show(struct device *dev, struct device_attribute *a, char *buf) \
	{                                                                                     \
		struct sni *s = container_of(dev_get_drvdata(dev), struct sni, misc);         \
											      \
		return sysfs_emit(buf, format "\n", __VA_ARGS__);                              \
	}                                                                                     \
	static DEVICE_ATTR_RO(name)

SNI_ATTRIBUTE(slot, "%d", s->slot);
SNI_ATTRIBUTE(product_id, "0x%08x", s->product);
SNI_ATTRIBUTE(irq, "%d", s->irq);
SNI_ATTRIBUTE(node, "%u", s->node);
SNI_ATTRIBUTE(nodes, "%u", s->nodes);
SNI_ATTRIBUTE(mesh, "%ux%u", s->width, s->height);
SNI_ATTRIBUTE(fifo_words, "%u", s->fifo_words);
SNI_ATTRIBUTE(sbcr, "0x%08x", inl(EISA_ID_PORT(s->slot) + 4));

static struct attribute *sni_attrs[] = {
	&dev_attr_slot.attr, &dev_attr_product_id.attr, &dev_attr_irq.attr,
	&dev_attr_node.attr, &dev_attr_nodes.attr, &dev_attr_mesh.attr,
	&dev_attr_fifo_words.attr, &dev_attr_sbcr.attr, NULL,
};
ATTRIBUTE_GROUPS(sni);

/* --- setting the board up --- */

static u32 sni_sbcr(struct sni *s)
{
	return (s->window.start & SNI_SBCR_BASE_MASK) |
	       SNI_PUT(SBCR_IRLEV, s->irq ? eisa_level_of_irq(s->irq) : 0) | SNI_SBCR_ENABLE;
}

/* An interface whose FIFO nobody watches loses stores, so the driver insists on an interrupt. */
static int sni_request_irq(struct sni *s, u32 sbcr)
{
	int wanted = irq;

	if (!s->ours) {
		wanted = eisa_irq_of_level[SNI_GET(SBCR_IRLEV, sbcr)];
		if (!wanted)
			return -ENXIO;
	}
	return eisa_irq_request(wanted, sni_irq_choices, sni_interrupt, "sni0", s);
}

static int sni_start(struct sni *s)
{
	u32 mesh = sni_get(s, SNI_MESH), page;

	s->node = SNI_GET(NODE_NUMBER, sni_get(s, SNI_NODE));
	s->nodes = SNI_GET(MESH_NODES, mesh);
	s->width = SNI_GET(MESH_WIDTH, mesh);
	s->height = SNI_GET(MESH_HEIGHT, mesh);
	s->fifo_words = sni_get(s, SNI_FSIZE);
	if (!s->nodes || !s->width) {
		pr_err("slot %d: the board knows no network (MESH %08x)\n", s->slot, mesh);
		return -ENODEV;
	}
	/* The tables are memory: what they held before is no mapping of ours. */
	for (page = 0; page < SNI_PAGES; page++) {
		sni_put(s, SNI_OPT(page), 0);
		sni_put(s, SNI_IPT(page), 0);
	}
	sni_put(s, SNI_SISR, SNI_SISR_CONDITIONS);
	sni_put(s, SNI_SIER, SNI_INTERRUPTS);
	sni_put(s, SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE);
	return 0;
}

static void sni_destroy(struct sni *s)
{
	if (s->misc.this_device)
		misc_deregister(&s->misc);
	if (s->regs) {
		sni_put(s, SNI_SIER, 0);
		sni_put(s, SNI_SCR, 0);
	}
	if (s->irq)
		free_irq(s->irq, s);
	if (s->regs) {
		iounmap(s->regs);
		if (s->ours)
			outl(0, EISA_ID_PORT(s->slot) + 4);
	}
	eisa_window_release(&s->window);
	eisa_slot_release(s->slot);
	kfree(s);
}

static int sni_create(int slot, u32 product)
{
	struct sni *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int port = EISA_ID_PORT(slot) + 4;
	u32 sbcr = inl(port);
	int err;

	if (!s) {
		eisa_slot_release(slot);
		return -ENOMEM;
	}
	s->slot = slot;
	s->product = product;
	s->ours = !(sbcr & SNI_SBCR_ENABLE);
	mutex_init(&s->du_mutex);
	init_completion(&s->du_done);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->wait);

	if (s->ours)
		err = eisa_window_find(&s->window, "sni0", SNI_WINDOW);
	else
		err = eisa_window_claim(&s->window, "sni0", sbcr & SNI_SBCR_BASE_MASK, SNI_WINDOW);
	if (err)
		goto fail;
	s->regs = ioremap(s->window.start, SNI_WINDOW);
	if (!s->regs) {
		err = -ENOMEM;
		goto fail;
	}
	if (s->ours)
		outl(sni_sbcr(s), port); /* no interrupt yet */
	sni_put(s, SNI_SIER, 0);
	err = sni_request_irq(s, sbcr);
	if (err < 0)
		goto fail;
	s->irq = err;
	if (s->ours)
		outl(sni_sbcr(s), port);
	err = sni_start(s);
	if (err)
		goto fail;

	s->misc.minor = MISC_DYNAMIC_MINOR;
	s->misc.name = "sni0";
	s->misc.fops = &sni_operations;
	s->misc.groups = sni_groups;
	err = misc_register(&s->misc);
	if (err) {
		s->misc.this_device = NULL;
		goto fail;
	}
	sni_board = s;
	dev_info(s->misc.this_device, "slot %d, registers %pR, irq %d, node %u of %u, FIFO %u words%s\n", slot,
		 &s->window, s->irq, s->node, s->nodes, s->fifo_words,
		 s->ours ? "" : ", configured by firmware");
	return 0;

fail:
	pr_err("slot %d: error %d\n", slot, err);
	sni_destroy(s);
	return err;
}

static int __init sni_init(void)
{
	int slot;
	u32 product;

	for (slot = EISA_SLOT_FIRST; slot <= EISA_SLOT_LAST; slot++)
		if (eisa_slot_probe(slot, SNI_PRODUCT_ID, SNI_PRODUCT_ID_MASK, "sni", &product))
			return sni_create(slot, product);
	return -ENODEV;
}

static void __exit sni_exit(void)
{
	sni_destroy(sni_board);
}

module_init(sni_init);
module_exit(sni_exit);

MODULE_DESCRIPTION("SHRIMP network interface");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
