/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses beside those of core/load/symbols.h. No include guard: this file is a list. */
SYMBOL(memory_region_init_ram)
SYMBOL(memory_region_set_dirty)
SYMBOL(qdev_prop_link)
SYMBOL(qdev_prop_size)
SYMBOL(qdev_prop_string)
SYMBOL(vmstate_info_bool)
SYMBOL(vmstate_info_int64)
SYMBOL(vmstate_info_uint16)
