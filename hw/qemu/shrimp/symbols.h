/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses beside those of core/load/symbols.h. No include guard: this file is a list. */
SYMBOL(error_prepend)
SYMBOL(qdev_prop_bool)
SYMBOL(qdev_prop_size32)
SYMBOL(qdev_prop_string)
SYMBOL(qdev_prop_uint32)
SYMBOL(vmstate_info_uint16)
