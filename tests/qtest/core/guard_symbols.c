/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every name of symbols.h, so that guard_host.c has them all. The object only looks whether they are there: what it
 * calls while it is loaded is defined in guard_host.c, in whose favour these are weak. */
#define SYMBOL(name) __attribute__((weak)) char name[1];
#include "hw/qemu/core/symbols.h"
