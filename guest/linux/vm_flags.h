/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vm_flags.h - a mapping's flags: kernels before 6.3 have no functions for them. And the flags of a
 * device's memory.
 */
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

/* Programs run nothing that lies there; ops enters the pages. */
static inline int vm_map_device(struct vm_area_struct *vma, pgprot_t prot,
				const struct vm_operations_struct *ops)
{
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	vm_flags_clear(vma, VM_MAYEXEC);
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = prot;
	vma->vm_ops = ops;
	return 0;
}

#endif
