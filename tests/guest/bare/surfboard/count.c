// SPDX-License-Identifier: GPL-2.0-or-later
// count - exactly known numbers of packets, one node, loopback. Word count, histogram, trace
// and the SNI's counters must agree with each other and with what the program stored.
#include "../rt/boards.h"

static uint32_t source[8][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[8][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static bool has;  // a HAS is configured: every packet increments a bin

// n words from value on, one ordinary store each, nothing else on the bus between them.
static inline __attribute__((always_inline)) void store_words(uint32_t *to, uint32_t value, uint32_t n) {
  __asm__ volatile(
      "1: movl %1, (%0)\n\t"
      "addl $4, %0\n\t"
      "incl %1\n\t"
      "decl %2\n\t"
      "jnz 1b"
      : "+r"(to), "+r"(value), "+r"(n)
      :
      : "memory");
}

// The same with a pause of `pace` turns after each store.
static inline __attribute__((always_inline)) void store_paced(uint32_t *to, uint32_t value, uint32_t n,
                                                              uint32_t pace) {
  uint32_t turns;
  __asm__ volatile(
      "1: movl %1, (%0)\n\t"
      "addl $4, %0\n\t"
      "incl %1\n\t"
      "movl %4, %3\n"
      "2: decl %3\n\t"
      "jnz 2b\n\t"
      "decl %2\n\t"
      "jnz 1b"
      : "+r"(to), "+r"(value), "+r"(n), "=&r"(turns)
      : "r"(pace)
      : "memory");
}

// Nothing is collected meanwhile, because only then the memory is quick (hw/surfboard/README.md).
static uint64_t hist_sum(void) {
  uint64_t sum = 0;
  uint32_t htcr = surf(SURF_HTCR);
  surf_put(SURF_HTCR, 0);
  for (uint32_t i = 0; i < boards.hist_bytes / 4; i++) sum += hist()[i];
  surf_put(SURF_HTCR, htcr);
  return sum;
}

static struct counts before;
static void begin(void) {
  settle();
  surf_put(SURF_HTCR, 0);
  if (has) hist_clear();
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN | (has ? SURF_HTCR_HEN : 0), 0);
  counts_read(&before);
}

// Everything that counts packets or words, against what was sent.
static struct counts agree(const char *what, uint32_t stores, uint32_t packets, uint32_t words) {
  struct counts c;
  settle();
  counts_since(&c, &before);
  uint64_t ends = 0;
  for (unsigned i = 0; i < 7; i++) ends += c.end[i];
  is(c.aus, stores, "%s: stores snooped", what);
  is(c.auw, words, "%s: words snooped", what);
  is(c.txp, packets, "%s: packets sent", what);
  is(c.txw, words, "%s: words sent", what);
  is(c.rxp, packets, "%s: packets delivered", what);
  is(c.rxw, words, "%s: words delivered", what);
  is(ends, packets, "%s: reasons for the end of packets", what);
  is(c.wcdr, words, "%s: SurfBoard's word count", what);
  is(c.tecr, packets, "%s: trace events", what);
  is(c.ticr, packets, "%s: trace index", what);
  is(c.ovf + c.rxd, 0, "%s: nothing lost or dropped", what);
  if (has) is(hist_sum(), packets, "%s: sum of all bins", what);
  uint32_t sizes = 0;
  for (uint32_t i = 0; i < c.tecr; i++) {
    uint32_t size = recorded(i).size;
    sizes += size ? size : 1024;  // the size counter has 10 bits: A.1
  }
  is(sizes, words, "%s: sum of the traced sizes", what);
  is(surf(SURF_ISCR) & SURF_ISCR_PV, 0, "%s: no pipeline overflow", what);
  return c;
}

static bool same(const uint32_t *a, const uint32_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i]) {
      say("# word %u: %08x, should be %08x\n", i, b[i], a[i]);
      return false;
    }
  return true;
}

static void single(void) {
  au_export(arrived[0], 5, false);
  au_map(source[0], arrived[0], AU_PLAIN);
  begin();
  store_paced(source[0], 0x1000, 100, 100);
  struct counts c = agree("100 words, no combining", 100, 100, 100);
  is(c.end[ENDD], 100, "all ended because combining is disabled");
  ok(same(source[0], arrived[0], WORDS_OF_PAGE), "payload arrived, and nothing else");
  struct record first = recorded(0), last = recorded(99);
  is(first.address, (uint32_t)arrived[0], "first traced address");
  is(last.address, (uint32_t)arrived[0] + 396, "last traced address");
  is(first.size, 1, "traced size");
  is(first.be, 0xF, "traced byte enables");
  is(first.color, 0x10 | 5, "traced colour: the page's 5, top bits 01");
  is(first.present, 0, "presence bits are stored as 0");
  uint32_t width = SNI_GET(MESH_WIDTH, sni(SNI_MESH));
  uint32_t previous = (boards.node + boards.nodes - 1) % boards.nodes;
  is(first.sender, (previous / width & 7) << 3 | (previous % width & 7),
     "traced sender: the ring predecessor");
  is(first.over + first.under, 0, "no latency flag");
  // One word, nothing before it: about 5 us (paper 4.3.7); 100 ns units.
  ok(first.latency >= 30 && first.latency <= 70, "latency of a packet alone: %u00 ns", first.latency);
  bool later = true;
  for (uint32_t i = 1; i < 100; i++) later &= recorded(i).time >= recorded(i - 1).time + 10;
  ok(later, "receive times at least 1 us apart");
}

