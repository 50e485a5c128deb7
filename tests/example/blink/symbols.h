/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses: see hw/qemu/core/symbols.h. No include guard: this file is a list. */
SYMBOL(device_class_set_props_n)
SYMBOL(error_setg_internal)
SYMBOL(memory_region_init_io)
SYMBOL(object_class_dynamic_cast_assert)
SYMBOL(pci_register_bar)
SYMBOL(qdev_prop_link)
SYMBOL(qdev_prop_string)
SYMBOL(qemu_mutex_init)
SYMBOL(qemu_mutex_lock_func)
SYMBOL(qemu_mutex_unlock_impl)
SYMBOL(type_register_static)
SYMBOL(vmstate_info_uint64)
SYMBOL(vmstate_pci_device)
