// SPDX-License-Identifier: GPL-2.0-or-later
// Output and test lines. See say.h.
#include "say.h"

#include <stdarg.h>

#define SEEN(v) ((unsigned long long)(v))

static void number(uint64_t v, uint32_t base, int width, char pad) {
  char digits[24];
  int n = 0;
  do {
    digits[n++] = "0123456789abcdef"[v % base];
    v /= base;
  } while (v);
  for (int i = n; i < width; i++) rt_put(pad);
  while (n) rt_put(digits[--n]);
}

static void vsay(const char *f, va_list a) {
  for (; *f; f++) {
    if (*f != '%') {
      rt_put(*f);
      continue;
    }
    f++;
    char pad = ' ';
    int width = 0;
    unsigned longs = 0;
    if (*f == '0') pad = *f++;
    while (*f >= '0' && *f <= '9') width = width * 10 + *f++ - '0';
    for (; *f == 'l'; f++) longs++;
    const bool wide = longs * sizeof(long) >= 8;
    switch (*f) {
      case 's':
        for (const char *s = va_arg(a, const char *); *s; s++) rt_put(*s);
        break;
      case 'c':
        rt_put((char)va_arg(a, int));
        break;
      case 'd': {
        const int64_t v = wide ? va_arg(a, int64_t) : va_arg(a, int);
        if (v < 0) rt_put('-');
        number(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, width, pad);
        break;
      }
      case 'u':
      case 'x':
        number(wide ? va_arg(a, uint64_t) : va_arg(a, uint32_t), *f == 'u' ? 10 : 16, width, pad);
        break;
      case '%':
        rt_put('%');
        break;
      default:
        for (const char *s = "<format?>"; *s; s++) rt_put(*s);
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
  rt_put('\n');
  return passed;
}

bool is(uint64_t seen, uint64_t expected, const char *format, ...) {
  va_list a;
  bool passed = seen == expected;
  say("%sok %u - ", passed ? "" : "not ", ++tests);
  failures += !passed;
  va_start(a, format);
  vsay(format, a);
  va_end(a);
  if (passed)
    say(seen < 0x10000 ? ": %llu\n" : ": %llu (0x%llx)\n", SEEN(seen), SEEN(seen));
  else
    say(": expected %llu (0x%llx), seen %llu (0x%llx)\n", SEEN(expected), SEEN(expected), SEEN(seen), SEEN(seen));
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
  rt_put('\n');
  rt_exit(status);
}
