// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SNI in the tests that all boards share.
#include "tests/unit/boards/board.h"

#include "guest/shrimp/regs.h"
#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/view.h"
#include "tests/unit/shrimp/fixture.h"

#define STATE_LIST "hw/shrimp/state.def"
#include "tests/unit/boards/member_list.h"

namespace perfboard::sni {
namespace {

void update(SniBench& b, uint32_t words) { b.update(0x4000, 0x5000, words); }

class OnShrimp : public boards::On<boards::OnBench, SniBench, [](SniBench& b) { return b.board(); },
                                   sni_state_ok, sni_load> {
 public:
  OnShrimp() : On(SniBench::Setup{.fifo_words = SNI_FIFO_MIN}) {}
  void* model() override { return bench.board(); }
  void reset() override { sni_power_on(bench.board()); }
  void guest_reset() override { sni_bus_reset(bench.board()); }
  uint32_t entries(const Register& r) override { return entries_of(sni_view(), r); }
  std::optional<uint32_t> read(unsigned window, uint64_t offset) override {
    const auto at = static_cast<uint32_t>(offset);
    return window ? bench.get(at) : sni_io_read(bench.board(), at, 4);
  }
  void power_up() override {
    sni_power_on(bench.board());
    bench.run_for(0);
  }
  std::optional<uint64_t> read_lanes(unsigned window, uint64_t offset, unsigned bytes) override {
    const auto at = static_cast<uint32_t>(offset);
    return window ? bench.get(at, bytes) : sni_io_read(bench.board(), at, bytes);
  }
  void write_lanes(unsigned window, uint64_t offset, uint64_t data, unsigned bytes) override {
    const auto value = static_cast<uint32_t>(data);
    const auto at = static_cast<uint32_t>(offset);
    window ? bench.put(at, value, bytes) : sni_io_write(bench.board(), at, value, bytes);
  }
  void act(std::mt19937& random) override {
    if (random() % 64 == 0) bench.map(3, {.page = 4, .comb = true});
    const uint32_t pages[] = {0, 3, 4, SNI_PAGES - 1}, page = pages[random() % 4];
    const uint32_t entry[] = {kOutTable + 8 * page, kOutTable + 8 * page + 4, kInTable + 4 * page};
    const uint32_t offset = random() % 8 ? 4 * (random() % (kTermsEnd / 4)) : entry[random() % 3];
    if (offset != at(kRegisters, "SCR").offset) bench.put(offset, random() & random());
    bench.store32(0x3000 + 4 * (random() % 64), random());
    bench.run_for(random() % 3000);
    sni_timer(bench.board());
    bench.pop();
  }
  // One packet being sent and one behind it in the FIFO, one open, one on its way, one that the receiver has
  // the bus for, the deliberate update engine at work.
  void make_busy() override {
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8, .comb = true, .timed = true});
    bench.write("SIER", 0xff);
    bench.store32(0x3000, 1);
    bench.run_until(bench.armed - 600);  // the first is about to land
    bench.store32(0x3100, 2);
    bench.now += 400;
    bench.store32(0x3200, 3);
    bench.run_for(kSnoop - 399);
    bench.store32(0x3300, 4);
    bench.store32(0x4000, 5);
    bench.store32(0x4004, 6);
    bench.write("DUSA", 0x100000);
    bench.write("DUDA", 0xa000);
    bench.write("DUWC", 8);
    const SniState& s = bench.state();
    EXPECT_TRUE(s.sending == 1 && s.fifo_packets >= 2 && s.open && s.du_busy && s.arrived - s.popped >= 2);
  }
  void lives_on() override {
    EXPECT_FALSE(sni_enabled(bench.board()));
    EXPECT_EQ(sni_wants(bench.board()), SNI_WANTS_NOTHING);
    bench.switch_on();
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8, .comb = true});
    bench.packets.clear();
    for (uint32_t i = 0; i < 1200; ++i) {
      bench.store32(0x4000 + 4 * (i % 1024), i);
      bench.store32(0x3000, i);
      bench.run_for(2000);
    }
    bench.run_for(1'000'000);
    EXPECT_FALSE(bench.packets.empty());
    EXPECT_EQ(bench.read("FCNT"), 0u);
  }
};

using Way = boards::WayOf<SniBench>;
constexpr Way kWrong[] = {
    {mistake("crosses"), [](SniBench& b) { b.get(2); }},
    {mistake("unused-offset"), [](SniBench& b) { b.get(0x54); }},
    {mistake("read-only"), [](SniBench& b) { b.write("FSIZE", 1); }},
    {mistake("narrow-write"), [](SniBench& b) { b.put(at(kRegisters, "DUWC").offset, 1, 1); }},
    {mistake("high-word-first"), [](SniBench& b) { b.get(kCounters + 4); }},
    {mistake("update-busy"), [](SniBench& b) { update(b, 1), update(b, 1); }},
    {mistake("update-disabled"), [](SniBench& b) { b.write("SCR", 0), update(b, 1); }},
    {mistake("update-length"), [](SniBench& b) { update(b, 0); }},
    {mistake("update-crosses-page"), [](SniBench& b) { b.write("DUDA", 0x5ffc), b.write("DUWC", 2); }},
    {mistake("update-no-source"), [](SniBench& b) { b.write("DUSA", 0x40000000), b.write("DUWC", 2); }},
    {mistake("user-refused"), [](SniBench& b) { sni_proxy_read(b.board(), 0x3000, 4); }},
    {mistake("no-such-node"), [](SniBench& b) { b.put(kOutTable, 1u << 31 | 0xfff << 16); }},
    {mistake("reserved-boundary"), [](SniBench& b) { b.put(kOutTable + 4, 5 << 1); }},
    {mistake("no-line"),
     [](SniBench& b) {
       b.sbcr(0xc0000000 | bit::kEnable);
       b.write("SIER", 1);
     }},
};
void all_effects(SniBench& b) {
  b.map(3, {.page = 4});
  b.send(1, 3, 20'000);
  EXPECT_EQ(b.values(effect("packet-closed")).back(), ENDD);
  EXPECT_EQ(b.values(effect("packet-sent")).back(), 1u);
  EXPECT_EQ(b.values(effect("packet-delivered")).back(), 4u);
  EXPECT_EQ(b.values(effect("page-mapped")).back(), 3u);
  b.map(5, {.page = 4, .comb = true});
  b.store32(0x5000, 1);
  b.bus_read(0x9008);
  b.store32(0x5000, 1);
  b.store32(0x9010, 1);
  EXPECT_EQ(b.values(effect("combining-ended")), (std::vector<uint64_t>{0x9008, 0x9010}));
  b.put(kInTable + 4 * 4, 0);
  b.send(1, 3, 20'000);
  EXPECT_EQ(b.values(effect("packet-dropped")).back(), 4u);
  for (int i = 0; i < 2000; ++i) b.store32(0x3000, 1);  // more than the FIFO holds, at once
  b.run_for(20'000'000);
  update(b, 9);
  EXPECT_EQ(b.values(effect("update-started")).back(), 9u);
  b.run_for(20'000);
  b.put(kOutTable + 8 * 3, 1u << 31 | 0xfffu << 16);
  b.send(1, 3, 20'000);
  b.put(kOutTable + 8 * 3, 0);
  EXPECT_EQ(b.values(effect("page-unmapped")).back(), 3u);
  b.write("SCR", bit::kEn | bit::kGrst | bit::kCrst);
  b.set_clock(kClockMask);
  b.run_for(1000);
  b.read("SISR");
  b.write("SCR", bit::kEn | bit::kAue);
  sni_inject(b.board(), injection("inject-fifo-overflow"), 1);
  b.map(3, {.page = 4});
  b.store32(0x3000, 1);
}
constexpr Way kTold[] = {{0, all_effects}};
void what_the_manual_allows(SniBench& b) {
  b.write("SIER", 0xff);
  b.map(3, {.page = 4, .comb = true, .interrupt = true});
  b.store32(0x3000, 1);
  b.write("SCR", bit::kEn | bit::kAue | bit::kTse | bit::kFlush);
  b.run_for(20'000);
  update(b, 4);
  b.run_for(20'000);
  b.counter(TXP);
  b.term_sum(TOTAL);
  b.read("CLKL"), b.read("CLKH");
  b.write("SISR", 0xff);
}
constexpr Way kAllowed[] = {{0, what_the_manual_allows}};

uint32_t second_packet(const SniState& s) {
  return (s.fifo_head + Header::of(s.fifo[s.fifo_head]).fifo_words()) % SNI_FIFO_MIN;
}
constexpr boards::DamageOf<SniState> kDamages[] = {
    SET(sending_words, 40'000),
    {"sending_words", [](SniState& s) { s.sending_words++; }},
    SET(sending, 3),
    {"sending_words", [](SniState& s) { s.sending = 2; }},  // a deliberate update frees no words
    SET(fifo_packets, 0xffffffff),
    {"open_at", [](SniState& s) { s.fifo_packets--; }},
    SET(fifo_count, SNI_FIFO_MIN + 1),
    SET(fifo_count, 60),
    SET(fifo_head, SNI_FIFO_MIN),
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] |= 0x7ff; }},           // 2047 words
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] &= ~0x7ffull; }},       // none
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] &= ~(15ull << 11); }},  // no byte enabled
    {"fifo[", [](SniState& s) { s.fifo[second_packet(s)] += 4; }},               // more words than there are
    {"fifo_time[", [](SniState& s) { s.fifo_time[second_packet(s)] = UINT64_MAX; }},
    SET(open_at, SNI_FIFO_MIN - 1),
    SET(open_words, 1025),
    {"open_limit", [](SniState& s) { s.open_limit += 0x1000; }},
    {"open_next", [](SniState& s) { s.open_next |= 2; }},
    {"open", [](SniState& s) { s.out_table[4][1] = 0; }},
    SET(du_words, 1025),
    {"du_header", [](SniState& s) { s.du_words = 7; }},
    SET(ud_bytes, 5000),
    SET(ud_bytes, 2),
    SET(ud_to, SNI_PROXY_BYTES),
    SET(ud_from, 1),
    SET(credits_used, 0),
    {"arrived", [](SniState& s) { s.arrived += 1000; }},
    {"granted", [](SniState& s) { s.granted += 2; }},
    {"flight[", [](SniState& s) { s.flight[s.popped % SNI_FLIGHTS].header &= ~0x7ffull; }},
    {"flight[", [](SniState& s) { s.flight[s.popped % SNI_FLIGHTS].sender = 0xfff; }},
    {"flight[", [](SniState& s) { s.flight[s.popped % SNI_FLIGHTS].leave = 0; }},
    SET(link_free, 0),
    SET(sent_at, PB_NEVER),
    SET(clock_base, PB_NEVER),
    {"out_table[5].opt0", [](SniState& s) { s.out_table[5][0] = 1u << 29; }},
    SET(in_table[32767], 0x100),
    {"sbcr", [](SniState& s) { s.sbcr |= 2; }},
    SET(latch_offset, 4),
    SET(injected.late_ns, SNI_INJECT_LATE_MOST + 1),
};

SniConfig good() { return {.node = 1, .nodes = 4, .mesh_width = 2, .fifo_words = 4096}; }
boards::Limit limit(const char* property, auto SniConfig::* member, uint32_t low, uint32_t high,
                    SniConfig c = good()) {
  return {property, low, high, [member, c](uint32_t value) mutable {
            c.*member = value;
            return complaint_about<sni_config_ok>(c);
          }};
}

std::vector<std::string_view> inferred() {
  std::vector<std::string_view> all;
  for (const Timing& t : kTimings)
    if (t.source.starts_with("INFERRED")) all.push_back(t.name);
  return all;
}
std::vector<std::string_view> listed() {
  std::vector<std::string_view> all;
  for (const Register& r : kRegisters) all.push_back(r.name);
  for (const Counter& c : kCounterTable) all.push_back(c.name);
  for (const Term& t : kTermTable) all.push_back(t.name);
  for (const Timing& t : kTimings) all.push_back(t.name);
  return all;
}

uint32_t mask(std::string_view reg, std::string_view field) {
  const std::span<const Register> tables[] = {kIoRegisters, kTableEntries, kProxyRegisters};
  for (const auto& table : tables)
    for (const Register& r : table)
      if (r.name == reg) return r.field(field).mask();
  return at(kRegisters, reg).field(field).mask();
}
#define NUMBER(header, model) {#header, header, model}
#define MASK(header, reg, name) NUMBER(SNI_##header, mask(#reg, #name))
#define WIDE(reg, name) NUMBER(SNI_##reg##_##name##_MASK, mask(#reg, #name))
#define ONE(reg, name) NUMBER(SNI_##reg##_##name, mask(#reg, #name))
std::vector<boards::HeaderNumber> numbers() {
  std::vector<boards::HeaderNumber> all = {
      NUMBER(SNI_EPIR, kIoRegisters[0].offset),
      NUMBER(SNI_SBCR, kIoRegisters[1].offset),
      NUMBER(SNI_PRODUCT_ID, EISA_SNI_ID),
      WIDE(SBCR, BASE),
      WIDE(SBCR, IRLEV),
      ONE(SBCR, ENABLE),
      NUMBER(SNI_WINDOW, kWindowBytes),
      NUMBER(SNI_NODE_COORD_MASK, mask("NODE", "X") | mask("NODE", "Y")),
      MASK(COORD_X_MASK, DUDN, X),
      MASK(COORD_Y_MASK, DUDN, Y),
      MASK(NODE_NUMBER_MASK, NODE, NODE),
      WIDE(MESH, WIDTH),
      WIDE(MESH, HEIGHT),
      WIDE(MESH, NODES),
      WIDE(CTOR, CLOCKS),
      MASK(CLKH_CLOCK_MASK, CLKH, HIGH),
      MASK(RX_PAGE_MASK, RXPG, PAGE),
      MASK(RX_SENDER_MASK, RXEP, SENDER),
      MASK(DUDA_ADDR_MASK, DUDA, ADDRESS),
      WIDE(DUWC, WORDS),
      NUMBER(SNI_OPT(5), kTableEntries[0].offset + 40),
      NUMBER(SNI_IPT(5), kTableEntries[2].offset + 20),
      NUMBER(SNI_IPC(5), kTableEntries[3].offset + 20),
      ONE(OPT0, AU),
      WIDE(OPT0, DNODE),
      WIDE(OPT0, DPAGE),
      ONE(OPT1, TOE),
      WIDE(OPT1, BOUND),
      WIDE(OPT1, KEY),
      WIDE(IPT, KEY),
      WIDE(DUDN, KEY),
      WIDE(UDCR, BASE),
      ONE(OPT0, DU),
      WIDE(OPT1, CONTEXT),
      ONE(PROXY, INITIATED),
      ONE(PROXY, TRANSFERRING),
      ONE(PROXY, INVALID),
      ONE(PROXY, MATCH),
      ONE(PROXY, REFUSED),
      ONE(OPT1, COMB),
      NUMBER(SNI_IPT_COLOR_MASK, mask("IPT", "COLOR") | mask("IPT", "COLOR01")),
      ONE(IPT, INT),
      ONE(IPT, VALID),
  };
  const uint32_t counters[] = {SNI_TXP,  SNI_TXW,  SNI_RXP,  SNI_RXW,  SNI_RXD,  SNI_TXU,  SNI_OVFC,
                               SNI_DUP,  SNI_ENDD, SNI_ENDR, SNI_ENDN, SNI_ENDB, SNI_ENDT, SNI_ENDP,
                               SNI_ENDF, SNI_AUS,  SNI_AUW,  SNI_BRD,  SNI_BWR};
  static_assert(std::size(counters) == std::size(kCounterTable));
  for (size_t i = 0; i < std::size(counters); ++i)
    all.push_back({kCounterTable[i].name.data(), counters[i], kCounters + 8 * kCounterTable[i].index});
  const uint32_t terms[] = {SNI_LAT_COMB, SNI_LAT_FIFO, SNI_LAT_BACK,
                            SNI_LAT_EISA, SNI_LAT_XFER, SNI_LAT_TOTAL};
  for (size_t i = 0; i < std::size(terms); ++i)
    all.push_back({kTermTable[i].name.data(), terms[i], kTerms + 16 * i});
  return all;
}
#undef NUMBER
#undef MASK
#undef WIDE
#undef ONE

