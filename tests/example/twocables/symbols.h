/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses: see hw/qemu/core/symbols.h. No include guard: this file is a list. */
SYMBOL(device_class_set_props_n)
SYMBOL(object_class_dynamic_cast_assert)
SYMBOL(object_class_property_add)
SYMBOL(qdev_prop_link)
SYMBOL(type_register_static_array)
SYMBOL(visit_type_uint64)
