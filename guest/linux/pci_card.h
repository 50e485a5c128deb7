/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci_card.h - a card's registers: the device is enabled, its regions are the driver's, one is
 * mapped; and back.
 *
 *   regs = pci_card_map(pci, bar, bytes);        an error pointer; ENODEV: the region is too small
 *   pci_card_unmap(pci, regs);
 */
#ifndef PERFBOARD_PCI_CARD_H
#define PERFBOARD_PCI_CARD_H

#include <linux/err.h>
#include <linux/module.h>
#include <linux/pci.h>

static inline void __iomem *pci_card_map(struct pci_dev *pci, int bar, resource_size_t bytes)
{
	void __iomem *regs;
	int err;

	if (pci_resource_len(pci, bar) < bytes)
		return IOMEM_ERR_PTR(-ENODEV);
	err = pci_enable_device(pci);
	if (err)
		return IOMEM_ERR_PTR(err);
	err = pci_request_regions(pci, KBUILD_MODNAME);
	if (err)
		goto disable;
	regs = pci_iomap(pci, bar, bytes);
	if (regs)
		return regs;
	err = -ENOMEM;
	pci_release_regions(pci);
disable:
	pci_disable_device(pci);
	return IOMEM_ERR_PTR(err);
}

static inline void pci_card_unmap(struct pci_dev *pci, void __iomem *regs)
{
	pci_iounmap(pci, regs);
	pci_release_regions(pci);
	pci_disable_device(pci);
}

#endif
