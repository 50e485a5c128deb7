/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ioctl_call.h - what all ioctls of the uapi have alike: a structure comes from the program, and
 * goes back if the call succeeds.
 *
 *   ENOTTY  another device's, or a larger structure than any of this one's
 *   EBADF   it changes something, and the descriptor may not write
 *   EFAULT  the structure is not there
 */
#ifndef PERFBOARD_IOCTL_CALL_H
#define PERFBOARD_IOCTL_CALL_H

#include <linux/fs.h>
#include <linux/string.h>
#include <linux/uaccess.h>

struct ioctl_calls {
	unsigned int magic;
	bool (*changes)(unsigned int command);
	int (*call)(struct file *file, unsigned int command, void *argument);
	bool (*answers)(unsigned int command); /* when it fails, too; NULL: none does */
};

/* argument: room for the largest structure. */
static inline long ioctl_call(const struct ioctl_calls *calls, struct file *file,
			      unsigned int command, unsigned long user, void *argument,
			      size_t bytes)
{
	int err;

	memset(argument, 0, bytes);
	if (_IOC_TYPE(command) != calls->magic || _IOC_SIZE(command) > bytes)
		return -ENOTTY;
	if (!(file->f_mode & FMODE_WRITE) && calls->changes(command))
		return -EBADF;
	if (_IOC_DIR(command) & _IOC_WRITE &&
	    copy_from_user(argument, (void __user *)user, _IOC_SIZE(command)))
		return -EFAULT;
	err = calls->call(file, command, argument);
	if ((!err || (calls->answers && calls->answers(command))) &&
	    _IOC_DIR(command) & _IOC_READ &&
	    copy_to_user((void __user *)user, argument, _IOC_SIZE(command)))
		return -EFAULT;
	return err;
}

#endif
