// SPDX-License-Identifier: GPL-2.0-or-later
/* sni.ko: /dev/sniN and the attributes in /sys/class/misc/sniN (guest/shrimp/uapi.h). */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/hardirq.h>

#include "../../linux/deadline.h"
#include "../../linux/ioctl_call.h"
#include "../../linux/kernels.h"
#include "sni_driver.h"

#define SNI_DU_TIMEOUT HZ

/* --- deliberate update --- */

/*
 * The engine has one transfer, and nothing tells whose it is that is done. So a transfer stays the
 * engine's, with its page, until it is done: also when its caller does not wait any more. The next
 * one is not begun before.
 */
void sni_update_done(struct sni *s, u32 status)
{
	if (!READ_ONCE(s->du_area))
		return;
	WRITE_ONCE(s->du_status, status);
	complete(&s->du_done);
	if (READ_ONCE(s->du_late))
		schedule_work(&s->du_work);
}

/* du_mutex is held, and the transfer is done. */
static void sni_update_over(struct sni *s)
{
	struct sni_area *area = s->du_area;

	WRITE_ONCE(s->du_late, false);
	WRITE_ONCE(s->du_area, NULL);
	sni_put(s, SNI_UDCR, s->udcr);
	sni_area_put(area);
}

static void sni_update_work(struct work_struct *work)
{
	struct sni *s = container_of(work, struct sni, du_work);

	mutex_lock(&s->du_mutex);
	if (s->du_area && try_wait_for_completion(&s->du_done))
		sni_update_over(s);
	mutex_unlock(&s->du_mutex);
}

void sni_update_init(struct sni *s)
{
	mutex_init(&s->du_mutex);
	init_completion(&s->du_done);
	INIT_WORK(&s->du_work, sni_update_work);
}

/* The network is off, no file is open, and no interrupt comes any more. */
void sni_update_end(void *board)
{
	struct sni *s = board;

	cancel_work_sync(&s->du_work);
	if (s->du_area)
		sni_update_over(s);
}

/* One whose caller has gone may run still. */
static int sni_update_before(struct sni *s)
{
	long left;

	if (!s->du_area)
		return 0;
	left = wait_for_completion_interruptible_timeout(&s->du_done, SNI_DU_TIMEOUT);
	if (left < 0)
		return left;
	if (!left)
		return -EBUSY;
	sni_update_over(s);
	return 0;
}

/* The engine is for the next ioctl's update: users' find it held, and the one that runs is
 * soon done. */
static int sni_update_hold(struct sni *s)
{
	const unsigned long end = jiffies + SNI_DU_TIMEOUT;

	sni_put(s, SNI_UDCR, s->udcr | SNI_UDCR_HOLD);
	while (sni_get(s, SNI_SSR) & SNI_SSR_DUB) {
		if (time_after(jiffies, end)) {
			sni_put(s, SNI_UDCR, s->udcr);
			return -EBUSY;
		}
		usleep_range(5, 20);
	}
	return 0;
}

static int sni_update(struct sni *s, const struct sni_du *du, u32 key, struct sni_area *area,
		      u32 frame)
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
	err = sni_update_before(s);
	if (!err)
		err = sni_update_hold(s);
	if (err)
		goto out;
	sni_area_get(area);
	reinit_completion(&s->du_done);
	WRITE_ONCE(s->du_area, area);
	sni_put(s, SNI_DUSA, (frame << PAGE_SHIFT) + source);
	sni_put(s, SNI_DUDA, (du->pfn << PAGE_SHIFT) + du->offset);
	sni_put(s, SNI_DUDN, SNI_PUT(DUDN_KEY, key) | sni_coordinate(s, du->node));
	sni_put(s, SNI_DUWC, du->words);
	/* Not interruptible: the board reads the page until it is done. */
	left = wait_for_completion_timeout(&s->du_done, SNI_DU_TIMEOUT);
	if (!left) {
		WRITE_ONCE(s->du_late, true);
		smp_mb(); /* either the interrupt sees that it is late, or this that it is done */
		left = try_wait_for_completion(&s->du_done);
	}
	if (!left) {
		err = -ETIMEDOUT;
	} else {
		if (s->du_status & SNI_SISR_DUE)
			err = -EIO;
		sni_update_over(s);
	}
out:
	mutex_unlock(&s->du_mutex);
	return err;
}

/* Where an import of the caller's leads. */
static int sni_update_to(struct sni *s, const struct sni_du_to *to, struct sni_area *area,
			 u32 frame)
{
	struct sni_du du = { .addr = to->addr,
			     .words = to->words,
			     .offset = offset_in_page(to->to) };
	u32 key;
	int err = sni_import_of(s, to->to, &du.node, &du.pfn, &key);

	return err ? err : sni_update(s, &du, key, area, frame);
}

