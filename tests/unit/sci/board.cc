// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters in the tests that all boards share.
#include "tests/unit/boards/board.h"

#include "guest/sci/regs.h"
#include "hw/sci/timing.h"
#include "hw/sci/view.h"
#include "tests/unit/sci/fixture.h"

#define STATE_LIST "hw/sci/state.def"
#include "tests/unit/boards/member_list.h"

namespace perfboard::sci {
namespace {

enum Variant : unsigned { kUntimed, kTimed };

class OnSci : public boards::On<boards::OnBench, SciBench, [](SciBench& b) { return b.adapter(); },
                                sci_state_ok, sci_load> {
 public:
  explicit OnSci(unsigned variant) : On(SciBench::Setup{.latency = variant == kTimed}) {}
  void* model() override { return bench.adapter(); }
  void reset() override { sci_reset(bench.adapter()); }
  uint32_t units(const Register& r) override { return at_most(r, kStatistics, 4); }
  uint32_t entries(const Register& r) override { return at_most(r, kTable, 16); }
  std::optional<uint32_t> read(unsigned, uint64_t offset) override {
    bench.state().latched[SCI_READERS - 1] = 0;
    return bench.read(static_cast<uint32_t>(offset));
  }
  // As many nodes as HOME can name.
  void power_up() override {
    sci_reset(bench.adapter());
    bench.adapter()->config.nodes = SCI_MAX_NODES;
  }
  std::optional<uint64_t> read_lanes(unsigned, uint64_t offset, unsigned bytes) override {
    return sci_register_read(bench.adapter(), static_cast<uint32_t>(offset), bytes, SCI_NO_VCPU);
  }
  void write_lanes(unsigned, uint64_t offset, uint64_t value, unsigned bytes) override {
    sci_register_write(bench.adapter(), static_cast<uint32_t>(offset), value, bytes, SCI_NO_VCPU);
  }
  void act(std::mt19937& random) override {
    if (random() % 8 == 0) bench.home(random() % 16, random() % 4);
    bench.now += random() % 5000;
    const uint32_t vcpu = random() % 4;
    const uint64_t offset = random() % (bench.memory.size() - 8) & ~7u;
    if (random() % 2)
      bench.load(vcpu, offset, 8);
    else
      bench.store(vcpu, offset, 4);
  }
  // Buffers in use, an upper half latched; and with latency=on requests outstanding, packets on their way, an
  // access that waits.
  void make_busy() override {
    for (uint32_t page = 0; page < 16; ++page) bench.home(page, page % 4);
    for (uint32_t vcpu = 0; vcpu < 4; ++vcpu) {
      bench.access({.offset = 0x1000 * ((vcpu + 1) % 4),
                    .bytes = 4,
                    .vcpu = vcpu,
                    .store = true,
                    .write_combining = true});
      bench.store(vcpu, 0x1000 * ((vcpu + 2) % 4) + 64);
      bench.access({.offset = 0x1000 * ((vcpu + 1) % 4) + 8, .bytes = 4, .vcpu = vcpu, .can_wait = true});
    }
    bench.read(kStatisticsBase, 1);
  }
  void lives_on() override {
    bench.write(kCtrl, 1);
    bench.home(1, 1);
    bench.packets.clear();
    bench.load(0, 0x1000);
    EXPECT_EQ(bench.seen().size(), 4u);
  }

 private:
  static uint32_t at_most(const Register& r, std::span<const Register> table, uint32_t n) {
    return &r >= table.data() && &r < table.data() + table.size() ? n : 0;
  }
};

using Way = boards::WayOf<SciBench>;
constexpr Way kWrong[] = {
    {mistake("strange-vcpu"), [](SciBench& b) { b.load(9, 0); }},
    {mistake("no-register"), [](SciBench& b) { b.read(0x20), b.write(kAtt + 4 * 16, 0); }},
    {mistake("bad-home"), [](SciBench& b) { b.home(0, 4); }},
    {mistake("read-only"), [](SciBench& b) { b.write(kId, 0), b.write(kStatisticsBase, 0); }},
    {mistake("narrow-write"), [](SciBench& b) { sci_register_write(b.adapter(), kCtrl, 0, 2, 0); }},
};
void all_effects(SciBench& b) {
  b.home(1, 1);
  b.access({.offset = 0x1000, .bytes = 4, .vcpu = 0, .store = true, .write_combining = true});
  b.load(0, 0);
  for (int i = 0; i < 65; ++i) b.store(0, 0x1000);
  for (const unsigned which :
       {injection("inject-drop"), injection("inject-late"), injection("inject-damage")})
    sci_inject(b.adapter(), which, 1);
  for (int i = 0; i < 3; ++i) b.store(2, 0x1000);
  b.read(kStatisticsBase);
  b.write(kCtrl, 2);
}
constexpr Way kTold[] = {{0, all_effects, kTimed}};
// The manual's sequences, as a driver walks them: they do what they say.
void what_the_manual_allows(SciBench& b) {
  b.write(kCtrl, 0);
  b.effects.clear();
  for (const uint32_t offset : {kId, kVersion, kNodes, kPages}) b.read(offset);
  b.home(3, 1);
  b.write(kCtrl, 3);
  EXPECT_TRUE(sci_enabled(b.adapter()));
  b.load(0, 0x3000);
  EXPECT_EQ(b.read(kStatisticsBase), 1u);
  EXPECT_EQ(b.read(kStatisticsBase + 4), 0u);
  b.write(kCtrl, 0);
  EXPECT_FALSE(sci_enabled(b.adapter()));
  EXPECT_EQ(b.values(effect("cleared")).size(), 1u);
  EXPECT_EQ(b.values(effect("switched")), (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(b.values(effect("latched")), std::vector<uint64_t>{kStatisticsBase});
  EXPECT_EQ(b.values(effect("request")), std::vector<uint64_t>{1u << 8});
}
constexpr Way kAllowed[] = {{0, what_the_manual_allows}};

constexpr boards::DamageOf<SciState> kDamages[] = {{"inject.stop=2", [](SciState& s) { s.inject.stop = 2; }}};

boards::Limit limit(const char* property, uint32_t SciConfig::* member, uint32_t low, uint32_t high) {
  return {property, low, high, [member](uint32_t value) {
            SciConfig c = {.nodes = 4, .size = SCI_LEAST_SIZE, .ringlet = 8, .wc_buffers = 4};
            c.*member = value;
            return complaint_about<sci_config_ok>(c);
          }};
}

std::vector<std::string_view> inferred() {
  std::vector<std::string_view> all;
  for (const Timing& t : kTimings)
    if (t.source.starts_with("INFERRED")) all.push_back(t.name);
  return all;
}

const boards::Registered kSci({
    .view = sci_view(),
    .manual = manual_text,
    .listed = {},
    .inferred = inferred(),
    .header = {{.title = "registers",
                .model = kRegisters,
                .offsets = {{"ID", SCIR_ID},
                            {"VERSION", SCIR_VERSION},
                            {"NODES", SCIR_NODES},
                            {"PAGES", SCIR_PAGES},
                            {"NODE", SCIR_NODE},
                            {"CTRL", SCIR_CTRL},
                            {"STATUS", SCIR_STATUS}},
                .fields = {{"CTRL", "ENABLE", SCIR_CTRL_ENABLE},
                           {"CTRL", "CLEAR", SCIR_CTRL_CLEAR},
                           {"STATUS", "LATENCY", SCIR_STATUS_LATENCY}},
                .has_fields = boards::Has::kSome},
               {.title = "statistics, of which the header names the lower halves",
                .model = kStatistics,
                .offsets = {{"READS", SCIR_STATS_READS},
                            {"WRITES", SCIR_STATS_WRITES},
                            {"LOCKS", SCIR_STATS_LOCKS},
                            {"UNLOCKS", SCIR_STATS_UNLOCKS},
                            {"RECEIVED", SCIR_STATS_RECEIVED},
                            {"WAIT", SCIR_STATS_WAIT},
                            {"OUTSTANDING", SCIR_STATS_OUTSTANDING},
                            {"PACKETS", SCIR_STATS_PACKETS}},
                .has_offsets = boards::Has::kSome,
                .has_fields = boards::Has::kSome},
               {.title = "table",
                .model = kTable,
                .has_offsets = boards::Has::kSome,
                .fields = {{std::string(kTable[0].name), "HOME", SCIR_ATT_HOME_MASK, SCIR_ATT_HOME_SHIFT}}}},
    .numbers = {{"statistics", 2 * SCIR_STATS_COUNT, std::size(kStatistics)},
                {"node 0's", SCIR_STATS(0u), kStatisticsBase},
                {"node 31's", SCIR_STATS(31u), kStatisticsBase + kStatisticsStep * 31},
                {"page 0's", SCIR_ATT(0u), kAtt},
                {"page 65535's", SCIR_ATT(65535u), kAtt + 4 * 65535},
                {"ID", SCIR_ID_VALUE, kIdValue},
                {"VERSION", SCIR_VERSION_VALUE, at(kRegisters, "VERSION").reset()},
                {"BAR", SCIR_BAR_BYTES, SCI_REGISTER_BYTES},
                {"page", SCIR_PAGE_BYTES, SCI_PAGE_BYTES},
                {"nodes", SCIR_MAX_NODES, SCI_MAX_NODES},
                {"pages", SCIR_MAX_PAGES, SCI_MAX_PAGES}},
    .limits = {limit("nodes", &SciConfig::nodes, 1, SCI_MAX_NODES),
               limit("ringlet", &SciConfig::ringlet, SCI_LEAST_RINGLET, SCI_MOST_RINGLET),
               limit("wc-buffers", &SciConfig::wc_buffers, 0, SCI_MAX_BUFFERS)},
    .variants = 2,
    .make = [](unsigned variant) -> std::unique_ptr<boards::OnBench> {
      return std::make_unique<OnSci>(variant);
    },
    .mistakes = boards::ways(kWrong),
    .effects = boards::ways(kTold),
    .allowed = boards::ways(kAllowed),
    .damages = boards::damages(kDamages),
    .members = boards::members_of<SciState>(),
    .free = {"node.count"},
    .by_rows = {},
    .remade = {},
    .at_once = {},
    .registers = boards::NotPlain{.configured = {"NODES", "PAGES", "NODE", "STATUS"},
                                  .acting = {},
                                  .wide = true,
                                  .idle = UINT32_MAX},
});

}  // namespace
}  // namespace perfboard::sci
