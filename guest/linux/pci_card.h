/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci_card.h - a card on PCI and its character device, from probe to removal. A driver's structure
 * of a card begins with a struct pci_card, and one file of the driver says what is its own:
 *
 *   static const struct pci_card_type my_type = { .name = "my%d", .start = my_start, ... };
 *   static int my_suspend(struct device *dev) ...      and my_resume()
 *   PCI_CARD_DRIVER(my, MY_VENDOR, MY_DEVICE);
 *   module_pci_driver(my_driver);
 *
 * A card can be removed while files are open and pages mapped; the module cannot. Each open file
 * keeps the structure. When the card goes away, its pages leave all page tables, and regs is NULL.
 *
 * A driver that does all this itself needs the card's registers alone. The device is enabled, its
 * regions are the driver's, one is mapped; and back:
 *
 *   regs = pci_card_map(pci, bar, bytes);        an error pointer; ENODEV: the region is too small
 *   pci_card_unmap(pci, regs);
 */
#ifndef PERFBOARD_PCI_CARD_H
#define PERFBOARD_PCI_CARD_H

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "register_dump.h"

struct pci_card {
	const struct pci_card_type *type;
	struct kref ref; /* one for the PCI device, one for each open file */
	struct pci_dev *dev;
	struct miscdevice misc;
	struct register_dump dump;
	int index;
	char name[16];

	struct rw_semaphore life; /* what follows */
	void __iomem *regs;	  /* NULL: the card is gone */
	struct list_head files;	  /* open ones: where pages are mapped */
};

struct pci_card_type {
	const char *name; /* of the device; without %d: of the first, and the others get a number */
	int most;	  /* cards; 0: any number */
	size_t bytes;	  /* of the driver's structure */
	int bar;
	resource_size_t bar_bytes;
	umode_t mode; /* of the device, for machines without udev's rules */
	const struct file_operations *fops;
	const struct attribute_group **groups;
	const struct debugfs_reg32 *dump;
	int dumped;

	int (*start)(struct pci_card *card);
	void (*ready)(struct pci_card *card); /* says what the device is */
	void (*stop)(struct pci_card *card);  /* undoes start; life is held if it was ready */

	/* NULL: nothing to do, or no pages to map. */
	int (*check)(struct pci_dev *pci); /* first, and fails silently */
	void (*shutdown)(struct pci_card *card);
	void (*free)(struct pci_card *card); /* what the structure points to */
	void (*closed)(struct pci_card *card, kuid_t user); /* a file that this user opened */
	int (*map)(struct pci_card *card, struct vm_area_struct *vma); /* life is held, and below */
	vm_fault_t (*fault)(struct pci_card *card, struct vm_fault *vmf);
};

struct pci_card_file {
	struct list_head list; /* of the card's files */
	struct pci_card *card;
	kuid_t user;
	struct address_space *mapping; /* each of a device's nodes in file systems has its own */
};

/* --- its registers --- */

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

/* --- its files --- */

static inline struct pci_card *pci_card_of(struct file *file)
{
	return ((struct pci_card_file *)file->private_data)->card;
}

static inline kuid_t pci_card_user(struct file *file)
{
	return ((struct pci_card_file *)file->private_data)->user;
}

/* Of the character device, for its attributes. */
static inline struct pci_card *pci_card_of_misc(struct device *dev)
{
	return container_of(dev_get_drvdata(dev), struct pci_card, misc);
}

static inline void pci_card_free(struct kref *ref)
{
	struct pci_card *card = container_of(ref, struct pci_card, ref);

	if (card->type->free)
		card->type->free(card);
	kfree(card);
}

/* misc's lock is held, so the device is not being removed meanwhile. */
static inline int pci_card_open(struct inode *inode, struct file *file)
{
	struct pci_card *card = container_of(file->private_data, struct pci_card, misc);
	struct pci_card_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->card = card;
	f->user = file->f_cred->euid;
	f->mapping = file->f_mapping;
	file->private_data = f;
	kref_get(&card->ref);
	down_write(&card->life);
	list_add(&f->list, &card->files);
	up_write(&card->life);
	return 0;
}

static inline int pci_card_release(struct inode *inode, struct file *file)
{
	struct pci_card_file *f = file->private_data;
	struct pci_card *card = f->card;

	down_write(&card->life);
	list_del(&f->list);
	up_write(&card->life);
	if (card->type->closed)
		card->type->closed(card, f->user);
	kfree(f);
	kref_put(&card->ref, pci_card_free);
	return 0;
}

/* Whether this user has one open; life is held. */
static inline bool pci_card_has_user(struct pci_card *card, kuid_t user)
{
	struct pci_card_file *f;

	list_for_each_entry(f, &card->files, list)
		if (uid_eq(f->user, user))
			return true;
	return false;
}

/* Life is held for writing. */
static inline void pci_card_unmap_pages(struct pci_card *card)
{
	struct pci_card_file *f;

	list_for_each_entry(f, &card->files, list)
		unmap_mapping_range(f->mapping, 0, 0, 1);
}