/* --- the character device --- */

static bool sni_received(struct sni_file *f)
{
	return READ_ONCE(f->sni->received) != f->seen;
}

static int sni_wait(struct sni_file *f, struct sni_wait *w)
{
	const u64 deadline = deadline_of(w->timeout_ms, &w->deadline_ns);
	int err = 0;

	while (!err && !sni_received(f)) {
		const ktime_t left = deadline_left(deadline);

		if (!left)
			err = -ETIMEDOUT;
		else if (wait_event_interruptible_hrtimeout(f->sni->wait, sni_received(f),
							    left) == -ERESTARTSYS)
			return -ERESTARTSYS;
	}
	if (!err)
		f->seen = READ_ONCE(f->sni->received);
	w->deadline_ns = 0;
	return err;
}

static void sni_copy_stats(struct sni *s, struct sni_stats *stats)
{
	unsigned long flags;
	int cpu;

	spin_lock_irqsave(&s->lock, flags);
	*stats = s->stats;
	spin_unlock_irqrestore(&s->lock, flags);
	stats->timer_ticks = 0;
	for_each_possible_cpu(cpu)
		stats->timer_ticks += timer_interrupts(cpu);
}

/* The interrupt's bits and its mask are the driver's. */
static bool sni_register_ok(u32 offset, bool write)
{
	if (offset % 4 || offset >= SNI_LAT_TOTAL + 16)
		return false;
	return !write || (offset != SNI_SISR && offset != SNI_SIER &&
			  (offset < SNI_DUSA || offset > SNI_UDCR));
}

static bool sni_changes(unsigned int command)
{
	switch (command) {
	case SNI_IOC_EXPORT:
	case SNI_IOC_IMPORT:
	case SNI_IOC_EXPORT_TO:
	case SNI_IOC_IMPORT_FROM:
	case SNI_IOC_DU:
	case SNI_IOC_DU_TO:
	case SNI_IOC_SETREG:
		return true;
	default:
		return false;
	}
}

union sni_argument {
	struct sni_info info;
	struct sni_pfn pfn;
	struct sni_export export;
	struct sni_import import;
	struct sni_export_to export_to;
	struct sni_import_from import_from;
	struct sni_du du;
	struct sni_du_to du_to;
	struct sni_reg reg;
	struct sni_stats stats;
	u64 addr; /* first member of those that have one */
	struct sni_wait wait;
	struct sni_notify notify;
	struct sni_notified notified;
};

static bool sni_answers(unsigned int command)
{
	return command == SNI_IOC_WAIT;
}

static int sni_call(struct file *file, unsigned int command, void *argument)
{
	struct sni_file *f = file->private_data;
	struct sni *s = f->sni;
	union sni_argument *u = argument;
	struct sni_area *area = NULL;
	u32 frame = 0;
	int err = 0;

	switch (command) {
	case SNI_IOC_PFN:
	case SNI_IOC_DU:
	case SNI_IOC_DU_TO:
		area = sni_area_find(s, u->addr, &frame);
		if (!area)
			return -EFAULT;
		break;
	}
	switch (command) {
	case SNI_IOC_INFO:
		u->info.slot = s->board.slot;
		u->info.product_id = s->board.product;
		u->info.irq = s->board.irq;
		u->info.node = s->node;
		u->info.nodes = s->nodes;
		u->info.mesh_width = s->width;
		u->info.mesh_height = s->height;
		u->info.fifo_words = s->fifo_words;
		break;
	case SNI_IOC_PFN:
		u->pfn.pfn = frame;
		break;
	case SNI_IOC_EXPORT:
		err = sni_export(s, file, &u->export);
		break;
	case SNI_IOC_IMPORT:
		err = sni_import(s, file, &u->import);
		break;
	case SNI_IOC_EXPORT_TO:
		err = sni_export_to(s, file, &u->export_to);
		break;
	case SNI_IOC_IMPORT_FROM:
		err = sni_import_from(s, file, &u->import_from);
		break;
	case SNI_IOC_DU:
		err = sni_update(s, &u->du, 0, area, frame);
		break;
	case SNI_IOC_DU_TO:
		err = sni_update_to(s, &u->du_to, area, frame);
		break;
	case SNI_IOC_GETREG:
		if (sni_register_ok(u->reg.offset, false))
			u->reg.value = sni_get(s, u->reg.offset);
		else
			err = -EINVAL;
		break;
	case SNI_IOC_SETREG:
		if (sni_register_ok(u->reg.offset, true))
			sni_put(s, u->reg.offset, u->reg.value);
		else
			err = -EINVAL;
		break;
	case SNI_IOC_STATS:
		sni_copy_stats(s, &u->stats);
		break;
	case SNI_IOC_WAIT:
		err = sni_wait(f, &u->wait);
		break;
	case SNI_IOC_NOTIFY:
		err = sni_notify(f, &u->notify);
		break;
	case SNI_IOC_NOTIFIED:
		err = sni_notified(f, &u->notified);
		break;
	default:
		err = -ENOTTY;
	}
	if (area)
		sni_area_put(area);
	return err;
}

