/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open_files.h - the open files of a card whose pages programs map: when it goes away, its pages
 * leave all page tables.
 *
 *   open_file_add(file, card, &card->life, &card->files)    in open: file->private_data is then a
 *                                                           struct open_file
 *   open_file_remove(file, &card->life)                     in release
 *   open_files_unmap(&card->files)                          life is held for writing
 *   open_files_of(user, &card->files)                       life is held: whether this user has one
 */
#ifndef PERFBOARD_OPEN_FILES_H
#define PERFBOARD_OPEN_FILES_H

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

struct open_file {
	struct list_head list; /* of the card's files */
	void *card;
	kuid_t user; /* who opened it */
	struct address_space *mapping; /* each of a device's nodes in file systems has its own */
};

static inline int open_file_add(struct file *file, void *card, struct rw_semaphore *life,
				struct list_head *files)
{
	struct open_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->card = card;
	f->user = file->f_cred->euid;
	f->mapping = file->f_mapping;
	file->private_data = f;
	down_write(life);
	list_add(&f->list, files);
	up_write(life);
	return 0;
}

static inline void open_file_remove(struct file *file, struct rw_semaphore *life)
{
	struct open_file *f = file->private_data;

	down_write(life);
	list_del(&f->list);
	up_write(life);
	kfree(f);
}

static inline bool open_files_of(kuid_t user, struct list_head *files)
{
	struct open_file *f;

	list_for_each_entry(f, files, list)
		if (uid_eq(f->user, user))
			return true;
	return false;
}

static inline void open_files_unmap(struct list_head *files)
{
	struct open_file *f;

	list_for_each_entry(f, files, list)
		unmap_mapping_range(f->mapping, 0, 0, 1);
}

#endif
