// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose that every board has (hw/qemu/core/faults/inject.h), how they are asked for (inject.h),
// and when (scenario.h).
#include <gtest/gtest.h>

#include <fstream>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint16_t kLine10 = 1 << 10;

// A SurfBoard that asks for IRQ 10 as long as its FIFO is not empty.
struct Asking : Surf {
  explicit Asking(Machine& machine) : Surf(machine, 2) {
    m.level_triggered(kLine10);
    enable(SURF_IRLEV_IRQ10);
    write(SURF_HTCR, 0);
    write(SURF_IEMR, SURF_IEMR_FNE);
  }
  bool asks() { return m.irr() & kLine10; }
};

std::string irq_word(Machine& m, const std::string& id) { return m.text(id, "inject-irq"); }

// --- gone (PCI boards: plug_test.cc) -----------------------------------------------------

TEST(Gone, SurfBoardWithItsMemoriesAndSlot) {
  Machine m({.devices = {"surfboard,slot=2,id=surf,trace-size=4M"}});
  Asking surf(m);
  surf.write(SURF_HFDR, 7);
  m.write32(surf.trace_at(5), 0x12345678);
  EXPECT_TRUE(surf.asks());
  const uint32_t id = m.in32(surf.port(0xc80)), iemr = surf.read(SURF_IEMR);

  EXPECT_EQ(m.set("surf", "inject-gone", "true"), "");
  m.step(1'000);
  EXPECT_FALSE(surf.asks());
  EXPECT_EQ(surf.read(SURF_IEMR), UINT32_MAX);
  surf.write(SURF_IEMR, 0);
  EXPECT_EQ(surf.read(SURF_HFDR), UINT32_MAX) << "and nothing leaves the FIFO";
  EXPECT_EQ(surf.trace(5, 0), UINT32_MAX);
  m.write32(surf.trace_at(5), 0);
  EXPECT_EQ(m.in32(surf.port(0xc80)), UINT32_MAX);

  EXPECT_EQ(m.set("surf", "inject-gone", "false"), "");
  m.step(1'000);
  EXPECT_EQ(m.in32(surf.port(0xc80)), id);
  EXPECT_TRUE(surf.asks()) << "its reason is still there";
  EXPECT_EQ(surf.read(SURF_IEMR), iemr);
  EXPECT_EQ(surf.trace(5, 0), 0x12345678u);
  EXPECT_EQ(surf.read(SURF_HFDR) & 0xff, 7u);
  EXPECT_FALSE(surf.asks());
}

// --- the interrupt line --------------------------------------------------------------------

TEST(InjectIrq, StuckEitherWay) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  Asking surf(m);
  EXPECT_EQ(m.set("surf", "inject-irq", "\"stuck-high\""), "");
  EXPECT_TRUE(surf.asks());
  EXPECT_EQ(surf.read(SURF_ISCR) >> 31, 0u) << "no reason";
  EXPECT_EQ(m.set("surf", "inject-irq", "\"stuck-low\""), "");
  EXPECT_FALSE(surf.asks());
  surf.write(SURF_HFDR, 1);
  EXPECT_FALSE(surf.asks());
  EXPECT_EQ(surf.read(SURF_ISCR) >> 31, 1u) << "the board does ask";
  EXPECT_EQ(m.set("surf", "inject-irq", "\"none\""), "");
  EXPECT_TRUE(surf.asks());
}

TEST(InjectIrq, APulseIsOneAndShort) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  Asking surf(m);
  EXPECT_EQ(m.set("surf", "inject-irq", "\"pulse\""), "");
  EXPECT_TRUE(surf.asks());
  EXPECT_EQ(irq_word(m, "surf"), "pulse");
  m.step(8'000);
  EXPECT_TRUE(surf.asks());
  m.step(2'000);
  EXPECT_FALSE(surf.asks());
  EXPECT_EQ(irq_word(m, "surf"), "none");
}

TEST(Inject, WhatIsNotLegalIsSaid) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  EXPECT_EQ(m.set("surf", "inject-irq", "\"stuck\""),
            "inject-irq=stuck: legal are none, stuck-high, stuck-low, pulse");
  EXPECT_EQ(irq_word(m, "surf"), "none");
  expect_refused({"-device", "i82375", "-device", "surfboard,slot=2,inject-irq=up"},
                 {"inject-irq=up: legal are none, stuck-high, stuck-low, pulse"});
}

// --- snapshots -------------------------------------------------------------------------------

TEST(Inject, IsInASnapshot) {
  const std::vector<std::string> devices = {"surfboard,slot=2,id=surf", "smile-sci,id=sci,addr=5"};
  Machine m({.devices = devices, .args = {"-smp", "2"}});
  Asking surf(m);
  EXPECT_EQ(m.set("surf", "inject-irq", "\"pulse\""), "");
  EXPECT_EQ(m.set("sci", "inject-gone", "true"), "");
  m.step(4'000);
  const std::string file = m.scratch("snapshot");
  m.save(file);

  Machine n({.devices = devices, .args = {"-smp", "2", "-incoming", "defer"}});
  n.load(file);
  Surf same(n, 2);
  EXPECT_TRUE(n.irr() & kLine10);
  EXPECT_EQ(irq_word(n, "surf"), "pulse");
  EXPECT_EQ(n.pci_read32(5, 0), UINT32_MAX);
  n.step(7'000);
  EXPECT_FALSE(n.irr() & kLine10);
  EXPECT_EQ(irq_word(n, "surf"), "none");
  EXPECT_EQ(n.set("sci", "inject-gone", "false"), "");
  EXPECT_NE(n.pci_read32(5, 0), UINT32_MAX);
}

// --- scenarios ---------------------------------------------------------------------------------

TEST(Scenario, AtItsTimeInOrderOfTime) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"},
             .scenario = "# comment\n\n  20.5us surf inject-irq none  # the later one first\n"
                         "10us surfboard inject-irq stuck-high\r\n"
                         "0.00003s\tsurf\tinject-irq\tstuck-low\n30us surf inject-irq stuck-high\n"});
  Asking surf(m);
  m.step(9'000);
  EXPECT_FALSE(surf.asks()) << m.stepped();
  m.step(1'000);
  EXPECT_TRUE(surf.asks()) << m.stepped();
  m.step(7'000);
  EXPECT_TRUE(surf.asks()) << m.stepped();
  m.step(3'000);
  EXPECT_FALSE(surf.asks());
  m.step(10'000);
  EXPECT_TRUE(surf.asks()) << "of one time the file's last line";
}

TEST(Scenario, ASnapshotHoldsHowFarItIs) {
  const std::vector<std::string> devices = {"surfboard,slot=2,id=surf"};
  const std::string scenario = "10us surf inject-irq stuck-high\n20us surf inject-irq none\n";
  Machine m({.devices = devices, .scenario = scenario});
  Asking surf(m);
  m.step(12'000);
  EXPECT_EQ(m.set("surf", "inject-irq", "\"stuck-low\""), "");
  const std::string file = m.scratch("snapshot");
  m.save(file);
  {
    Machine n({.devices = devices, .args = {"-incoming", "defer"}, .scenario = scenario});
    n.load(file);
    n.step(4'000);
    EXPECT_EQ(irq_word(n, "surf"), "stuck-low") << "the first line is not done again";
    n.step(6'000);
    EXPECT_EQ(irq_word(n, "surf"), "none");
  }
  // Saved without a scenario: what would have been before is left out.
  Machine plain({.devices = devices});
  plain.step(12'000);
  plain.save(file);
  Machine n({.devices = devices, .args = {"-incoming", "defer"}, .scenario = scenario});
  n.load(file);
  n.step(4'000);
  EXPECT_EQ(irq_word(n, "surf"), "none");
}

TEST(Scenario, FromTheFirstSuchAccess) {
  Machine m(
      {.devices = {"surfboard,slot=2,id=surf"},
       .scenario =
           "after surfboard write IEMR.LV=1\n+20us surf inject-irq none\n+10us surf inject-irq stuck-low\n"
           "after surf read WCDR # the second start\n+5us surf inject-gone on\n40us surf inject-irq "
           "stuck-high\n"});
  Asking surf(m);
  surf.write(SURF_IEMR, SURF_IEMR_FNE);
  m.step(40'000);
  EXPECT_TRUE(surf.asks()) << "the line that counts from the machine's start: " << m.stepped();
  m.step(1'000'000);
  EXPECT_TRUE(surf.asks());

  surf.write(SURF_IEMR, SURF_IEMR_FNE | SURF_IEMR_LV);
  m.step(8'000);
  surf.write(SURF_IEMR, SURF_IEMR_LV);
  EXPECT_EQ(irq_word(m, "surf"), "stuck-high");
  m.step(2'000);
  EXPECT_FALSE(surf.asks());
  EXPECT_EQ(irq_word(m, "surf"), "stuck-low");
  m.step(7'000);
  EXPECT_EQ(irq_word(m, "surf"), "stuck-low");
  m.step(3'000);
  EXPECT_EQ(irq_word(m, "surf"), "none");
  surf.write(SURF_IEMR, SURF_IEMR_LV);
  m.step(100'000);
  EXPECT_EQ(irq_word(m, "surf"), "none") << "the first such access, no other";

  EXPECT_FALSE(m.flag("surf", "inject-gone"));
  surf.write(SURF_WCDR, 0);
  m.step(100'000);
  EXPECT_FALSE(m.flag("surf", "inject-gone")) << "a read is awaited";
  EXPECT_EQ(surf.read(SURF_WCDR), 0u);
  m.step(4'000);
  EXPECT_FALSE(m.flag("surf", "inject-gone"));
  m.step(1'000);
  EXPECT_TRUE(m.flag("surf", "inject-gone"));
}

TEST(Scenario, ASnapshotHoldsWhatTimesCountFrom) {
  const std::vector<std::string> devices = {"surfboard,slot=2,id=surf"};
  const std::string scenario =
      "after surf write IEMR\n+10us surf inject-irq stuck-high\n+20us surf inject-irq none\n"
      "after surf write WCDR\n+1us surf inject-irq stuck-low\n";
  Machine young({.devices = devices, .scenario = scenario}), old({.devices = devices, .scenario = scenario});
  const std::string before = young.scratch("snapshot"), after = old.scratch("snapshot");
  young.step(1'000);
  young.save(before);
  Asking asking(old);
  old.step(12'000);
  EXPECT_EQ(irq_word(old, "surf"), "stuck-high");
  old.save(after);
  for (const bool has_come : {true, false}) {
    Machine n({.devices = devices, .args = {"-incoming", "defer"}, .scenario = scenario});
    n.load(has_come ? after : before);
    n.step(6'000);
    EXPECT_EQ(irq_word(n, "surf"), has_come ? "stuck-high" : "none");
    n.step(2'000);
    EXPECT_EQ(irq_word(n, "surf"), "none");
    Asking surf(n);
    n.step(10'000);
    EXPECT_EQ(irq_word(n, "surf"), has_come ? "none" : "stuck-high") << "what has come comes no more";
    surf.write(SURF_WCDR, 0);
    n.step(1'000);
    EXPECT_EQ(irq_word(n, "surf"), "stuck-low") << "and the other start comes yet";
  }
}

TEST(Scenario, AnEventIsAStart) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"},
             .scenario = "after surf mistake fifo-empty\n+3us surf inject-gone on\n"});
  Asking surf(m);
  m.step(100'000);
  surf.read(SURF_HFDR);
  m.step(2'000);
  EXPECT_FALSE(m.flag("surf", "inject-gone"));
  m.step(1'000);
  EXPECT_TRUE(m.flag("surf", "inject-gone"));
}

TEST(Scenario, WhatWasNotDoneIsSaid) {
  const std::string scenario =
      "10us surf inject-irq stuck-high\n1s surf inject-irq none\nafter surf write IEMR\n+10us surf "
      "inject-irq none\n"
      "+2s surf inject-gone on # too late\nafter surf read WCDR\n+5us surf inject-gone on\n";
  Machine m({.devices = {"surfboard,slot=2,id=surf"}, .scenario = scenario});
  Asking surf(m);
  m.step(20'000);
  surf.write(SURF_IEMR, 0);
  m.step(20'000);
  EXPECT_EQ(m.quit(), 0);
  const std::string said = m.output(), file = "perfboard: " + m.scratch("scenario");
  EXPECT_TRUE(has(said, file + ":2: '1s surf inject-irq none': not done: its time was 1.000000000 s, and the "
                               "machine ended at 0.0000"))
      << said;
  EXPECT_TRUE(has(said, file + ":5: '+2s surf inject-gone on': not done: its time was 2.0000")) << said;
  EXPECT_TRUE(
      has(said, file + ":6: 'after surf read WCDR': it never came, and what stands below it was not done\n"))
      << said;
  for (const char* done : {":1: ", ":3: ", ":4: ", ":7: "}) EXPECT_FALSE(has(said, file + done)) << said;
}

TEST(Scenario, WhatWasNotDoneInAFile) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"},
             .scenario = "10us surf inject-irq stuck-high\nafter surf read WCDR\n",
             .unreached = true});
  m.step(20'000);
  EXPECT_EQ(m.quit(), 0);
  std::ifstream file(m.scratch("unreached"));
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(said, m.scratch("scenario") +
                      ":2: 'after surf read WCDR': it never came, and what stands below it was not done\n");
  EXPECT_FALSE(has(m.output(), "never came")) << m.output();
}

TEST(Scenario, NoMoreThanSixteenStarts) {
  Scratch scratch;
  std::ofstream file(scratch.path("many"));
  for (int i = 0; i < 17; ++i) file << "after a write IEMR\n";
  file.close();
  const Refusal r = start_and_end({"-device", "i82375", "-device", "surfboard,slot=2,id=a"}, qemu_path(),
                                  plugin_path() + ",scenario=" + scratch.path("many"));
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.output, ":17: more than 16 lines 'after'")) << r.output;
}

struct BadLine {
  const char* text;
  const char* says;
};
void PrintTo(const BadLine& b, std::ostream* out) { *out << b.text; }
class BadScenario : public testing::TestWithParam<BadLine> {};

TEST_P(BadScenario, EndsQemuWithFileAndLine) {
  Scratch scratch;
  std::ofstream(scratch.path("bad")) << "# one\n1us a inject-gone off\n" << GetParam().text << "\n";
  const Refusal r = start_and_end(
      {"-device", "i82375", "-device", "surfboard,slot=2,id=a", "-device", "surfboard,slot=3,id=b"},
      qemu_path(), plugin_path() + ",scenario=" + scratch.path("bad"));
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.output, "perfboard: " + scratch.path("bad") + ":3: " + GetParam().says)) << r.output;
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadScenario,
    testing::Values(BadLine{"1us a inject-gone", "it has 3 words; legal are four"},
                    BadLine{"1 a inject-gone on", "time '1': legal are"},
                    BadLine{"1.5ns a inject-gone on", "time '1.5ns': legal are"},
                    BadLine{"-1us a inject-gone on", "time '-1us': legal are"},
                    BadLine{"1.2.3s a inject-gone on", "time '1.2.3s'"},
                    BadLine{"99999999999s a inject-gone on", "time '99999999999s'"},
                    BadLine{"1h a inject-gone on", "time '1h'"},
                    BadLine{"1us c inject-gone on", "device 'c': the machine has no device"},
                    BadLine{"1us multikron inject-gone on", "device 'multikron': the machine has no device"},
                    BadLine{"1us surfboard inject-gone on", "device 'surfboard': the machine has several"},
                    BadLine{"1us a slot 3", "property 'slot': surfboard has no such error on purpose"},
                    BadLine{"1us a inject-gone yes", "inject-gone=yes: legal are off, on"},
                    BadLine{"+1us a inject-gone on",
                            "time '+1us': above it a line 'after DEVICE ACCESS' must stand"},
                    BadLine{"after a", "behind 'after' stand a device and an access"},
                    BadLine{"after c write IEMR", "device 'c': the machine has no device"},
                    BadLine{"after surfboard write IEMR", "device 'surfboard': the machine has several"},
                    BadLine{"after i82375 any *", "device 'i82375': i82375 is no board"},
                    BadLine{"after a write NOTHING", "'NOTHING'"},
                    BadLine{"after a write IEMR=no", "'write IEMR=no': a number must stand"}));

TEST(Scenario, AFileThatIsNotThere) {
  const Refusal r = start_and_end({}, qemu_path(), plugin_path() + ",scenario=/nowhere/at/all");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.output, "perfboard: scenario=/nowhere/at/all: ")) << r.output;
}

}  // namespace
}  // namespace perfboard::qtest
