/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERFBOARD_QEMU_SYMBOLS_NEEDED_H
#define PERFBOARD_QEMU_SYMBOLS_NEEDED_H

/* A symbol of symbols.h that this QEMU lacks, or NULL. If `only` is a name, no other symbol is looked at. */
const char *perfboard_missing_symbol(const char *only);

#endif
