// SPDX-License-Identifier: GPL-2.0-or-later
// moved - the window goes elsewhere in the processor's space, away and back: what is stored there passes, where it was nothing does, and the
// type of a mapping is found at the new place, too. Needs the test card.
#include "sci.h"

enum { W = SCI_WRITE, R = SCI_READ, PAT_MSR = 0x277, COMMAND = 4, BAR2 = 0x18, BAR3 = 0x1c, MEMORY = 2, BYTES = 64 * 1024 };
#define AT(page, offset) ((page) * 4096u + (offset))
#define T(what, at, enables) {what, 0, 1, enables, at, false}
#define LIST(...) ((const struct transaction[]){__VA_ARGS__})
#define EXPECT(what, ...) expect(LIST(__VA_ARGS__), sizeof LIST(__VA_ARGS__) / sizeof(struct transaction), what)

static uint32_t device;

static void put(uint32_t at, uint32_t v) { *(volatile uint32_t *)at = v; }
static void decode(bool on) {
  const uint32_t command = pci_config(0, device, 0, COMMAND) & 0xFFFF;
  pci_config_put(0, device, 0, COMMAND, on ? command | MEMORY : command & ~(uint32_t)MEMORY);
}
static void move(uint32_t to) {
  pci_config_put(0, device, 0, BAR2, to);
  pci_config_put(0, device, 0, BAR3, 0);
}

static void everywhere(uint32_t window, const char *where) {
  bool held;
  say("# %s\n", where);
  put(window + 4096, 1);
  (void)*(volatile uint32_t *)(window + BYTES - 4);
  EXPECT("a store and a load", T(W, AT(1, 0), 0x0f), T(R, BYTES - 4, 0xf0));
  rt_map(RT_WINDOW, window + 2 * 4096, RT_WRITE | RT_PWT);
  put(RT_WINDOW, 1);
  held = blink_count() == 0;
  __asm__ volatile("sfence" ::: "memory");
  ok(held, "a write-combining store waits");
  EXPECT("and leaves", T(W, AT(2, 0), 0x0f));
}

int program(void) {
  sci_find();
  device = pci_find(SCIR_DEVICE << 16 | SCIR_VENDOR, 0);
  const uint32_t old = sci_card.window, fresh = rt_free_window(BYTES, BYTES);
  if (!sci_card.blink || sci_card.nodes < 2 || !fresh) bail(RT_NO_BOARD, "no test-blink, one node only, or no room");
  __asm__ volatile("wrmsr" ::"c"(PAT_MSR), "a"(0x00070106), "d"(0x00070406) : "memory");
  rt_paging();
  sci_home(0, sci_card.pages, 1);
  blink_clear();
  everywhere(old, "where the firmware has put it");
  for (unsigned round = 0; round < 3; round++) {
    move(fresh);
    everywhere(fresh, "elsewhere");
    put(old + 4096, 1);
    expect(NULL, 0, "nothing where it was");
    decode(false);
    put(fresh + 4096, 1), put(old + 4096, 1);
    expect(NULL, 0, "it is nowhere");
    decode(true);
    everywhere(fresh, "there again");
    move(old);
    everywhere(old, "back");
    put(fresh + 4096, 1);
    expect(NULL, 0, "nothing where it was");
  }
  // Memory keeps what was stored, wherever it is seen.
  put(old + 8192 + 64, 0x12345678);
  move(fresh);
  is(*(volatile uint32_t *)(fresh + 8192 + 64), 0x12345678, "what was stored there");
  return done_testing();
}
