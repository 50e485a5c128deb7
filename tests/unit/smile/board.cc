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
  uint32_t read_lanes(unsigned window, uint64_t offset, unsigned bytes) override {
    return smile_read(bench.hwm.get(), at(window, offset), bytes);
  }
  void write_lanes(unsigned window, uint64_t offset, uint32_t value, unsigned bytes) override {
    smile_write(bench.hwm.get(), at(window, offset), bytes, value);
  }
  void act(std::mt19937& random) override {
    bench.put(random() & 0x3f'001f'000f'001f, random() & 0xff'000'ffc);
    if (random() % 3 == 0) bench.set(4 * (random() % 0x280), random() & (random() % 8 ? 0xffffffff : 0x1d));
    if (random() % 5 == 0) bar0(bench, 4 * (random() % 0x20), random() & ~0x40000000u);
    smile_pre_save(bench.hwm.get());
  }
  // Table, ring, queue, losses, a transaction under way; or the static part's tables.
  void make_busy() override {
    Bench& b = bench;
    if (b.hwm->config.two) return;
    if (b.target().design == SMILE_DYNAMIC) {
      b.set(reg::kNode, 3);
      b.set(reg::kMaxr, 5);
      b.set(reg::kMcr, mcr::kRun | mcr::kIef);
      for (unsigned i = 0; i < 2047 + 100 + 8 + 3; ++i) b.send(write(i & 31, 2, i, 0, 9));
      b.send(smile::read(3, 4, 5, 6, 7));
    } else {
      b.set(reg::kTimer, 100);
      b.page(1, 2, 3);
      b.event(4, 1, mask::kAll, 5, 6);
      b.counter(7, 4, 17, 16);
      b.activate(7, 0xff00);
      b.counter(8, Bench::kNoEvent, Bench::kNoEvent, 16);
      b.activate(8, 5);
    }
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
constexpr Way kTold[] = {
    {0,
     [](Bench& b) {
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
       smile_inject(b.hwm.get(), SMILE_INJECT_SATURATE, 1);
       for (int i = 0; i < 65536; ++i) b.send(write(1, 0, 9, 9));
       smile_inject(b.hwm.get(), SMILE_INJECT_DROP, 1);
       smile_inject(b.hwm.get(), SMILE_INJECT_DAMAGE, 1);
       regions(b, 2);
       bar0(b, kCommandAt, 1);
       b.run_until(b.now + 1'000'000'000);
       EXPECT_EQ(b.values(effect("orphan")), std::vector<uint64_t>{5});
       EXPECT_EQ(b.values(effect("clash")), std::vector<uint64_t>{6});
       EXPECT_EQ(b.values(effect("record-stored")).front(), 0u);
       EXPECT_EQ(b.values(effect("design-loaded")), std::vector<uint64_t>{SMILE_DYNAMIC});
     },
     kDynamic},
    {0,
     [](Bench& b) {
       // A header, and a start bit that is no zero.
       static constexpr uint8_t kProg[] = {'P'}, kBad[] = {'D', 5, 0xff, 0x21, 0xd5, 0xf7, 0x5f, 0x80};
       smile_xchecker(b.hwm.get(), kProg, sizeof kProg);
       b.run_until(b.now + 1'000'000);
       smile_xchecker(b.hwm.get(), kBad, sizeof kBad);
       b.run_until(b.now + 1'000'000);
       smile_inject(b.hwm.get(), SMILE_INJECT_DAUGHTER, SMILE_STATIC);
       b.run_until(b.now + 30'000'000'000);
       EXPECT_EQ(b.values(effect("daughter-cleared")).size(), 1u);
       EXPECT_EQ(b.values(effect("daughter-failed")), std::vector<uint64_t>{41});
       EXPECT_EQ(b.values(effect("daughter-loaded")), std::vector<uint64_t>{SMILE_STATIC});
     },
     kDaughter}};
constexpr Way kAllowed[] = {
    {0,
     [](Bench& b) {
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
     },
     kDynamic}};

constexpr boards::DamageOf<SmileState> kDamages[] = {
    {"target.design=", [](SmileState& s) { s.target.design = 3; }, kDynamic},
    {"target.lost_flag=", [](SmileState& s) { s.target.lost_flag = 2; }, kDynamic},
    {"target.done=", [](SmileState& s) { s.target.done = 2; }, kDynamic},
    {"target.overflow=", [](SmileState& s) { s.target.overflow = 1; }, kDynamic},
    {"target.overflow=", [](SmileState& s) { s.target.overflow = 0x20; }, kStatic},
    {"target.mcr=", [](SmileState& s) { s.target.mcr |= 2; }, kDynamic},
    {"target.mcr=", [](SmileState& s) { s.target.design = SMILE_NONE; }, kDynamic},
    {"target.node=", [](SmileState& s) { s.target.node = 32; }, kDynamic},
    {"target.maxr=", [](SmileState& s) { s.target.maxr = 1u << 26; }, kDynamic},
    {"target.maxr=", [](SmileState& s) { s.target.maxr = 1; }, kStatic},
    {"target.mask=", [](SmileState& s) { s.target.mask = 256; }, kDynamic},
    {"target.mask=", [](SmileState& s) { s.target.mask = 1; }, kStatic},
    {"target.timer=", [](SmileState& s) { s.target.timer = 1; }, kDynamic},
    {"target.rdp=", [](SmileState& s) { s.target.rdp = 4096; }, kDynamic},
    {"target.wrp=", [](SmileState& s) { s.target.wrp = 4096; }, kDynamic},
    {"target.queue_head=", [](SmileState& s) { s.target.queue_head = 100; }, kDynamic},
    {"target.queue_count=", [](SmileState& s) { s.target.queue_count = 101; }, kDynamic},
    {"target.queue_count=", [](SmileState& s) { s.target.rdp = s.target.wrp; }, kDynamic},
    {"target.lost_untold=", [](SmileState& s) { s.target.lost_untold = s.target.lost + 1; }, kDynamic},
    {"target.lost_untold=", [](SmileState& s) { s.target.queue_count = 99; }, kDynamic},
    {"target.transaction[63]=", [](SmileState& s) { s.target.transaction[63] = 1u << 27; }, kDynamic},
    {"target.used=", [](SmileState& s) { s.target.used = 0x100; }, kDynamic},
    {"target.used=", [](SmileState& s) { s.target.used = 0xff; }, kDynamic},
    {"target.used[2]=",
     [](SmileState& s) { s.target.pair[2] = s.target.address[2] = s.target.count[2] = 0, s.target.used = 4; },
     kDynamic},
    {"target.pair[7]=", [](SmileState& s) { s.target.pair[7] |= 0x20; }, kDynamic},
    {"target.pair[7]=", [](SmileState& s) { s.target.pair[7] &= 0x7fffffff; }, kDynamic},
    {"target.pair[8]=", [](SmileState& s) { s.target.pair[8] = s.target.pair[7]; }, kDynamic},
    {"target.address[1]=", [](SmileState& s) { s.target.address[1] = 1u << 26; }, kDynamic},
    {"target.address[9]=", [](SmileState& s) { s.target.address[9] = 1; }, kDynamic},
    {"target.count[1]=", [](SmileState& s) { s.target.count[1] = 0; }, kDynamic},
    {"target.count[9]=", [](SmileState& s) { s.target.count[9] = 1; }, kDynamic},
    {"target.pair[0]=", [](SmileState& s) { s.target.pair[0] = 1u << 31; }, kStatic},
    {"target.page[3]=", [](SmileState& s) { s.target.page[3] = 1u << 30; }, kStatic},
    {"target.page[3]=", [](SmileState& s) { s.target.page[3] = 1; }, kDynamic},
    {"target.event[15]=", [](SmileState& s) { s.target.event[15] = 0x20; }, kStatic},
    {"target.event_range[0]=", [](SmileState& s) { s.target.event_range[0] = 0x400; }, kStatic},
    {"target.counter_event[15]=", [](SmileState& s) { s.target.counter_event[15][2] = 0x20; }, kStatic},
    {"target.counter_event[0]=", [](SmileState& s) { s.target.counter_event[0][0] = 1; }, kDynamic},
    {"target.value[5]=", [](SmileState& s) { s.target.value[5] = 1; }, kDynamic},
    {"target.active=", [](SmileState& s) { s.target.active = 1; }, kDynamic},
    {"target.timer_next=", [](SmileState& s) { s.target.timer_next = PB_NEVER; }, kStatic},
    {"target.timer_next=", [](SmileState& s) { s.target.timer = 0; }, kStatic},
    {"target.timer_next=", [](SmileState& s) { s.target.timer_next = 0; }, kDynamic},
    {"target.frl_ns[0]=", [](SmileState& s) { s.target.frl_seen[0] = 1, s.target.frl_ns[0] = 20; }, kDynamic},
    {"target.frl_seen[1]=", [](SmileState& s) { s.target.frl_seen[1] = 2; }, kDynamic},
    {"target.frl_ns[3]=", [](SmileState& s) { s.target.frl_seen[3] = 1, s.target.frl_ns[3] = 20480; },
     kDynamic},
    {"target.frl_last[1023]=", [](SmileState& s) { s.target.frl_last[1023] = 5; }, kDynamic},
    {"target.frl_records[2]=", [](SmileState& s) { s.target.frl_records[2] = 65; }, kDynamic},
    {"inject.ring", [](SmileState& s) { s.inject.ring = 2048; }, kDynamic},
};

boards::Limit limit(const char* property, uint32_t SmileConfig::* member, uint32_t low, uint32_t high) {
  return {
      property, low, high, [=](uint32_t value) {
        SmileConfig c = {
            .entries = 16, .queue = 65536, .node = 0, .initial = SMILE_DYNAMIC, .cclk = SMILE_DEFAULT_CCLK};
        c.*member = value;
        char why[200] = "";
        return std::string(smile_config_ok(&c, why, sizeof why) ? "" : why);
      }};
}

#define OFFSET(reg) {#reg, SMR_##reg}
#define FLAG(reg, name) {#reg, #name, SMR_##reg##_##name}
#define WIDE(reg, name) {#reg, #name, SMR_##reg##_##name##_MASK, SMR_##reg##_##name##_SHIFT}
std::vector<boards::HeaderOffset> bridge_offsets() {
  std::vector<boards::HeaderOffset> all = {{"P2L_DOORBELL", SMR_DOORBELL_LOCAL},
                                           {"L2P_DOORBELL", SMR_DOORBELL_PCI},
                                           OFFSET(INTCSR),
                                           OFFSET(CONTROL),
                                           OFFSET(PCI_ID)};
  for (uint32_t i = 0; i < 8; ++i) all.push_back({"MBOX" + std::to_string(i), SMR_MBOX(i)});
  return all;
}

using boards::Has;
using boards::kNameless;
const boards::Registered kSmile({
    .view = smile_view(),
    .manual = [] { return manual_tables(kManual); },
    .listed = {},
    .inferred = {},
    .header = {{.title = "PCI_Target",
                .model = kRegisters,
                .base = SMILE_TARGET_BASE,
                .offsets = {OFFSET(MCR),
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
                            {"PAGE0", SMR_PAGE(0)},
                            {"EVENT0", SMR_EVENT(0)},
                            {"EVENT0_RANGE", SMR_EVENT_RANGE(0)},
                            {"COUNTER0_START", SMR_COUNTER_START(0)},
                            {"COUNTER0_STOP", SMR_COUNTER_STOP(0)},
                            {"COUNTER0_COUNT", SMR_COUNTER_COUNT(0)},
                            {"COUNTER0_VALUE", SMR_COUNTER_VALUE(0)},
                            {"RANGE0", SMR_RANGE(0)},
                            {"RANGE0_ADDRESS", SMR_RANGE_ADDRESS(0)},
                            {"RANGE0_COUNT", SMR_RANGE_COUNT(0)},
                            {"RANGE0_USED", SMR_RANGE_LRU(0)}},
                .fields = {FLAG(MCR, RUN),
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
                           {"NODE", "NODE", SMR_NODE_MASK, SMR_NODE_SHIFT},
                           {"MAXR", "MAX_RANGE", SMR_MAXR_MASK, SMR_MAXR_SHIFT},
                           {"MASK", "READ", SMR_FILTER_READ},
                           {"MASK", "WRITE", SMR_FILTER_WRITE},
                           {"MASK", "LOCK", SMR_FILTER_LOCK},
                           {"MASK", "UNLOCK", SMR_FILTER_UNLOCK},
                           {"MASK", "REQUEST", SMR_FILTER_REQUEST},
                           {"MASK", "RESPONSE", SMR_FILTER_RESPONSE},
                           {"MASK", "INBOUND", SMR_FILTER_INBOUND},
                           {"MASK", "OUTBOUND", SMR_FILTER_OUTBOUND},
                           {"RDP", "RDP", SMR_RING_MASK, 0},
                           {"WRP", "WRP", SMR_RING_MASK, 0},
                           {"AUX", "AUX", SMR_RING_MASK, 0},
                           {"LOSTN", "LOST", kNameless},
                           {"QUEUE", "RECORDS", kNameless},
                           {"PACKETS", "PACKETS", kNameless},
                           {"ORPHANS", "ORPHANS", kNameless},
                           {"CLASHES", "CLASHES", kNameless},
                           {"CRST", "COUNTERS", (1u << SMR_COUNTERS) - 1, 0},
                           {"GEVENT", "EVENT", SMR_ALL_EVENTS - SMR_GLOBAL_EVENT - 1, 0},
                           {"TIMER", "PERIOD", kNameless},
                           {"PAGE0", "PAGE", SMR_PAGE_NUMBER_MASK, SMR_PAGE_NUMBER_SHIFT},
                           {"PAGE0", "NODE", SMR_PAGE_NODE_MASK, SMR_PAGE_NODE_SHIFT},
                           {"PAGE0", "VALID", SMR_PAGE_VALID},
                           {"EVENT0", "PAGE", SMR_EVENT_PAGE_MASK, SMR_EVENT_PAGE_SHIFT},
                           {"EVENT0", "FILTER", SMR_EVENT_FILTER_MASK, SMR_EVENT_FILTER_SHIFT},
                           {"EVENT0", "VALID", SMR_EVENT_VALID},
                           {"EVENT0_RANGE", "BOTTOM", SMR_EVENT_BOTTOM_MASK, SMR_EVENT_BOTTOM_SHIFT},
                           {"EVENT0_RANGE", "TOP", SMR_EVENT_TOP_MASK, SMR_EVENT_TOP_SHIFT},
                           {"COUNTER0_VALUE", "VALUE", SMR_COUNTER_VALUE_MASK, SMR_COUNTER_VALUE_SHIFT},
                           {"COUNTER0_VALUE", "ACTIVE", SMR_COUNTER_ACTIVE},
                           {"RANGE0", "SOURCE", SMR_RANGE_SOURCE_MASK, SMR_RANGE_SOURCE_SHIFT},
                           {"RANGE0", "DESTINATION", SMR_RANGE_DESTINATION_MASK, SMR_RANGE_DESTINATION_SHIFT},
                           {"RANGE0", "VALID", SMR_RANGE_VALID},
                           {"RANGE0_ADDRESS", "ADDRESS", SMR_RANGE_ADDRESS_MASK, SMR_RANGE_ADDRESS_SHIFT},
                           {"RANGE0_COUNT", "COUNT", SMR_RANGE_COUNT_MASK, SMR_RANGE_COUNT_SHIFT},
                           {"RANGE0_USED", "USED", SMR_RANGE_USED},
                           {"COUNTER0_START", "EVENT", SMR_COUNTER_EVENT_MASK, SMR_COUNTER_EVENT_SHIFT},
                           {"COUNTER0_START", "VALID", SMR_COUNTER_EVENT_VALID},
                           {"COUNTER0_STOP", "EVENT", SMR_COUNTER_EVENT_MASK, SMR_COUNTER_EVENT_SHIFT},
                           {"COUNTER0_STOP", "VALID", SMR_COUNTER_EVENT_VALID},
                           {"COUNTER0_COUNT", "EVENT", SMR_COUNTER_EVENT_MASK, SMR_COUNTER_EVENT_SHIFT},
                           {"COUNTER0_COUNT", "VALID", SMR_COUNTER_EVENT_VALID}}},
               {.title = "record",
                .model = kRecord,
                .has_offsets = Has::kSome,
                .fields = {{"RECORD0", "KIND", SMR_RECORD_KIND_MASK, SMR_RECORD_KIND_SHIFT},
                           {"RECORD0", "OVF", SMR_RECORD_OVF},
                           {"RECORD0", "WHY", SMR_RECORD_WHY_MASK, SMR_RECORD_WHY_SHIFT},
                           {"RECORD0", "ADDRESS", SMR_RECORD_ADDRESS_MASK, SMR_RECORD_ADDRESS_SHIFT},
                           {"RECORD1", "COUNT", SMR_RECORD_COUNT_MASK, SMR_RECORD_COUNT_SHIFT},
                           {"RECORD1", "SOURCE", SMR_RECORD_SOURCE_MASK, SMR_RECORD_SOURCE_SHIFT},
                           {"RECORD1", "DESTINATION", SMR_RECORD_DESTINATION_MASK,
                            SMR_RECORD_DESTINATION_SHIFT},
                           {"RECORD1", "ENTRY", SMR_RECORD_ENTRY_MASK, SMR_RECORD_ENTRY_SHIFT}}},
               {.title = "bridge",
                .model = kBridgeRegisters,
                .offsets = bridge_offsets(),
                .has_offsets = Has::kSome,
                .fields = {{"INTCSR", "PCI_EN", SMR_INTCSR_PCI, boards::kMaskOnly},
                           {"INTCSR", "DOORBELL_EN", SMR_INTCSR_DOORBELL, boards::kMaskOnly},
                           {"INTCSR", "LOCAL_EN", SMR_INTCSR_LOCAL, boards::kMaskOnly},
                           {"INTCSR", "DOORBELL_INT", SMR_INTCSR_DOORBELL_ACTIVE, boards::kMaskOnly},
                           {"INTCSR", "LOCAL_INT", SMR_INTCSR_LOCAL_ACTIVE, boards::kMaskOnly}},
                .has_fields = Has::kSome},
               {.title = "CCM",
                .model = kCcmRegisters,
                .base = SMILE_CCM_BASE,
                .offsets = {OFFSET(CCM_INTERRUPT), OFFSET(CCM_COMMAND), OFFSET(CCM_STATUS),
                            OFFSET(CCM_DESIGN), OFFSET(CCM_CLEAR)},
                .has_offsets = Has::kSome,
                .fields = {{"CCM_INTERRUPT", "NONE", SMR_CCM_INTERRUPT_NONE, boards::kMaskOnly},
                           {"CCM_STATUS", "BUSY", SMR_CCM_STATUS_BUSY, boards::kMaskOnly},
                           {"CCM_STATUS", "DONE", SMR_CCM_STATUS_DONE, boards::kMaskOnly},
                           {"CCM_STATUS", "ERROR", SMR_CCM_STATUS_ERROR, boards::kMaskOnly},
                           WIDE(CCM_STATUS, SOURCE)},
                .has_fields = Has::kSome}},
    .numbers =
        {
            {"SMR_PAGES", uint64_t(SMR_PAGES), uint64_t(kArrays[0].count)},
            {"SMR_EVENTS", uint64_t(SMR_EVENTS), uint64_t(kArrays[1].count)},
            {"SMR_COUNTERS", uint64_t(SMR_COUNTERS), uint64_t(kArrays[2].count)},
            {"SMR_ENTRIES_MOST", uint64_t(SMR_ENTRIES_MOST), uint64_t(kArrays[3].count)},
            {"SMR_ENTRIES_LEAST", uint64_t(SMR_ENTRIES_LEAST), uint64_t(SMILE_MIN_ENTRIES)},
            {"SMR_PAGE(1) - SMR_PAGE(0)", uint64_t(SMR_PAGE(1) - SMR_PAGE(0)), uint64_t(kArrays[0].stride)},
            {"SMR_EVENT(1) - SMR_EVENT(0)", uint64_t(SMR_EVENT(1) - SMR_EVENT(0)),
             uint64_t(kArrays[1].stride)},
            {"SMR_COUNTER_VALUE(1) - SMR_COUNTER_VALUE(0)",
             uint64_t(SMR_COUNTER_VALUE(1) - SMR_COUNTER_VALUE(0)), uint64_t(kArrays[2].stride)},
            {"SMR_RANGE(1) - SMR_RANGE(0)", uint64_t(SMR_RANGE(1) - SMR_RANGE(0)),
             uint64_t(kArrays[3].stride)},
            {"SMR_TARGET", uint64_t(SMR_TARGET), uint64_t(SMILE_TARGET_BASE)},
            {"SMR_RING", uint64_t(SMR_RING), uint64_t(SMILE_RING_BASE)},
            {"SMR_RING_WORDS", uint64_t(SMR_RING_WORDS), uint64_t(SMILE_RING_WORDS)},
            {"SMR_BAR_BYTES", uint64_t(SMR_BAR_BYTES), uint64_t(SMILE_BAR_BYTES)},
            {"SMR_CCM_INTERRUPT", uint64_t(SMR_CCM_INTERRUPT), uint64_t(SMILE_CCM_BASE)},
            {"SMR_DESIGN_NONE", uint64_t(SMR_DESIGN_NONE), uint64_t(unsigned{SMILE_NONE})},
            {"SMR_DESIGN_STATIC", uint64_t(SMR_DESIGN_STATIC), uint64_t(unsigned{SMILE_STATIC})},
            {"SMR_DESIGN_DYNAMIC", uint64_t(SMR_DESIGN_DYNAMIC), uint64_t(unsigned{SMILE_DYNAMIC})},
            {"SMR_DESIGN_TARGET", uint64_t(SMR_DESIGN_TARGET), uint64_t(unsigned{SMILE_TARGET})},
            {"SMR_STATE_IDLE", uint64_t(SMR_STATE_IDLE), uint64_t(unsigned{SMILE_IDLE})},
            {"SMR_STATE_FORWARD", uint64_t(SMR_STATE_FORWARD), uint64_t(unsigned{SMILE_FORWARD})},
            {"SMR_STATE_BUSY", uint64_t(SMR_STATE_BUSY), uint64_t(unsigned{SMILE_BUSY})},
            {"SMR_STATE_SWAP", uint64_t(SMR_STATE_SWAP), uint64_t(unsigned{SMILE_SWAP})},
            {"SMR_STATE_SWAP_ALL", uint64_t(SMR_STATE_SWAP_ALL), uint64_t(unsigned{SMILE_SWAP_ALL})},
            {"SMR_DECODE_IDLE", uint64_t(SMR_DECODE_IDLE), uint64_t(unsigned{SMILE_DECODE_IDLE})},
            {"SMR_DECODE_BD1", uint64_t(SMR_DECODE_BD1), uint64_t(unsigned{SMILE_DECODE_BD1})},
            {"SMR_DECODE_BD2", uint64_t(SMR_DECODE_BD2), uint64_t(unsigned{SMILE_DECODE_BD2})},
            {"SMR_RECORD_RANGE", uint64_t(SMR_RECORD_RANGE), uint64_t(unsigned(Kind::kRange))},
            {"SMR_RECORD_COUNTER", uint64_t(SMR_RECORD_COUNTER), uint64_t(unsigned(Kind::kCounter))},
            {"SMR_RECORD_LOSS", uint64_t(SMR_RECORD_LOSS), uint64_t(unsigned(Kind::kLoss))},
            {"SMR_RECORD_REPLACED", uint64_t(SMR_RECORD_REPLACED), uint64_t(unsigned(Why::kReplaced))},
            {"SMR_RECORD_OVERFLOW", uint64_t(SMR_RECORD_OVERFLOW), uint64_t(unsigned(Why::kOverflow))},
            {"SMR_RECORD_DEMAND", uint64_t(SMR_RECORD_DEMAND), uint64_t(unsigned(Why::kDemand))},
            {"SMR_TIMER_EVENT", uint64_t(SMR_TIMER_EVENT), uint64_t(16u)},
            {"SMR_BLINK_CLOCK_NS", uint64_t(SMR_BLINK_CLOCK_NS), uint64_t(SCI_BLINK_CLOCK_NS)},
            {"SMR_VENDOR", uint64_t(SMR_VENDOR), uint64_t(kPciVendor)},
            {"SMR_DEVICE", uint64_t(SMR_DEVICE), uint64_t(kPciDevice)},
            {"SMR_BAR_IO_BYTES", uint64_t(SMR_BAR_IO_BYTES), uint64_t(SMILE_BRIDGE_BYTES)},
            {"SMR_SLOT(0)", uint64_t(SMR_SLOT(0)), uint64_t(SMILE_CACHE_BASE)},
            {"SMR_SLOT_BYTES", uint64_t(SMR_SLOT_BYTES), uint64_t(SMILE_SLOT_BYTES)},
            {"SMR_SLOT_BYTES * SMR_SLOTS", uint64_t(SMR_SLOT_BYTES* SMR_SLOTS), uint64_t(SMILE_CACHE_BYTES)},
            {"SMR_FLASH", uint64_t(SMR_FLASH), uint64_t(SMILE_FLASH_BASE)},
            {"SMR_FLASH_BYTES", uint64_t(SMR_FLASH_BYTES), uint64_t(SMILE_FLASH_BYTES)},
            {"filters", SMR_FILTER_ALL, at(kRegisters, "MASK").readable()},
        },
    .limits = {limit("entries", &SmileConfig::entries, 4, 64),
               limit("queue", &SmileConfig::queue, 0, 1048576), limit("node", &SmileConfig::node, 0, 31),
               limit("cclk", &SmileConfig::cclk, 100000, 100000000)},
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
    .at_once = {SMILE_INJECT_DAUGHTER},
    .registers = boards::NotPlain{
        .configured = {"CCM_INTERRUPT", "CCM_STATUS", "CCM_DESIGN"},
        .acting = {"MCR", "MSR", "P2L_DOORBELL", "CONTROL", "CCM_COMMAND", "CCM_CLEAR"}},
});
#undef OFFSET
#undef FLAG
#undef WIDE

}  // namespace
}  // namespace perfboard::smile
