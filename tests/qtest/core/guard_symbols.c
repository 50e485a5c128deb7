/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every name of core/load/symbols.h and of the boards' lists, so that guard_host.c has them all. The object only looks whether
 * they are there: what it calls while it is loaded is defined in guard_host.c, in whose favour these are weak. meson.build
 * makes SYMBOL(name) a definition, and includes the lists before all else (-include). */
typedef int guard_symbols_has_no_code;
