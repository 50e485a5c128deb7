// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: the counters in the kernel's perf subsystem: perf stat -e power2/fxu0_instructions/
 * COMMAND.
 *
 * Counters have no interrupt, so perf can count with them, and not sample. A counter's event is a
 * matter of its unit's group, and whether privileged state counts is one of all counters. Events
 * that do not agree in these cannot count at the same time: perf takes turns with them, and scales.
 * An event that several groups have is taken from whichever its unit is set to.
 *
 * The PMU is there as long as the module is: events can outlive the card.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "power2.h"
#include "../events.h"
#include "../../linux/kernels.h"

#define P2_PERF_MOST 64 /* events at the same time; some may be the same */
#define P2_PERF_GUARD ms_to_ktime(10)

enum { P2_UNIT_SGA = 4, P2_UNIT_DEDICATED = 5 };

/* perf_event_attr.config; config1 is IMR. */
#define P2_CONFIG_UNIT(c) ((c)&0xf)
#define P2_CONFIG_GROUP(c) ((c) >> 4 & 0xf)
#define P2_CONFIG_COUNTER(c) ((c) >> 8 & 0x1f)
#define P2_CONFIG_MARKED (1ull << 16)
#define P2_CONFIG_UNMARKED (1ull << 17)
#define P2_CONFIG_ALL 0x31fffull

struct p2_place {
	const char *name;
	u8 unit, group, counter;
};
#define P2_PLACE(name, unit, group, counter, text) { #name, unit, group, counter },
static const struct p2_place p2_places[] = { P2_EVENTS(P2_PLACE) };
/* The place with the same name in the lowest group: those need the least of the machine. */
static u16 p2_first[ARRAY_SIZE(p2_places)];

#define P2_ALIAS(other, name) { #other, #name },
static const struct {
	const char *other, *name;
} p2_aliases[] = { P2_EVENT_ALIASES(P2_ALIAS) };

/* What the events that count on a processor have MMCR and IMR be. */
struct p2_setting {
	u32 mmcr, imr;
	unsigned int users[P2_UNITS + 1]; /* of each unit's group; of SGA */
	unsigned int imr_users, events;
};

struct p2_perf {
	struct p2_setting setting;
	struct perf_event *event[P2_PERF_MOST];
	struct hrtimer timer;
};
static DEFINE_PER_CPU(struct p2_perf, p2_perfs);

/* --- a setting --- */

static u32 p2_group_bits(const struct p2_place *place)
{
	return place->unit < P2_UNITS ? place->group << (12 - 4 * place->unit) :
	       place->unit == P2_UNIT_SGA ? P2_MMCR_SGA : 0;
}

static u32 p2_group_mask(const struct p2_place *place)
{
	return place->unit < P2_UNITS ? 0xf << (12 - 4 * place->unit) : 0;
}

static bool p2_fits_place(const struct p2_setting *s, const struct p2_place *place)
{
	unsigned int unit;

	if (place->unit == P2_UNIT_DEDICATED)
		return true;
	if (place->unit == P2_UNIT_SGA) {
		for (unit = 0; unit < P2_UNITS; unit++)
			if (s->users[unit])
				return false;
		return true;
	}
	return !s->users[P2_UNIT_SGA] &&
	       (!s->users[place->unit] || (s->mmcr & p2_group_mask(place)) == p2_group_bits(place));
}

/* Costs no unit its choice of a group. */
static bool p2_fits_free(const struct p2_setting *s, const struct p2_place *place)
{
	return place->unit <= P2_UNITS && s->users[place->unit] && p2_fits_place(s, place);
}

/* The place that the event can have beside those that the setting has; -1: none. */
static int p2_fit(const struct p2_setting *s, const struct perf_event *event)
{
	const u32 control = event->hw.config, imr = event->attr.config1;
	const int asked = event->hw.config_base;
	int i;

	if (s->events &&
	    (s->mmcr & (P2_MMCR_DP | P2_MMCR_DU | P2_MMCR_DMS | P2_MMCR_DMR)) != control)
		return -1;
	if (imr && s->imr_users && s->imr != imr)
		return -1;
	if (s->events == P2_PERF_MOST)
		return -1;
	for (i = 0; i < ARRAY_SIZE(p2_places); i++)
		if (p2_first[i] == p2_first[asked] && p2_fits_free(s, &p2_places[i]))
			return i;
	if (p2_fits_place(s, &p2_places[asked]))
		return asked;
	for (i = 0; i < ARRAY_SIZE(p2_places); i++)
		if (p2_first[i] == p2_first[asked] && p2_fits_place(s, &p2_places[i]))
			return i;
	return -1;
}

