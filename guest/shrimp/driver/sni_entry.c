// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sni.ko: exports and imports, which are entries of the board's page tables, and whose they are.
 *
 * A page is exported to all who have the device, or to those that the export names. Then the
 * export has a key of its own. The board drops a packet that has another one. What a program
 * gets for it is a grant: node, page frame and key, who may import it, and a seal. No program
 * can make a seal, since it is made with a secret that the drivers of all nodes have in common
 * (parameter secret=). So the importer's driver knows from the grant alone that the exporter's
 * has given it, and to whom.
 *
 * The keys of a page frame are counted up, and none comes twice: a packet of an import that has
 * outlived its export never meets the same key again. A frame that has had all is exported to all
 * only. The table keeps a frame's last key while nothing is exported, for the next driver.
 */
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "../../linux/kernels.h"
#include "sni_driver.h"

#define SNI_KEY_LAST (SNI_IPT_KEY_MASK >> SNI_IPT_KEY_SHIFT)

static char *secret;
module_param(secret, charp, 0); /* nobody reads it */
MODULE_PARM_DESC(secret,
		 "32 hexadecimal digits, the same on all nodes: seals what is exported to some");

static siphash_key_t sni_secret;

static int sni_take_secret(struct sni *s)
{
	if (!secret) {
		if (!s->board.index)
			get_random_bytes(&sni_secret, sizeof(sni_secret));
		return 0;
	}
	if (strlen(secret) == 2 * sizeof(sni_secret) &&
	    !hex2bin((u8 *)&sni_secret, secret, sizeof(sni_secret)))
		return 0;
	dev_err(s->board.dev, "secret: legal are %zu hexadecimal digits\n", 2 * sizeof(sni_secret));
	return -EINVAL;
}

u32 sni_coordinate(struct sni *s, u32 node)
{
	return SNI_PUT(COORD_X, node % s->width) | SNI_PUT(COORD_Y, node / s->width);
}

/* --- the tables --- */

static void sni_put_opt(struct sni *s, u32 frame, u32 opt0, u32 opt1)
{
	/* Off while the second word changes: the board reads both at every store. */
	sni_put(s, SNI_OPT(frame), 0);
	sni_put(s, SNI_OPT(frame) + 4, opt1);
	sni_put(s, SNI_OPT(frame), opt0);
}

static u32 sni_no_export(struct sni *s, u32 frame)
{
	return SNI_PUT(IPT_KEY, s->keys[frame]);
}

static void sni_clear_tables(struct sni *s)
{
	u32 frame;

	for (frame = 0; frame < SNI_PAGES; frame++) {
		sni_put_opt(s, frame, 0, 0);
		sni_put(s, SNI_IPT(frame), sni_no_export(s, frame));
	}
}

int sni_tables_init(struct sni *s)
{
	u32 frame;

	s->keys = devm_kcalloc(s->board.dev, SNI_PAGES, sizeof(*s->keys), GFP_KERNEL);
	if (!s->keys)
		return -ENOMEM;
	for (frame = 0; frame < SNI_PAGES; frame++)
		s->keys[frame] = SNI_GET(IPT_KEY, sni_get(s, SNI_IPT(frame)));
	sni_clear_tables(s);
	return sni_take_secret(s);
}

void sni_restore_tables(struct sni *s)
{
	struct sni_area *area;
	unsigned long i;

	sni_clear_tables(s);
	mutex_lock(&s->areas_mutex);
	list_for_each_entry(area, &s->areas, list)
		for (i = 0; i < area->mapped; i++) {
			struct sni_page *p = &area->pages[i];

			if (p->opt[0] | p->opt[1])
				sni_put_opt(s, sni_frame(p), p->opt[0], p->opt[1]);
			if (p->exporter.mm)
				sni_put(s, SNI_IPT(sni_frame(p)), p->ipt);
		}
	mutex_unlock(&s->areas_mutex);
}

bool sni_worn(struct sni *s, const struct sni_page *p)
{
	return s->keys[sni_frame(p)] == SNI_KEY_LAST;
}

/* --- entries and their owners: entries_mutex is held --- */

static void sni_own(struct sni_owner *owner, struct file *file)
{
	owner->mm = current->mm;
	owner->file = file;
	owner->files = current->files;
}

static void sni_end_export(struct sni *s, struct sni_page *p)
{
	if (!p->exporter.mm)
		return;
	if (p->ipt & SNI_IPT_INT)
		sni_notice_end(s, p);
	p->exporter.mm = NULL;
	p->ipt = sni_no_export(s, sni_frame(p));
	sni_put(s, SNI_IPT(sni_frame(p)), p->ipt);
}

