// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * surf.ko - the SurfBoard, an EISA performance monitor for SHRIMP (TR-596-99, B.1).
 *
 * Boards in slots 1 to 15 become /dev/surf0, /dev/surf1, ... in slot order; what the device
 * offers is in guest/uapi/surf.h. A board that firmware has enabled keeps its windows and its
 * interrupt; another gets free ones, and is disabled again when the module goes.
 *
 * Parameter irq=N[,N...]: the interrupt of each board (5, 9, 10, 12, 14, 15), -1 for none.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/iopoll.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "../include/surfboard_regs.h"
#include "../uapi/surf.h"
#include "eisa_slot.h"

#define SURF_BOARDS EISA_SLOT_LAST
#define SURF_CHUNK SZ_64K
#define SURF_BITSTREAM_MAX SZ_1M
#define SURF_TIMEOUT_EVER 0xFFFFFFFFu

static int irq[SURF_BOARDS];
static int irqs;
module_param_array(irq, int, &irqs, 0444);
MODULE_PARM_DESC(irq, "interrupt of each board: 5, 9, 10, 12, 14 or 15; 0 chooses, -1 none");

/* Those whose level mode the firmware's tables declare, so that boards can share them. */
static const int surf_irq_choices[] = { 5, 10, 9, 0 };

enum surf_memory { SURF_TRACE, SURF_HIST, SURF_MEMORIES };

struct surf {
	char name[8];
	int index;
	int slot;
	u32 product;
	bool ours; /* configured here, not by firmware */
	int irq;   /* 0: none */

	struct resource reg_window, mem_window;
	void __iomem *regs;
	void __iomem *memory[SURF_MEMORIES];
	u32 size[SURF_MEMORIES];

	struct mutex has_mutex; /* one bitstream at a time */
	spinlock_t lock;        /* IEMR and what follows */
	u32 masked;             /* conditions that the handler took out of IEMR */
	u32 iscr;               /* at the last interrupt */
	u32 count;              /* interrupts since the last clear */
	wait_queue_head_t wait;

	struct miscdevice misc;
};

static struct surf *surf_boards[SURF_BOARDS];
static int surf_count;

static inline u32 surf_get(struct surf *s, u32 offset)
{
	return readl(s->regs + offset);
}

static inline void surf_put(struct surf *s, u32 offset, u32 value)
{
	writel(value, s->regs + offset);
}

/*
 * A level interrupt stays until its condition goes, and only the program can clear that (take
 * the FIFO's entries, say): mask the condition until it has.
 */
static irqreturn_t surf_interrupt(int number, void *board)
{
	struct surf *s = board;
	u32 iscr, active;

	spin_lock(&s->lock);
	iscr = surf_get(s, SURF_ISCR);
	if (!(iscr & SURF_ISCR_PEND)) {
		spin_unlock(&s->lock);
		return IRQ_NONE;
	}
	active = surf_get(s, SURF_IEMR);
	s->masked |= iscr & active;
	surf_put(s, SURF_IEMR, active & ~iscr);
	surf_get(s, SURF_IEMR); /* the line is down before the interrupt is acknowledged */
	s->iscr = iscr;
	s->count++;
	spin_unlock(&s->lock);
	wake_up_interruptible(&s->wait);
	return IRQ_HANDLED;
}

/* --- the character device --- */

static struct surf *surf_of(struct file *file)
{
	return container_of(file->private_data, struct surf, misc);
}

