/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses: see hw/qemu/core/symbols.h. No include guard: this file is a list. */
SYMBOL(error_setg_internal)
SYMBOL(object_dynamic_cast_assert)
SYMBOL(pci_register_bar)
SYMBOL(pci_set_irq)
SYMBOL(vmstate_info_uint32)
SYMBOL(vmstate_pci_device)
