/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PCI boards that come and go while the machine runs: device_add, device_del, and a guest that ejects one without anybody's asking.
 *
 * board_type.h says it of each: PbBoardType.pci.exit and PbBoardType.free.
 *
 *   exit(pci)         undoes what realize() has done. It is called when the board is unplugged, and when realize() fails, with whatever
 *                     was done by then; and perhaps once more. What it frees is nothing that an access needs
 *   free(obj)         the rest: nobody is in the middle of an access any more, and each vCPU has been
 *                     between two blocks since exit()
 *
 * pb_glue_last() comes by itself in front of exit(), and pb_glue_leave() behind it. Windows go as they move, between two blocks (commit.h). Until then an access reads all
 * ones; behind that there is what the machine has at an address where nothing is.
 *
 * A recording does not hold what a monitor does: while QEMU records or replays no board is hotpluggable (record.c), and QEMU says so.
 *
 * Big lock held.
 */
#ifndef PERFBOARD_QEMU_CORE_PLUG_H
#define PERFBOARD_QEMU_CORE_PLUG_H

#include "qom/object.h"

void pb_plug_class_init(ObjectClass *klass); /* by board_type.c */

#endif
