// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SMiLE monitor in the tests that all boards share.
#include "tests/unit/boards/board.h"

#include "guest/smile/regs.h"
#include "hw/smile/view.h"
#include "tests/unit/smile/fixture.h"

#define STATE_LIST "hw/smile/state.def"
#include "tests/unit/boards/member_list.h"

namespace perfboard::smile {
namespace {

enum Variant : unsigned { kDynamic, kStatic, kDaughter };

uint32_t bar0(Bench& b, uint32_t offset) { return smile_read(b.hwm.get(), offset, 4); }
void bar0(Bench& b, uint32_t offset, uint32_t v) { smile_write(b.hwm.get(), offset, 4, v); }
// As many regions as that: each a record, when the table is full.
void regions(Bench& b, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) b.send(write(1, 0, i, 0));
}
constexpr uint32_t kCommandAt = SMILE_CCM_BASE + 4, kClearAt = SMILE_CCM_BASE + 0x14;

class OnSmile : public boards::On<boards::OnBench, Bench, [](Bench& b) { return b.hwm.get(); },
                                  smile_state_ok, smile_load> {
 public:
  explicit OnSmile(unsigned variant)
      : On(Bench::Options{.entries = 8,
                          .queue = 100,
                          .design = variant == kStatic ? SMILE_STATIC : SMILE_DYNAMIC,
                          .two = variant == kDaughter}) {
    if (variant == kDaughter) bench.effects.clear();  // its design is loaded
  }
  void* model() override { return bench.hwm.get(); }
  void save() override { smile_pre_save(bench.hwm.get()); }
  void reset() override { smile_reset(bench.hwm.get()); }
  uint32_t entries(const Register& r) override {
    return r.name.starts_with("RANGE") ? bench.config.entries : entries_of(smile_view(), r);
  }
  std::optional<uint32_t> read(unsigned window, uint64_t offset) override {
    bench.mistakes.clear();
    const uint32_t value = bar0(bench, at(window, offset));
    if (bench.mistaken(mistake("other-design"))) return {};
    return value;
  }
  void power_up() override {
    if (!bench.config.two) smile_set_design(bench.hwm.get(), bench.config.initial);
  }
  std::optional<uint64_t> read_lanes(unsigned window, uint64_t offset, unsigned bytes) override {
    return smile_read(bench.hwm.get(), at(window, offset), bytes);
  }
  void write_lanes(unsigned window, uint64_t offset, uint64_t data, unsigned bytes) override {
    const auto value = static_cast<uint32_t>(data);
    smile_write(bench.hwm.get(), at(window, offset), bytes, value);
  }
  void act(std::mt19937& random) override {
    bench.put(random() & 0x3f'001f'000f'001f, random() & 0xff'000'ffc);
    if (random() % 3 == 0) bench.set(4 * (random() % 0x280), random() & (random() % 8 ? 0xffffffff : 0x1d));
    if (random() % 5 == 0) bar0(bench, 4 * (random() % 0x20), random() & ~0x40000000u);
    smile_pre_save(bench.hwm.get());
  }
  void make_busy() override {
    if (!bench.hwm->config.two) smile::make_busy(bench);
  }
  void lives_on() override {
    const unsigned design = bench.config.initial;
    EXPECT_EQ(bench.get(reg::kMcr), 0u);
    EXPECT_EQ(bench.get(reg::kMsr), 8u << 16 | design);
    EXPECT_EQ(bench.get(reg::kWrp), 0xfffu);
    EXPECT_EQ(bench.get(reg::kQueue), 0u);
    EXPECT_FALSE(bench.interrupt());
    bench.set(reg::kMcr, mcr::kRun | mcr::kSwap);
    EXPECT_EQ(bench.drain().size(), design == SMILE_STATIC ? 16u : 0u);
  }

 private:
  static uint32_t at(unsigned window, uint64_t offset) {
    return (window ? SMILE_BRIDGE_BASE : 0) + static_cast<uint32_t>(offset);
  }
};

using Way = boards::WayOf<Bench>;
constexpr Way kWrong[] = {
    {mistake("nowhere"), [](Bench& b) { bar0(b, 0x300000), bar0(b, 0x300000, 0); }, kDynamic},
    {mistake("no-register"),
     [](Bench& b) { b.get(0x48), bar0(b, 0x74), bar0(b, SMILE_CCM_BASE + 0x10), bar0(b, 0x74, 0); },
     kDynamic},
    {mistake("other-design"), [](Bench& b) { b.get(reg::kPage), b.set(reg::kTimer, 1); }, kDynamic},
    {mistake("read-only"), [](Bench& b) { b.set(reg::kWrp, 0), bar0(b, SMILE_CCM_BASE + 8, 0); }, kDynamic},
    {mistake("narrow-write"), [](Bench& b) { b.set_sized(reg::kNode, 1, 0); }, kDynamic},
    {mistake("read-pointer"), [](Bench& b) { b.set(reg::kRdp, 5); }, kDynamic},
    {mistake("bad-image"), [](Bench& b) { bar0(b, kCommandAt, 1); }, kDynamic},
    {mistake("load-under-way"), [](Bench& b) { bar0(b, kCommandAt, 0), bar0(b, kCommandAt, 0); }, kDynamic},
    {mistake("no-source"), [](Bench& b) { bar0(b, kCommandAt, 3); }, kDynamic},
    {mistake("timers-event"), [](Bench& b) { b.global(0); }, kStatic},
};
void effects_of_the_monitor(Bench& b) {
  b.send(response(kReadType, 1, 0, 5));
  b.send(read(0, 1, 1, 0, 6));
  b.send(read(0, 1, 1, 0, 6));
  regions(b, 16 + 2047 + 103);
  b.records();
  b.set(reg::kMcr, mcr::kReset);
  b.set(reg::kMcr, mcr::kRun);
  for (int i = 0; i < 65536; ++i) b.send(write(1, 0, 9, 9));
  b.set(reg::kMcr, mcr::kRun | mcr::kIed | mcr::kSwap);
  bar0(b, kClearAt, 0);
  smile_inject(b.hwm.get(), injection("inject-saturate"), 1);
  for (int i = 0; i < 65536; ++i) b.send(write(1, 0, 9, 9));
  smile_inject(b.hwm.get(), injection("inject-drop"), 1);
  smile_inject(b.hwm.get(), injection("inject-damage"), 1);
  regions(b, 2);
  bar0(b, kCommandAt, 1);
  b.run_until(b.now + 1'000'000'000);
  EXPECT_EQ(b.values(effect("orphan")), std::vector<uint64_t>{5});
  EXPECT_EQ(b.values(effect("clash")), std::vector<uint64_t>{6});
  EXPECT_EQ(b.values(effect("record-stored")).front(), 0u);
  EXPECT_EQ(b.values(effect("design-loaded")), std::vector<uint64_t>{SMILE_DYNAMIC});
}
void effects_of_the_daughter(Bench& b) {
  // A header, and a start bit that is no zero.
  static constexpr uint8_t kProg[] = {'P'}, kBad[] = {'D', 5, 0xff, 0x21, 0xd5, 0xf7, 0x5f, 0x80};
  smile_xchecker(b.hwm.get(), kProg, sizeof kProg);
  b.run_until(b.now + 1'000'000);
  smile_xchecker(b.hwm.get(), kBad, sizeof kBad);
  b.run_until(b.now + 1'000'000);
  smile_inject(b.hwm.get(), injection("inject-daughter"), SMILE_STATIC);
  b.run_until(b.now + 30'000'000'000);
  EXPECT_EQ(b.values(effect("daughter-cleared")).size(), 1u);
  EXPECT_EQ(b.values(effect("daughter-failed")), std::vector<uint64_t>{41});
  EXPECT_EQ(b.values(effect("daughter-loaded")), std::vector<uint64_t>{SMILE_STATIC});
}
constexpr Way kTold[] = {{0, effects_of_the_monitor, kDynamic}, {0, effects_of_the_daughter, kDaughter}};
void what_the_manual_allows(Bench& b) {
  b.set(reg::kMcr, mcr::kReset);
  b.set(reg::kNode, 0);
  b.set(reg::kMaxr, 7);
  b.set(reg::kMask, mask::kAll);
  b.set(reg::kMcr, mcr::kRun | mcr::kIef);
  regions(b, 40);
  b.records();
  b.set(reg::kMcr, 0);
  b.set(reg::kMcr, mcr::kSwap | mcr::kIed);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  b.set(reg::kMsr, msr::kDone);
  b.drain();
  bar0(b, kClearAt, 0);
  EXPECT_EQ(b.values(effect("monitor-reset")).size(), 1u);
  EXPECT_EQ(b.values(effect("swapped-out")), std::vector<uint64_t>{b.config.entries});
  EXPECT_EQ(b.values(effect("latch-set")).size(), b.values(effect("latch-cleared")).size());
}
constexpr Way kAllowed[] = {{0, what_the_manual_allows, kDynamic}};

constexpr boards::DamageOf<SmileState> kDamages[] = {
    SET(target.design, 3, kDynamic),
    SET(target.lost_flag, 2, kDynamic),
    SET(target.done, 2, kDynamic),
    SET(target.overflow, 1, kDynamic),
    SET(target.overflow, 0x20, kStatic),
    {"target.mcr=", [](SmileState& s) { s.target.mcr |= 2; }, kDynamic},
    {"target.mcr=", [](SmileState& s) { s.target.design = SMILE_NONE; }, kDynamic},
    SET(target.node, 32, kDynamic),
    SET(target.maxr, 1u << 26, kDynamic),
    SET(target.maxr, 1, kStatic),
    SET(target.mask, 256, kDynamic),
    SET(target.mask, 1, kStatic),
    SET(target.timer, 1, kDynamic),
    SET(target.rdp, 4096, kDynamic),
    SET(target.wrp, 4096, kDynamic),
    SET(target.queue_head, 100, kDynamic),
    SET(target.queue_count, 101, kDynamic),
    {"target.queue_count=", [](SmileState& s) { s.target.rdp = s.target.wrp; }, kDynamic},
    SET(target.lost_untold, s.target.lost + 1, kDynamic),
    {"target.lost_untold=", [](SmileState& s) { s.target.queue_count = 99; }, kDynamic},
    SET(target.transaction[63], 1u << 27, kDynamic),
    SET(target.used, 0x100, kDynamic),
    SET(target.used, 0xff, kDynamic),
    {"target.used[2]=",
     [](SmileState& s) { s.target.pair[2] = s.target.address[2] = s.target.count[2] = 0, s.target.used = 4; },
     kDynamic},
    {"target.pair[7]=", [](SmileState& s) { s.target.pair[7] |= 0x20; }, kDynamic},
    {"target.pair[7]=", [](SmileState& s) { s.target.pair[7] &= 0x7fffffff; }, kDynamic},
    SET(target.pair[8], s.target.pair[7], kDynamic),
    SET(target.address[1], 1u << 26, kDynamic),
    SET(target.address[9], 1, kDynamic),
    SET(target.count[1], 0, kDynamic),
    SET(target.count[9], 1, kDynamic),
    SET(target.pair[0], 1u << 31, kStatic),
    SET(target.page[3], 1u << 30, kStatic),
    SET(target.page[3], 1, kDynamic),
    SET(target.event[15], 0x20, kStatic),
    SET(target.event_range[0], 0x400, kStatic),
    {"target.counter_event[15]=", [](SmileState& s) { s.target.counter_event[15][2] = 0x20; }, kStatic},
    {"target.counter_event[0]=", [](SmileState& s) { s.target.counter_event[0][0] = 1; }, kDynamic},
    SET(target.value[5], 1, kDynamic),
    SET(target.active, 1, kDynamic),
    SET(target.timer_next, PB_NEVER, kStatic),
    {"target.timer_next=", [](SmileState& s) { s.target.timer = 0; }, kStatic},
    SET(target.timer_next, 0, kDynamic),
    {"target.frl_ns[0]=", [](SmileState& s) { s.target.frl_seen[0] = 1, s.target.frl_ns[0] = 20; }, kDynamic},
    SET(target.frl_seen[1], 2, kDynamic),
    {"target.frl_ns[3]=", [](SmileState& s) { s.target.frl_seen[3] = 1, s.target.frl_ns[3] = 20480; },
     kDynamic},
    SET(target.frl_last[1023], 5, kDynamic),
    SET(target.frl_records[2], 65, kDynamic),
    SET(inject.ring, 2048, kDynamic),
};

boards::Limit limit(const char* property, uint32_t SmileConfig::* member, uint32_t low, uint32_t high) {
  return {
      property, low, high, [=](uint32_t value) {
        SmileConfig c = {
            .entries = 16, .queue = 65536, .node = 0, .initial = SMILE_DYNAMIC, .cclk = SMILE_DEFAULT_CCLK};
        c.*member = value;
        return complaint_about<smile_config_ok>(c);
      }};
}

#define OFFSET(reg) {#reg, SMR_##reg}
#define OFFSET0(reg, name) {#reg, SMR_##name(0)}
#define FLAG(reg, name) {#reg, #name, SMR_##reg##_##name}
#define WIDE(reg, name) {#reg, #name, SMR_##reg##_##name##_MASK, SMR_##reg##_##name##_SHIFT}
#define BIT(reg, field, name) {#reg, #field, SMR_##name}
#define BITS(reg, field, name) {#reg, #field, SMR_##name##_MASK, SMR_##name##_SHIFT}
#define FROM0(reg, field, mask) {#reg, #field, mask, 0}
#define NAMELESS(reg, field) {#reg, #field, kNameless}
#define PLACE(reg, field, name) {#reg, #field, SMR_##name, boards::kMaskOnly}
#define NUMBER(header, model) {#header, uint64_t(header), uint64_t(model)}
std::vector<boards::HeaderOffset> bridge_offsets() {
  std::vector<boards::HeaderOffset> all = {
      {"P2L_DOORBELL", SMR_DOORBELL_LOCAL},
      {"L2P_DOORBELL", SMR_DOORBELL_PCI},
      OFFSET(INTCSR),
      OFFSET(CONTROL),
      OFFSET(PCI_ID),
  };
  for (uint32_t i = 0; i < 8; ++i) all.push_back({"MBOX" + std::to_string(i), SMR_MBOX(i)});
  return all;
}

using boards::Has;
using boards::kNameless;
const std::vector<boards::HeaderOffset> kTargetOffsets = {
    OFFSET(MCR),
    OFFSET(MSR),
    OFFSET(NODE),
    OFFSET(MAXR),
    OFFSET(MASK),
    OFFSET(RDP),
    OFFSET(WRP),
    OFFSET(AUX),
    OFFSET(LOSTN),
    OFFSET(QUEUE),
    OFFSET(PACKETS),
    OFFSET(ORPHANS),
    OFFSET(CLASHES),
    OFFSET(CRST),
    OFFSET(GEVENT),
    OFFSET(TIMER),
    OFFSET(OVF),
    OFFSET(CABLE),
    OFFSET0(PAGE0, PAGE),
    OFFSET0(EVENT0, EVENT),
    OFFSET0(EVENT0_RANGE, EVENT_RANGE),
    OFFSET0(COUNTER0_START, COUNTER_START),
    OFFSET0(COUNTER0_STOP, COUNTER_STOP),
    OFFSET0(COUNTER0_COUNT, COUNTER_COUNT),
    OFFSET0(COUNTER0_VALUE, COUNTER_VALUE),
    OFFSET0(RANGE0, RANGE),
    OFFSET0(RANGE0_ADDRESS, RANGE_ADDRESS),
    OFFSET0(RANGE0_COUNT, RANGE_COUNT),
    OFFSET0(RANGE0_USED, RANGE_LRU),
};
const std::vector<boards::HeaderField> kTargetFields = {
    FLAG(MCR, RUN),
    FLAG(MCR, RESET),
    FLAG(MCR, SWAP),
    FLAG(MCR, IEF),
    FLAG(MCR, IED),
    WIDE(MSR, DESIGN),
    WIDE(MSR, STATE),
    WIDE(MSR, DECODE),
    FLAG(MSR, FULL),
    FLAG(MSR, LOST),
    FLAG(MSR, DONE),
    FLAG(MSR, EXCHANGED),
    WIDE(MSR, ENTRIES),
    WIDE(OVF, INDEX),
    FLAG(OVF, VALID),
    WIDE(CABLE, NODE),
    FLAG(CABLE, PLUGGED),
    BITS(NODE, NODE, NODE),
    BITS(MAXR, MAX_RANGE, MAXR),
    BIT(MASK, READ, FILTER_READ),
    BIT(MASK, WRITE, FILTER_WRITE),
    BIT(MASK, LOCK, FILTER_LOCK),
    BIT(MASK, UNLOCK, FILTER_UNLOCK),
    BIT(MASK, REQUEST, FILTER_REQUEST),
    BIT(MASK, RESPONSE, FILTER_RESPONSE),
    BIT(MASK, INBOUND, FILTER_INBOUND),
    BIT(MASK, OUTBOUND, FILTER_OUTBOUND),
    FROM0(RDP, RDP, SMR_RING_MASK),
    FROM0(WRP, WRP, SMR_RING_MASK),
    FROM0(AUX, AUX, SMR_RING_MASK),
    NAMELESS(LOSTN, LOST),
    NAMELESS(QUEUE, RECORDS),
    NAMELESS(PACKETS, PACKETS),
    NAMELESS(ORPHANS, ORPHANS),
    NAMELESS(CLASHES, CLASHES),
    FROM0(CRST, COUNTERS, (1u << SMR_COUNTERS) - 1),
    FROM0(GEVENT, EVENT, SMR_ALL_EVENTS - SMR_GLOBAL_EVENT - 1),
    NAMELESS(TIMER, PERIOD),
    BITS(PAGE0, PAGE, PAGE_NUMBER),
    BITS(PAGE0, NODE, PAGE_NODE),
    BIT(PAGE0, VALID, PAGE_VALID),
    BITS(EVENT0, PAGE, EVENT_PAGE),
    BITS(EVENT0, FILTER, EVENT_FILTER),
    BIT(EVENT0, VALID, EVENT_VALID),
    BITS(EVENT0_RANGE, BOTTOM, EVENT_BOTTOM),
    BITS(EVENT0_RANGE, TOP, EVENT_TOP),
    BITS(COUNTER0_VALUE, VALUE, COUNTER_VALUE),
    BIT(COUNTER0_VALUE, ACTIVE, COUNTER_ACTIVE),
    BITS(RANGE0, SOURCE, RANGE_SOURCE),
    BITS(RANGE0, DESTINATION, RANGE_DESTINATION),
    BIT(RANGE0, VALID, RANGE_VALID),
    BITS(RANGE0_ADDRESS, ADDRESS, RANGE_ADDRESS),
    BITS(RANGE0_COUNT, COUNT, RANGE_COUNT),
    BIT(RANGE0_USED, USED, RANGE_USED),
    BITS(COUNTER0_START, EVENT, COUNTER_EVENT),
    BIT(COUNTER0_START, VALID, COUNTER_EVENT_VALID),
    BITS(COUNTER0_STOP, EVENT, COUNTER_EVENT),
    BIT(COUNTER0_STOP, VALID, COUNTER_EVENT_VALID),
    BITS(COUNTER0_COUNT, EVENT, COUNTER_EVENT),
    BIT(COUNTER0_COUNT, VALID, COUNTER_EVENT_VALID)};
const std::vector<boards::HeaderField> kRecordFields = {
    BITS(RECORD0, KIND, RECORD_KIND),
    BIT(RECORD0, OVF, RECORD_OVF),
    BITS(RECORD0, WHY, RECORD_WHY),
    BITS(RECORD0, ADDRESS, RECORD_ADDRESS),
    BITS(RECORD1, COUNT, RECORD_COUNT),
    BITS(RECORD1, SOURCE, RECORD_SOURCE),
    BITS(RECORD1, DESTINATION, RECORD_DESTINATION),
    BITS(RECORD1, ENTRY, RECORD_ENTRY),
};
const std::vector<boards::HeaderField> kBridgeFields = {
    PLACE(INTCSR, PCI_EN, INTCSR_PCI), PLACE(INTCSR, DOORBELL_EN, INTCSR_DOORBELL),
    PLACE(INTCSR, LOCAL_EN, INTCSR_LOCAL), PLACE(INTCSR, DOORBELL_INT, INTCSR_DOORBELL_ACTIVE),
    PLACE(INTCSR, LOCAL_INT, INTCSR_LOCAL_ACTIVE)};
const std::vector<boards::HeaderOffset> kCcmOffsets = {
    OFFSET(CCM_INTERRUPT), OFFSET(CCM_COMMAND), OFFSET(CCM_STATUS), OFFSET(CCM_DESIGN), OFFSET(CCM_CLEAR)};
const std::vector<boards::HeaderField> kCcmFields = {
    PLACE(CCM_INTERRUPT, NONE, CCM_INTERRUPT_NONE), PLACE(CCM_STATUS, BUSY, CCM_STATUS_BUSY),
    PLACE(CCM_STATUS, DONE, CCM_STATUS_DONE), PLACE(CCM_STATUS, ERROR, CCM_STATUS_ERROR),
    WIDE(CCM_STATUS, SOURCE)};
const std::vector<boards::HeaderNumber> kNumbers = {
    NUMBER(SMR_PAGES, kArrays[0].count),
    NUMBER(SMR_EVENTS, kArrays[1].count),
    NUMBER(SMR_COUNTERS, kArrays[2].count),
    NUMBER(SMR_ENTRIES_MOST, kArrays[3].count),
    NUMBER(SMR_ENTRIES_LEAST, SMILE_MIN_ENTRIES),
    NUMBER(SMR_PAGE(1) - SMR_PAGE(0), kArrays[0].stride),
    NUMBER(SMR_EVENT(1) - SMR_EVENT(0), kArrays[1].stride),
    NUMBER(SMR_COUNTER_VALUE(1) - SMR_COUNTER_VALUE(0), kArrays[2].stride),
    NUMBER(SMR_RANGE(1) - SMR_RANGE(0), kArrays[3].stride),
    NUMBER(SMR_TARGET, SMILE_TARGET_BASE),
    NUMBER(SMR_RING, SMILE_RING_BASE),
    NUMBER(SMR_RING_WORDS, SMILE_RING_WORDS),
    NUMBER(SMR_BAR_BYTES, SMILE_BAR_BYTES),
    NUMBER(SMR_CCM_INTERRUPT, SMILE_CCM_BASE),
    NUMBER(SMR_DESIGN_NONE, SMILE_NONE),
    NUMBER(SMR_DESIGN_STATIC, SMILE_STATIC),
    NUMBER(SMR_DESIGN_DYNAMIC, SMILE_DYNAMIC),
    NUMBER(SMR_DESIGN_TARGET, SMILE_TARGET),
    NUMBER(SMR_STATE_IDLE, SMILE_IDLE),
    NUMBER(SMR_STATE_FORWARD, SMILE_FORWARD),
    NUMBER(SMR_STATE_BUSY, SMILE_BUSY),
    NUMBER(SMR_STATE_SWAP, SMILE_SWAP),
    NUMBER(SMR_STATE_SWAP_ALL, SMILE_SWAP_ALL),
    NUMBER(SMR_DECODE_IDLE, SMILE_DECODE_IDLE),
    NUMBER(SMR_DECODE_BD1, SMILE_DECODE_BD1),
    NUMBER(SMR_DECODE_BD2, SMILE_DECODE_BD2),
    NUMBER(SMR_RECORD_RANGE, Kind::kRange),
    NUMBER(SMR_RECORD_COUNTER, Kind::kCounter),
    NUMBER(SMR_RECORD_LOSS, Kind::kLoss),
    NUMBER(SMR_RECORD_REPLACED, Why::kReplaced),
    NUMBER(SMR_RECORD_OVERFLOW, Why::kOverflow),
    NUMBER(SMR_RECORD_DEMAND, Why::kDemand),
    NUMBER(SMR_TIMER_EVENT, 16u),
    NUMBER(SMR_BLINK_CLOCK_NS, SCI_BLINK_CLOCK_NS),
    NUMBER(SMR_VENDOR, kPciVendor),
    NUMBER(SMR_DEVICE, kPciDevice),
    NUMBER(SMR_BAR_IO_BYTES, SMILE_BRIDGE_BYTES),
    NUMBER(SMR_SLOT(0), SMILE_CACHE_BASE),
    NUMBER(SMR_SLOT_BYTES, SMILE_SLOT_BYTES),
    NUMBER(SMR_SLOT_BYTES* SMR_SLOTS, SMILE_CACHE_BYTES),
    NUMBER(SMR_FLASH, SMILE_FLASH_BASE),
    NUMBER(SMR_FLASH_BYTES, SMILE_FLASH_BYTES),
    NUMBER(SMR_FILTER_ALL, at(kRegisters, "MASK").readable())};
const boards::Registered kSmile({
    .view = smile_view(),
    .manual = [] { return manual_tables(kManual); },
    .listed = {},
    .inferred = {},
    .header = {{.title = "PCI_Target",
                .model = kRegisters,
                .base = SMILE_TARGET_BASE,
                .offsets = kTargetOffsets,
                .fields = kTargetFields},
               {.title = "record", .model = kRecord, .has_offsets = Has::kSome, .fields = kRecordFields},
               {.title = "bridge",
                .model = kBridgeRegisters,
                .offsets = bridge_offsets(),
                .has_offsets = Has::kSome,
                .fields = kBridgeFields,
                .has_fields = Has::kSome},
               {.title = "CCM",
                .model = kCcmRegisters,
                .base = SMILE_CCM_BASE,
                .offsets = kCcmOffsets,
                .has_offsets = Has::kSome,
                .fields = kCcmFields,
                .has_fields = Has::kSome}},
    .numbers = kNumbers,
    .limits = {limit("entries", &SmileConfig::entries, 4, 64),
               limit("queue", &SmileConfig::queue, 0, 1048576), limit("node", &SmileConfig::node, 0, 31),
               limit("cclk", &SmileConfig::cclk, 100000, 100000000),
               limit("xchecker-rate", &SmileConfig::xchecker_rate, 9600, 100000000)},
    .variants = 3,
    .make = [](unsigned variant) -> std::unique_ptr<boards::OnBench> {
      return std::make_unique<OnSmile>(variant);
    },
    .mistakes = boards::ways(kWrong),
    .effects = boards::ways(kTold),
    .allowed = boards::ways(kAllowed),
    .damages = boards::damages(kDamages),
    .members = boards::members_of<SmileState>(),
    .free = {},
    .by_rows = {},
    .remade = {},
    .at_once = {injection("inject-daughter")},
    .registers = boards::NotPlain{.configured = {"CCM_INTERRUPT", "CCM_STATUS", "CCM_DESIGN"},
                                  .acting = {"MCR", "MSR", "P2L_DOORBELL", "CONTROL", "CCM_COMMAND",
                                             "CCM_CLEAR"}},
});
#undef OFFSET
#undef OFFSET0
#undef FLAG
#undef WIDE
#undef BIT
#undef BITS
#undef FROM0
#undef NAMELESS
#undef PLACE
#undef NUMBER

}  // namespace
}  // namespace perfboard::smile
