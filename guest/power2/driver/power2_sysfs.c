// SPDX-License-Identifier: GPL-2.0-or-later
/* power2.ko: attributes in /sys/class/misc/power2. */
#include <linux/sysfs.h>

#include "power2.h"

#define P2_SHOW(name, format, value) \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, \
				   char *text) \
	{ \
		return sysfs_emit(text, format "\n", value); \
	} \
	static DEVICE_ATTR_RO(name)

P2_SHOW(version, "%u", p2_card.version);
P2_SHOW(monitors, "%u", p2_card.monitors);
P2_SHOW(clock_hz, "%u", p2_card.clock_hz);
P2_SHOW(node, "%u", p2_card.node);
P2_SHOW(sessions, "%u", READ_ONCE(p2_sessions));
P2_SHOW(perf_events, "%u", READ_ONCE(p2_perf_events));
P2_SHOW(processes, "%u", p2_task_count()); /* entries: counted or marked */
P2_SHOW(probes, "%u", p2_probes_on());	   /* 1: the scheduler is probed */
P2_SHOW(unanswered, "%llu", p2_unanswered()); /* how often a monitor did not answer */

static struct attribute *p2_attributes[] = {
	&dev_attr_version.attr,	   &dev_attr_monitors.attr,
	&dev_attr_clock_hz.attr,   &dev_attr_node.attr,
	&dev_attr_sessions.attr,   &dev_attr_perf_events.attr,
	&dev_attr_processes.attr,  &dev_attr_probes.attr,
	&dev_attr_unanswered.attr, NULL,
};
static const struct attribute_group p2_group = { .attrs = p2_attributes };
const struct attribute_group *p2_groups[] = { &p2_group, NULL };