static void p2_take(struct p2_setting *s, const struct perf_event *event, int at)
{
	const struct p2_place *place = &p2_places[at];

	s->mmcr = (s->mmcr & ~p2_group_mask(place)) | p2_group_bits(place) | (u32)event->hw.config;
	if (event->attr.config1) {
		s->imr = event->attr.config1;
		s->imr_users++;
	}
	if (place->unit <= P2_UNITS)
		s->users[place->unit]++;
	s->events++;
}

static void p2_give(struct p2_setting *s, const struct perf_event *event, int at)
{
	const struct p2_place *place = &p2_places[at];

	if (event->attr.config1)
		s->imr_users--;
	if (place->unit <= P2_UNITS && !--s->users[place->unit])
		s->mmcr &= ~(p2_group_mask(place) | p2_group_bits(place));
	if (!--s->events)
		s->mmcr = 0;
}

/* --- what perf calls; interrupts are off, on the event's processor --- */

static bool p2_works(void)
{
	return this_cpu_ptr(&p2_cpus)->works;
}

/* False: the monitor does not answer (power2_cpu.c). A counter may hold all ones, MMCR cannot. */
static bool p2_perf_counter(const struct perf_event *event, u32 *now)
{
	*now = p2_get(P2R_COUNTER(event->hw.event_base));
	if (likely(*now != U32_MAX || p2_get(P2R_MMCR) != U32_MAX))
		return true;
	this_cpu_ptr(&p2_cpus)->unanswered++;
	return false;
}

/* event->hw.flags: where the counter stood at the event's start is not known. */
#define P2_PERF_UNKNOWN 1

static void p2_perf_read(struct perf_event *event)
{
	u32 now;

	if (!p2_works() || event->hw.state & PERF_HES_STOPPED)
		return;
	if (!p2_perf_counter(event, &now))
		return;
	if (unlikely(event->hw.flags & P2_PERF_UNKNOWN)) {
		event->hw.flags &= ~P2_PERF_UNKNOWN;
		local64_set(&event->hw.prev_count, now);
	}
	local64_add((u32)(now - (u32)local64_xchg(&event->hw.prev_count, now)), &event->count);
}

/* It counts from what the counter holds now. */
static void p2_perf_begin(struct perf_event *event)
{
	u32 now;

	event->hw.flags &= ~P2_PERF_UNKNOWN;
	if (p2_perf_counter(event, &now))
		local64_set(&event->hw.prev_count, now);
	else
		event->hw.flags |= P2_PERF_UNKNOWN;
}

static void p2_perf_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	if (p2_works())
		p2_perf_begin(event);
	perf_event_update_userpage(event);
}

static void p2_perf_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	p2_perf_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int p2_perf_add(struct perf_event *event, int flags)
{
	struct p2_perf *p = this_cpu_ptr(&p2_perfs);
	int at = p2_fit(&p->setting, event), i;

	if (at < 0 || !p2_works())
		return -EAGAIN;
	for (i = 0; p->event[i]; i++)
		;
	p->event[i] = event;
	p2_take(&p->setting, event, at);
	event->hw.idx = at;
	event->hw.event_base = p2_places[at].unit < P2_UNITS ?
			       P2_UNIT_COUNTERS * p2_places[at].unit + p2_places[at].counter :
			       p2_places[at].counter;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!hrtimer_active(&p->timer))
		hrtimer_start(&p->timer, P2_PERF_GUARD, HRTIMER_MODE_REL_PINNED_HARD);
	if (flags & PERF_EF_START)
		p2_perf_start(event, 0);
	return 0;
}

static void p2_perf_del(struct perf_event *event, int flags)
{
	struct p2_perf *p = this_cpu_ptr(&p2_perfs);
	int i;

	p2_perf_stop(event, PERF_EF_UPDATE);
	for (i = 0; p->event[i] != event; i++)
		;
	p->event[i] = NULL;
	p2_give(&p->setting, event, event->hw.idx);
	perf_event_update_userpage(event);
}

