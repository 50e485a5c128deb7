// SPDX-License-Identifier: GPL-2.0-or-later
// static - static monitoring, and the card's reconfiguration while the other processor goes on. The first card listens to node 0 and begins
// with the dynamic part; smile-static.bit comes with -initrd. Two processors. Counts are by hand, beside each case.
#include "../sci/sci.h"
#include "hwm.h"

enum { COUNTERS = SMR_COUNTERS, PAGE = 3, INBOUND = 5, TRAFFIC = 6, RANGE_WORDS = 16 };
enum { CONFIG_ID = 0, CONFIG_COMMAND = 4, CONFIG_BAR0 = 0x10, CONFIG_LINE = 0x3c };
enum { OUT = SMR_FILTER_OUTBOUND | SMR_FILTER_REQUEST, IN = SMR_FILTER_INBOUND | SMR_FILTER_REQUEST };

static struct hwm card;
static volatile uint32_t job, job_done, stop, stored;
enum { TRAFFIC_ON = 1, READS = 2, WHILE = 11 };

static void other(unsigned node) {
  (void)node;
  for (uint32_t last = 0;; job_done = last) {
    while (job == last) __asm__ volatile("pause");
    last = job;
    if (last & 1)
      for (uint32_t n = 0; !stop; stored = ++n) *(volatile uint32_t *)WINDOW(TRAFFIC, 4 * (n % 1024)) = n;
    else
      for (unsigned i = 0; i < WHILE; i++) (void)*(volatile uint32_t *)WINDOW(INBOUND, 0);
  }
}
static void wait_for(uint32_t which) {
  while (job_done != which) __asm__ volatile("pause");
}

// As the driver does it: the card leaves the bus, and comes back as after power-on.
static void load(uint32_t command, const char *what) {
  uint32_t bar[2] = {pci_config(0, card.device, 0, CONFIG_BAR0), pci_config(0, card.device, 0, CONFIG_BAR0 + 4)};
  uint32_t line = pci_config(0, card.device, 0, CONFIG_LINE);
  hwm_put(&card, SMR_CCM_COMMAND, command);
  is(pci_config(0, card.device, 0, CONFIG_ID), 0xFFFFFFFF, "%s: away while it loads", what);
  while (pci_config(0, card.device, 0, CONFIG_ID) == 0xFFFFFFFF) continue;
  pci_config_put(0, card.device, 0, CONFIG_BAR0, bar[0]);
  pci_config_put(0, card.device, 0, CONFIG_BAR0 + 4, bar[1]);
  pci_config_put(0, card.device, 0, CONFIG_LINE, line);
  pci_memory(card.device, 0);
  is(hwm(&card, SMR_CCM_STATUS), SMR_CCM_STATUS_DONE | SMR_PUT(CCM_STATUS_SOURCE, command), "%s: loaded", what);
  is(hwm(&card, SMR_MCR) | hwm(&card, SMR_PACKETS), 0, "%s: as after power-on", what);
}

static void page(unsigned i, unsigned home, unsigned number) { hwm_put(&card, SMR_PAGE(i), SMR_PAGE_VALID | SMR_PUT(PAGE_NODE, home) | number); }
static void event(unsigned i, unsigned page, uint32_t filter, unsigned top) {
  hwm_put(&card, SMR_EVENT_RANGE(i), SMR_PUT(EVENT_TOP, top));
  hwm_put(&card, SMR_EVENT(i), SMR_EVENT_VALID | SMR_PUT(EVENT_PAGE, page) | SMR_PUT(EVENT_FILTER, filter));
}
enum { NONE = 255 };
static uint32_t on(unsigned number) { return number == NONE ? 0 : SMR_COUNTER_EVENT_VALID | number; }
static void counter(unsigned i, unsigned counts, unsigned start, unsigned stops, uint32_t value) {
  hwm_put(&card, SMR_COUNTER_START(i), on(start));
  hwm_put(&card, SMR_COUNTER_STOP(i), on(stops));
  hwm_put(&card, SMR_COUNTER_COUNT(i), on(counts));
  hwm_put(&card, SMR_COUNTER_VALUE(i), value);
}
static uint32_t value(unsigned i) { return hwm(&card, SMR_COUNTER_VALUE(i)) & SMR_COUNTER_VALUE_MASK; }

static struct hwm_record records[64];
static unsigned n_records;
static void take(const struct hwm *m, const struct hwm_record *r) {
  (void)m;
  if (n_records < 64) records[n_records++] = *r;
}

static void stores(unsigned n) {
  for (unsigned i = 0; i < n; i++) *(volatile uint32_t *)WINDOW(PAGE, 4 * (1000 + i % 20)) = i;
}

