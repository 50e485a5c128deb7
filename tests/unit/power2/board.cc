// SPDX-License-Identifier: GPL-2.0-or-later
//
// The monitors in the tests that all boards share.
#include "tests/unit/boards/board.h"

#include "guest/power2/regs.h"
#include "hw/power2/registers.h"
#include "hw/power2/view.h"
#include "tests/unit/power2/fixture.h"

#define STATE_LIST "hw/power2/state.def"
#include "tests/unit/boards/member_list.h"

namespace perfboard::p2 {
namespace {

enum Variant : unsigned { kPower, kOwnMark };

constexpr uint32_t window(unsigned n, uint32_t r) { return reg::kWindow + reg::kWindowBytes * n + r; }

// The state is the first monitor's.
class OnPower2 : public boards::On<boards::OnBench, Bench, [](Bench& b) { return &b.monitors[0]; },
                                   p2_state_ok, p2_load> {
 public:
  explicit OnPower2(unsigned variant) : On(Bench::Options{.power = variant == kPower}) {}
  void* model() override { return &bench.card; }
  void save() override { p2_pre_save(&bench.monitors[0]); }
  void reset() override { bench.reset(); }
  uint32_t units(const Register& r) override { return find(kRegisters, r.offset) == &r ? 1 : 0; }
  std::optional<uint32_t> read(unsigned w, uint64_t offset) override {
    return static_cast<uint32_t>(bench.load(static_cast<uint32_t>(offset), 4, w == 1));
  }
  void power_up() override { bench.reset(); }
  std::optional<uint64_t> read_lanes(unsigned w, uint64_t offset, unsigned bytes) override {
    const uint64_t value = bench.load(static_cast<uint32_t>(offset), bytes, w == 1);
    if (bytes >= 4) return value;
    EXPECT_EQ(value, UINT64_MAX) << "the card takes 4 and 8 bytes";
    return {};
  }
  void write_lanes(unsigned w, uint64_t offset, uint64_t value, unsigned bytes) override {
    bench.store(static_cast<uint32_t>(offset), bytes, value, w == 1);
  }
  void act(std::mt19937& random) override {
    switch (random() % 6) {
      case 0:
        bench.set(reg::kMmcr, random());
        break;
      case 1:
        bench.set(4 * (random() % 28), random());
        break;
      case 2:
        bench.context(random() % 2, !bench.monitors[0].config.own_mark && random() % 2);
        break;
      default:
        bench.happens(random() % P2_SOURCES, random() % 100000);
    }
  }
  void make_busy() override { bench.make_busy(); }
  void lives_on() override {
    EXPECT_FALSE(bench.cpu().counts);
    EXPECT_EQ(bench.cpu().matches.back(), 0u);
    p2_wake(&bench.monitors[0]);
    for (uint32_t r = 0; r < reg::kMark; r += 4) EXPECT_EQ(bench.get(r), 0u) << r;
    bench.happens(P2S_insns, 3);
    EXPECT_EQ(bench.count(kInstructions), 3u);
  }
};

using Way = boards::WayOf<Bench>;
constexpr Way kWrong[] = {
    {mistake("bad-size"), [](Bench& b) { b.load(0, 2); }, kPower, "2 bytes"},
    {mistake("bad-size"), [](Bench& b) { b.store(4, 8, 0); }, kPower, "not aligned"},
    {mistake("not-own"), [](Bench& b) { b.load(0, 4, false, -1); }},
    {mistake("no-monitor"), [](Bench& b) { b.load(window(1, 0), 4); }, kPower, "the second"},
    {mistake("no-monitor"), [](Bench& b) { b.store(0x200, 4, 0); }, kPower, "behind the own"},
    {mistake("no-register"), [](Bench& b) { b.load(0x70, 4); }, kPower, "read"},
    {mistake("no-register"), [](Bench& b) { b.store(0xfc, 4, 0); }, kPower, "write"},
    {mistake("read-only"), [](Bench& b) { b.store(reg::kState, 4, 0); }},
    {mistake("mark-read-only"), [](Bench& b) { b.store(reg::kMark, 4, 1); }},
    {mistake("reserved-bits"), [](Bench& b) { b.store(0, 4, mmcr::bit(6)); }, kPower, "bit 6"},
    {mistake("reserved-bits"), [](Bench& b) { b.store(0, 4, mmcr::bit(15)); }, kPower, "bit 15"},
    {mistake("no-such-bits"), [](Bench& b) { b.store(reg::kSpe, 4, 2); }, kPower, "SPE"},
    {mistake("no-such-bits"), [](Bench& b) { b.store(reg::kMark, 4, 2); }, kOwnMark, "MARK"},
    {mistake("no-card-word"), [](Bench& b) { b.load(0x830, 4); }},
    {mistake("card-read-only"), [](Bench& b) { b.store(0x800, 4, 1); }},
};
void all_effects(Bench& b) {
  b.reset();
  b.load(0, 4);
  b.mode(mmcr::kDp);
  b.set(reg::kMark, 1);
  b.set(reg::kImr, 0x90);
  b.mode(0);
  b.errors(3);
  b.errors(UINT32_MAX);
  p2_inject_silent(&b.monitors[0], true);
  b.load(0, 4);
}
constexpr Way kTold[] = {{0, all_effects, kOwnMark}};

constexpr boards::DamageOf<P2State> kDamages[] = {
    {"awake=2", [](P2State& s) { s.awake = 2; }, kOwnMark},
    {"spe=2", [](P2State& s) { s.spe = 2; }, kOwnMark},
    {"mark=2", [](P2State& s) { s.mark = 2; }, kOwnMark},
    {"mark=1", [](P2State& s) { s.mark = 1; }, kPower},
    {"mmcr=0x", [](P2State& s) { s.mmcr |= 1 << 16; }, kOwnMark},
    {"mmcr=0x", [](P2State& s) { s.mmcr |= 1 << 25; }, kOwnMark},
    // Asleep all is 0.
    {"spe=1", [](P2State& s) { s = {.spe = 1}; }, kOwnMark},
    {"mark=1", [](P2State& s) { s = {.mark = 1}; }, kOwnMark},
    {"mmcr=0x1", [](P2State& s) { s = {.mmcr = 1}; }, kOwnMark},
    {"imr=1", [](P2State& s) { s = {.imr = 1}; }, kOwnMark},
    {"counter[21]=1", [](P2State& s) { s = {}, s.counter[21] = 1; }, kOwnMark},
    {"counter[0]=4", [](P2State& s) { s = {}, s.counter[0] = 4; }, kOwnMark},
    {"silent=2", [](P2State& s) { s.silent = 2; }},
    {"errors_due", [](P2State& s) { s = {.awake = 1, .errors_due = 1}; }},
    {"roll_over_due", [](P2State& s) { s = {.awake = 1, .roll_over_due = 1}; }},
};

#define REGISTER(name) {#name, P2R_##name}
#define MASK(reg, field, mask) {#reg, #field, mask, boards::kMaskOnly}
#define FIELD(reg, field) MASK(reg, field, P2_##reg##_##field)
std::vector<boards::HeaderOffset> offsets() {
  std::vector<boards::HeaderOffset> all = {
      REGISTER(MMCR),
      REGISTER(IMR),
      REGISTER(SPE),
      REGISTER(MARK),
      REGISTER(STATE),
      {"CYCLES", P2R_COUNTER(P2_CYCLES)},
      {"ERRORS", P2R_COUNTER(P2_ERRORS)},
  };
  const char* const units[] = {"FPU", "FXU", "ICU", "SCU"};
  const unsigned first[] = {P2_FPU0, P2_FXU0, P2_ICU0, P2_SCU0};
  for (unsigned unit = 0; unit < P2_UNITS; ++unit)
    for (unsigned i = 0; i < P2_UNIT_COUNTERS; ++i)
      all.push_back({units[unit] + std::to_string(i), P2R_COUNTER(first[unit] + i)});
  return all;
}
std::vector<boards::HeaderField> fields() {
  std::vector<boards::HeaderField> all = {
      FIELD(MMCR, DIS),
      FIELD(MMCR, DP),
      FIELD(MMCR, DU),
      FIELD(MMCR, DMS),
      FIELD(MMCR, DMR),
      FIELD(MMCR, SGA),
      FIELD(MMCR, RESERVED),
      MASK(MMCR, FPU, P2_MMCR_FPU(15u)),
      MASK(MMCR, FXU, P2_MMCR_FXU(15u)),
      MASK(MMCR, ICU, P2_MMCR_ICU(15u)),
      MASK(MMCR, SCU, P2_MMCR_SCU(15u)),
      FIELD(SPE, SPE),
      FIELD(MARK, PM),
      FIELD(STATE, PR),
      FIELD(STATE, PM),
      FIELD(STATE, COUNTS),
      MASK(IMR, INSTRUCTION, 0xffffffff),
      MASK(PAD, RESERVED, 0xffffffff),
  };
  for (const boards::HeaderOffset& r : offsets())
    if (r.offset >= P2R_COUNTER(0) && r.offset < P2R_COUNTER(P2_COUNTERS))
      all.push_back({r.reg, "COUNT", 0xffffffff, boards::kMaskOnly});
  return all;
}
#undef FIELD
#undef MASK
#undef REGISTER

boards::Limit limit(const char* property, auto member, uint32_t low, uint32_t high) {
  return {property, low, high, [member](uint32_t value) {
            P2Config c;
            p2_config_default(&c, P2_WIDE);
            member(c) = value;
            return complaint_about<p2_config_ok>(c);
          }};
}

boards::Limit penalty(const char* property, uint32_t P2Penalties::* of) {
  return limit(property, [of](P2Config& c) -> uint32_t& { return c.penalty.*of; }, 0, 10000);
}

#define CARD(name) {#name, P2R_CARD_##name}
using boards::Has;
const boards::Registered kPower2({
    .view = p2_view(),
    .manual = manual_text,
    .listed = {},
    .inferred = {},
    .header = {{.title = "monitor",
                .model = kRegisters,
                .offsets = offsets(),
                .has_offsets = Has::kSome,
                .fields = fields()},
               {.title = "card",
                .model = kCard,
                .base = 0 - uint64_t{P2R_CARD},
                .offsets = {CARD(MAGIC), CARD(VERSION), CARD(MONITORS), CARD(CLOCK), CARD(NODE), CARD(DCACHE),
                            CARD(DCACHE_LINE), CARD(ICACHE), CARD(DCACHE_PENALTY), CARD(TLB_PENALTY),
                            CARD(ICACHE_PENALTY), CARD(FLAGS)},
                .fields = {{"FLAGS", "OWN_MARK", P2_CARD_OWN_MARK}},
                .has_fields = Has::kSome}},
    .numbers = {{"counters", P2_COUNTERS, kCounters},
                {"units", P2_UNITS, kUnits},
                {"counters of a unit", P2_UNIT_COUNTERS, kUnitCounters},
                {"groups", P2_GROUPS, kGroups},
                {"BAR", P2_BAR_BYTES, P2_WINDOW_BYTES},
                {"own window", P2R_OWN, kOwnWindow},
                {"window 0", P2R_OF(0), kWindows},
                {"window 3", P2R_OF(3), kWindows + 3 * kWindowBytes},
                {"magic", P2_CARD_MAGIC, kCardMagic}},
    .limits = {limit(
                   "clock", [](P2Config& c) -> uint32_t& { return c.clock_hz; }, 1'000'000, 1'000'000'000),
               penalty("dcache-penalty", &P2Penalties::dcache), penalty("tlb-penalty", &P2Penalties::tlb),
               penalty("icache-penalty", &P2Penalties::icache)},
    .variants = 2,
    .make = [](unsigned variant) -> std::unique_ptr<boards::OnBench> {
      return std::make_unique<OnPower2>(variant);
    },
    .mistakes = boards::ways(kWrong),
    .effects = boards::ways(kTold),
    .allowed = {},
    .damages = boards::damages(kDamages),
    .members = boards::members_of<P2State>(),
    .free = {},
    .by_rows = {"imr", "counter"},
    .remade = {},
    .at_once = {injection("inject-errors"), injection("inject-roll-over"),
                injection("inject-silent")},  // the last is of all monitors, not of a state
    .registers =
        boards::NotPlain{.configured = {"FLAGS"}, .acting = {}, .writes_act = {"MARK"}, .wide = true},
});
#undef CARD

}  // namespace
}  // namespace perfboard::p2
