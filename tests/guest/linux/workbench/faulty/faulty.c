// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faulty - a driver of a SurfBoard with three faults, which log and coverage are to find (faulty-test):
 * its handler never clears ISCR.TP, it writes WCDR with 16 bits, and it does not enable FNE, for which it waits.
 */
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>

#include <perfboard/surfboard/regs.h>

#define SLOT 2
#define EPIR (SLOT << 12 | 0xC80)
#define RBASE 0xD000u
#define IRQ 10 /* EBCR.IRLEV 4 */

static void __iomem *regs;

static irqreturn_t faulty_irq(int irq, void *dev)
{
	if (!(readl(regs + SURF_ISCR) & SURF_ISCR_TP))
		return IRQ_NONE;
	writel(0, regs + SURF_IEMR);
	return IRQ_HANDLED;
}

static int __init faulty_init(void)
{
	int err;

	if (!request_region(EPIR, 8, "faulty"))
		return -EBUSY;
	outl(RBASE << 16 | 4 << 8 | 1, SLOT << 12 | 0xC84);
	regs = ioremap(RBASE << 16, 0x10000);
	err = regs ? request_irq(IRQ, faulty_irq, IRQF_SHARED, "faulty", &regs) : -ENOMEM;
	if (err) {
		if (regs)
			iounmap(regs);
		release_region(EPIR, 8);
		return err;
	}
	writew(0, regs + SURF_WCDR);
	writel(0, regs + SURF_HTCR);     /* the FIFO is no longer held in reset */
	writel(0x1ff, regs + SURF_HFDR); /* a byte for the FIFO: FNE */
	writel(SURF_ISCR_TP, regs + SURF_IEMR);
	writel(SURF_HTCR_TEN, regs + SURF_HTCR);
	writel(SURF_HTCR_TEN | SURF_HTCR_TRG, regs + SURF_HTCR);
	return 0;
}

static void __exit faulty_exit(void)
{
	free_irq(IRQ, &regs);
	outl(0, SLOT << 12 | 0xC84);
	iounmap(regs);
	release_region(EPIR, 8);
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("A driver with three faults");
MODULE_LICENSE("GPL");