static int surf_putreg(struct surf *s, const struct surf_reg *r)
{
	unsigned long flags;

	/* A program that writes IEMR has decided about all conditions anew. */
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

static int surf_wait(struct surf *s, struct surf_exception *e)
{
	long timeout = e->timeout_ms == SURF_TIMEOUT_EVER ? MAX_SCHEDULE_TIMEOUT :
							    msecs_to_jiffies(e->timeout_ms);
	unsigned long flags;
	long left;

	left = wait_event_interruptible_timeout(s->wait, READ_ONCE(s->count), timeout);
	if (left < 0)
		return left;
	spin_lock_irqsave(&s->lock, flags);
	e->iscr = s->iscr;
	e->count = s->count;
	spin_unlock_irqrestore(&s->lock, flags);
	return e->count ? 0 : -ETIMEDOUT;
}

/* Slave serial mode (p. 52): PROG down, INIT* up, then a bit per write to FCDR. */
static int surf_configure(struct surf *s, struct surf_has *has)
{
	u32 i, bit, fccr;
	u8 *bits;
	int err;

	if (!has->bytes || has->bytes > SURF_BITSTREAM_MAX)
		return -EINVAL;
	bits = vmemdup_user(u64_to_user_ptr(has->bits), has->bytes);
	if (IS_ERR(bits))
		return PTR_ERR(bits);
	err = mutex_lock_interruptible(&s->has_mutex);
	if (err)
		goto free;
	surf_put(s, SURF_FCCR, SURF_FCCR_PROG);
	surf_put(s, SURF_FCCR, 0);
	err = readl_poll_timeout(s->regs + SURF_FCCR, fccr,
				 (fccr & (SURF_FCCR_CFG | SURF_FCCR_ERR)) == SURF_FCCR_CFG, 10, 100000);
	for (i = 0; !err && i < has->bytes; i++) {
		for (bit = 0x80; bit; bit >>= 1)
			surf_put(s, SURF_FCDR, bits[i] & bit ? SURF_FCDR_DATA : 0);
		if (i % 512 == 511) {
			cond_resched();
			if (signal_pending(current))
				err = -EINTR;
		}
	}
	has->fccr = surf_get(s, SURF_FCCR);
	if (err != -EINTR)
		err = (has->fccr & (SURF_FCCR_DONE | SURF_FCCR_ERR)) == SURF_FCCR_DONE ? 0 : -EIO;
	mutex_unlock(&s->has_mutex);
free:
	kvfree(bits);
	return err;
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
	if ((_IOC_DIR(command) & _IOC_WRITE) && copy_from_user(&u, user, _IOC_SIZE(command)))
		return -EFAULT;
	switch (command) {
	case SURF_IOC_INFO:
		u.info.slot = s->slot;
		u.info.product_id = s->product;
		u.info.trace_size = s->size[SURF_TRACE];
		u.info.hist_size = s->size[SURF_HIST];
		u.info.irq = s->irq;
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
		if (err == -ERESTARTSYS)
			return err;
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

static ssize_t surf_transfer(struct file *file, char __user *user, size_t bytes, loff_t *position, bool in)
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

static ssize_t surf_write(struct file *file, const char __user *user, size_t bytes, loff_t *position)
{
	ssize_t done = surf_transfer(file, (char __user *)user, bytes, position, true);

	return bytes && !done ? -ENOSPC : done;
}

static loff_t surf_llseek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence, SURF_MEM_WINDOW);
}

static int surf_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct surf *s = surf_of(file);
	unsigned long bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	void __iomem *at;

	if (offset >= SURF_MEM_WINDOW || bytes > surf_place(s, offset, &at))
		return -EINVAL;
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return io_remap_pfn_range(vma, vma->vm_start, (s->mem_window.start + offset) >> PAGE_SHIFT, bytes,
				  vma->vm_page_prot);
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

SURF_ATTRIBUTE(slot, "%d", s->slot);
SURF_ATTRIBUTE(product_id, "0x%08x", s->product);
SURF_ATTRIBUTE(trace_size, "%u", s->size[SURF_TRACE]);
SURF_ATTRIBUTE(hist_size, "%u", s->size[SURF_HIST]);
SURF_ATTRIBUTE(irq, "%d", s->irq);
SURF_ATTRIBUTE(ebcr, "0x%08x", inl(EISA_ID_PORT(s->slot) + 4));

/* The user LED, A.3; the category beside it in PCLR is the program's. */
static ssize_t led_show(struct device *dev, struct device_attribute *a, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!(surf_get(surf_of_dev(dev), SURF_PCLR) & SURF_PCLR_LED));
}

static ssize_t led_store(struct device *dev, struct device_attribute *a, const char *buf, size_t bytes)
{
	struct surf *s = surf_of_dev(dev);
	unsigned long flags;
	bool on;
	int err = kstrtobool(buf, &on);

	if (err)
		return err;
	spin_lock_irqsave(&s->lock, flags);
	surf_put(s, SURF_PCLR, (surf_get(s, SURF_PCLR) & ~SURF_PCLR_LED) | (on ? SURF_PCLR_LED : 0));
	spin_unlock_irqrestore(&s->lock, flags);
	return bytes;
}
static DEVICE_ATTR_RW(led);

static struct attribute *surf_attrs[] = {
	&dev_attr_slot.attr, &dev_attr_product_id.attr, &dev_attr_trace_size.attr,
	&dev_attr_hist_size.attr, &dev_attr_irq.attr, &dev_attr_ebcr.attr, &dev_attr_led.attr, NULL,
};
ATTRIBUTE_GROUPS(surf);