static void burst(void) {
  uint32_t words = sni(SNI_FHWM) / 3;  // header, timestamp, payload with trailer: below the mark
  if (words > 300) words = 300;
  begin();
  store_words(source[0], 0x2000, words);
  agree("a burst, no combining", words, words, words);
  ok(same(source[0], arrived[0], WORDS_OF_PAGE), "payload of the burst arrived");
  ok(recorded(words - 1).latency > recorded(0).latency,
     "the last one waited longer: %u00 ns, the first %u00 ns", recorded(words - 1).latency,
     recorded(0).latency);
}

static void boundaries(void) {
  static const char *const names[] = {"256", "512", "1024", "2048", "4096"};
  for (unsigned b = 0; b < 5; b++) {
    uint32_t packets = 16u >> b;
    au_export(arrived[1], b, false);
    au_map(source[1], arrived[1], AU_COMB | AU_BOUND(b));
    begin();
    store_words(source[1], 0x3000 + (b << 16), WORDS_OF_PAGE);
    sni_put(SNI_SCR, sni(SNI_SCR) | SNI_SCR_FLUSH);  // the last one may be open: the manual does not say
    say("# boundary %s\n", names[b]);
    struct counts c = agree("a page, combining", WORDS_OF_PAGE, packets, WORDS_OF_PAGE);
    ok(c.end[ENDB] >= packets - 1, "boundary %s: %llu of %u packets ended there", names[b], c.end[ENDB],
       packets);
    ok(same(source[1], arrived[1], WORDS_OF_PAGE), "boundary %s: payload arrived", names[b]);
    bool placed = true;
    for (uint32_t i = 0; i < packets; i++)
      placed &= recorded(i).address == (uint32_t)arrived[1] + (256u << b) * i &&
                recorded(i).size == (64u << b & 1023) && recorded(i).color == (0x10 | b);
    ok(placed, "boundary %s: addresses, sizes and colours in the trace", names[b]);
  }
}

static void several(void) {
  // Stores in turn to three pages: each is non-sequential to the one before.
  for (unsigned i = 2; i < 5; i++) {
    au_export(arrived[i], i, false);
    au_map(source[i], arrived[i], AU_COMB | AU_BOUND(4));
  }
  begin();
  for (uint32_t w = 0; w < 50; w++)
    for (unsigned i = 2; i < 5; i++) store_paced(&source[i][w], 0x4000 + 256 * i + w, 1, 100);
  sni_put(SNI_SCR, sni(SNI_SCR) | SNI_SCR_FLUSH);
  agree("three pages in turn", 150, 150, 150);
  for (unsigned i = 2; i < 5; i++) ok(same(source[i], arrived[i], WORDS_OF_PAGE), "page %u arrived", i);
}

static void timeouts(void) {
  sni_put(SNI_CTOR, 50);  // 5 us
  au_export(arrived[5], 1, false);
  au_map(source[5], arrived[5], AU_COMB | AU_TIMEOUT | AU_BOUND(4));
  begin();
  for (uint32_t i = 0; i < 10; i++) {  // ten groups of seven, 64 us apart
    store_words(&source[5][7 * i], 0x5000 + 7 * i, 7);
    spin(1000);
  }
  struct counts c = agree("ten groups, timeout", 70, 10, 70);
  is(c.end[ENDT], 10, "all ended by timeout");
  ok(same(source[5], arrived[5], WORDS_OF_PAGE), "payload arrived");
}

static void elsewhere(void) {
  au_map(source[6], arrived[6], AU_PLAIN);
  au_export(arrived[6], 0, false);
  au_withdraw(arrived[6]);
  begin();
  store_words(source[6], 1, 3);
  settle();
  struct counts c;
  counts_since(&c, &before);
  is(c.rxd, 3, "page not valid at the receiver: dropped");
  is(c.rxp, 0, "none delivered");
  is(c.wcdr, 3, "but the SurfBoard has seen the raw packets: words");
  is(c.tecr, 3, "and packets");
  is(arrived[6][0] | arrived[6][1] | arrived[6][2], 0, "nothing written");
  ok(sni(SNI_SISR) & SNI_SISR_RXE, "SISR.RXE");
  is(SNI_GET(RX_PAGE, sni(SNI_RXEP)), (uint32_t)arrived[6] >> 12, "RXEP names the page");
  sni_put(SNI_SISR, SNI_SISR_RXE);
  au_unmap(source[6]);
  begin();
  store_words(source[6], 1, 3);
  store_words(source[7], 1, 3);
  agree("stores to pages that are not mapped", 0, 0, 0);
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_TSE);
  store_words(source[0], 1, 3);
  agree("automatic update off", 0, 0, 0);
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_TSE | SNI_SCR_AUE);
}

