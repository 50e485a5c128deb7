/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses beside those of core/load/symbols.h. No include guard: this file is a list. */
SYMBOL(isa_bus_get_irq)
SYMBOL(memory_region_init_rom_nomigrate)
SYMBOL(pci_address_space)
SYMBOL(pci_address_space_io)
SYMBOL(qbus_init)
SYMBOL(qdev_get_parent_bus)
SYMBOL(qdev_prop_bool)
SYMBOL(qdev_prop_uint32)
SYMBOL(vmstate_info_uint16)
