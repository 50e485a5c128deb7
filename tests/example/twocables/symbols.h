/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses beside those of hw/qemu/core/load/symbols.h. No include guard: this file is a list. */
SYMBOL(qdev_prop_link)
