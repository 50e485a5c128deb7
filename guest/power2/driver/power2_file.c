// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: /dev/power2 (guest/power2/uapi.h).
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "power2.h"

union p2_argument {
	struct p2_info info;
	u32 number;
};

static int p2_do(unsigned int command, union p2_argument *a)
{
	switch (command) {
	case P2_IOC_INFO:
		a->info = p2_card;
		return 0;
	default:
		return -ENOTTY;
	}
}

static long p2_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	union p2_argument a;
	int err;

	memset(&a, 0, sizeof(a));
	if (_IOC_TYPE(command) != _IOC_TYPE(P2_IOC_INFO) || _IOC_SIZE(command) > sizeof(a))
		return -ENOTTY;
	if (_IOC_DIR(command) & _IOC_WRITE && copy_from_user(&a, user, _IOC_SIZE(command)))
		return -EFAULT;
	err = p2_there() ? p2_do(command, &a) : -ENODEV;
	if (!err && _IOC_DIR(command) & _IOC_READ && copy_to_user(user, &a, _IOC_SIZE(command)))
		return -EFAULT;
	return err;
}

static int p2_open(struct inode *inode, struct file *file)
{
	return stream_open(inode, file);
}

const struct file_operations p2_operations = {
	.owner = THIS_MODULE,
	.open = p2_open,
	.unlocked_ioctl = p2_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
