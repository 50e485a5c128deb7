// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of /sys/class/misc/multikronN: the registers, one value each, and what the card says
 * of itself.
 */
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "multikron.h"

static struct mk_card *mk_of_dev(struct device *dev)
{
	return mk_of(pci_card_of_misc(dev));
}

/* --- registers --- */

struct mk_attribute {
	struct device_attribute attr;
	u32 address;
	const char *format;
};

static ssize_t mk_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct mk_attribute *a = container_of(attr, struct mk_attribute, attr);
	unsigned long long value = mk_get(mk_of_dev(dev), a->address);

	if (a->address >= MKR_COUNTER(0) && value & MKR_COUNTER_ERROR)
		return -EAGAIN; /* the shadow registers are being sent: Table 3A */
	return sysfs_emit(buf, a->format, value);
}

static ssize_t mk_store(struct device *dev, struct device_attribute *attr, const char *buf,
			size_t bytes)
{
	struct mk_attribute *a = container_of(attr, struct mk_attribute, attr);
	unsigned long long value;
	int err = kstrtoull(buf, 0, &value);

	if (!err)
		err = mk_set(mk_of_dev(dev), a->address, value);
	return err ? err : bytes;
}

/* Writing "1" is one software count. */
static ssize_t mk_count(struct device *dev, struct device_attribute *attr, const char *buf,
			size_t bytes)
{
	struct mk_attribute *a = container_of(attr, struct mk_attribute, attr);
	unsigned int value;
	int err = kstrtouint(buf, 0, &value);

	if (err)
		return err;
	if (value != 1)
		return -EINVAL;
	mk_put(mk_of_dev(dev), a->address, 0);
	return bytes;
}

#define MK_ATTRIBUTE(_name, _mode, _show, _store, _address, _format)                           \
	static struct mk_attribute mk_attr_##_name = {                                         \
		.attr = __ATTR(_name, _mode, _show, _store),                                   \
		.address = _address, .format = _format,                                        \
	}
#define MK_RO(name, address, format) MK_ATTRIBUTE(name, 0444, mk_show, NULL, address, format)
#define MK_RW(name, address, format) MK_ATTRIBUTE(name, 0644, mk_show, mk_store, address, format)
#define MK_WO(name, address) MK_ATTRIBUTE(name, 0200, NULL, mk_store, address, "")
#define MK_RC(n) MK_ATTRIBUTE(counter##n, 0644, mk_show, mk_count, MKR_COUNTER(n), "%llu\n")
#define MK_SRC(n) MK_RW(source##n, MKR_SOURCE(n), "0x%08llx\n")

MK_WO(reset, MKR_RESET);
MK_RW(csr, MKR_CSR, "0x%08llx\n");
MK_RO(timestamp, MKR_TIMESTAMP, "%llu\n");
MK_RW(filter, MKR_FILTER, "0x%04llx\n");
MK_RW(wait_count, MKR_WAIT, "%llu\n");
MK_RW(overrun_count, MKR_OVERRUN, "%llu\n");
MK_RW(mux_sel, MKR_MUXSEL, "0x%016llx\n");
MK_WO(clear, MKR_RRESET);
MK_RW(enable, MKR_ENABLE, "0x%04llx\n");
MK_WO(disable, MKR_DISABLE);
MK_SRC(0); MK_SRC(1); MK_SRC(2); MK_SRC(3); MK_SRC(4); MK_SRC(5); MK_SRC(6); MK_SRC(7);
MK_RC(0); MK_RC(1); MK_RC(2); MK_RC(3); MK_RC(4); MK_RC(5); MK_RC(6); MK_RC(7);
MK_RC(8); MK_RC(9); MK_RC(10); MK_RC(11); MK_RC(12); MK_RC(13); MK_RC(14); MK_RC(15);

/* --- the card --- */

#define MK_INFO(name)                                                                           \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *buf) \
	{                                                                                       \
		return sysfs_emit(buf, "%u\n", mk_of_dev(dev)->info.name);                      \
	}                                                                                       \
	static DEVICE_ATTR_RO(name)

MK_INFO(version);
MK_INFO(node_hz);
MK_INFO(timestamp_hz);
MK_INFO(fifo_depth);
MK_INFO(lines);
MK_INFO(node);

/* The processor of each line, in their order. */
static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct mk_info *info = &mk_of_dev(dev)->info;
	ssize_t n = 0;
	u32 line;

	for (line = 0; line < info->lines; line++)
		n += sysfs_emit_at(buf, n, "%s%u", line ? "," : "", info->cpu[line]);
	return n + sysfs_emit_at(buf, n, "\n");
}
static DEVICE_ATTR_RO(cpus);

/* The same for all cards: how many processes and threads are traced, if the scheduler is probed */
static ssize_t traced_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", mk_source_traced());
}
static DEVICE_ATTR_RO(traced);

static ssize_t probes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", mk_source_probes());
}
static DEVICE_ATTR_RO(probes);

#define MK_A(name) (&mk_attr_##name.attr.attr)

static struct attribute *mk_attrs[] = {
	MK_A(reset), MK_A(csr), MK_A(timestamp), MK_A(filter), MK_A(wait_count),
	MK_A(overrun_count), MK_A(mux_sel), MK_A(clear), MK_A(enable), MK_A(disable),
	MK_A(source0), MK_A(source1), MK_A(source2), MK_A(source3),
	MK_A(source4), MK_A(source5), MK_A(source6), MK_A(source7),
	MK_A(counter0), MK_A(counter1), MK_A(counter2), MK_A(counter3),
	MK_A(counter4), MK_A(counter5), MK_A(counter6), MK_A(counter7),
	MK_A(counter8), MK_A(counter9), MK_A(counter10), MK_A(counter11),
	MK_A(counter12), MK_A(counter13), MK_A(counter14), MK_A(counter15),
	&dev_attr_version.attr, &dev_attr_node_hz.attr, &dev_attr_timestamp_hz.attr,
	&dev_attr_fifo_depth.attr, &dev_attr_lines.attr, &dev_attr_node.attr, &dev_attr_cpus.attr,
	&dev_attr_traced.attr, &dev_attr_probes.attr,
	NULL,
};

static const struct attribute_group mk_group = { .attrs = mk_attrs };
const struct attribute_group *mk_groups[] = { &mk_group, NULL };
