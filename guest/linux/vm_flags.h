/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vm_flags.h - a mapping's flags: kernels before 6.3 have no functions for them. */
#ifndef PERFBOARD_VM_FLAGS_H
#define PERFBOARD_VM_FLAGS_H

#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif
