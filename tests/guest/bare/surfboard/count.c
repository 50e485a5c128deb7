// SPDX-License-Identifier: GPL-2.0-or-later
// count - exactly known numbers of packets, one node, loopback. Word count, histogram, trace
// and the SNI's counters must agree with each other and with what the program stored. Thresholds are effects.c's.
#include "../rt/boards.h"

static uint32_t source[2][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[2][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static bool has;  // a HAS is configured: every packet increments a bin

// n words from value on, one ordinary store each and a pause of `pace` turns behind it, nothing else on the bus between them.
static inline __attribute__((always_inline)) void store_paced(uint32_t *to, uint32_t value, uint32_t n, uint32_t pace) {
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

// A page in pieces of 256 bytes, and whole.
static void combined(void) {
  for (unsigned b = 0; b < 5; b += 4) {
    const uint32_t packets = 16u >> b;
    au_export(arrived[1], b, false);
    au_map(source[1], arrived[1], AU_COMB | AU_BOUND(b));
    begin();
    store_paced(source[1], 0x3000 + (b << 16), WORDS_OF_PAGE, 1);
    sni_put(SNI_SCR, sni(SNI_SCR) | SNI_SCR_FLUSH);  // the last one may be open: the manual does not say
    say("# %u packets\n", packets);
    agree("a page, combining", WORDS_OF_PAGE, packets, WORDS_OF_PAGE);
    ok(same(source[1], arrived[1], WORDS_OF_PAGE), "payload arrived");
    bool placed = true;
    for (uint32_t i = 0; i < packets; i++)
      placed &= recorded(i).address == (uint32_t)arrived[1] + (256u << b) * i &&
                recorded(i).size == (64u << b & 1023) && recorded(i).color == (0x10 | b);
    ok(placed, "addresses, sizes and colours in the trace");
  }
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
  combined();
  return done_testing();
}