static void sni_end_import(struct sni *s, struct sni_page *p)
{
	if (!p->importer.mm)
		return;
	p->importer.mm = NULL;
	p->opt[0] = 0;
	p->opt[1] &= SNI_OPT1_CONTEXT_MASK; /* words can be sent from it still */
	sni_put_opt(s, sni_frame(p), 0, p->opt[1]);
}

void sni_set_context(struct sni *s, struct sni_page *p, u32 context)
{
	const u32 opt1 = (p->opt[1] & ~SNI_OPT1_CONTEXT_MASK) | SNI_PUT(OPT1_CONTEXT, context);

	if (p->opt[1] == opt1)
		return;
	p->opt[1] = opt1;
	sni_put_opt(s, sni_frame(p), p->opt[0], opt1);
}

void sni_end_part(struct sni_area *area, struct mm_struct *mm, unsigned long first,
		  unsigned long count)
{
	unsigned long i;

	mutex_lock(&area->sni->entries_mutex);
	for (i = first; i < first + count && i < area->mapped; i++) {
		struct sni_page *p = &area->pages[i];

		if (p->exporter.mm == mm)
			sni_end_export(area->sni, p);
		if (p->importer.mm == mm)
			sni_end_import(area->sni, p);
		if (area->mm == mm) {
			p->left = true;
			sni_set_context(area->sni, p, 0);
		}
	}
	mutex_unlock(&area->sni->entries_mutex);
}

void sni_end_all(struct sni_area *area)
{
	unsigned long i;

	mutex_lock(&area->sni->entries_mutex);
	for (i = 0; i < area->mapped; i++) {
		sni_end_export(area->sni, &area->pages[i]);
		sni_end_import(area->sni, &area->pages[i]);
		sni_set_context(area->sni, &area->pages[i], 0);
	}
	mutex_unlock(&area->sni->entries_mutex);
}

static bool sni_owns(const struct sni_owner *owner, struct file *file, fl_owner_t files)
{
	return owner->mm && owner->file == file && (!files || owner->files == files);
}

void sni_end_entries(struct sni *s, struct file *file, fl_owner_t files)
{
	struct sni_area *area;
	unsigned long i;

	mutex_lock(&s->areas_mutex);
	mutex_lock(&s->entries_mutex);
	list_for_each_entry(area, &s->areas, list)
		for (i = 0; i < area->mapped; i++) {
			struct sni_page *p = &area->pages[i];

			if (sni_owns(&p->exporter, file, files))
				sni_end_export(s, p);
			if (sni_owns(&p->importer, file, files))
				sni_end_import(s, p);
		}
	mutex_unlock(&s->entries_mutex);
	mutex_unlock(&s->areas_mutex);
}

/* --- what programs ask for --- */

/* The page, which stays mapped until sni_page_done(). NULL: it is none of the caller's. */
static struct sni_page *sni_page_begin(struct sni *s, u64 addr)
{
	struct sni_area *area;
	struct sni_page *p;

	if (!current->mm)
		return NULL;
	mmap_read_lock(current->mm);
	p = sni_page_find(s, addr, &area);
	if (p)
		mutex_lock(&s->entries_mutex);
	else
		mmap_read_unlock(current->mm);
	return p;
}

static void sni_page_done(struct sni *s)
{
	mutex_unlock(&s->entries_mutex);
	mmap_read_unlock(current->mm);
}

static int sni_export_with(struct sni *s, struct file *file, const struct sni_export *e,
			   struct sni_page *p, u32 key)
{
	if (e->color > 15 || e->interrupt > 1 || e->valid > 1)
		return -EINVAL;
	if (!e->valid) {
		sni_end_export(s, p);
		return 0;
	}
	if (e->interrupt && !(p->ipt & SNI_IPT_INT) && !sni_notice_room(s))
		return -ENOSPC;
	if (p->ipt & SNI_IPT_INT)
		sni_notice_end(s, p);
	sni_own(&p->exporter, file);
	if (e->interrupt)
		sni_notice_begin(s, p, e->addr);
	p->ipt = SNI_IPT_VALID | SNI_PUT(IPT_COLOR, e->color) | SNI_PUT(IPT_KEY, key) |
		 (e->interrupt ? SNI_IPT_INT : 0);
	sni_put(s, SNI_IPT(sni_frame(p)), p->ipt);
	return 0;
}

int sni_export(struct sni *s, struct file *file, const struct sni_export *e)
{
	struct sni_page *p = sni_page_begin(s, e->addr);
	int err;

	if (!p)
		return -EFAULT;
	err = sni_export_with(s, file, e, p, 0);
	sni_page_done(s);
	return err;
}

/* Good for one network: frames and keys are the same numbers on another board's. */
static u64 sni_seal(struct sni *s, const struct sni_grant *g)
{
	return siphash_3u64((u64)g->node << 32 | g->pfn, (u64)g->to_node << 32 | g->to_user,
			    (u64)s->board.index << 32 | g->key, &sni_secret);
}

