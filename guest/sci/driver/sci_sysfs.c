// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of /sys/class/misc/sci: what the adapter says of itself, its switches, and the
 * statistics of each node in a folder nodeN.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "sci.h"

static struct sci_card *sci_of_dev(struct device *dev)
{
	return sci_of(pci_card_of_misc(dev));
}

/* --- the adapter --- */

static ssize_t nodes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", sci_of_dev(dev)->nodes);
}
static DEVICE_ATTR_RO(nodes);

static ssize_t pages_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", sci_of_dev(dev)->pages);
}
static DEVICE_ATTR_RO(pages);

static ssize_t latency_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  !!(sci_get(sci_of_dev(dev), SCIR_STATUS) & SCIR_STATUS_LATENCY));
}
static DEVICE_ATTR_RO(latency);

static ssize_t enable_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", !!(sci_get(sci_of_dev(dev), SCIR_CTRL) & SCIR_CTRL_ENABLE));
}

static ssize_t enable_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t bytes)
{
	bool on;
	int err = kstrtobool(buf, &on);

	if (err)
		return err;
	sci_enable(sci_of_dev(dev), on);
	return bytes;
}
static DEVICE_ATTR_RW(enable);

static const char *const sci_policies[] = {
	[SCI_FIXED] = "fixed", [SCI_FIRST_TOUCH] = "first-touch",
};

static ssize_t policy_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", sci_policies[sci_of_dev(dev)->policy]);
}

static ssize_t policy_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t bytes)
{
	int policy = sysfs_match_string(sci_policies, buf);
	int err = policy < 0 ? policy : sci_set_policy(sci_of_dev(dev), policy);

	return err ? err : bytes;
}
static DEVICE_ATTR_RW(policy);

static struct attribute *sci_attrs[] = {
	&dev_attr_nodes.attr, &dev_attr_pages.attr, &dev_attr_latency.attr,
	&dev_attr_enable.attr, &dev_attr_policy.attr,
	NULL,
};
static const struct attribute_group sci_group = { .attrs = sci_attrs };

/* --- its nodes --- */

static const struct {
	const char *name;
	u32 which;
} sci_statistics[SCIR_STATS_COUNT] = {
	{ "reads", SCIR_STATS_READS },	     { "writes", SCIR_STATS_WRITES },
	{ "locks", SCIR_STATS_LOCKS },	     { "unlocks", SCIR_STATS_UNLOCKS },
	{ "received", SCIR_STATS_RECEIVED }, { "wait_ns", SCIR_STATS_WAIT },
	{ "packets", SCIR_STATS_PACKETS },   { "outstanding", SCIR_STATS_OUTSTANDING },
};

struct sci_attribute {
	struct device_attribute attr;
	u32 node, which;
};

struct sci_node {
	char name[8];
	struct attribute_group group;
	struct attribute *attrs[SCIR_STATS_COUNT + 1];
	struct sci_attribute statistic[SCIR_STATS_COUNT];
};

static ssize_t sci_statistic_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct sci_attribute *a = container_of(attr, struct sci_attribute, attr);

	return sysfs_emit(buf, "%llu\n", sci_statistic(sci_of_dev(dev), a->node, a->which));
}

static void sci_make_node(struct sci_node *node, u32 number)
{
	u32 i;

	snprintf(node->name, sizeof(node->name), "node%u", number);
	node->group.name = node->name;
	node->group.attrs = node->attrs;
	for (i = 0; i < SCIR_STATS_COUNT; i++) {
		struct sci_attribute *a = &node->statistic[i];

		sysfs_attr_init(&a->attr.attr);
		a->attr.attr.name = sci_statistics[i].name;
		a->attr.attr.mode = 0444;
		a->attr.show = sci_statistic_show;
		a->node = number;
		a->which = sci_statistics[i].which;
		node->attrs[i] = &a->attr.attr;
	}
}

int sci_make_groups(struct sci_card *card)
{
	u32 n;

	card->node = kcalloc(card->nodes, sizeof(*card->node), GFP_KERNEL);
	card->groups = kcalloc(card->nodes + 2, sizeof(*card->groups), GFP_KERNEL);
	if (!card->node || !card->groups)
		return -ENOMEM;
	card->groups[0] = &sci_group;
	for (n = 0; n < card->nodes; n++) {
		sci_make_node(&card->node[n], n);
		card->groups[n + 1] = &card->node[n].group;
	}
	return 0;
}

void sci_free_groups(struct sci_card *card)
{
	kfree(card->node);
	kfree(card->groups);
}
