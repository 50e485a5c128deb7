/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PCI boards that come and go while the machine runs: device_add, device_del, and a guest that ejects one without anybody's asking.
 *
 *   pc->realize = my_realize; pc->exit = my_exit; pb_plug_class_init(klass);      in class_init
 *   .instance_finalize = my_finalize,                                            in the TypeInfo
 *
 *   my_exit(pci)      undoes what my_realize() has done. It is called when the board is unplugged, and when my_realize() fails, with whatever
 *                     was done by then; and perhaps once more. What it frees is nothing that an access needs
 *   my_finalize(obj)  the rest, pb_glue_free() and pb_tap_free() among it: nobody is in the middle of an access any more, and each vCPU has been
 *                     between two blocks since my_exit()
 *
 * pb_glue_leave() comes by itself, behind my_exit(). Windows go as they move, between two blocks (windows.h). Until then an access reads all
 * ones; behind that there is what the machine has at an address where nothing is.
 *
 * A recording does not hold what a monitor does: while QEMU records or replays no board is hotpluggable (record.c), and QEMU says so.
 *
 * Big lock held.
 */
#ifndef PERFBOARD_QEMU_CORE_PLUG_H
#define PERFBOARD_QEMU_CORE_PLUG_H

#include "qom/object.h"

void pb_plug_class_init(ObjectClass *klass);

#endif