static void p2_perf_disable(struct pmu *pmu)
{
	if (p2_works() && p2_perf_events)
		p2_put(P2R_MMCR, P2_MMCR_DIS);
}

static void p2_perf_enable(struct pmu *pmu)
{
	const struct p2_setting *s = &this_cpu_ptr(&p2_perfs)->setting;

	if (!p2_works() || !s->events)
		return;
	if (s->imr_users)
		p2_put(P2R_IMR, s->imr);
	p2_put(P2R_MMCR, s->mmcr);
}

static enum hrtimer_restart p2_perf_tick(struct hrtimer *timer)
{
	struct p2_perf *p = container_of(timer, struct p2_perf, timer);
	int i;

	if (!p->setting.events)
		return HRTIMER_NORESTART;
	for (i = 0; i < P2_PERF_MOST; i++)
		if (p->event[i])
			p2_perf_read(p->event[i]);
	hrtimer_forward_now(timer, P2_PERF_GUARD);
	return HRTIMER_RESTART;
}

/* The monitor loses its power, or has it back: on the processor itself, interrupts off. */
void p2_perf_save(void)
{
	struct p2_perf *p = this_cpu_ptr(&p2_perfs);
	int i;

	for (i = 0; i < P2_PERF_MOST; i++)
		if (p->event[i])
			p2_perf_read(p->event[i]);
}

void p2_perf_load(void)
{
	struct p2_perf *p = this_cpu_ptr(&p2_perfs);
	int i;

	for (i = 0; i < P2_PERF_MOST; i++)
		if (p->event[i])
			p2_perf_begin(p->event[i]);
	p2_perf_enable(NULL);
}

/* --- a new event --- */

static void p2_perf_destroy(struct perf_event *event)
{
	p2_release_perf();
}

/* Can all of a group count at the same time? */
static bool p2_fits_group(struct perf_event *event, struct pmu *pmu)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct p2_setting s = {};
	int at;

	/* A leader is alone yet, and its list is not to be walked: it has no context. */
	if (leader == event)
		return p2_fit(&s, event) >= 0;
	if (leader->pmu == pmu) {
		at = p2_fit(&s, leader);
		if (at < 0)
			return false;
		p2_take(&s, leader, at);
	}
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu != pmu || sibling == event)
			continue;
		at = p2_fit(&s, sibling);
		if (at < 0)
			return false;
		p2_take(&s, sibling, at);
	}
	return p2_fit(&s, event) >= 0;
}

static int p2_place_of(u64 config)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(p2_places); i++)
		if (p2_places[i].unit == P2_CONFIG_UNIT(config) &&
		    p2_places[i].group == P2_CONFIG_GROUP(config) &&
		    p2_places[i].counter == P2_CONFIG_COUNTER(config))
			return i;
	return -EINVAL;
}

static int p2_perf_init_event(struct perf_event *event)
{
	const struct perf_event_attr *a = &event->attr;
	int at, err;

	if (a->type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || has_branch_stack(event))
		return -EOPNOTSUPP;
	if (a->config & ~P2_CONFIG_ALL || a->config1 >> 32 || a->config2 ||
	    (a->exclude_user && a->exclude_kernel) || a->exclude_idle)
		return -EINVAL;
	if (a->config & P2_CONFIG_MARKED && a->config & P2_CONFIG_UNMARKED)
		return -EINVAL;
	at = p2_place_of(a->config);
	if (at < 0)
		return at;
	event->hw.config_base = at;
	event->hw.config = (a->exclude_kernel ? P2_MMCR_DP : 0) |
			   (a->exclude_user ? P2_MMCR_DU : 0) |
			   (a->config & P2_CONFIG_MARKED ? P2_MMCR_DMR : 0) |
			   (a->config & P2_CONFIG_UNMARKED ? P2_MMCR_DMS : 0);
	event->hw.idx = -1;
	if (!p2_fits_group(event, event->pmu))
		return -EINVAL;
	err = p2_hold_perf(event->parent); /* an error for a child would be one of its fork */
	if (!err)
		event->destroy = p2_perf_destroy;
	return err;
}

/* --- sysfs: /sys/bus/event_source/devices/power2 --- */

