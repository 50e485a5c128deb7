/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vm_flags.h - the flags of a mapping of a device's memory.
 */
#ifndef PERFBOARD_VM_FLAGS_H
#define PERFBOARD_VM_FLAGS_H

#include <linux/mm.h>

#include "kernels.h"

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
