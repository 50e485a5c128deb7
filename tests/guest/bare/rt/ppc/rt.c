// SPDX-License-Identifier: GPL-2.0-or-later
// Where output goes, exit, exceptions. See rt.h.
#include "rt.h"

enum { H_PUT_TERM_CHAR = 0x58 };

// GCC may call these for structures and loops even in freestanding code.
void *memset(void *to, int byte, size_t n) {
  for (volatile uint8_t *p = to; n; n--) *p++ = (uint8_t)byte;
  return to;
}
void *memcpy(void *to, const void *from, size_t n) {
  volatile uint8_t *t = to;
  for (const uint8_t *f = from; n; n--) *t++ = *f++;
  return to;
}

// --- output -------------------------------------------------------------------
static uint8_t waiting[16];
static unsigned waits;

static void flush(void) {
  uint64_t half[2] = {0, 0};
  for (unsigned i = 0; i < 16; i++) half[i / 8] = half[i / 8] << 8 | (i < waits ? waiting[i] : 0);
  if (waits) rt_call(H_PUT_TERM_CHAR, 0, waits, half[0], half[1]);
  waits = 0;
}

void rt_put(char c) {
  waiting[waits++] = (uint8_t)c;
  if (waits == 16 || c == '\n') flush();
}

// --- exceptions -----------------------------------------------------------------
void rt_on(unsigned vector, void (*handler)(void)) {
  *(volatile uint32_t *)(uintptr_t)(RT_HANDLER + vector) = (uint32_t)(uintptr_t)handler;
}

void rt_panic(uint64_t vector, uint64_t srr0, uint64_t srr1, uint64_t dar);
void rt_panic(uint64_t vector, uint64_t srr0, uint64_t srr1, uint64_t dar) {
  bail(RT_TRAP, "exception 0x%lx at 0x%lx, SRR1 %lx, DAR %lx", vector, srr0, srr1, dar);
}
