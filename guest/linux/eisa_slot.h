/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eisa_slot.h - find and set up a board in an EISA slot.
 *
 * Debian's x86 kernels have no EISA core, so the drivers probe the slots with port reads, as
 * 3c509 and 3c59x did before there was one. A slot that holds the product becomes a platform
 * device "NAME.SLOT" below the PCI-EISA bridge. A kernel with CONFIG_EISA has found the boards that
 * firmware enabled, and gives them to the driver (eisa_bus.h); the others are found as before.
 * Either device's probe then takes these steps:
 *
 *   eisa_board_init()    the slot's ports nC80..nC87, the product ID, and who configured the board
 *   eisa_board_window()  a window: the one that firmware chose, or a free one of the PCI hole
 *   eisa_board_map()     its registers
 *   eisa_board_enable()  the control register nC84
 *   eisa_board_irq()     the interrupt
 *
 * All of it is managed (devres): it is given back, last step first, when the device loses its
 * driver. One file of each driver includes this, and defines pr_fmt before.
 */
#ifndef PERFBOARD_EISA_SLOT_H
#define PERFBOARD_EISA_SLOT_H

#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irq.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "eisa_board.h"
#include "eisa_bus.h"
#include "kernels.h"
#include "shared_irq.h"

#define EISA_SLOT_FIRST 1
#define EISA_ID_BYTES 8 /* product ID and the board's control register */
#define EISA_ENABLE 1u  /* bit 0 of the control register, on every EISA board */

#define PCI_DEVICE_ID_INTEL_82375_EISA 0x0482
#define ELCR_PORT 0x4D0

#define EISA_HOLE_START 0x100000   /* not the video window, which the root bus has too */
#define EISA_HOLE_END 0xFEBFFFFFul /* below the I/O APIC */

/* The interrupt levels that both boards can take, by their IRLEV code */
static const int eisa_irq_of_level[8] = { 0, 0, 5, 9, 10, 12, 14, 15 };

/* --- finding boards --- */

/* Ports that a PCI device decodes are not an EISA slot's, whether or not it has a driver. */
static inline bool eisa_ports_are_pci(unsigned long start, unsigned long end)
{
	struct pci_dev *pdev = NULL;
	int i;

	for_each_pci_dev(pdev)
		for (i = 0; i < PCI_STD_NUM_BARS; i++) {
			struct resource *r = &pdev->resource[i];

			if ((r->flags & IORESOURCE_IO) && r->start && r->start <= end &&
			    r->end >= start) {
				pci_dev_put(pdev);
				return true;
			}
		}
	return false;
}

static inline u32 eisa_product(int slot)
{
	unsigned long port = EISA_ID_PORT(slot);
	u32 id = 0;
	int i;

	/* Precharges the lines of an empty slot, so that it answers with bit 7 set. */
	outb(0xFF, port);
	for (i = 0; i < 4; i++)
		id |= (u32)inb(port + i) << (8 * i);
	return id;
}

static inline bool eisa_slot_holds(int slot, u32 product, u32 mask)
{
	unsigned long port = EISA_ID_PORT(slot);
	u32 id;

	if (eisa_ports_are_pci(port, port + EISA_ID_BYTES - 1))
		return false;
	if (!request_region(port, EISA_ID_BYTES, KBUILD_MODNAME))
		return false;
	id = eisa_product(slot);
	release_region(port, EISA_ID_BYTES);
	return !(id & 0x80) && (id & mask) == product;
}

/* A platform device for each slot that holds the product. */
static inline void eisa_scan(u32 product, u32 mask, u64 dma_mask, struct platform_device **devices)
{
	struct pci_dev *bridge = pci_get_device(PCI_VENDOR_ID_INTEL,
						PCI_DEVICE_ID_INTEL_82375_EISA, NULL);
	int slot;

	for (slot = EISA_SLOT_FIRST; slot <= EISA_SLOT_LAST; slot++) {
		const struct resource ports = DEFINE_RES_IO(EISA_ID_PORT(slot), EISA_ID_BYTES);
		const struct platform_device_info info = {
			.parent = bridge ? &bridge->dev : NULL,
			.name = KBUILD_MODNAME,
			.id = slot,
			.res = &ports,
			.num_res = 1,
			.dma_mask = dma_mask,
		};
		struct platform_device *device;

		if (eisa_bus_has(slot) || !eisa_slot_holds(slot, product, mask))
			continue;
		device = platform_device_register_full(&info);
		if (IS_ERR(device))
			pr_err("slot %d: error %ld\n", slot, PTR_ERR(device));
		else
			*devices++ = device;
	}
	pci_dev_put(bridge);
}