static void counting(void) {
  hwm_put(&card, SMR_NODE, 0);
  page(0, 1, PAGE);
  page(2, 0, INBOUND);
  event(0, 0, SMR_FILTER_READ | OUT, RANGE_WORDS - 1);
  event(1, 0, SMR_FILTER_WRITE | OUT, 1023);
  event(3, 2, SMR_FILTER_READ | IN, 1023);
  counter(0, 0, NONE, NONE, SMR_COUNTER_ACTIVE);
  counter(1, 1, 17, 18, 0);
  counter(3, 3, NONE, NONE, SMR_COUNTER_ACTIVE);
  counter(5, 1, NONE, NONE, SMR_COUNTER_ACTIVE | 0xFFF0);
  hwm_put(&card, SMR_MCR, SMR_MCR_RUN);
  for (unsigned w = 0; w < RANGE_WORDS + 5; w++) (void)*(volatile uint32_t *)WINDOW(PAGE, 4 * w);
  stores(7);
  hwm_put(&card, SMR_GEVENT, 1);
  stores(9);
  hwm_put(&card, SMR_GEVENT, 2);
  stores(4);
  job = READS, wait_for(READS);
  is(value(0), RANGE_WORDS, "reads of a range of words");
  is(value(1), 9, "writes between two global events");
  is(value(3), WHILE, "reads that came in");
  is(value(5), (0xFFF0 + 7 + 9 + 4) & 0xFFFF, "a counter that overflows");
  hwm_drain(&card, take);
  is(n_records, 1, "records");
  ok(records[0].kind == SMR_RECORD_COUNTER && records[0].index == 5 && records[0].why == SMR_RECORD_OVERFLOW && records[0].count == 65536,
     "of the overflow");
  n_records = 0;
  hwm_swap(&card, take);
  is(n_records, COUNTERS, "records on demand");
  bool same = true;
  for (unsigned i = 0; i < n_records && i < COUNTERS; i++)
    same &= records[i].kind == SMR_RECORD_COUNTER && records[i].index == i && records[i].why == SMR_RECORD_DEMAND && records[i].count == value(i);
  ok(same, "one for each counter, with its value, which goes on");
}

int program(void) {
  uint32_t bytes;
  const uint8_t *const image = rt_module("smile-static.bit", &bytes);
  sci_find();
  if (!image || !hwm_find(0, &card)) bail(RT_NO_BOARD, "no image, or no card");
  if (!rt_others(1, other)) bail(RT_NO_BOARD, "one processor only (-smp 2)");
  sci_home(0, sci_card.pages, 0);
  sci_home(PAGE, 2, 1);
  is(SMR_GET(MSR_DESIGN, hwm(&card, SMR_MSR)), SMR_DESIGN_DYNAMIC, "it begins with the dynamic part");
  hwm_dynamic(&card, SMR_FILTER_ALL);
  stop = 0;
  job = TRAFFIC_ON;
  while (stored < 1000) __asm__ volatile("pause");
  ok(hwm(&card, SMR_PACKETS) >= 999, "the other processor's stores are seen");
  for (uint32_t i = 0; i < bytes; i += 4) hwm_put(&card, SMR_SLOT(0) + i, *(const uint32_t *)(image + i));
  load(SMR_CCM_LOAD_SLOT(0), "from slot 0");
  is(SMR_GET(MSR_DESIGN, hwm(&card, SMR_MSR)), SMR_DESIGN_STATIC, "the static part now");
  stop = 1, wait_for(TRAFFIC_ON);
  is(sci_count(1, SCIR_STATS_WRITES), stored, "the adapter has sent all stores meanwhile");
  is(hwm(&card, SMR_PACKETS), 0, "and a card that does not run counts none");
  counting();
  const uint32_t before = (uint32_t)sci_count(1, SCIR_STATS_WRITES);
  stop = stored = 0;
  job = TRAFFIC_ON + 2;
  load(SMR_CCM_LOAD_FLASH, "from the flash");
  is(SMR_GET(MSR_DESIGN, hwm(&card, SMR_MSR)), SMR_DESIGN_DYNAMIC, "the dynamic part again");
  hwm_dynamic(&card, SMR_FILTER_ALL);
  const uint32_t at_start = stored;
  while (stored < at_start + 1000) __asm__ volatile("pause");
  stop = 1, wait_for(TRAFFIC_ON + 2);
  is(sci_count(1, SCIR_STATS_WRITES) - before, stored, "the adapter has sent all stores");
  const uint32_t packets = hwm(&card, SMR_PACKETS);
  ok(packets >= 999 && packets <= stored, "the monitor has seen those since it was started");
  is(hwm(&card, SMR_LOSTN), 0, "and lost none");
  return done_testing();
}
