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
#include "surf_driver.h"
#include "../../linux/vm_flags.h"

#define SURF_CHUNK SZ_64K
#define SURF_FAULT_PAGES 64 /* that come with the first use of one of them */

static struct surf *surf_of(struct file *file)
{
	return container_of(file->private_data, struct surf, misc);
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

/* What changes the board needs a descriptor that may write. */
static bool surf_allowed(struct file *file, unsigned int command)
{
	switch (command) {
	case SURF_IOC_PUTREG:
	case SURF_IOC_CONFIG:
	case SURF_IOC_CLEAR:
		return file->f_mode & FMODE_WRITE;
	default:
		return true;
	}
}

static long surf_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct surf *s = surf_of(file);
	void __user *user = (void __user *)argument;
	union {
		struct surf_info info;
		struct surf_reg reg;
		struct surf_exception exception;
		struct surf_has has;
	} u;
	long err = 0;

	memset(&u, 0, sizeof(u));
	if (_IOC_TYPE(command) != SURF_IOC_MAGIC || _IOC_SIZE(command) > sizeof(u))
		return -ENOTTY;
	if (!surf_allowed(file, command))
		return -EBADF;
	if ((_IOC_DIR(command) & _IOC_WRITE) && copy_from_user(&u, user, _IOC_SIZE(command)))
		return -EFAULT;
	switch (command) {
	case SURF_IOC_INFO:
		u.info.slot = s->board.slot;
		u.info.product_id = s->board.product;
		u.info.trace_size = s->size[SURF_TRACE];
		u.info.hist_size = s->size[SURF_HIST];
		u.info.irq = s->board.irq;
		break;
	case SURF_IOC_GETREG:
		if (u.reg.offset > SURF_TPIR || u.reg.offset % 4)
			return -EINVAL;
		u.reg.value = surf_get(s, u.reg.offset);
		break;
	case SURF_IOC_PUTREG:
		if (u.reg.offset > SURF_TPIR || u.reg.offset % 4)
			return -EINVAL;
		return surf_putreg(s, &u.reg);
	case SURF_IOC_CONFIG:
		err = surf_configure(s, &u.has);
		break;
	case SURF_IOC_WAIT:
		err = surf_wait(s, &u.exception);
		break;
	case SURF_IOC_CLEAR:
		surf_clear(s);
		return 0;
	default:
		return -ENOTTY;
	}
	if ((_IOC_DIR(command) & _IOC_READ) && copy_to_user(user, &u, _IOC_SIZE(command)))
		return -EFAULT;
	return err;
}

static __poll_t surf_poll(struct file *file, poll_table *table)
{
	struct surf *s = surf_of(file);

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
	struct surf *s = surf_of(file);
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
	struct surf *s = surf_of(vma->vm_file);
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
	    bytes > surf_place(surf_of(file), offset, &at))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	vma->vm_ops = &surf_vm_operations;
	return 0;
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
	return container_of(dev_get_drvdata(dev), struct surf, misc);
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

static void surf_file_deregister(void *board)
{
	struct surf *s = board;

	register_dump_remove(&s->dump);
	misc_deregister(&s->misc);
}

int surf_file_register(struct surf *s)
{
	int err;

	s->misc.minor = MISC_DYNAMIC_MINOR;
	s->misc.name = s->name;
	s->misc.fops = &surf_operations;
	s->misc.groups = surf_groups;
	s->misc.parent = s->board.dev;
	err = misc_register(&s->misc);
	if (err)
		return err;
	register_dump_add(&s->dump, s->misc.name, s->board.regs, surf_dump, ARRAY_SIZE(surf_dump));
	return devm_add_action_or_reset(s->board.dev, surf_file_deregister, s);
}
