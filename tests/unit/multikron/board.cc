// SPDX-License-Identifier: GPL-2.0-or-later
//
// The MULTIKRON in the tests that all boards share.
#include "tests/unit/boards/board.h"

#include "guest/multikron/regs.h"
#include "hw/multikron/view.h"
#include "tests/unit/multikron/fixture.h"

#define STATE_LIST "hw/multikron/state.def"
#include "tests/unit/boards/member_list.h"

namespace perfboard::mk {
namespace {

class OnMultiKron
    : public boards::On<boards::OnBench, MkBench, [](MkBench& b) { return &b.chip; }, mk_state_ok, mk_load> {
 public:
  void* model() override { return &bench.chip; }
  bool load(const void* image, char* why, uint32_t size) override {
    bench.out.clear();
    return On::load(image, why, size);
  }
  void save() override { mk_pre_save(&bench.chip); }
  void reset() override { mk_power_on(&bench.chip); }
  void guest_reset() override { mk_hardware_reset(&bench.chip); }
  // One processor; in test mode each address can be read, and what is write only reads 0.
  void power_up() override {
    mk_power_on(&bench.chip);
    bench.chip.config.lines = 1;
    bench.test_mode(true);
    powered_up_ = true;
  }
  std::optional<uint64_t> read_lanes(unsigned window, uint64_t offset, unsigned bytes) override {
    return bench.read_at(static_cast<mk_window>(window), static_cast<uint32_t>(offset), bytes);
  }
  void write_lanes(unsigned window, uint64_t offset, uint64_t value, unsigned bytes) override {
    bench.write_at(static_cast<mk_window>(window), static_cast<uint32_t>(offset), bytes, value);
  }
  // Otherwise of windows that show addresses 8 bytes apart.
  std::optional<uint32_t> read(unsigned window, uint64_t offset) override {
    if (powered_up_) return static_cast<uint32_t>(*read_lanes(window, offset, 4));
    if (window != MK_WINDOW_8) return {};
    if (offset >= 0x800)
      return static_cast<uint32_t>(bench.read_at(MK_WINDOW_8, static_cast<uint32_t>(offset), 4));
    const bool counter = offset / 8 >= addr::kCounter;
    if (counter && bench.state().shadow_busy) return {};  // it would be of an old copy
    const size_t mistakes = bench.mistakes.size();
    const uint64_t value = bench.read(static_cast<unsigned>(offset / 8));
    if (bench.mistakes.size() != mistakes) return {};
    return static_cast<uint32_t>(value >> 8 * (offset % 8));
  }
  // Anything a program does, in normal and in test mode.
  void act(std::mt19937& random) override {
    const unsigned kinds[] = {addr::kCsr,     addr::kFilter, addr::kMuxSel, addr::kRReset, addr::kEnable,
                              addr::kDisable, addr::kTest,   addr::kSource, addr::kTrace,  addr::kResource,
                              addr::kCounter, addr::kWait,   addr::kOverrun};
    unsigned address = kinds[random() % std::size(kinds)];
    if (address >= addr::kSource) address += random() % 8;
    if (random() % 40 == 0) bench.test_mode(random() % 2);
    bench.write(address, uint64_t{random()} << 32 | random(), static_cast<int>(random() % 8));
    bench.now += random() % 400;
    mk_catch_up(&bench.chip);
  }
  // Samples in the FIFO, one of them half sent; the shadow registers taken; an access delayed.
  void make_busy() override {
    bench.command(csr::kWriteWait);
    bench.count_cycles();
    bench.trace(1);
    bench.resource(2);
    EXPECT_EQ(bench.try_write(addr::kResource, 3), MK_WAIT);
    bench.pass(20);
    mk_pre_save(&bench.chip);
    EXPECT_TRUE(bench.state().waiting && bench.state().sent && bench.state().count == 2);
  }
  void lives_on() override {
    EXPECT_EQ(bench.release, bench.now) << "nobody is held any more";
    EXPECT_EQ(bench.watched, 0);
    for (unsigned a : {addr::kCsr, addr::kTimestamp, addr::kFilter, addr::kWait, addr::kOverrun,
                       addr::kMuxSel, addr::kEnable, addr::kSource, addr::kCounter, addr::kCounter + 15})
      EXPECT_EQ(bench.read(a), 0u) << a;
    bench.out.clear();
    bench.command(csr::kSample);
    bench.write(addr::kFilter, 0xffff);
    bench.trace(7);
    bench.pass(100);
    EXPECT_EQ(bench.only_sample().data(), 7u);
  }

 private:
  bool powered_up_ = false;
};

// A read of a counter's upper half is of the lower half's read.
boards::NotPlain not_plain() {
  boards::NotPlain all = {.configured = {},
                          .acting = {},
                          .writes_act = {"RESET", "CSR", "WAIT", "OVERRUN", "ENABLE", "TEST_H"},
                          .wide = true,
                          .idle = 0};
  for (const Register& r : kRegisters)
    if (r.name.starts_with("RC") && r.mask(wa)) all.writes_act.push_back(r.name);
  for (const Register& r : kUpper)
    if (r.name.starts_with("RC")) all.acting.push_back(r.name);
  return all;
}

using Way = boards::WayOf<MkBench>;
constexpr Way kWrong[] = {
    {mistake("unaligned"), [](MkBench& b) { b.read_at(MK_WINDOW_8, 10, 4); }, 0, "read"},
    {mistake("unaligned"), [](MkBench& b) { b.write_at(MK_WINDOW_8, 12, 8, 0); }, 0, "write"},
    {mistake("unaligned"), [](MkBench& b) { b.read_at(MK_WINDOW_8, 0x802, 4); }, 0, "card"},
    {mistake("narrow-write"), [](MkBench& b) { b.write_at(MK_WINDOW_8, 8, 2, 0); }},
    {mistake("upper-half"), [](MkBench& b) { b.write_at(MK_WINDOW_8, 12, 4, 0); }},
    {mistake("no-register"), [](MkBench& b) { b.read(7); }, 0, "read 7"},
    {mistake("no-register"), [](MkBench& b) { b.write(24, 0); }, 0, "write 24"},
    {mistake("no-register"), [](MkBench& b) { b.read_at(MK_WINDOW_SAMPLE, 8, 8); }, 0, "sample page"},
    {mistake("reserved-address"), [](MkBench& b) { b.read(48); }, 0, "read 48"},
    {mistake("reserved-address"), [](MkBench& b) { b.write(63, 0); }, 0, "write 63"},
    {mistake("write-only"), [](MkBench& b) { b.read(addr::kReset); }, 0, "RESET"},
    {mistake("write-only"), [](MkBench& b) { b.read(addr::kRReset); }, 0, "RRESET"},
    {mistake("write-only"), [](MkBench& b) { b.read(addr::kDisable); }, 0, "DISABLE"},
    {mistake("sample-read"), [](MkBench& b) { b.read(addr::kTrace + 3); }},
    {mistake("read-only"), [](MkBench& b) { b.write(addr::kTimestamp, 0); }, 0, "TIMESTAMP"},
    {mistake("read-only"),
     [](MkBench& b) {
       b.test_mode(true);
       b.write(addr::kFifo, 0);
     },
     0, "FIFO"},
    {mistake("test-mode-only"), [](MkBench& b) { b.read(addr::kTest); }, 0, "read TEST"},
    {mistake("test-mode-only"), [](MkBench& b) { b.write(addr::kTest, 0); }, 0, "write TEST"},
    {mistake("test-mode-only"), [](MkBench& b) { b.read(addr::kFifo); }, 0, "read FIFO"},
    {mistake("test-mode-only"), [](MkBench& b) { b.write(addr::kFifo, 0); }, 0, "write FIFO"},
    {mistake("no-card-word"), [](MkBench& b) { b.read_at(MK_WINDOW_8, 0x818, 4); }},
    {mistake("card-read-only"), [](MkBench& b) { b.write_at(MK_WINDOW_8, 0x800, 4, 1); }},
    {mistake("set-and-clear"), [](MkBench& b) { b.command(csr::kSample | csr::kNoSample); }, 0, "sampling"},
    {mistake("not-software"), [](MkBench& b) { b.write(addr::kCounter, 0); }},
    {mistake("no-cpu-line"), [](MkBench& b) { b.trace(0, -1); }},
    {mistake("cannot-wait"),
     [](MkBench& b) {
       b.command(csr::kWriteWait);
       for (int i = 0; i < 9; ++i) b.trace(0);
     }},
    {mistake("test-no-function"),
     [](MkBench& b) {
       b.test_mode(true);
       b.write(addr::kTest, uint64_t{1} << 41);
     }},
    {mistake("set-and-increment"),
     [](MkBench& b) {
       b.test_mode(true);
       b.test({.set = 3, .inc = 3});
     }},
    {mistake("shift-cuts-off"),
     [](MkBench& b) {
       b.test_mode(true);
       b.trace(0);
       b.pass(8);
       b.test({.shift = true});
     }},
    {mistake("load-full"),
     [](MkBench& b) {
       b.test_mode(true);
       for (int i = 0; i < 9; ++i) b.test({.off = true, .load = true});
     }},
    {mistake("shadow-kept"),
     [](MkBench& b) {
       b.test_mode(true);
       b.test({.data = 2, .load = true});
       b.resource(0);
     }},
    {mistake("can-hold"),
     [](MkBench& b) {
       b.test_mode(true);
       b.command(csr::kReadWait);
       b.test({.off = true});
     }},
    {mistake("held"),
     [](MkBench& b) {
       b.test_mode(true);
       b.test({.off = true});
       b.command(csr::kReadWait);
       b.resource(0);
       b.mistakes.clear();  // of what leads there
       uint64_t value;
       EXPECT_EQ(b.try_read(addr::kCounter, &value), MK_WAIT);
     }},
};

void effects_of_samples(MkBench& b) {
  b.effects.clear();
  b.write(addr::kTrace + 5, 0);
  b.write(addr::kResource + 6, 0);
  EXPECT_EQ(b.told(mk_view()), "trace-sample=5 resource-sample=6");
  b.write(addr::kResource + 7, 0);
  EXPECT_EQ(b.told(mk_view()), "overrun=2");
  b.pass(1000);
  b.words();
  EXPECT_EQ(b.told(mk_view()), "sample-sent=16 sample-sent=80 shadow-freed=0");
  b.write(addr::kFilter, 1);
  b.write(addr::kTrace + 1, 0);
  b.command(csr::kNoSample);
  b.trace(0);
  EXPECT_EQ(b.told(mk_view()), "discarded=1 discarded=0");
}
void effects_of_counters(MkBench& b) {
  b.effects.clear();
  b.count(uint64_t{1} << 35, 1 << 3);
  b.write(addr::kCounter + 3, 0);
  b.counter(3);
  EXPECT_EQ(b.told(mk_view()), "counted=3 counters-copied=3");
  b.state().counter[3] = 0xfffffffe;
  b.write(addr::kCounter + 3, 0);
  b.write(addr::kCounter + 3, 0);
  EXPECT_EQ(b.told(mk_view()), "counter-full=3 counted=3 counted=3");
  b.resource(0);
  b.counter(3);
  EXPECT_EQ(b.told(mk_view()), "resource-sample=0 wrong-data=3");
  b.reset();
  EXPECT_EQ(b.told(mk_view()), "software-reset=0");
}
void effects_of_waits(MkBench& b) {
  b.at(1000);
  b.command(csr::kWriteWait);
  b.fill();
  b.effects.clear();
  b.held_write(addr::kTrace, 0);
  EXPECT_EQ(b.told(mk_view()),
            "delayed=1 sample-sent=16 delay-over=" + std::to_string(b.waits()) + " trace-sample=0");
}
void effects_of_test_mode(MkBench& b) {
  b.test_mode(true);
  b.effects.clear();
  b.test({.data = 1, .off = true, .load = true});
  b.test({.off = true, .shift = true});
  EXPECT_EQ(b.told(mk_view()), "test-loaded=0 test-shifted=0");
}
void effects_of_damage(MkBench& b) {
  b.effects.clear();
  b.inject(injection("inject-damage"));
  b.inject(injection("inject-no-end"));
  b.trace(0);
  EXPECT_EQ(b.told(mk_view()), "sample-damaged=3 trace-sample=0");
}
constexpr Way kTold[] = {
    {0, effects_of_samples, 0, "EffectsOfSamples"}, {0, effects_of_counters, 0, "EffectsOfCounters"},
    {0, effects_of_waits, 0, "EffectsOfWaits"},     {0, effects_of_test_mode, 0, "EffectsOfTestMode"},
    {0, effects_of_damage, 0, "EffectsOfDamage"},
};

constexpr boards::DamageOf<MkState> kDamages[] = {
    SET(head, MK_FIFO_MAX),
    SET(count, 9),  // the FIFO's depth is 8
    SET(sent, 16),
    SET(fifo[63].resource, 2),
    SET(next_edge, 0),
    {"next_edge", [](MkState& s) { s.next_edge |= 1; }},
    SET(next_edge, UINT64_MAX - 1),
    SET(reset_ns, UINT64_MAX),
    SET(timestamp, uint64_t{1} << 56),
    SET(timestamp_tick, UINT64_MAX),
    SET(counted_cycle, UINT64_MAX),
    SET(counted_tick, UINT64_MAX),
    SET(wait_cycle, UINT64_MAX),
    {"waiting", [](MkState& s) { s.wait_shadow = 0; }},
    SET(net_stopped, 2),
    SET(fifo[3].damage, 4),
    {"csr", [](MkState& s) { s.csr |= 2; }},
    {"filter", [](MkState& s) { s.filter |= 0x10000; }},
    SET(mux_sel, UINT64_MAX),
    SET(test, uint64_t{1} << 48),
    SET(external_count, 1),
    SET(right_half[8], 17),
    SET(shadow_busy, 2),
};

boards::Limit limit(const char* property, uint32_t MkConfig::* member, uint32_t low, uint32_t high,
                    uint32_t timestamp_hz = 10'000'000) {
  return {property, low, high, [=](uint32_t value) {
            MkConfig c = {.node_hz = 50'000'000,
                          .timestamp_hz = timestamp_hz,
                          .fifo_depth = 8,
                          .free_bytes = 1,
                          .lines = 1};
            c.*member = value;
            return complaint_about<mk_config_ok>(c);
          }};
}

#define ADDRESS(reg) {#reg, MKR_AT4(MKR_##reg)}
#define FLAG(reg, name) {#reg, #name, MKR_##reg##_##name}
#define WIDE(reg, name) {#reg, #name, MKR_##reg##_##name##_MASK, MKR_##reg##_##name##_SHIFT}
#define UPPER(reg, name) \
  {#reg "_H", #name, uint64_t{MKR_##reg##_##name##_MASK} >> 32, MKR_##reg##_##name##_SHIFT - 32}
boards::HeaderTable chip() {
  using boards::kNameless;  // rows of upper halves begin at bit 32 of the header's masks
  std::vector<boards::HeaderOffset> offsets = {
      ADDRESS(RESET),  ADDRESS(CSR),    ADDRESS(TIMESTAMP), ADDRESS(FILTER),  ADDRESS(WAIT), ADDRESS(OVERRUN),
      ADDRESS(MUXSEL), ADDRESS(RRESET), ADDRESS(ENABLE),    ADDRESS(DISABLE), ADDRESS(FIFO), ADDRESS(TEST)};
  std::vector<boards::HeaderField> fields = {
      {"RESET", "RESET", kNameless},
      FLAG(CSR, SE),
      FLAG(CSR, SEOFF),
      FLAG(CSR, WWAIT),
      FLAG(CSR, WWAITOFF),
      FLAG(CSR, RWAIT),
      FLAG(CSR, RWAITOFF),
      FLAG(CSR, FFULL),
      FLAG(CSR, SHFULL),
      FLAG(CSR, FOV),
      FLAG(CSR, SHOV),
      FLAG(CSR, BIT128),
      WIDE(CSR, WS),
      {"CSR", "SLOW10", MKR_CSR_SLOW10US},
      {"CSR", "SLOW100", MKR_CSR_SLOW1US},
      {"TIMESTAMP", "LOW", MKR_TIMESTAMP_MASK & 0xffffffff, MKR_TIMESTAMP_SHIFT},
      {"TIMESTAMP_H", "HIGH", (MKR_TIMESTAMP_MASK & ~0xffffffffull) >> 32, 0},
      WIDE(FILTER, LEVEL),
      {"WAIT", "CYCLES", kNameless},
      {"OVERRUN", "SAMPLES", kNameless},
      WIDE(MUXSEL, LSB),
      UPPER(MUXSEL, MSB),
      {"RRESET", "CLEAR", MKR_COUNTERS_MASK, MKR_COUNTERS_SHIFT},
      {"ENABLE", "ENABLE", MKR_COUNTERS_MASK, MKR_COUNTERS_SHIFT},
      {"DISABLE", "DISABLE", MKR_COUNTERS_MASK, MKR_COUNTERS_SHIFT},
      {"FIFO", "GROUP", kNameless},
      WIDE(TEST, DATA),
      UPPER(TEST, NOTHING),
      UPPER(TEST, SET),
      UPPER(TEST, INC),
      UPPER(TEST, GROUP),
      {"TEST_H", "NETOFF", uint64_t{MKR_TEST_NETOFF} >> 32, 6},
      {"TEST_H", "LOAD", uint64_t{MKR_TEST_LOAD} >> 32, 7},
      {"TEST_H", "SHIFT", uint64_t{MKR_TEST_SHIFT} >> 32, 8}};
  for (int i = 0; i < MKR_SOURCES; ++i) {
    const std::string reg = "SRC" + std::to_string(i);
    offsets.push_back({reg, MKR_AT4(MKR_SOURCE(i))});
    fields.push_back({reg, "SOURCE", MKR_SOURCE_NODE_MASK | MKR_SOURCE_PROCESS_MASK, boards::kMaskOnly});
  }
  for (int i = 0; i < MKR_COUNTERS; ++i) {
    const std::string reg = "RC" + std::to_string(i);
    offsets.push_back({reg, MKR_AT4(MKR_COUNTER(i))});
    fields.push_back({reg, "COUNT", MKR_COUNTER_VALUE_MASK, boards::kMaskOnly});
  }
  for (int i = 0; i < MKR_LEVELS; ++i) {
    const std::string n = std::to_string(i);
    offsets.push_back({"TRACE" + n, MKR_AT4(MKR_SAMPLE_TRACE(i))});
    offsets.push_back({"RSRC" + n, MKR_AT4(MKR_SAMPLE_RESOURCE(i))});
    fields.push_back({"TRACE" + n, "DATA", kNameless});
    fields.push_back({"RSRC" + n, "DATA", kNameless});
  }
  return {.title = "chip",
          .model = kRegisters,
          .offsets = offsets,
          .has_offsets = boards::Has::kSome,
          .fields = fields};
}
#undef ADDRESS
#undef FLAG
#undef WIDE
#undef UPPER

boards::HeaderTable card() {
  std::vector<boards::HeaderOffset> offsets = {
      {"MAGIC", MKR_CARD_MAGIC},           {"VERSION", MKR_CARD_VERSION},
      {"NODE_HZ", MKR_CARD_NODE_HZ},       {"TIMESTAMP_HZ", MKR_CARD_TIMESTAMP_HZ},
      {"FIFO_DEPTH", MKR_CARD_FIFO_DEPTH}, {"LINES", MKR_CARD_LINES}};
  for (unsigned i = 0; i < MKR_SOURCES; ++i) offsets.push_back({"CPU" + std::to_string(i), MKR_CARD_CPU(i)});
  return {.title = "card",
          .model = kCard,
          .offsets = offsets,
          .has_offsets = boards::Has::kSome,
          .has_fields = boards::Has::kSome};
}

std::vector<boards::HeaderNumber> numbers() {
  uint32_t commands = 0;
  for (const Field& f : at(kRegisters, "CSR").fields)
    if (f.access != ro) commands |= f.mask();
  uint64_t test = at(kRegisters, "TEST").fields[0].mask();
  for (const Field& f : at(kRegisters, "TEST_H").fields) test |= uint64_t{f.mask()} << 32;
  return {{"samples", MKR_SAMPLES, kSamples},      {"addresses", MKR_ADDRESSES, kAddresses},
          {"BAR", MKR_BAR_BYTES, MK_WINDOW_BYTES}, {"commands of CSR", MKR_CSR_COMMANDS, commands},
          {"bits of TEST", MKR_TEST_BITS, test},   {"magic", MKR_CARD_MAGIC_VALUE, MK_CARD_MAGIC}};
}

const boards::Registered kMultiKron({
    .view = mk_view(),
    .manual = [] { return manual_tables(kManual); },
    .listed = {},
    .inferred = {},
    .header = {chip(), card()},
    .numbers = numbers(),
    .limits = {limit("node-clock", &MkConfig::node_hz, 1000, 1'000'000'000, 333),
               limit("timestamp-clock", &MkConfig::timestamp_hz, 1, 16'666'666),
               limit("fifo-depth", &MkConfig::fifo_depth, 1, 64),
               limit("wait-states", &MkConfig::wait_states, 0, 3)},
    .make = [](unsigned) -> std::unique_ptr<boards::OnBench> { return std::make_unique<OnMultiKron>(); },
    .mistakes = boards::ways(kWrong),
    .effects = boards::ways(kTold),
    .allowed = {},
    .damages = boards::damages(kDamages),
    .members = boards::members_of<MkState>(),
    .free = {},
    .by_rows = {},
    .remade = {},
    .at_once = {injection("inject-saturate"), injection("inject-flip")},
    .registers = not_plain(),
});

}  // namespace
}  // namespace perfboard::mk