/* --- taking one --- */

static inline int eisa_board_init(struct eisa_board *b, struct device *dev)
{
	b->dev = dev;
	b->slot = eisa_slot_of(dev);
	if (!devm_request_region(b->dev, EISA_ID_PORT(b->slot), EISA_ID_BYTES, dev_name(b->dev)))
		return -EBUSY;
	b->product = eisa_product(b->slot);
	b->config = inl(EISA_CONFIG_PORT(b->slot));
	b->ours = !(b->config & EISA_ENABLE);
	return 0;
}

/* A window that is in the board's register already. */
static inline int eisa_window_claim(struct resource *res, u32 base, u32 bytes)
{
	struct resource *parent;

	res->start = base;
	res->end = (resource_size_t)base + bytes - 1;
	for (parent = iomem_resource.child; parent; parent = parent->sibling)
		if ((parent->flags & IORESOURCE_MEM) && parent->start <= res->start &&
		    parent->end >= res->end && !(parent->flags & IORESOURCE_BUSY))
			break;
	return request_resource(parent ? parent : &iomem_resource, res);
}

/*
 * The allocator's own minimum holds only for a bus window that starts at 0, so the minimum is here.
 */
static resource_size_t eisa_window_above_video(void *data, const struct resource *res,
					       RESOURCE_ALIGN_MORE resource_size_t bytes,
					       resource_size_t align)
{
	return ALIGN(max_t(resource_size_t, res->start, EISA_HOLE_START), align);
}

/*
 * A free window, aligned to its size. EISA memory lies behind the PCI-EISA bridge, so it comes
 * out of the bus of that bridge; without one, out of any root bus; without PCI, out of what
 * nothing else has claimed between RAM and the I/O APIC.
 */
static inline int eisa_window_find(struct resource *res, u32 bytes)
{
	struct pci_dev *bridge;
	struct pci_bus *bus = NULL;
	int err = -ENODEV;

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

		if (floor >= EISA_HOLE_END)
			floor = EISA_HOLE_START;
		err = allocate_resource(&iomem_resource, res, bytes, floor, EISA_HOLE_END, bytes,
					NULL, NULL);
	}
	if (!err && res->end > 0xFFFFFFFFull) {
		release_resource(res);
		err = -EBUSY;
	}
	return err;
}

static void eisa_window_release(void *window)
{
	release_resource(window);
}

/* `base`: where firmware has put the window; it counts only if the board is not ours. */
static inline int eisa_board_window(struct eisa_board *b, struct resource *res, const char *name,
				    u32 base, u32 bytes)
{
	int err;

	memset(res, 0, sizeof(*res));
	res->name = name;
	res->flags = IORESOURCE_MEM;
	err = b->ours ? eisa_window_find(res, bytes) : eisa_window_claim(res, base, bytes);
	if (err)
		return err;
	res->flags |= IORESOURCE_BUSY;
	return devm_add_action_or_reset(b->dev, eisa_window_release, res);
}

static inline int eisa_board_map(struct eisa_board *b, const struct resource *window)
{
	b->regs = devm_ioremap(b->dev, window->start, resource_size(window));
	return b->regs ? 0 : -ENOMEM;
}

static void eisa_board_disable(void *board)
{
	struct eisa_board *b = board;

	outl(0, EISA_CONFIG_PORT(b->slot));
}

/*
 * Called twice: first without the interrupt, then with it. A board that firmware enabled keeps its
 * configuration.
 */
static inline int eisa_board_enable(struct eisa_board *b, u32 config)
{
	const bool first = !(b->config & EISA_ENABLE);

	if (!b->ours)
		return 0;
	b->config = config;
	outl(config, EISA_CONFIG_PORT(b->slot));
	return first ? devm_add_action_or_reset(b->dev, eisa_board_disable, b) : 0;
}

/* --- the interrupt --- */

