/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The symbols of QEMU that this folder uses beside those of core/load/symbols.h. No include guard: this file is a list. */
SYMBOL(qdev_prop_netdev)
SYMBOL(qdev_prop_uint32)
SYMBOL(qemu_can_send_packet)
SYMBOL(qemu_new_net_client)
SYMBOL(qemu_send_packet)