// A coordinate outside the mesh: X 63 of the last row and more.
static void nowhere(void) {
  uint64_t unknown = sni64(SNI_TXU);
  uint32_t next = boards.next;
  boards.next = 0xFFF;
  au_map(source[6], arrived[6], AU_PLAIN);
  boards.next = next;
  begin();
  store_words(source[6], 1, 4);
  settle();
  struct counts c;
  counts_since(&c, &before);
  is(sni64(SNI_TXU) - unknown, 4, "packets to a node that does not exist");
  is(c.rxp + c.rxd + c.tecr, 0, "they arrive nowhere");
  au_unmap(source[6]);
}

// The parts of the latency add up, and to what the SurfBoard measured by its own clock.
static void latencies(void) {
  settle();
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_CRST);
  begin();
  for (uint32_t i = 0; i < 40; i++) {
    store_words(&source[0][i], i, 1 + i % 3);  // some alone, some behind others
    spin(100);
  }
  store_words(source[0], 0x78, 30);   // more than fit between FIFO and memory
  store_words(source[1], 0x77, 200);  // and some that combine
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_FLUSH);
  settle();
  static const struct {
    const char *name;
    uint32_t at;
  } terms[] = {{"COMB", SNI_LAT_COMB}, {"FIFO", SNI_LAT_FIFO}, {"BACK", SNI_LAT_BACK},
               {"EISA", SNI_LAT_EISA}, {"XFER", SNI_LAT_XFER}, {"TOTAL", SNI_LAT_TOTAL}};
  uint64_t n = sni64(SNI_RXP), sum = 0, total = sni64(SNI_LAT_TOTAL);
  for (unsigned i = 0; i < 6; i++) {
    uint64_t s = sni64(terms[i].at + SNI_LAT_SUM);
    uint32_t min = sni(terms[i].at + SNI_LAT_MIN), max = sni(terms[i].at + SNI_LAT_MAX);
    if (i < 5) sum += s;
    ok(min <= max && min * n <= s && s <= max * n, "%s: %llu ns in %llu packets, %u to %u", terms[i].name, s,
       n, min, max);
  }
  is(sum, total, "the terms' sum is the total");
  uint64_t traced = 0;
  for (uint32_t i = 0; i < n; i++) traced += recorded(i).latency;
  // Both clocks cut off below 100 ns: a packet's traced latency is at most one tick off.
  ok(traced * 100 + 100 * n > total && traced * 100 < total + 100 * n, "the trace's sum: %llu00 ns", traced);
}

static void global_reset(void) {
  settle();
  wait_us(1000);
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_GRST);
  uint32_t now = clock_100ns();
  ok(now < 100, "after a global reset the clock starts again: %u", now);
  is(sni(SNI_CLKH), 0, "its upper half");
  begin();
  now = clock_100ns();
  store_words(source[0], 0x99, 1);
  settle();
  struct record r = recorded(0);
  ok(r.time - now < 100, "the SurfBoard's clock too: packet received %llu ticks after it was stored",
     r.time - now);
  ok(!r.under && !r.over && r.latency >= 30 && r.latency <= 70, "and they agree: latency %u00 ns", r.latency);
  is(surf(SURF_ISCR) & (SURF_ISCR_LU | SURF_ISCR_LV | SURF_ISCR_RTV), 0, "no LU, LV or RTV");
}

// Deliberate update is the paper's other kind of packet; the SurfBoard counts it alike.
static void deliberate(void) {
  begin();
  for (uint32_t i = 0; i < 300; i++) source[7][i] = 0x7000 + i;
  au_export(arrived[7], 7, false);
  sni_put(SNI_DUSA, (uint32_t)source[7]);
  sni_put(SNI_DUDA, (uint32_t)arrived[7]);
  sni_put(SNI_DUDN, boards.next);
  sni_put(SNI_DUWC, 300);
  while (!(sni(SNI_SISR) & (SNI_SISR_DUD | SNI_SISR_DUE)))
    ;
  is(sni(SNI_SISR) & (SNI_SISR_DUD | SNI_SISR_DUE), SNI_SISR_DUD, "deliberate update done");
  sni_put(SNI_SISR, SNI_SISR_DUD);
  settle();
  struct counts c;
  counts_since(&c, &before);
  is(c.wcdr, 300, "deliberate update of 300 words: word count");
  is(c.tecr, 1, "one trace event");
  is(recorded(0).size, 300, "its size");
  ok(same(source[7], arrived[7], 300), "payload arrived");
}

int program(void) {
  boards_start();
  uint32_t bytes;
  const uint8_t *bits = rt_module(".bit", &bytes);
  if (bits) {
    has = has_load(bits, bytes);
    ok(has, "HAS configured: %u bytes, FCCR %03x", bytes, surf(SURF_FCCR));
    hist_clear();
  } else {
    say("# no HAS bitstream given: histogram off\n");
  }
  single();
  burst();
  boundaries();
  several();
  timeouts();
  elsewhere();
  nowhere();
  deliberate();
  latencies();
  global_reset();
  return done_testing();
}
