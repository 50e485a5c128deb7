/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses: see hw/qemu/core/symbols.h. No include guard: this file is a list. */
SYMBOL(object_dynamic_cast_assert)
SYMBOL(vmstate_info_uint32)
