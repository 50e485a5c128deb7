// SPDX-License-Identifier: GPL-2.0-or-later
// Output, test lines, exit, exceptions. See rt.h.
#include "rt.h"

#include <stdarg.h>

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

static void put(char c) {
  waiting[waits++] = (uint8_t)c;
  if (waits == 16 || c == '\n') flush();
}

static void number(uint64_t v, uint32_t base, int width, char pad) {
  char digits[24];
  int n = 0;
  do {
    digits[n++] = "0123456789abcdef"[v % base];
    v /= base;
  } while (v);
  for (int i = n; i < width; i++) put(pad);
  while (n) put(digits[--n]);
}

static void vsay(const char *f, va_list a) {
  for (; *f; f++) {
    if (*f != '%') {
      put(*f);
      continue;
    }
    f++;
    char pad = ' ';
    int width = 0;
    bool wide = false;
    if (*f == '0') pad = *f++;
    while (*f >= '0' && *f <= '9') width = width * 10 + *f++ - '0';
    while (*f == 'l') wide = true, f++;
    switch (*f) {
      case 's':
        for (const char *s = va_arg(a, const char *); *s; s++) put(*s);
        break;
      case 'c':
        put((char)va_arg(a, int));
        break;
      case 'd': {
        const int64_t v = wide ? va_arg(a, int64_t) : va_arg(a, int);
        if (v < 0) put('-');
        number(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, width, pad);
        break;
      }
      case 'u':
      case 'x':
        number(wide ? va_arg(a, uint64_t) : va_arg(a, uint32_t), *f == 'u' ? 10 : 16, width, pad);
        break;
      case '%':
        put('%');
        break;
      default:
        for (const char *s = "<format?>"; *s; s++) put(*s);
        return;
    }
  }
}

void say(const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsay(format, a);
  va_end(a);
}

static unsigned tests, failures;

bool ok(bool passed, const char *format, ...) {
  va_list a;
  say("%sok %u - ", passed ? "" : "not ", ++tests);
  failures += !passed;
  va_start(a, format);
  vsay(format, a);
  va_end(a);
  put('\n');
  return passed;
}

bool is(uint64_t seen, uint64_t expected, const char *format, ...) {
  va_list a;
  const bool passed = seen == expected;
  say("%sok %u - ", passed ? "" : "not ", ++tests);
  failures += !passed;
  va_start(a, format);
  vsay(format, a);
  va_end(a);
  if (passed)
    say(": %lu (0x%lx)\n", seen, seen);
  else
    say(": expected %lu (0x%lx), seen %lu (0x%lx)\n", expected, expected, seen, seen);
  return passed;
}

int done_testing(void) {
  say("1..%u\n", tests);
  if (failures) say("# %u of %u failed\n", failures, tests);
  return failures || !tests ? RT_FAIL : RT_PASS;
}

void bail(int status, const char *format, ...) {
  va_list a;
  say("Bail out! ");
  va_start(a, format);
  vsay(format, a);
  va_end(a);
  put('\n');
  rt_exit(status);
}

// --- exceptions -----------------------------------------------------------------
void rt_on(unsigned vector, void (*handler)(void)) {
  *(volatile uint32_t *)(uintptr_t)(RT_HANDLER + vector) = (uint32_t)(uintptr_t)handler;
}

void rt_panic(uint64_t vector, uint64_t srr0, uint64_t srr1, uint64_t dar);
void rt_panic(uint64_t vector, uint64_t srr0, uint64_t srr1, uint64_t dar) {
  bail(RT_TRAP, "exception 0x%lx at 0x%lx, SRR1 %lx, DAR %lx", vector, srr0, srr1, dar);
}