/* --- setting a board up --- */

/*
 * The size of a SIMM: the lowest distance at which addresses come back to its beginning. Asking
 * the memory is surer than presence detect, which has no code for 64 MB. What the memory held
 * is there afterwards.
 */
static u32 surf_simm_size(phys_addr_t start)
{
	static const u32 sizes[] = { SZ_4M, SZ_16M };
	const u32 pattern = 0x5A17C3E8;
	u32 size = 0, first, second;
	void __iomem *base;
	size_t i;

	base = ioremap(start, PAGE_SIZE);
	if (!base)
		return 0;
	first = readl(base);
	second = readl(base + 4);
	/* The second write is there so that it, not the first, hangs on the lines of an empty socket. */
	writel(pattern, base);
	writel(~pattern, base + 4);
	if (readl(base) != pattern || readl(base + 4) != ~pattern)
		goto out;
	size = SZ_64M;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void __iomem *beyond = ioremap(start + sizes[i], PAGE_SIZE);
		bool distinct;
		u32 keep;

		if (!beyond) {
			size = sizes[i];
			break;
		}
		keep = readl(beyond);
		writel(~pattern, beyond);
		distinct = readl(base) == pattern && readl(beyond) == ~pattern;
		if (distinct)
			writel(keep, beyond);
		else
			size = sizes[i];
		iounmap(beyond);
		if (!distinct)
			break;
	}
out:
	writel(first, base);
	writel(second, base + 4);
	iounmap(base);
	return size;
}

static u32 surf_tsize(u32 bytes)
{
	switch (bytes) {
	case SZ_4M:
		return SURF_TSIZE_4MB;
	case SZ_16M:
		return SURF_TSIZE_16MB;
	case SZ_64M:
		return SURF_TSIZE_64MB;
	default:
		return SURF_TSIZE_256B;
	}
}

/* Once round the shift register: all as it was but TSIZE. */
static void surf_set_tsize(struct surf *s, u32 tsize)
{
	u32 i, bit;

	for (i = 0; i < SURF_ACDR_BITS; i++) {
		bit = surf_get(s, SURF_ACDR) & SURF_ACDR_DATA;
		if (BIT(i) & SURF_ACDR_TSIZE_MASK)
			bit = (tsize >> (i - SURF_ACDR_TSIZE_SHIFT)) & 1;
		surf_put(s, SURF_ACDR, bit);
	}
}

/* A.9.1: what is left to the driver. Collection stands still while the memories are looked at. */
static int surf_initialize(struct surf *s)
{
	static const u32 offsets[] = { SURF_MEM_TRACE_OFFSET, SURF_MEM_HIST_OFFSET };
	u32 presence[SURF_MEMORIES];
	u32 htcr, fccr;
	int i;

	surf_put(s, SURF_IEMR, 0);
	htcr = surf_get(s, SURF_HTCR);
	surf_put(s, SURF_HTCR, htcr & ~(SURF_HTCR_TEN | SURF_HTCR_HEN | SURF_HTCR_WEN));
	fccr = surf_get(s, SURF_FCCR);
	presence[SURF_TRACE] = SURF_GET(FCCR_TSPD, fccr);
	presence[SURF_HIST] = SURF_GET(FCCR_HSPD, fccr);
	for (i = 0; i < SURF_MEMORIES; i++) {
		if (presence[i] == SURF_PD_EMPTY)
			continue;
		s->size[i] = surf_simm_size(s->mem_window.start + offsets[i]);
		if (!s->size[i])
			continue;
		s->memory[i] = ioremap(s->mem_window.start + offsets[i], s->size[i]);
		if (!s->memory[i])
			return -ENOMEM;
	}
	if (s->ours) {
		surf_set_tsize(s, surf_tsize(s->size[SURF_TRACE]));
		htcr &= ~SURF_HTCR_FRS; /* p. 59: set at power on */
	}
	surf_put(s, SURF_HTCR, htcr);
	return 0;
}

static u32 surf_ebcr(struct surf *s)
{
	return (s->reg_window.start & SURF_EBCR_RBASE_MASK) |
	       SURF_PUT(EBCR_MBASE, (u32)(s->mem_window.start >> 27)) |
	       SURF_PUT(EBCR_IRLEV, s->irq ? eisa_level_of_irq(s->irq) : SURF_IRLEV_DISABLED) |
	       SURF_EBCR_ENABLE;
}

