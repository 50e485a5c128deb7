/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * user.h - x86: descriptors for code at privilege level 3, for the one file of a program that goes there.
 *
 *   user_gate(vector, handler, rights)     0x8E: the processor's; 0xEE: the user's INT, too
 *   user_prepare(processor)                once on each processor, that processor itself; behind it tss[processor].esp0 is its own
 */
#ifndef PERFBOARD_BARE_USER_H
#define PERFBOARD_BARE_USER_H

#include "rt.h"

enum { KERNEL_CODE = 8, KERNEL_DATA = 16, USER_DATA = 35, TSS = 40, USERS = 4 };
static struct {
  uint32_t back, esp0, ss0, rest[23];
} tss[USERS];
static uint64_t gdt[5 + USERS] = {0, 0x00CF9B000000FFFF, 0x00CF93000000FFFF, 0x00CFFB000000FFFF, 0x00CFF3000000FFFF};
static uint64_t idt[256];

static void user_gate(unsigned vector, const void *handler, unsigned rights) {
  idt[vector] = ((uint64_t)(uint32_t)handler & 0xffff) | KERNEL_CODE << 16 | (uint64_t)rights << 40 |
                ((uint64_t)(uint32_t)handler >> 16) << 48;
}

static void user_prepare(unsigned processor) {
  const struct __attribute__((packed)) {
    uint16_t limit;
    const void *base;
  } g = {sizeof gdt - 1, gdt}, i = {sizeof idt - 1, idt};
  const uint64_t base = (uint32_t)&tss[processor];
  gdt[TSS / 8 + processor] = (sizeof tss[0] - 1) | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24) << 56;
  tss[processor].ss0 = KERNEL_DATA;
  __asm__ volatile("lgdt %0\n\tlidt %1\n\tmovw %w2, %%ds\n\tmovw %w2, %%es\n\tmovw %w3, %%ss\n\tltr %w4"
                   :
                   : "m"(g), "m"(i), "r"(USER_DATA), "r"(KERNEL_DATA), "r"(TSS + 8 * processor)
                   : "memory");
}

#endif
