// SPDX-License-Identifier: GPL-2.0-or-later
/* surf.ko: /dev/surfN and the attributes in /sys/class/misc/surfN (guest/surfboard/uapi.h). */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../../linux/deadline.h"
#include "../../linux/ioctl_call.h"
#include "surf_driver.h"
#include "../../linux/vm_flags.h"

#define SURF_CHUNK SZ_64K
#define SURF_FAULT_PAGES 64 /* that come with the first use of one of them */

static struct surf *surf_of_file(struct file *file)
{
	return container_of(file->private_data, struct surf, board.misc);
}

/* --- ioctl --- */

static int surf_putreg(struct surf *s, const struct surf_reg *r)
{
	unsigned long flags;

	/* A write to IEMR replaces the mask, so nothing is left to be restored. */
	spin_lock_irqsave(&s->lock, flags);
	if (r->offset == SURF_IEMR)
		s->masked = 0;
	surf_put(s, r->offset, r->value);
	spin_unlock_irqrestore(&s->lock, flags);
	return 0;
}

static void surf_clear(struct surf *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	s->count = 0;
	s->iscr = 0;
	surf_put(s, SURF_IEMR, surf_get(s, SURF_IEMR) | s->masked);
	s->masked = 0;
	spin_unlock_irqrestore(&s->lock, flags);
}

static bool surf_take(struct surf *s, struct surf_exception *e)
{
	unsigned long flags;

	spin_lock_irqsave(&s->lock, flags);
	e->iscr = s->iscr;
	e->count = s->count;
	spin_unlock_irqrestore(&s->lock, flags);
	return e->count;
}

/*
 * Another program may clear the exception before the waiter that it woke runs. Then the wait goes
 * on.
 */
static int surf_wait(struct surf *s, struct surf_exception *e)
{
	const u64 deadline = deadline_of(e->timeout_ms, &e->deadline_ns);
	int err = 0;

	while (!err && !surf_take(s, e)) {
		const ktime_t left = deadline_left(deadline);

		if (!left)
			err = -ETIMEDOUT;
		else if (wait_event_interruptible_hrtimeout(s->wait, READ_ONCE(s->count),
							    left) == -ERESTARTSYS)
			return -ERESTARTSYS;
	}
	e->deadline_ns = 0;
	return err;
}

static bool surf_changes(unsigned int command)
{
	return command == SURF_IOC_PUTREG || command == SURF_IOC_CONFIG ||
	       command == SURF_IOC_CLEAR;
}

static bool surf_answers(unsigned int command)
{
	return command == SURF_IOC_CONFIG || command == SURF_IOC_WAIT;
}

union surf_argument {
	struct surf_info info;
	struct surf_reg reg;
	struct surf_exception exception;
	struct surf_has has;
};

static int surf_call(struct file *file, unsigned int command, void *argument)
{
	struct surf *s = surf_of_file(file);
	union surf_argument *u = argument;

	switch (command) {
	case SURF_IOC_INFO:
		u->info.slot = s->board.slot;
		u->info.product_id = s->board.product;
		u->info.trace_size = s->size[SURF_TRACE];
		u->info.hist_size = s->size[SURF_HIST];
		u->info.irq = s->board.irq;
		return 0;
	case SURF_IOC_GETREG:
		if (u->reg.offset > SURF_TPIR || u->reg.offset % 4)
			return -EINVAL;
		u->reg.value = surf_get(s, u->reg.offset);
		return 0;
	case SURF_IOC_PUTREG:
		if (u->reg.offset > SURF_TPIR || u->reg.offset % 4)
			return -EINVAL;
		return surf_putreg(s, &u->reg);
	case SURF_IOC_CONFIG:
		return surf_configure(s, &u->has);
	case SURF_IOC_WAIT:
		return surf_wait(s, &u->exception);
	case SURF_IOC_CLEAR:
		surf_clear(s);
		return 0;
	default:
		return -ENOTTY;
	}
}

static const struct ioctl_calls surf_calls = {
	.magic = SURF_IOC_MAGIC, .changes = surf_changes, .call = surf_call,
	.answers = surf_answers,
};

static long surf_ioctl(struct file *file, unsigned int command, unsigned long user)
{
	union surf_argument u;

	return ioctl_call(&surf_calls, file, command, user, &u, sizeof(u));
}

static __poll_t surf_poll(struct file *file, poll_table *table)
{
	struct surf *s = surf_of_file(file);

	poll_wait(file, &s->wait, table);
	return READ_ONCE(s->count) ? EPOLLPRI : 0;
}

/* --- the memories --- */

/* The memory that a position of the device lies in, and how much of it is left from there. */
static u32 surf_place(struct surf *s, loff_t position, void __iomem **at)
{
	enum surf_memory which = position < SURF_MAP_HIST ? SURF_TRACE : SURF_HIST;
	u32 offset = position - (which == SURF_HIST ? SURF_MAP_HIST : SURF_MAP_TRACE);

	if (position < 0 || position >= SURF_MEM_WINDOW || offset >= s->size[which])
		return 0;
	*at = s->memory[which] + offset;
	return s->size[which] - offset;
}

static ssize_t surf_transfer(struct file *file, char __user *user, size_t bytes, loff_t *position,
			     bool in)
{
	struct surf *s = surf_of_file(file);
	void __iomem *at = NULL;
	size_t done = 0;
	u32 left = surf_place(s, *position, &at);
	ssize_t err = 0;
	void *chunk;

	bytes = min_t(size_t, bytes, left);
	if (!bytes)
		return 0;
	chunk = kvmalloc(min_t(size_t, bytes, SURF_CHUNK), GFP_KERNEL);
	if (!chunk)
		return -ENOMEM;
	while (done < bytes) {
		size_t n = min_t(size_t, bytes - done, SURF_CHUNK);

		if (in) {
			if (copy_from_user(chunk, user + done, n)) {
				err = -EFAULT;
				break;
			}
			memcpy_toio(at + done, chunk, n);
		} else {
			memcpy_fromio(chunk, at + done, n);
			if (copy_to_user(user + done, chunk, n)) {
				err = -EFAULT;
				break;
			}
		}
		done += n;
		cond_resched();
		if (signal_pending(current)) {
			err = -EINTR;
			break;
		}
	}
	kvfree(chunk);
	*position += done;
	return done ? done : err;
}