static int surf_windows(struct surf *s, u32 ebcr)
{
	int err;

	s->ours = !(ebcr & SURF_EBCR_ENABLE);
	if (s->ours) {
		err = eisa_window_find(&s->mem_window, s->name, SURF_MEM_WINDOW);
		if (!err)
			err = eisa_window_find(&s->reg_window, s->name, SURF_REG_WINDOW);
	} else {
		err = eisa_window_claim(&s->mem_window, s->name, SURF_GET(EBCR_MBASE, ebcr) << 27,
					SURF_MEM_WINDOW);
		if (!err)
			err = eisa_window_claim(&s->reg_window, s->name, ebcr & SURF_EBCR_RBASE_MASK,
						SURF_REG_WINDOW);
	}
	return err;
}

static int surf_request_irq(struct surf *s, u32 ebcr)
{
	int wanted = s->index < irqs ? irq[s->index] : 0;

	if (!s->ours) {
		wanted = eisa_irq_of_level[SURF_GET(EBCR_IRLEV, ebcr)];
		if (!wanted)
			wanted = -1;
	}
	if (wanted < 0)
		return 0;
	return eisa_irq_request(wanted, surf_irq_choices, surf_interrupt, s->name, s);
}

/* Takes apart what there is of a board, which may be part of one. */
static void surf_destroy(struct surf *s)
{
	int i;

	if (s->misc.this_device)
		misc_deregister(&s->misc);
	if (s->regs)
		surf_put(s, SURF_IEMR, 0);
	if (s->irq)
		free_irq(s->irq, s);
	for (i = 0; i < SURF_MEMORIES; i++)
		if (s->memory[i])
			iounmap(s->memory[i]);
	if (s->regs) {
		iounmap(s->regs);
		if (s->ours)
			outl(0, EISA_ID_PORT(s->slot) + 4);
	}
	eisa_window_release(&s->reg_window);
	eisa_window_release(&s->mem_window);
	eisa_slot_release(s->slot);
	kfree(s);
}

static int surf_create(int slot, u32 product, int index)
{
	struct surf *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int port = EISA_ID_PORT(slot) + 4;
	u32 ebcr = inl(port);
	int err;

	if (!s) {
		eisa_slot_release(slot);
		return -ENOMEM;
	}
	s->slot = slot;
	s->product = product;
	s->index = index;
	snprintf(s->name, sizeof(s->name), "surf%d", index);
	mutex_init(&s->has_mutex);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->wait);

	err = surf_windows(s, ebcr);
	if (err)
		goto fail;
	s->regs = ioremap(s->reg_window.start, SURF_REG_WINDOW);
	if (!s->regs) {
		err = -ENOMEM;
		goto fail;
	}
	if (s->ours)
		outl(surf_ebcr(s), port); /* no interrupt yet */
	err = surf_initialize(s);
	if (err)
		goto fail;
	err = surf_request_irq(s, ebcr);
	if (err < 0)
		goto fail;
	s->irq = err;
	if (s->ours)
		outl(surf_ebcr(s), port);

	s->misc.minor = MISC_DYNAMIC_MINOR;
	s->misc.name = s->name;
	s->misc.fops = &surf_operations;
	s->misc.groups = surf_groups;
	err = misc_register(&s->misc);
	if (err) {
		s->misc.this_device = NULL;
		goto fail;
	}
	surf_boards[index] = s;
	dev_info(s->misc.this_device, "slot %d, registers %pR, memories %pR, irq %d, trace %u MB, histogram %u MB%s\n",
		 slot, &s->reg_window, &s->mem_window, s->irq,
		 s->size[SURF_TRACE] >> 20, s->size[SURF_HIST] >> 20, s->ours ? "" : ", configured by firmware");
	return 0;

fail:
	pr_err("slot %d: error %d\n", slot, err);
	surf_destroy(s);
	return err;
}

static int __init surf_init(void)
{
	int slot, err = -ENODEV;
	u32 product;

	for (slot = EISA_SLOT_FIRST; slot <= EISA_SLOT_LAST; slot++) {
		int failed;

		if (!eisa_slot_probe(slot, SURF_PRODUCT_ID, SURF_PRODUCT_ID_MASK, "surf", &product))
			continue;
		failed = surf_create(slot, product, surf_count);
		if (!failed)
			surf_count++;
		else
			err = failed;
	}
	return surf_count ? 0 : err;
}

static void __exit surf_exit(void)
{
	while (surf_count)
		surf_destroy(surf_boards[--surf_count]);
}

module_init(surf_init);
module_exit(surf_exit);

MODULE_DESCRIPTION("SurfBoard, a hardware performance monitor for SHRIMP");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