#define OFFSET(reg) {#reg, SNI_##reg}
#define FLAG(reg, name) {#reg, #name, SNI_##reg##_##name}
const boards::Registered kShrimp({
    .view = sni_view(),
    .manual = manual_text,
    .listed = listed(),
    .inferred = inferred(),
    .header = {{.title = "registers",
                .model = kRegisters,
                .offsets = {OFFSET(SCR),  OFFSET(SSR),   OFFSET(SISR), OFFSET(SIER), OFFSET(NODE),
                            OFFSET(MESH), OFFSET(FSIZE), OFFSET(FCNT), OFFSET(FHWM), OFFSET(FLWM),
                            OFFSET(CTOR), OFFSET(CLKL),  OFFSET(CLKH), OFFSET(RXPG), OFFSET(RXEP),
                            OFFSET(DUSA), OFFSET(DUDA),  OFFSET(DUDN), OFFSET(DUWC), OFFSET(UDCR)},
                .fields = {FLAG(SCR, EN),    FLAG(SCR, AUE),   FLAG(SCR, TSE),   FLAG(SCR, GRST),
                           FLAG(SCR, FLUSH), FLAG(SCR, CRST),  FLAG(SSR, OPEN),  FLAG(SSR, FULL),
                           FLAG(SSR, AHW),   FLAG(SSR, BLW),   FLAG(SSR, EMPTY), FLAG(SSR, DUB),
                           FLAG(SSR, RXB),   FLAG(SISR, PEND), FLAG(SISR, CKV),  FLAG(SIER, CKV),
                           FLAG(SISR, DUE),  FLAG(SIER, DUE),  FLAG(SISR, DUD),  FLAG(SIER, DUD),
                           FLAG(SISR, OVF),  FLAG(SIER, OVF),  FLAG(SISR, RXE),  FLAG(SIER, RXE),
                           FLAG(SISR, RXI),  FLAG(SIER, RXI),  FLAG(SISR, LW),   FLAG(SIER, LW),
                           FLAG(SISR, HW),   FLAG(SIER, HW),   FLAG(UDCR, HOLD), FLAG(UDCR, ENABLE)},
                .has_fields = boards::Has::kSome}},
    .numbers = numbers(),
    .limits = {limit("nodes", &SniConfig::nodes, 1, 4096,
                     {.node = 0, .nodes = 1, .mesh_width = 64, .fifo_words = 4096}),
               limit("node", &SniConfig::node, 0, 3), limit("mesh-width", &SniConfig::mesh_width, 1, 64),
               limit("fifo-words", &SniConfig::fifo_words, SNI_FIFO_MIN, SNI_FIFO_MAX),
               limit("cable", &SniConfig::cable_ns, 0, SNI_CABLE_MOST),
               limit("acquire", &SniConfig::acquire_ns, 0, SNI_ACQUIRE_MOST)},
    .make = [](unsigned) -> std::unique_ptr<boards::OnBench> { return std::make_unique<OnShrimp>(); },
    .mistakes = boards::ways(kWrong),
    .effects = boards::ways(kTold),
    .allowed = boards::ways(kAllowed),
    .damages = boards::damages(kDamages),
    .members = boards::members_of<SniState>(),
    // mesh.sent is in use with links=on alone, cycle with contention=on: remote_test.cc and bus_test.cc
    // damage them there.
    .free = {"counter", "mesh.sent.first", "mesh.sent.length", "mesh.sent.from", "mesh.sent.to", "cycle.addr",
             "cycle.bytes", "cycle.seen"},
    .by_rows = {"fifo", "fifo_time"},
    .remade = {"irq"},
    .at_once = {injection("inject-clock-wrap")},
    .registers = boards::NotPlain{.configured = {"NODE", "MESH", "FSIZE", "FHWM", "FLWM", "COMB", "FIFO",
                                                 "BACK", "EISA", "XFER", "TOTAL"},
                                  .acting = {"SBCR", "SCR", "SISR", "DUWC"}},
});
#undef OFFSET
#undef FLAG

}  // namespace
}  // namespace perfboard::sni
