/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses: see core/symbols.h. No include guard: this file is a list. */
SYMBOL(current_machine)
SYMBOL(memory_region_init_io)
SYMBOL(object_class_dynamic_cast_assert)
SYMBOL(object_dynamic_cast_assert)
SYMBOL(pci_register_bar)
SYMBOL(type_register_static)
