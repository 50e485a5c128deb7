/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The device types of perfboard.so: one registration function for each shim. */
#ifndef PERFBOARD_QEMU_TYPES_H
#define PERFBOARD_QEMU_TYPES_H

void perfboard_register_eisa(void);      /* EISA bus, i82375 */
void perfboard_register_surfboard(void);
void perfboard_register_sni(void);
void perfboard_register_multikron(void);

#endif