PMU_FORMAT_ATTR(unit, "config:0-3");
PMU_FORMAT_ATTR(group, "config:4-7");
PMU_FORMAT_ATTR(counter, "config:8-12");
PMU_FORMAT_ATTR(marked, "config:16");
PMU_FORMAT_ATTR(unmarked, "config:17");
PMU_FORMAT_ATTR(imr, "config1:0-31");

static struct attribute *p2_formats[] = {
	&format_attr_unit.attr,
	&format_attr_group.attr,
	&format_attr_counter.attr,
	&format_attr_marked.attr,
	&format_attr_unmarked.attr,
	&format_attr_imr.attr,
	NULL,
};
static const struct attribute_group p2_format_group = { .name = "format", .attrs = p2_formats };

struct p2_event_attribute {
	struct device_attribute attribute;
	int at;
};
#define P2_EVENT_ATTRIBUTES (ARRAY_SIZE(p2_places) + ARRAY_SIZE(p2_aliases))
static struct p2_event_attribute p2_event_attributes[P2_EVENT_ATTRIBUTES];
static struct attribute *p2_event_list[P2_EVENT_ATTRIBUTES + 1];
static const struct attribute_group p2_event_group = { .name = "events", .attrs = p2_event_list };
static const struct attribute_group *p2_perf_groups[] = { &p2_format_group, &p2_event_group, NULL };

static ssize_t p2_event_show(struct device *dev, struct device_attribute *attribute, char *text)
{
	const struct p2_place *place =
		&p2_places[container_of(attribute, struct p2_event_attribute, attribute)->at];

	return sysfs_emit(text, "unit=%u,group=%u,counter=%u\n", place->unit, place->group,
			  place->counter);
}

static void p2_event_name(unsigned int n, const char *name, int at)
{
	struct p2_event_attribute *e = &p2_event_attributes[n];

	sysfs_attr_init(&e->attribute.attr);
	e->attribute.attr.name = name;
	e->attribute.attr.mode = 0444;
	e->attribute.show = p2_event_show;
	e->at = at;
	p2_event_list[n] = &e->attribute.attr;
}

static int p2_first_of(const char *name)
{
	int best = -1, i;

	for (i = 0; i < ARRAY_SIZE(p2_places); i++)
		if (!strcmp(p2_places[i].name, name) &&
		    (best < 0 ||
		     (p2_places[i].unit < P2_UNITS && p2_places[i].group < p2_places[best].group)))
			best = i;
	return best;
}

/* Each name once. */
static void p2_event_names(void)
{
	unsigned int n = 0;
	int i, at;

	for (i = 0; i < ARRAY_SIZE(p2_places); i++) {
		p2_first[i] = p2_first_of(p2_places[i].name);
		if (p2_first[i] == i)
			p2_event_name(n++, p2_places[i].name, i);
	}
	for (i = 0; i < ARRAY_SIZE(p2_aliases); i++) {
		at = p2_first_of(p2_aliases[i].name);
		if (at >= 0)
			p2_event_name(n++, p2_aliases[i].other, at);
	}
}

/* --- the PMU --- */

static struct pmu p2_pmu = {
	.module = THIS_MODULE,
	.attr_groups = p2_perf_groups,
	/* A kernel that has one PMU of the hardware takes this as another kind of processor's. */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_HETEROGENEOUS_CPUS,
#else
	.capabilities = PERF_PMU_CAP_NO_INTERRUPT,
#endif
	.task_ctx_nr = perf_hw_context,
	.event_init = p2_perf_init_event,
	.add = p2_perf_add,
	.del = p2_perf_del,
	.start = p2_perf_start,
	.stop = p2_perf_stop,
	.read = p2_perf_read,
	.pmu_enable = p2_perf_enable,
	.pmu_disable = p2_perf_disable,
};

int p2_perf_init(void)
{
	int cpu;

	p2_event_names();
	for_each_possible_cpu(cpu) {
		struct p2_perf *p = per_cpu_ptr(&p2_perfs, cpu);

		hrtimer_setup(&p->timer, p2_perf_tick, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	return perf_pmu_register(&p2_pmu, "power2", -1);
}

void p2_perf_exit(void)
{
	int cpu;

	perf_pmu_unregister(&p2_pmu);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(p2_perfs, cpu).timer);
}
