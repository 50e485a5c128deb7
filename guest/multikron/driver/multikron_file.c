// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * multikron.ko: the registers and /dev/multikronN (guest/multikron/uapi.h). Writes need no lock. A
 * command of the chip names the bits that it changes ("disjoint subsets ... can be independently
 * controlled by different programs"), and a register is one access.
 */
#include <linux/capability.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "multikron.h"
#include "../../linux/ioctl_call.h"
#include "../../linux/vm_flags.h"

/* --- registers, as Table A-1 has them --- */

#ifndef CONFIG_64BIT
/*
 * Each half is an access of its own; hw/multikron/README.md ("Hosts of 32 bits") has the safe
 * orders. The error bit in a counter's upper half tells of the lower half that this processor has
 * read before it, so nothing else may read counters in between. Of the others only the Timestamp
 * moves by itself, and its upper half must be the same before and after.
 */
u64 mk_get(struct mk_card *card, u32 address)
{
	const bool counter = address >= MKR_COUNTER(0) && address < MKR_COUNTER(MKR_COUNTERS);
	void __iomem *at = card->pci.regs + MKR_AT8(address);
	u32 high, low, again;
	unsigned long flags;

	local_irq_save(flags);
	high = counter ? 0 : readl(at + 4);
	for (;;) {
		low = readl(at);
		again = readl(at + 4);
		if (counter || high == again)
			break;
		high = again;
	}
	local_irq_restore(flags);
	return (u64)again << 32 | low;
}
#endif

static bool mk_readable(u32 address)
{
	switch (address) {
	case MKR_CSR:
	case MKR_TIMESTAMP:
	case MKR_FILTER:
	case MKR_WAIT:
	case MKR_OVERRUN:
	case MKR_MUXSEL:
	case MKR_ENABLE:
	case MKR_FIFO:
	case MKR_TEST:
	case MKR_SOURCE(0) ... MKR_SOURCE(MKR_SOURCES - 1):
	case MKR_COUNTER(0) ... MKR_COUNTER(MKR_COUNTERS - 1):
		return true;
	default:
		return false;
	}
}

static int mk_check(u32 address, u64 value)
{
	u64 legal;

	switch (address) {
	case MKR_RESET:
	case MKR_WAIT:
	case MKR_OVERRUN:
		legal = 0;
		break;
	case MKR_CSR:
		legal = MKR_CSR_COMMANDS;
		/* The bit that clears stands above the bit that sets. */
		if (value & value >> 1 &
		    (MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT | MKR_CSR_SLOW10US))
			return -EINVAL;
		break;
	case MKR_FILTER:
		legal = MKR_FILTER_LEVEL_MASK;
		break;
	case MKR_MUXSEL:
		legal = MKR_MUXSEL_LSB_MASK | MKR_MUXSEL_MSB_MASK;
		break;
	case MKR_RRESET:
	case MKR_ENABLE:
	case MKR_DISABLE:
		legal = MKR_COUNTERS_MASK;
		break;
	case MKR_TEST:
		legal = MKR_TEST_BITS;
		break;
	case MKR_SOURCE(0) ... MKR_SOURCE(MKR_SOURCES - 1):
		legal = U32_MAX;
		break;
	default:
		return -EINVAL;
	}
	return value & ~legal ? -ERANGE : 0;
}

int mk_set(struct mk_card *card, u32 address, u64 value)
{
	int err = mk_check(address, value);

	if (err)
		return err;
	mk_put(card, address, value);
	if (address == MKR_RESET)
		mk_source_restore(card);
	return 0;
}

/* --- the character device --- */

vm_fault_t mk_fault(struct pci_card *pci, struct vm_fault *vmf)
{
	const u64 offset = (u64)vmf->vma->vm_pgoff << PAGE_SHIFT;
	const int bar = offset == MK_MAP_SAMPLE ? MKR_BAR_SAMPLE : MKR_BAR8;

	return vmf_insert_pfn(vmf->vma, vmf->address,
			      pci_resource_start(pci->dev, bar) >> PAGE_SHIFT);
}

int mk_map(struct pci_card *pci, struct vm_area_struct *vma)
{
	int err;

	if (!(vma->vm_flags & VM_MAYSHARE) ||
	    vma->vm_end - vma->vm_start != PAGE_ALIGN(MK_MAP_BYTES))
		return -EINVAL;
	err = vm_map_device(vma, pgprot_noncached(vma->vm_page_prot), &pci_card_pages);
	if (err)
		return err;
	switch ((u64)vma->vm_pgoff << PAGE_SHIFT) {
	case MK_MAP_SAMPLE:
		return 0;
	case MK_MAP_REGISTERS:
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		vm_flags_clear(vma, VM_MAYWRITE);
		return 0;
	case MK_MAP_RAW:
		return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
	default:
		return -EINVAL;
	}
}

union mk_argument {
	struct mk_info info;
	struct mk_register reg;
	struct mk_trace trace;
	u32 number;
};

static bool mk_changes(unsigned int command)
{
	switch (command) {
	case MK_IOC_SET:
	case MK_IOC_COUNT:
	case MK_IOC_TRACE:
	case MK_IOC_UNTRACE:
		return true;
	default:
		return false;
	}
}

static int mk_do(struct mk_card *card, unsigned int command, union mk_argument *a)
{
	switch (command) {
	case MK_IOC_INFO:
		a->info = card->info;
		a->info.cards = mk_source_cards();
		return 0;
	case MK_IOC_GET:
		if (a->reg.reserved || !mk_readable(a->reg.address))
			return -EINVAL;
		a->reg.value = mk_get(card, a->reg.address);
		return 0;
	case MK_IOC_SET:
		if (!perfmon_capable())
			return -EPERM;
		return a->reg.reserved ? -EINVAL : mk_set(card, a->reg.address, a->reg.value);
	case MK_IOC_COUNT:
		if (a->number >= MKR_COUNTERS)
			return -EINVAL;
		mk_put(card, MKR_COUNTER(a->number), 0);
		return 0;
	case MK_IOC_TRACE:
		return mk_source_trace(&a->trace);
	case MK_IOC_UNTRACE:
		return mk_source_untrace(a->number);
	default:
		return -ENOTTY;
	}
}

static int mk_call(struct file *file, unsigned int command, void *argument)
{
	struct pci_card *pci = pci_card_of(file);
	int err;

	down_read(&pci->life);
	err = pci->regs ? mk_do(mk_of(pci), command, argument) : -ENODEV;
	up_read(&pci->life);
	return err;
}

static const struct ioctl_calls mk_calls = {
	.magic = MK_IOC_MAGIC, .changes = mk_changes, .call = mk_call,
};

static long mk_ioctl(struct file *file, unsigned int command, unsigned long user)
{
	union mk_argument a;

	return ioctl_call(&mk_calls, file, command, user, &a, sizeof(a));
}

const struct file_operations mk_operations = {
	.owner = THIS_MODULE,
	.open = pci_card_open,
	.release = pci_card_release,
	.unlocked_ioctl = mk_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = pci_card_mmap,
};
