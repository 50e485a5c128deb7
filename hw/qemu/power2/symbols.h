/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses beside those of core/load/symbols.h. No include guard: this file is a list. */
SYMBOL(qdev_prop_bool)
SYMBOL(qdev_prop_size)
SYMBOL(qdev_prop_string)
SYMBOL(qdev_prop_uint32)
SYMBOL(warn_report)
