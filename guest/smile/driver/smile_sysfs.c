// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of /sys/class/misc/smileN: the card's information and statistics, one value each.
 */
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "smile.h"

static struct sm_card *sm_of_dev(struct device *dev)
{
	return sm_of(pci_card_of_misc(dev));
}

#define SM_SHOW(_name, _type, _get, _format, _value)                                              \
	static ssize_t _name##_show(struct device *dev, struct device_attribute *attr, char *buf) \
	{                                                                                         \
		struct sm_card *card = sm_of_dev(dev);                                            \
		struct _type x = {};                                                              \
		bool gone;                                                                        \
                                                                                                  \
		mutex_lock(&card->set);                                                           \
		gone = card->gone;                                                                \
		if (!gone)                                                                        \
			_get(card, &x);                                                           \
		mutex_unlock(&card->set);                                                         \
		return gone ? -ENODEV : sysfs_emit(buf, _format "\n", _value);                    \
	}                                                                                         \
	static DEVICE_ATTR_RO(_name)
#define SM_INFO(name, format, value) SM_SHOW(name, smile_info, sm_get_info, format, value)
#define SM_STAT(name, format) SM_SHOW(name, smile_stats, sm_get_stats, format, x.name)

static const char *const sm_designs[] = {
	[SMILE_DESIGN_NONE] = "none",
	[SMILE_DESIGN_STATIC] = "static",
	[SMILE_DESIGN_DYNAMIC] = "dynamic",
};

SM_INFO(design, "%s", sm_designs[x.design]);
SM_INFO(node, "%d", (int)x.node);
SM_INFO(entries, "%u", x.entries);
SM_INFO(running, "%u", x.running);
SM_STAT(records, "%llu");
SM_STAT(lost, "%llu");
SM_STAT(interrupts, "%llu");
SM_STAT(swaps, "%llu");
SM_STAT(loads, "%llu");
SM_STAT(copies, "%llu");
SM_STAT(waiting, "%llu");
SM_STAT(packets, "%u");
SM_STAT(orphans, "%u");
SM_STAT(clashes, "%u");
SM_STAT(queue, "%u");

static struct attribute *sm_attrs[] = {
	&dev_attr_design.attr, &dev_attr_node.attr, &dev_attr_entries.attr, &dev_attr_running.attr,
	&dev_attr_records.attr, &dev_attr_lost.attr, &dev_attr_interrupts.attr,
	&dev_attr_swaps.attr, &dev_attr_loads.attr, &dev_attr_copies.attr, &dev_attr_waiting.attr,
	&dev_attr_packets.attr, &dev_attr_orphans.attr, &dev_attr_clashes.attr,
	&dev_attr_queue.attr,
	NULL,
};

static const struct attribute_group sm_group = { .attrs = sm_attrs };
const struct attribute_group *sm_groups[] = { &sm_group, NULL };