static inline int eisa_level_of_irq(int irq)
{
	int level;

	for (level = 2; level < 8; level++)
		if (eisa_irq_of_level[level] == irq)
			return level;
	return -1;
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
 * The interrupt that is asked for, or the first of choices (0 ends them) that lets itself be
 * shared. thread: what the handler leaves to a thread; NULL: nothing.
 */
static inline int eisa_board_irq(struct eisa_board *b, int wanted, const int *choices,
				 irq_handler_t handler, irq_handler_t thread, const char *name,
				 void *data)
{
	const int only[] = { wanted, 0 };
	int err = -EBUSY;

	if (wanted) {
		if (eisa_level_of_irq(wanted) < 0)
			return -EINVAL;
		choices = only;
	}
	for (; *choices; choices++) {
		eisa_irq_make_level(*choices);
		err = devm_request_threaded_irq(b->dev, *choices, handler, thread, SHARED_IRQ,
						name, data);
		if (!err) {
			b->irq = *choices;
			return 0;
		}
	}
	return err;
}

/* --- the driver --- */

struct eisa_slot_driver {
	size_t bytes;	  /* of the driver's structure */
	const char *name; /* of the device, with %d */
	const char *what; /* the board is, in a message */
	u32 product_mask; /* revisions are alike */
	int (*start)(struct eisa_board *b, struct device *dev); /* the steps above */
	void (*ready)(struct eisa_board *b); /* says what the board is */
	void (*end)(void); /* no board is left; or NULL */

	struct platform_device *devices[EISA_SLOT_LAST];
	int count; /* boards that work */
	int error; /* of the last one that does not */
};

static inline int eisa_slot_take(struct eisa_slot_driver *d, struct device *dev)
{
	struct eisa_board *b = devm_kzalloc(dev, d->bytes, GFP_KERNEL);
	int err;

	if (!b)
		return -ENOMEM;
	b->index = d->count;
	snprintf(b->name, sizeof(b->name), d->name, b->index);
	dev_set_drvdata(dev, b);
	err = d->start(b, dev);
	if (err) {
		d->error = err;
		return dev_err_probe(dev, err, "no %s here\n", d->what);
	}
	d->count++;
	d->ready(b);
	return 0;
}

static inline void eisa_slot_unregister(struct eisa_slot_driver *d, struct platform_driver *slots,
					struct eisa_bus_driver *bus)
{
	int i;

	for (i = EISA_SLOT_LAST; i--;)
		platform_device_unregister(d->devices[i]);
	platform_driver_unregister(slots);
	eisa_bus_unregister(bus);
	if (d->end)
		d->end();
}

static inline int eisa_slot_register(struct eisa_slot_driver *d, u32 product, u64 dma_mask,
				     struct platform_driver *slots, struct eisa_bus_driver *bus)
{
	int err = platform_driver_register(slots);

	if (err)
		return err;
	eisa_bus_register(bus);
	eisa_scan(product, d->product_mask, dma_mask, d->devices);
	if (d->count)
		return 0;
	eisa_slot_unregister(d, slots, bus);
	return d->error ? d->error : -ENODEV;
}

/*
 * The module of self_slots, a struct eisa_slot_driver. mask: of what the board can reach by DMA; 0:
 * it reads no memory. quiesce(dev): the next kernel may come.
 */
#define EISA_SLOT_DRIVER(self, product, mask, power, quiesce) \
	static int self##_take(struct device *dev) \
	{ \
		return eisa_slot_take(&self##_slots, dev); \
	} \
	static int self##_probe(struct platform_device *pdev) \
	{ \
		return self##_take(&pdev->dev); \
	} \
	static void self##_shutdown(struct platform_device *pdev) \
	{ \
		quiesce(&pdev->dev); \
	} \
	static struct platform_driver self##_driver = { \
		.probe = self##_probe, \
		.shutdown = self##_shutdown, \
		.driver = { \
			.name = KBUILD_MODNAME, \
			.pm = pm_sleep_ptr(&power), \
			/* open files use the board until the module goes */ \
			.suppress_bind_attrs = true, \
		}, \
	}; \
	EISA_BUS_DRIVER(self##_bus, product, self##_take, power, quiesce, mask); \
	static int __init self##_init(void) \
	{ \
		return eisa_slot_register(&self##_slots, product, mask, &self##_driver, \
					  &self##_bus); \
	} \
	static void __exit self##_exit(void) \
	{ \
		eisa_slot_unregister(&self##_slots, &self##_driver, &self##_bus); \
	} \
	module_init(self##_init); \
	module_exit(self##_exit)

#endif