static const struct ioctl_calls sni_calls = {
	.magic = SNI_IOC_MAGIC, .changes = sni_changes, .call = sni_call, .answers = sni_answers,
};

static long sni_ioctl(struct file *file, unsigned int command, unsigned long user)
{
	union sni_argument u;

	return ioctl_call(&sni_calls, file, command, user, &u, sizeof(u));
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
	f->sni = container_of(file->private_data, struct sni, board.misc);
	f->seen = READ_ONCE(f->sni->received);
	file->private_data = f;
	return 0;
}

/* Any copy of the descriptor: so do a process's file locks. */
static int sni_flush(struct file *file, fl_owner_t files)
{
	struct sni_file *f = file->private_data;

	sni_end_entries(f->sni, file, files);
	sni_notify_end(f, files);
	return 0;
}

/* A call that another thread's close met has exported or armed behind it. */
static int sni_release(struct inode *inode, struct file *file)
{
	struct sni_file *f = file->private_data;

	sni_end_entries(f->sni, file, NULL);
	sni_notify_end(f, NULL);
	kfree(f);
	return 0;
}

static int sni_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct sni_file *f = file->private_data;

	if (vma->vm_pgoff < SNI_MAP_PROXY >> PAGE_SHIFT)
		return sni_map_pages(f->sni, vma);
	return sni_map_proxy(f->sni, vma);
}

static const struct file_operations sni_operations = {
	.owner = THIS_MODULE,
	.open = sni_open,
	.flush = sni_flush,
	.release = sni_release,
	.unlocked_ioctl = sni_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = sni_poll,
	.mmap = sni_mmap,
};

/* --- sysfs --- */

static struct sni *sni_of_misc(struct miscdevice *misc)
{
	return container_of(misc, struct sni, board.misc);
}

#define SNI_ATTRIBUTE(name, format, ...)                                               \
	static ssize_t name##_show(struct device *dev, struct device_attribute *a, char *buf) \
	{                                                                                     \
		struct sni *s = sni_of_misc(dev_get_drvdata(dev)); \
											      \
		return sysfs_emit(buf, format "\n", __VA_ARGS__);                              \
	}                                                                                     \
	static DEVICE_ATTR_RO(name)

SNI_ATTRIBUTE(slot, "%d", s->board.slot);
SNI_ATTRIBUTE(product_id, "0x%08x", s->board.product);
SNI_ATTRIBUTE(irq, "%d", s->board.irq);
SNI_ATTRIBUTE(node, "%u", s->node);
SNI_ATTRIBUTE(nodes, "%u", s->nodes);
SNI_ATTRIBUTE(mesh, "%ux%u", s->width, s->height);
SNI_ATTRIBUTE(fifo_words, "%u", s->fifo_words);
SNI_ATTRIBUTE(sbcr, "0x%08x", inl(EISA_CONFIG_PORT(s->board.slot)));

static struct attribute *sni_attrs[] = {
	&dev_attr_slot.attr, &dev_attr_product_id.attr, &dev_attr_irq.attr,
	&dev_attr_node.attr, &dev_attr_nodes.attr, &dev_attr_mesh.attr,
	&dev_attr_fifo_words.attr, &dev_attr_sbcr.attr, NULL,
};
ATTRIBUTE_GROUPS(sni);

/* --- debugfs --- */

#define SNI_DUMP(name) { #name, SNI_##name }
static const struct debugfs_reg32 sni_dump[] = {
	SNI_DUMP(SCR),	SNI_DUMP(SSR),	SNI_DUMP(SISR), SNI_DUMP(SIER), SNI_DUMP(NODE),
	SNI_DUMP(MESH), SNI_DUMP(FSIZE), SNI_DUMP(FCNT), SNI_DUMP(FHWM), SNI_DUMP(FLWM),
	SNI_DUMP(CTOR), SNI_DUMP(RXPG), SNI_DUMP(RXEP), SNI_DUMP(DUSA), SNI_DUMP(DUDA),
	SNI_DUMP(DUDN), SNI_DUMP(DUWC), SNI_DUMP(UDCR),
};

int sni_file_register(struct sni *s)
{
	return eisa_board_register(&s->board, &sni_operations, sni_groups, sni_dump,
				   ARRAY_SIZE(sni_dump));
}
