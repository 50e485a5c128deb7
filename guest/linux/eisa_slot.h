/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eisa_slot.h - find and set up a board in an EISA slot, without CONFIG_EISA.
 *
 * Debian's x86 kernels have no EISA core, so the drivers probe the slots with port reads, as
 * 3c509 and 3c59x did before there was one. Each driver defines
 * pr_fmt and includes this once. A board is taken in these steps:
 *
 *   eisa_slot_probe()   the product ID, ports nC80..nC87 claimed
 *   eisa_window_claim() a window that firmware chose
 *   eisa_window_find()  or a free one of the 32-bit PCI hole
 *   eisa_irq_request()  its interrupt
 *
 * and given back by eisa_window_release() and eisa_slot_release().
 */
#ifndef PERFBOARD_EISA_SLOT_H
#define PERFBOARD_EISA_SLOT_H

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irq.h>
#include <linux/pci.h>

#define EISA_SLOT_FIRST 1
#define EISA_SLOT_LAST 15
#define EISA_ID_PORT(slot) ((slot) * 0x1000 + 0xC80)
#define EISA_ID_BYTES 8 /* product ID and the board's control register */

#define PCI_DEVICE_ID_INTEL_82375_EISA 0x0482
#define ELCR_PORT 0x4D0

#define EISA_HOLE_START 0x100000   /* not the video window, which the root bus has too */
#define EISA_HOLE_END 0xFEBFFFFFul /* below the I/O APIC */

/* The interrupt levels that both boards can take, by their IRLEV code */
static const int eisa_irq_of_level[8] = { 0, 0, 5, 9, 10, 12, 14, 15 };

static inline int eisa_level_of_irq(int irq)
{
	int level;

	for (level = 2; level < 8; level++)
		if (eisa_irq_of_level[level] == irq)
			return level;
	return -1;
}

/* Ports that a PCI device decodes are not an EISA slot's, whether or not it has a driver. */
static inline bool eisa_ports_are_pci(unsigned long start, unsigned long end)
{
	struct pci_dev *pdev = NULL;
	int i;

	for_each_pci_dev(pdev)
		for (i = 0; i < PCI_STD_NUM_BARS; i++) {
			struct resource *r = &pdev->resource[i];

			if ((r->flags & IORESOURCE_IO) && r->start && r->start <= end && r->end >= start) {
				pci_dev_put(pdev);
				return true;
			}
		}
	return false;
}

/* True: the product sits in the slot, and its ports are now ours. */
static inline bool eisa_slot_probe(int slot, u32 product, u32 mask, const char *name, u32 *id)
{
	unsigned long port = EISA_ID_PORT(slot);
	int i;

	if (eisa_ports_are_pci(port, port + EISA_ID_BYTES - 1))
		return false;
	if (!request_region(port, EISA_ID_BYTES, name))
		return false;
	/* Precharges the lines of an empty slot, so that it answers with bit 7 set. */
	outb(0xFF, port);
	*id = 0;
	for (i = 0; i < 4; i++)
		*id |= (u32)inb(port + i) << (8 * i);
	if (!(*id & 0x80) && (*id & mask) == product)
		return true;
	release_region(port, EISA_ID_BYTES);
	return false;
}

static inline void eisa_slot_release(int slot)
{
	release_region(EISA_ID_PORT(slot), EISA_ID_BYTES);
}

static inline void eisa_window_init(struct resource *res, const char *name)
{
	memset(res, 0, sizeof(*res));
	res->name = name;
	res->flags = IORESOURCE_MEM;
}

/* A window that is in the board's register already. */
static inline int eisa_window_claim(struct resource *res, const char *name, u32 base, u32 bytes)
{
	struct resource *parent;
	int err;

	eisa_window_init(res, name);
	res->start = base;
	res->end = (resource_size_t)base + bytes - 1;
	for (parent = iomem_resource.child; parent; parent = parent->sibling)
		if ((parent->flags & IORESOURCE_MEM) && parent->start <= res->start &&
		    parent->end >= res->end && !(parent->flags & IORESOURCE_BUSY))
			break;
	err = request_resource(parent ? parent : &iomem_resource, res);
	if (!err)
		res->flags |= IORESOURCE_BUSY;
	return err;
}

/* A root bus's smallest number for a window counts for nothing once the window starts above 0. */
static resource_size_t eisa_window_above_video(void *data, const struct resource *res,
					       resource_size_t bytes, resource_size_t align)
{
	return ALIGN(max_t(resource_size_t, res->start, EISA_HOLE_START), align);
}

/*
 * A free window, aligned to its size. EISA memory lies behind the PCI-EISA bridge, so it comes
 * out of the bus of that bridge; without one, out of any root bus; without PCI, out of what
 * nothing else has claimed between RAM and the I/O APIC.
 */
static inline int eisa_window_find(struct resource *res, const char *name, u32 bytes)
{
	struct pci_dev *bridge;
	struct pci_bus *bus = NULL;
	int err = -ENODEV;

	eisa_window_init(res, name);
	bridge = pci_get_device(PCI_VENDOR_ID_INTEL, PCI_DEVICE_ID_INTEL_82375_EISA, NULL);
	if (bridge) {
		err = pci_bus_alloc_resource(bridge->bus, res, bytes, bytes, 0, IORESOURCE_MEM,
					     eisa_window_above_video, NULL);
		pci_dev_put(bridge);
	}
	while (err && (bus = pci_find_next_bus(bus)))
		err = pci_bus_alloc_resource(bus, res, bytes, bytes, 0, IORESOURCE_MEM,
					     eisa_window_above_video, NULL);
	if (err) {
		resource_size_t floor = virt_to_phys(high_memory - 1) + 1;

		err = allocate_resource(&iomem_resource, res, bytes, floor < EISA_HOLE_END ? floor : EISA_HOLE_START,
					EISA_HOLE_END, bytes, NULL, NULL);
	}
	if (!err && res->end > 0xFFFFFFFFull) {
		release_resource(res);
		err = -EBUSY;
	}
	if (!err)
		res->flags |= IORESOURCE_BUSY;
	return err;
}

static inline void eisa_window_release(struct resource *res)
{
	if (res->parent)
		release_resource(res);
}

/*
 * Under the I/O APIC the firmware's tables have set the lines' mode. The plain 8259 takes the
 * EISA bridge's word for it, the edge/level control register, which starts with all edges.
 */
static inline void eisa_irq_make_level(int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);
	struct irq_chip *chip = data ? irq_data_get_irq_chip(data) : NULL;
	unsigned int port = ELCR_PORT + irq / 8;

	if (chip && chip->name && !strcmp(chip->name, "XT-PIC"))
		outb(inb(port) | (1 << (irq % 8)), port);
}

/*
 * An interrupt for the board: the one asked for, or the first of choices (0 ends them) that
 * lets itself be shared. Returns its number, or a negative error.
 */
static inline int eisa_irq_request(int wanted, const int *choices, irq_handler_t handler,
				   const char *name, void *board)
{
	int err = -EBUSY;

	if (wanted) {
		if (eisa_level_of_irq(wanted) < 0)
			return -EINVAL;
		eisa_irq_make_level(wanted);
		err = request_irq(wanted, handler, IRQF_SHARED, name, board);
		return err ? err : wanted;
	}
	for (; *choices; choices++) {
		eisa_irq_make_level(*choices);
		err = request_irq(*choices, handler, IRQF_SHARED, name, board);
		if (!err)
			return *choices;
	}
	return err;
}

#endif