/* A page comes with its first use and not by mmap: a card that goes finds no mapping half made. */
static inline vm_fault_t pci_card_fault(struct vm_fault *vmf)
{
	struct pci_card *card = pci_card_of(vmf->vma->vm_file);
	vm_fault_t result = VM_FAULT_SIGBUS;

	down_read(&card->life);
	if (card->regs)
		result = card->type->fault(card, vmf);
	up_read(&card->life);
	return result;
}

static const struct vm_operations_struct pci_card_pages __maybe_unused = {
	.fault = pci_card_fault,
};

static inline int pci_card_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pci_card *card = pci_card_of(file);
	int err;

	down_read(&card->life);
	err = card->regs ? card->type->map(card, vma) : -ENODEV;
	up_read(&card->life);
	return err;
}

/* --- its life --- */

static inline int pci_card_register(struct pci_card *card)
{
	const struct pci_card_type *type = card->type;

	if (strchr(type->name, '%'))
		snprintf(card->name, sizeof(card->name), type->name, card->index);
	else
		snprintf(card->name, sizeof(card->name), card->index ? "%s%d" : "%s", type->name,
			 card->index);
	card->misc.minor = MISC_DYNAMIC_MINOR;
	card->misc.name = card->name;
	card->misc.fops = type->fops;
	if (type->groups)
		card->misc.groups = type->groups;
	card->misc.parent = &card->dev->dev;
	card->misc.mode = type->mode;
	return misc_register(&card->misc);
}

static inline int pci_card_probe(struct pci_dev *pci, const struct pci_card_type *type,
				 struct ida *indices)
{
	struct pci_card *card;
	int index, err = type->check ? type->check(pci) : 0;

	if (err)
		return err;
	index = ida_alloc_max(indices, type->most ? type->most - 1 : INT_MAX, GFP_KERNEL);
	if (index < 0)
		return index == -ENOSPC ? -EBUSY : index;
	card = kzalloc(type->bytes, GFP_KERNEL);
	if (!card) {
		ida_free(indices, index);
		return -ENOMEM;
	}
	card->type = type;
	card->dev = pci;
	card->index = index;
	kref_init(&card->ref);
	init_rwsem(&card->life);
	INIT_LIST_HEAD(&card->files);
	card->regs = pci_card_map(pci, type->bar, type->bar_bytes);
	err = PTR_ERR_OR_ZERO((void __force *)card->regs);
	if (err)
		goto free;
	pci_set_drvdata(pci, card);
	err = type->start(card);
	if (err)
		goto unmap;
	err = pci_card_register(card);
	if (err)
		goto stop;
	if (type->dump)
		register_dump_add(&card->dump, card->name, card->regs, type->dump, type->dumped);
	type->ready(card);
	return 0;

stop:
	type->stop(card);
unmap:
	pci_card_unmap(pci, card->regs);
free:
	dev_err(&pci->dev, "error %d\n", err);
	ida_free(indices, index);
	kref_put(&card->ref, pci_card_free);
	return err;
}

static inline void pci_card_remove(struct pci_dev *pci, struct ida *indices)
{
	struct pci_card *card = pci_get_drvdata(pci);
	void __iomem *regs = card->regs;

	register_dump_remove(&card->dump);
	misc_deregister(&card->misc);
	down_write(&card->life);
	pci_card_unmap_pages(card);
	card->type->stop(card);
	card->regs = NULL;
	up_write(&card->life);
	pci_card_unmap(pci, regs);
	ida_free(indices, card->index);
	kref_put(&card->ref, pci_card_free);
}

static inline void pci_card_shutdown(struct pci_dev *pci)
{
	struct pci_card *card = pci_get_drvdata(pci);

	if (card->type->shutdown)
		card->type->shutdown(card);
}

#define PCI_CARD_DRIVER(self, vendor, device) \
	static DEFINE_IDA(self##_indices); \
	static int self##_probe(struct pci_dev *pci, const struct pci_device_id *id) \
	{ \
		return pci_card_probe(pci, &self##_type, &self##_indices); \
	} \
	static void self##_remove(struct pci_dev *pci) \
	{ \
		pci_card_remove(pci, &self##_indices); \
	} \
	static DEFINE_SIMPLE_DEV_PM_OPS(self##_power, self##_suspend, self##_resume); \
	static const struct pci_device_id self##_ids[] = { { PCI_DEVICE(vendor, device) }, {} }; \
	MODULE_DEVICE_TABLE(pci, self##_ids); \
	static struct pci_driver self##_driver = { \
		.name = KBUILD_MODNAME, \
		.id_table = self##_ids, \
		.probe = self##_probe, \
		.remove = self##_remove, \
		.shutdown = pci_card_shutdown, \
		.driver.pm = pm_sleep_ptr(&self##_power), \
	}

#endif
