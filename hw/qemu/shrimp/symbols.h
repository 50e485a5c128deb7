/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses: see core/symbols.h. No include guard: this file is a list. */
SYMBOL(error_setg_internal)
SYMBOL(memory_region_transaction_begin)
SYMBOL(object_class_dynamic_cast_assert)
SYMBOL(object_dynamic_cast_assert)
SYMBOL(object_resolve_path_type)
SYMBOL(qdev_prop_bool)
SYMBOL(qdev_prop_size32)
SYMBOL(qdev_prop_uint32)
SYMBOL(qemu_mutex_lock_func)
SYMBOL(qemu_mutex_unlock_impl)
SYMBOL(vmstate_info_uint16)
SYMBOL(vmstate_info_uint32)
SYMBOL(vmstate_info_uint32_equal)
SYMBOL(vmstate_info_uint64)
SYMBOL(vmstate_info_uint8)