/* As the first namespace numbers it: nodes have these numbers in common. */
static int sni_user_of(u32 user, u32 *number)
{
	const kuid_t id = make_kuid(current_user_ns(), user);

	*number = SNI_ANY;
	if (user == SNI_ANY)
		return 0;
	if (!uid_valid(id))
		return -EINVAL;
	*number = from_kuid(&init_user_ns, id);
	return 0;
}

int sni_export_to(struct sni *s, struct file *file, struct sni_export_to *e)
{
	struct sni_grant g = { .node = s->node, .to_node = e->node };
	struct sni_page *p;
	u32 frame;
	int err = sni_user_of(e->user, &g.to_user);

	if (err || !e->page.valid || (e->node != SNI_ANY && e->node >= s->nodes))
		return -EINVAL;
	p = sni_page_begin(s, e->page.addr);
	if (!p)
		return -EFAULT;
	frame = sni_frame(p);
	if (sni_worn(s, p)) {
		err = -ENOSPC;
	} else {
		g.pfn = frame;
		g.key = s->keys[frame] + 1;
		err = sni_export_with(s, file, &e->page, p, g.key);
	}
	if (!err) {
		s->keys[frame] = g.key;
		g.seal = sni_seal(s, &g);
		e->grant = g;
	}
	sni_page_done(s);
	return err;
}

static int sni_write_import(struct sni *s, struct file *file, const struct sni_import *m,
			    struct sni_page *p, u32 key)
{
	const u32 known = SNI_IMPORT_AU | SNI_IMPORT_COMBINE | SNI_IMPORT_TIMEOUT | SNI_IMPORT_DU;
	u32 word = SNI_PUT(OPT1_KEY, key) | (p->opt[1] & SNI_OPT1_CONTEXT_MASK);

	if (m->flags & ~known)
		return -EINVAL;
	if (!m->flags) {
		sni_end_import(s, p);
		return 0;
	}
	if (m->node >= s->nodes || m->pfn >= SNI_PAGES)
		return -EINVAL;
	if (m->flags & SNI_IMPORT_COMBINE) {
		if (!is_power_of_2(m->boundary) || m->boundary < 256 || m->boundary > 4096)
			return -EINVAL;
		word |= SNI_OPT1_COMB | SNI_PUT(OPT1_BOUND, ilog2(m->boundary) - 8);
	}
	if (m->flags & SNI_IMPORT_TIMEOUT)
		word |= SNI_OPT1_TOE;
	sni_own(&p->importer, file);
	p->opt[0] = SNI_PUT(OPT0_DPAGE, m->pfn) | SNI_PUT(OPT0_DNODE, sni_coordinate(s, m->node)) |
		    (m->flags & SNI_IMPORT_AU ? SNI_OPT0_AU : 0) |
		    (m->flags & SNI_IMPORT_DU ? SNI_OPT0_DU : 0);
	p->opt[1] = word;
	sni_put_opt(s, sni_frame(p), p->opt[0], p->opt[1]);
	return 0;
}

static int sni_import_with(struct sni *s, struct file *file, const struct sni_import *m, u32 key)
{
	struct sni_page *p = sni_page_begin(s, m->addr);
	int err;

	if (!p)
		return -EFAULT;
	err = sni_write_import(s, file, m, p, key);
	sni_page_done(s);
	return err;
}

int sni_import(struct sni *s, struct file *file, const struct sni_import *m)
{
	return sni_import_with(s, file, m, 0);
}

int sni_import_from(struct sni *s, struct file *file, struct sni_import_from *m)
{
	const struct sni_grant *g = &m->grant;

	if (g->seal != sni_seal(s, g) || (g->to_node != SNI_ANY && g->to_node != s->node) ||
	    (g->to_user != SNI_ANY && g->to_user != from_kuid(&init_user_ns, current_euid())))
		return -EACCES;
	m->page.node = g->node;
	m->page.pfn = g->pfn;
	return sni_import_with(s, file, &m->page, g->key);
}

int sni_import_of(struct sni *s, u64 addr, u32 *node, u32 *pfn, u32 *key)
{
	struct sni_page *p = sni_page_begin(s, addr);
	bool is;

	if (!p)
		return -EFAULT;
	is = p->importer.mm;
	*node = SNI_GET(OPT0_DNODE, p->opt[0]);
	*node = SNI_GET(COORD_Y, *node) * s->width + SNI_GET(COORD_X, *node);
	*pfn = SNI_GET(OPT0_DPAGE, p->opt[0]);
	*key = SNI_GET(OPT1_KEY, p->opt[1]);
	sni_page_done(s);
	return is ? 0 : -ENXIO;
}
