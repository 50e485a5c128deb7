/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Includes no header of QEMU: each symbol is only an address here, which is NULL if the dynamic linker found none. */
#include <stddef.h>
#include <string.h>

#include "hw/qemu/core/symbols_needed.h"

#define SYMBOL(name) extern const char name[] __attribute__((weak));
#include "hw/qemu/core/symbols.h"
#undef SYMBOL

#define SYMBOL(name) { #name, name },
static const struct { const char *name; const void *address; } needed[] = {
#include "hw/qemu/core/symbols.h"
};
#undef SYMBOL

const char *perfboard_missing_symbol(const char *only)
{
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if ((!only || !strcmp(only, needed[i].name)) && !needed[i].address) {
            return needed[i].name;
        }
    }
    return NULL;
}
