/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eisa_bus.h - a driver's part for a kernel that has an EISA bus of its own (CONFIG_EISA).
 *
 * That bus looks at the slots when the kernel starts, and gives drivers the boards that firmware
 * has enabled. Without CONFIG_EISA nothing of this is there, and eisa_slot.h finds the boards.
 *
 *   EISA_BUS_DRIVER(name, product, take, power, quiesce, dma_mask);   once, in its file
 *   eisa_bus_register(&name)      each board is given to take(device)
 *   eisa_bus_unregister(&name)
 */
#ifndef PERFBOARD_EISA_BUS_H
#define PERFBOARD_EISA_BUS_H

#include <linux/dma-mapping.h>
#include <linux/eisa.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#ifdef CONFIG_EISA

struct eisa_bus_driver {
	struct eisa_driver eisa;
	int (*take)(struct device *dev);
	u64 dma_mask; /* 0: the board reads no memory */
};

static inline int eisa_bus_probe(struct device *dev)
{
	struct eisa_bus_driver *d =
		container_of(to_eisa_driver(dev->driver), struct eisa_bus_driver, eisa);
	const int err = d->dma_mask ? dma_set_mask_and_coherent(dev, d->dma_mask) : 0;

	return err ? err : d->take(dev);
}

/* The kernel's text for a product ID that was read as one word, with another revision. */
#define EISA_BUS_HEX(digit) ((digit) < 10 ? '0' + (digit) : 'A' - 10 + (digit))
#define EISA_BUS_ID(id, revision) \
	{ \
		.sig = { \
			'A' - 1 + ((id) >> 2 & 31), \
			'A' - 1 + (((id) & 3) << 3 | ((id) >> 13 & 7)), \
			'A' - 1 + ((id) >> 8 & 31), \
			EISA_BUS_HEX((id) >> 20 & 15), \
			EISA_BUS_HEX((id) >> 16 & 15), \
			EISA_BUS_HEX((id) >> 28), \
			EISA_BUS_HEX(revision), \
		} \
	}
#define EISA_BUS_FOUR_IDS(id, revision) \
	EISA_BUS_ID(id, revision), EISA_BUS_ID(id, (revision) + 1), \
		EISA_BUS_ID(id, (revision) + 2), EISA_BUS_ID(id, (revision) + 3)

#define EISA_BUS_DRIVER(self, product, taker, power, quiesce, mask) \
	static const struct eisa_device_id self##_ids[] = { EISA_BUS_FOUR_IDS(product, 0), \
							    EISA_BUS_FOUR_IDS(product, 4), \
							    EISA_BUS_FOUR_IDS(product, 8), \
							    EISA_BUS_FOUR_IDS(product, 12), \
							    {} }; \
	MODULE_DEVICE_TABLE(eisa, self##_ids); \
	static struct eisa_bus_driver self = { \
		.eisa = { \
			.id_table = self##_ids, \
			.driver = { \
				.name = KBUILD_MODNAME, \
				.owner = THIS_MODULE, \
				.probe = eisa_bus_probe, \
				.shutdown = (quiesce), \
				.pm = pm_sleep_ptr(&(power)), \
				.suppress_bind_attrs = true, \
			}, \
		}, \
		.take = (taker), \
		.dma_mask = (mask), \
	}

static inline void eisa_bus_register(struct eisa_bus_driver *d)
{
	const int err = eisa_driver_register(&d->eisa);

	if (err)
		pr_err("the kernel's EISA bus does not take the driver: error %d\n", err);
}

static inline void eisa_bus_unregister(struct eisa_bus_driver *d)
{
	if (d->eisa.driver.p)
		eisa_driver_unregister(&d->eisa);
}

static inline int eisa_bus_is_enabled(struct device *dev, const void *slot)
{
	const struct eisa_device *e = to_eisa_device(dev);

	return e->slot == *(const int *)slot && e->state & EISA_CONFIG_ENABLED;
}

/* A board that is this bus's to give. */
static inline bool eisa_bus_has(int slot)
{
	struct device *dev = bus_find_device(&eisa_bus_type, NULL, &slot, eisa_bus_is_enabled);

	put_device(dev);
	return dev;
}

static inline int eisa_slot_of(struct device *dev)
{
	return dev->bus == &eisa_bus_type ? to_eisa_device(dev)->slot :
					    to_platform_device(dev)->id;
}

#else

struct eisa_bus_driver {};

#define EISA_BUS_DRIVER(self, product, taker, power, quiesce, mask) \
	static struct eisa_bus_driver self

static inline void eisa_bus_register(struct eisa_bus_driver *d)
{
}

static inline void eisa_bus_unregister(struct eisa_bus_driver *d)
{
}

static inline bool eisa_bus_has(int slot)
{
	return false;
}

static inline int eisa_slot_of(struct device *dev)
{
	return to_platform_device(dev)->id;
}

#endif

#endif
