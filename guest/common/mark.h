/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place in a program that the plugin tests/guest/oracle/marks.c sees: MARK() is one instruction, which does nothing.
 */
#ifndef PERFBOARD_MARK_H
#define PERFBOARD_MARK_H

#ifdef __powerpc64__
#define MARK() __asm__ volatile("ori 26,26,0" : : : "memory")
#else
#define MARK() __asm__ volatile(".byte 0x0f,0x1f,0x80,0x4b,0x4d,0x32,0x50" : : : "memory")
#endif

#endif