static ssize_t surf_read(struct file *file, char __user *user, size_t bytes, loff_t *position)
{
	return surf_transfer(file, user, bytes, position, false);
}

static ssize_t surf_write(struct file *file, const char __user *user, size_t bytes,
			  loff_t *position)
{
	ssize_t done = surf_transfer(file, (char __user *)user, bytes, position, true);

	return bytes && !done ? -ENOSPC : done;
}

static loff_t surf_llseek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence, SURF_MEM_WINDOW);
}

/*
 * mmap enters no page; the first use of a page enters its group. io_remap_pfn_range() in mmap would
 * reserve a memory type for the whole mapping, and the kernel complains when a part of such a
 * mapping is unmapped.
 */
static vm_fault_t surf_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct surf *s = surf_of_file(vma->vm_file);
	const unsigned long first = (s->mem_window.start >> PAGE_SHIFT) + vma->vm_pgoff;
	const unsigned long group = SURF_FAULT_PAGES * PAGE_SIZE;
	unsigned long from = max(vmf->address & -group, vma->vm_start);
	const unsigned long end = min((vmf->address & -group) + group, vma->vm_end);
	vm_fault_t result = VM_FAULT_NOPAGE;

	for (; from < end && result == VM_FAULT_NOPAGE; from += PAGE_SIZE)
		result = vmf_insert_pfn(vma, from, first + ((from - vma->vm_start) >> PAGE_SHIFT));
	return result;
}

static const struct vm_operations_struct surf_vm_operations = { .fault = surf_fault };

/* Stores to a private mapping would not reach the board. */
static int surf_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	void __iomem *at;

	if (!(vma->vm_flags & VM_MAYSHARE) || offset >= SURF_MEM_WINDOW ||
	    bytes > surf_place(surf_of_file(file), offset, &at))
		return -EINVAL;
	return vm_map_device(vma, pgprot_noncached(vma->vm_page_prot), &surf_vm_operations);
}

static const struct file_operations surf_operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = surf_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = surf_poll,
	.read = surf_read,
	.write = surf_write,
	.llseek = surf_llseek,
	.mmap = surf_mmap,
};

/* --- sysfs --- */

static struct surf *surf_of_dev(struct device *dev)
{
	return container_of(dev_get_drvdata(dev), struct surf, board.misc);
}

#define SURF_ATTRIBUTE(name, format, ...)                                              \
	static ssize_t name##_show(struct device *dev, struct device_attribute *a, char *buf) \
	{                                                                                     \
		struct surf *s = surf_of_dev(dev);                                            \
											      \
		return sysfs_emit(buf, format "\n", __VA_ARGS__);                              \
	}                                                                                     \
	static DEVICE_ATTR_RO(name)

SURF_ATTRIBUTE(slot, "%d", s->board.slot);
SURF_ATTRIBUTE(product_id, "0x%08x", s->board.product);
SURF_ATTRIBUTE(trace_size, "%u", s->size[SURF_TRACE]);
SURF_ATTRIBUTE(hist_size, "%u", s->size[SURF_HIST]);
SURF_ATTRIBUTE(irq, "%d", s->board.irq);
SURF_ATTRIBUTE(ebcr, "0x%08x", inl(EISA_CONFIG_PORT(s->board.slot)));

/* The user LED, A.3; the category beside it in PCLR is the program's. */
static ssize_t led_show(struct device *dev, struct device_attribute *a, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!(surf_get(surf_of_dev(dev), SURF_PCLR) & SURF_PCLR_LED));
}

static ssize_t led_store(struct device *dev, struct device_attribute *a, const char *buf,
			 size_t bytes)
{
	struct surf *s = surf_of_dev(dev);
	unsigned long flags;
	bool on;
	int err = kstrtobool(buf, &on);

	if (err)
		return err;
	spin_lock_irqsave(&s->lock, flags);
	surf_put(s, SURF_PCLR,
		 (surf_get(s, SURF_PCLR) & ~SURF_PCLR_LED) | (on ? SURF_PCLR_LED : 0));
	spin_unlock_irqrestore(&s->lock, flags);
	return bytes;
}
static DEVICE_ATTR_RW(led);

static struct attribute *surf_attrs[] = {
	&dev_attr_slot.attr, &dev_attr_product_id.attr, &dev_attr_trace_size.attr,
	&dev_attr_hist_size.attr, &dev_attr_irq.attr, &dev_attr_ebcr.attr, &dev_attr_led.attr, NULL,
};
ATTRIBUTE_GROUPS(surf);

/* --- debugfs --- */

#define SURF_DUMP(name) { #name, SURF_##name }
static const struct debugfs_reg32 surf_dump[] = {
	SURF_DUMP(FCCR), SURF_DUMP(TTCR), SURF_DUMP(ECDR), SURF_DUMP(PCLR), SURF_DUMP(ISCR),
	SURF_DUMP(IEMR), SURF_DUMP(HTCR), SURF_DUMP(WCDR), SURF_DUMP(TICR), SURF_DUMP(TECR),
};

int surf_file_register(struct surf *s)
{
	return eisa_board_register(&s->board, &surf_operations, surf_groups, surf_dump,
				   ARRAY_SIZE(surf_dump));
}
