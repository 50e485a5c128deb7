// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pagecount.ko - a page whose stores the board counts. It is mapped from /dev/pagecount; read() of
 * a u32 waits until there was a store, gives their number, and begins anew.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <perfboard/linux/pci_card.h>
#include <perfboard/linux/shared_irq.h>

#include "regs.h"

static void __iomem *regs; /* NULL: there is no board */
static struct page *page;
static bool leaving;
static DEFINE_MUTEX(reading); /* regs and page stay while it is held */
static DECLARE_WAIT_QUEUE_HEAD(stored);

static u32 stores(void)
{
	return readl(regs + PAGECOUNTR_WATCH) & PAGECOUNTR_WATCH_STORES;
}

static void begin(void)
{
	writel(page_to_phys(page), regs + PAGECOUNTR_WATCH);
}

/* The line goes down; the count stays, for read(). */
static irqreturn_t pagecount_irq(int irq, void *dev)
{
	if (!(readl(regs + PAGECOUNTR_CTRL) & PAGECOUNTR_CTRL_IEN) || !stores())
		return IRQ_NONE;
	writel(0, regs + PAGECOUNTR_CTRL);
	wake_up(&stored);
	return IRQ_HANDLED;
}

static ssize_t pagecount_read(struct file *file, char __user *to, size_t bytes, loff_t *at)
{
	u32 count;
	int err;

	if (bytes != sizeof(count))
		return -EINVAL;
	err = mutex_lock_interruptible(&reading);
	if (err)
		return err;
	if (!regs) {
		err = -ENODEV;
		goto unlock;
	}
	writel(PAGECOUNTR_CTRL_IEN, regs + PAGECOUNTR_CTRL);
	err = wait_event_interruptible(stored, READ_ONCE(leaving) || stores());
	if (!err) {
		count = stores();
		begin();
		err = count ? put_user(count, (u32 __user *)to) : -ENODEV;
	}
	writel(0, regs + PAGECOUNTR_CTRL);
unlock:
	mutex_unlock(&reading);
	return err ? err : sizeof(count);
}

static int pagecount_mmap(struct file *file, struct vm_area_struct *vma)
{
	int err = -ENODEV;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || vma->vm_pgoff || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	mutex_lock(&reading);
	if (regs)
		err = vm_insert_page(vma, vma->vm_start, page);
	mutex_unlock(&reading);
	return err;
}

static const struct file_operations pagecount_operations = {
	.owner = THIS_MODULE,
	.read = pagecount_read,
	.mmap = pagecount_mmap,
};

static struct miscdevice pagecount_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KBUILD_MODNAME,
	.fops = &pagecount_operations,
};

static int pagecount_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	int err;

	if (regs)
		return -EBUSY;
	page = alloc_page(GFP_KERNEL | GFP_DMA32 | __GFP_ZERO);
	if (!page)
		return -ENOMEM;
	leaving = false;
	regs = pci_card_map(pci, 0, PAGECOUNTR_BAR_BYTES);
	err = PTR_ERR_OR_ZERO((void __force *)regs);
	if (err)
		goto free;
	writel(0, regs + PAGECOUNTR_CTRL);
	err = request_irq(pci->irq, pagecount_irq, SHARED_IRQ, KBUILD_MODNAME, &regs);
	if (err)
		goto unmap;
	begin();
	err = misc_register(&pagecount_misc);
	if (!err)
		return 0;
	writel(0, regs + PAGECOUNTR_WATCH);
	free_irq(pci->irq, &regs);
unmap:
	pci_card_unmap(pci, regs);
free:
	regs = NULL;
	put_page(page);
	return err;
}

/* The board can go while a file is open, or somebody waits. Whoever has the page mapped keeps it. */
static void pagecount_remove(struct pci_dev *pci)
{
	misc_deregister(&pagecount_misc);
	WRITE_ONCE(leaving, true);
	wake_up(&stored);
	mutex_lock(&reading);
	writel(0, regs + PAGECOUNTR_CTRL);
	writel(0, regs + PAGECOUNTR_WATCH);
	free_irq(pci->irq, &regs);
	pci_card_unmap(pci, regs);
	regs = NULL;
	put_page(page);
	mutex_unlock(&reading);
}

static const struct pci_device_id pagecount_ids[] = {
	{ PCI_DEVICE(PAGECOUNTR_VENDOR, PAGECOUNTR_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, pagecount_ids);

static struct pci_driver pagecount_driver = {
	.name = KBUILD_MODNAME,
	.id_table = pagecount_ids,
	.probe = pagecount_probe,
	.remove = pagecount_remove,
};
module_pci_driver(pagecount_driver);

MODULE_DESCRIPTION("PageCount, an example: counts stores to a page");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
