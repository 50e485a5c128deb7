// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard in the tests that all boards share.
#include "tests/unit/boards/board.h"

#include "guest/surfboard/regs.h"
#include "hw/fpga/load.h"
#include "hw/surfboard/view.h"
#include "tests/unit/surfboard/fixture.h"

#define STATE_LIST "hw/surfboard/has_state.def"
#include "tests/unit/boards/member_list.h"
#define STATE_LIST "hw/surfboard/state.def"
#include "tests/unit/boards/member_list.h"

namespace perfboard::surf {
namespace {

class OnSurf : public boards::On<boards::OnBench, SurfBench, [](SurfBench& b) { return &b.board; },
                                 surf_state_ok, surf_load> {
 public:
  void* model() override { return &bench.board; }
  void reset() override { surf_power_on(&bench.board); }
  void guest_reset() override { surf_bus_reset(&bench.board); }
  std::optional<uint32_t> read(unsigned window, uint64_t offset) override {
    return static_cast<uint32_t>(*read_lanes(window, offset, 4));
  }
  void power_up() override {
    surf_power_on(&bench.board);
    bench.enable();
    bench.shift_in(shift_value(3));  // all 22 bits of TICR
  }
  std::optional<uint64_t> read_lanes(unsigned window, uint64_t offset, unsigned bytes) override {
    const auto at = static_cast<uint32_t>(offset);
    return window ? bench.read_at(at, bytes) : bench.io_read(at, bytes);
  }
  void write_lanes(unsigned window, uint64_t offset, uint64_t data, unsigned bytes) override {
    const auto value = static_cast<uint32_t>(data);
    const auto at = static_cast<uint32_t>(offset);
    window ? bench.write_at(at, value, bytes) : bench.io_write(at, value, bytes);
  }
  void act(std::mt19937& random) override {
    const Register& written = kRegisters[random() % std::size(kRegisters)];
    bench.write_at(written.offset, random() & random(), 4);
    if (random() % 3 == 0)
      bench.send({.words = static_cast<uint16_t>(1 + random() % 9), .timestamp = bench.now / 100});
    surf_timer(&bench.board);
  }
  // Packets in the pipeline, a bitstream half loaded, slots in the FIFO, the line up, the wire pulled.
  void make_busy() override {
    bench.shift_in(shift_value(1));
    bench.write("FCCR", 0);
    for (int i = 0; i < 100; ++i) bench.write("FCDR", (0b0010 >> (11 - std::min(i, 11))) & 1);
    bench.state().has.phase = xc4000::kFrameData;
    bench.state().has.bit = 100;
    bench.write("HTCR", 0);
    bench.write("HFDR", 0x155);
    bench.put("IEMR.FNE");
    bench.write("ECDR", 1);
    bench.put("TTCR.MEOD");
    bench.write("PCLR", 3);
    bench.put("HTCR.TEN", "HTCR.HEN");
    for (int i = 0; i < 3; ++i) bench.deliver({.words = 4}, bench.now + 1080);
    EXPECT_TRUE(bench.state().pipe_count >= 1 && bench.irq && bench.driven_low);
  }
  void lives_on() override {
    EXPECT_FALSE(bench.driven_low);
    EXPECT_FALSE(surf_enabled(&bench.board));
    EXPECT_EQ(bench.io_read(0xC84, 4), 0u);
    bench.enable();
    EXPECT_EQ(bench.recirculate(), 0u);
    SurfBench fresh;
    for (const Register& r : kRegisters) EXPECT_EQ(bench.read(r.name), fresh.read(r.name)) << r.name;
    for (int i = 0; i < 600; ++i) bench.write("FCDR", i & 1);
    bench.write("FCCR", 0);
    for (int i = 0; i < 600; ++i) bench.write("FCDR", i & 1);
    bench.put("HTCR.TEN", "HTCR.HEN", "HTCR.WEN");
    for (int i = 0; i < 10; ++i) bench.send();
    EXPECT_EQ(bench.read("WCDR"), 10u);
  }
};

uint64_t last(const SurfBench& b, unsigned effect) {
  const std::vector<uint64_t> all = b.values(effect);
  return all.empty() ? ~uint64_t{0} : all.back();
}

using Way = boards::WayOf<SurfBench>;
constexpr uint32_t kTen = bits("HTCR.TEN"), kHen = bits("HTCR.HEN");
constexpr Way kWrong[] = {
    {mistake("disabled"), [](SurfBench& b) { b.disable(), b.read("HTCR"); }},
    {mistake("unused-offset"), [](SurfBench& b) { b.read_at(0x3C, 4); }},
    {mistake("narrow-write"), [](SurfBench& b) { b.write_at(at(kRegisters, "TECR").offset, 0, 2); }},
    {mistake("narrow-fifo-write"),
     [](SurfBench& b) { b.write("HTCR", 0), b.write_at(at(kRegisters, "HFDR").offset, 1, 1); }},
    {mistake("fifo-held"), [](SurfBench& b) { b.read("HFCR"); }},
    {mistake("fifo-empty"), [](SurfBench& b) { b.write("HTCR", 0), b.read("HFDR"); }},
    {mistake("fifo-full"),
     [](SurfBench& b) {
       b.write("HTCR", 0);
       for (int i = 0; i <= SURF_FIFO_SLOTS; ++i) b.write("HFDR", 1);
     }},
    {mistake("undefined-sendid"),
     [](SurfBench& b) { b.shift_in(shift_value(1, 12, 0, 5)), b.write("HTCR", kTen); }},
    {mistake("lat-s-range"), [](SurfBench& b) { b.shift_in(shift_value(1, 12, 21)), b.write("HTCR", kTen); }},
    {mistake("lat-n-range"), [](SurfBench& b) { b.shift_in(shift_value(1, 13)), b.write("HTCR", kTen); }},
    {mistake("reserved-mode"),
     [](SurfBench& b) { b.shift_in(shift_value(1)), b.put("TTCR.MODE"), b.write("HTCR", kTen); }},
    {mistake("trace-too-large"), [](SurfBench& b) { b.shift_in(shift_value(2)), b.write("HTCR", kTen); }},
    {mistake("shift-while-collecting"),
     [](SurfBench& b) { b.shift_in(shift_value(1)), b.write("HTCR", kTen), b.write("ACDR", 0); }},
    {mistake("no-selector"), [](SurfBench& b) { b.shift_in(shift_value(1)), b.write("HTCR", kHen); }},
    {mistake("bit-lost"), [](SurfBench& b) { b.write("FCDR", 1); }},
    {mistake("cause-lasts"),
     [](SurfBench& b) {
       b.shift_in(shift_value(1));
       b.write("TTCR", 2 << 2);
       b.write("HTCR", kTen);
       b.send();
       b.put("ISCR.TC");
     }},
    {mistake("no-line"), [](SurfBench& b) { b.enable(1), b.put("IEMR.TC"); }},
    {mistake("oscillates"), [](SurfBench& b) { b.put("TTCR.MEI", "TTCR.EOP"); }},
};
void effects_of_counting(SurfBench& b) {
  b.shift_in(shift_value(1));
  EXPECT_EQ(last(b, effect("shifted")), shift_value(1));
  b.select(HAS_SIZE_SHIFT, 10);
  b.write("TICR", 7);
  b.write("WCDR", 0xffffffff);
  b.set_bin(5, 0xffffffff);
  b.write("HTCR", kTen | kHen | bits("HTCR.WEN"));
  b.send({.words = 5});
  surf_timer(&b.board);
  EXPECT_EQ(last(b, effect("packet")), 5u);
  EXPECT_EQ(last(b, effect("triggered")), 7u);
  EXPECT_EQ(last(b, effect("packet-recorded")), 7u);
  EXPECT_EQ(last(b, effect("bin-counted")), 5u);
  EXPECT_EQ(last(b, effect("bin-overflow")), 5u);
  EXPECT_EQ(last(b, effect("address-pushed")), 5u);
  EXPECT_FALSE(b.values(effect("words-wrapped")).empty());
  EXPECT_EQ(b.read("HFDR"), 0x105u);
  EXPECT_EQ(last(b, effect("fifo-popped")), 0x105u);
}
void effects_of_configuring_and_errors(SurfBench& b) {
  b.shift_in(shift_value(0, 1));  // 16 entries, a latency of 2 bits
  configure(b, good_stream());
  configure(b, bad_stream());
  b.select(HAS_SIZE_SHIFT, 10);
  b.write("WCDR", 0xffffffff);
  b.write("HTCR", 0);
  b.put("HTCR.FRS");
  b.write("HTCR", kTen | kHen | bits("HTCR.WEN"));
  b.read("HFCR");
  b.write("HFDR", 3);
  b.read("HFDR");
  b.set_bin(1, 0xffffffff);
  b.send();  // an address goes into the FIFO
  for (int i = 0; i < SURF_FIFO_SLOTS; ++i) b.write("HFDR", 0);
  b.set_bin(1, 0xffffffff);
  b.send();                               // and one does not
  b.send({.timestamp = b.now});           // received before it was sent
  for (int i = 0; i < 16; ++i) b.send();  // complete
  b.send({.eod = false});
  b.send();
  const uint64_t start = b.now;
  b.deliver({}, start);
  b.deliver({}, start + 300);  // too early
  b.pull(true);
  b.pull(false);
  b.put("TTCR.EIP");
  b.put("TTCR.MEOD");
  b.write("ECDR", 1);
  surf_set_receive_time(&b.board, kTimeMask);
  b.pass(200);
  b.read("ISCR");
  surf_global_reset(&b.board);
  surf_inject(&b.board, injection("inject-drop"), 1);
  b.send();
}
constexpr Way kTold[] = {{0, effects_of_counting}, {0, effects_of_configuring_and_errors}};
void what_the_manual_allows(SurfBench& b) {
  b.shift_in(shift_value(1));
  configure(b, good_stream());
  b.write("TTCR", 0);
  b.put("IEMR.TC");
  b.write("HTCR", kTen | kHen);
  b.send();
  b.write("HTCR", 0);
  b.write("TECR", 0);
  b.write("ISCR", 0x1f87);
}
constexpr Way kAllowed[] = {{0, what_the_manual_allows}};

constexpr boards::DamageOf<SurfState> kDamages[] = {
    SET(has.bit, 65'000),
    SET(has.bit, xc4000::kXc4003.frame_bits),
    SET(has.frame, xc4000::kXc4003.frames),
    SET(has.phase, 7),
    SET(has.startup, 4),
    {"has.pip[23]", [](SurfState& s) { s.has.pip[23] = uint64_t{1} << 51; }},
    SET(has.count, 1u << 24),
    SET(has.prog, 2),
    SET(fifo.head, SURF_FIFO_SLOTS),
    SET(fifo.count, SURF_FIFO_SLOTS + 1),
    {"fifo.count", [](SurfState& s) { s.htcr |= bits("HTCR.FRS"); }},
    SET(fifo.pointer, 4),
    SET(fifo.slot[0], 0x200),
    SET(pipe_count, 255),
    {"pipe_count", [](SurfState& s) { s.htcr |= bits("HTCR.PRS"); }},
    SET(pipe[0].done_ns, PB_NEVER),
    SET(pipe[0].stage2_ns, 0),
    SET(pipe[3].words, 1024),
    SET(open.color, 64),
    SET(open_valid, 2),
    {"iemr", [](SurfState& s) { s.ebcr &= ~bits("EBCR.ENABLE"); }},
    {"ebcr", [](SurfState& s) { s.ebcr |= 2; }},
    {"acdr", [](SurfState& s) { s.acdr |= 1u << 28; }},
    SET(ticr, 0xffffffff),
    SET(pipe[1].ext_input, 2),
    SET(ext_changed_ns[31], PB_NEVER),
    SET(ext_high, 2),
    SET(clock_base_ns, INT64_MIN),
    SET(category_before[7], 16),
    SET(category_until_ns[1], s.category_until_ns[0] + 1),
    SET(stage1_free_ns, PB_NEVER),
    SET(injected.hist_simm, 3),
};

#define OFFSET(reg) {#reg, SURF_##reg}
#define FLAG(reg, name) {#reg, #name, SURF_##reg##_##name}
#define WIDE(reg, name) {#reg, #name, SURF_##reg##_##name##_MASK, SURF_##reg##_##name##_SHIFT}
#define CONDITIONS(reg)                                                                                      \
  FLAG(reg, RTV), FLAG(reg, LU), FLAG(reg, LV), FLAG(reg, PV), FLAG(reg, WCV), FLAG(reg, BV), FLAG(reg, FV), \
      FLAG(reg, FF), FLAG(reg, FAF), FLAG(reg, FPF), FLAG(reg, FNE), FLAG(reg, EXT), FLAG(reg, TP),          \
      FLAG(reg, TC)
// The shift register's fields are named after ACDR, which moves it.
#define SHIFT_FLAG(name) {"SHIFT", #name, SURF_ACDR_##name}
#define SHIFT_WIDE(name) {"SHIFT", #name, SURF_ACDR_##name##_MASK, SURF_ACDR_##name##_SHIFT}
using boards::Has;
const boards::Registered kSurfBoard({
    .view = surf_view(),
    .manual = [] { return manual_tables(kManual); },
    .listed = {},
    .inferred = {},
    .header =
        {{.title = "slot",
          .model = kSlotRegisters,
          .offsets = {OFFSET(EPIR), OFFSET(EBCR)},
          .fields = {WIDE(EBCR, RBASE), WIDE(EBCR, MBASE), WIDE(EBCR, IRLEV), FLAG(EBCR, ENABLE)},
          .has_fields = Has::kSome},
         {.title = "registers",
          .model = kRegisters,
          .offsets = {OFFSET(FCCR), OFFSET(FCDR), OFFSET(ACDR), OFFSET(TTCR), OFFSET(ECDR), OFFSET(PCLR),
                      OFFSET(ISCR), OFFSET(IEMR), OFFSET(HTCR), OFFSET(WCDR), OFFSET(HFCR), OFFSET(HFDR),
                      OFFSET(TICR), OFFSET(TECR), OFFSET(TPIR)},
          .fields = {FLAG(FCCR, DONE), FLAG(FCCR, ERR),  FLAG(FCCR, CFG),  FLAG(FCCR, PROG), WIDE(FCCR, TSPD),
                     WIDE(FCCR, HSPD), FLAG(FCDR, DATA), FLAG(ACDR, DATA), FLAG(TTCR, EIP),  FLAG(TTCR, EOP),
                     FLAG(TTCR, MEOD), FLAG(TTCR, MEI),  FLAG(TTCR, MBV),  WIDE(TTCR, MODE), WIDE(TTCR, QUAL),
                     FLAG(ECDR, DATA), FLAG(PCLR, LED),  WIDE(PCLR, CAT),  FLAG(ISCR, PEND), CONDITIONS(ISCR),
                     CONDITIONS(IEMR), FLAG(HTCR, PRS),  FLAG(HTCR, FRS),  FLAG(HTCR, TRG),  FLAG(HTCR, WEN),
                     FLAG(HTCR, HEN),  FLAG(HTCR, TEN),  WIDE(WCDR, DATA), WIDE(HFCR, DATA), FLAG(HFDR, LSB),
                     WIDE(HFDR, DATA), WIDE(TICR, DATA), WIDE(TECR, DATA), WIDE(TPIR, DATA)}},
         {.title = "shift register",
          .model = kShiftRegister,
          .has_offsets = Has::kSome,
          .fields = {SHIFT_FLAG(RDBK_A), SHIFT_FLAG(CATMUX), SHIFT_WIDE(SENDID), SHIFT_WIDE(RDBK_B),
                     SHIFT_WIDE(LAT_S), SHIFT_WIDE(LAT_N), SHIFT_WIDE(RDBK_C), SHIFT_WIDE(TSIZE),
                     SHIFT_WIDE(RDBK_D), SHIFT_WIDE(RDBK_F)}},
         {.title = "trace memory",
          .model = kTraceWords,
          .has_offsets = Has::kSome,
          .fields = {WIDE(TRACE0, SENDER),
                     FLAG(TRACE0, V),
                     FLAG(TRACE0, U),
                     WIDE(TRACE0, LATENCY),
                     WIDE(TRACE1, CATEGORY),
                     WIDE(TRACE1, SIZE),
                     WIDE(TRACE1, COLOR),
                     WIDE(TRACE1, RTIME),
                     FLAG(TRACE3, I),
                     WIDE(TRACE3, P),
                     WIDE(TRACE3, ADDRESS),
                     WIDE(TRACE3, BE),
                     {"TRACE2", "RTIME", 0xffffffff, 0}}}},
    .numbers = {{"product", SURF_PRODUCT_ID& SURF_PRODUCT_ID_MASK,
                 kSlotRegisters[0].reset() & SURF_PRODUCT_ID_MASK},
                {"revision", static_cast<uint32_t>(~SURF_PRODUCT_ID_MASK), bits("EPIR.REV")},
                {"window", SURF_REG_BYTES, kRegisterBytes},
                {"ISCR, cleared by ones", SURF_ISCR_W1C, at(kRegisters, "ISCR").mask(w1c)},
                {"conditions", SURF_ISCR_CONDITIONS, at(kRegisters, "IEMR").mask(rw)},
                {"trace entry", SURF_TRACE_BYTES, 4 * std::size(kTraceWords)},
                {"FIFO", SURF_FIFO_ENTRIES, SURF_FIFO_SLOTS / 3}},
    .limits = {},
    .make = [](unsigned) -> std::unique_ptr<boards::OnBench> { return std::make_unique<OnSurf>(); },
    .mistakes = boards::ways(kWrong),
    .effects = boards::ways(kTold),
    .allowed = boards::ways(kAllowed),
    .damages = boards::damages(kDamages),
    .members = boards::members_of<SurfState>(),
    .free = {"open.start_ns", "open.stage2_ns", "open.stage3_ns", "open.done_ns"},
    .by_rows = {},
    .remade = {"ext_changed_ns"},
    .at_once = {injection("inject-clock-wrap")},
    .registers = boards::NotPlain{.configured = {},
                                  .acting = {"EBCR", "FCCR", "FCDR", "ACDR", "ISCR", "HFCR", "HFDR"}},
});
#undef OFFSET
#undef FLAG
#undef WIDE
#undef CONDITIONS
#undef SHIFT_FLAG
#undef SHIFT_WIDE

}  // namespace
}  // namespace perfboard::surf
