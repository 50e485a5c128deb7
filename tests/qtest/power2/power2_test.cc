// SPDX-License-Identifier: GPL-2.0-or-later
//
// The POWER2 monitor's card in a stock QEMU, with no guest but a loop: PCI, registers through both windows,
// sizes, counts, log, snapshots, reset, properties. Random accesses: fuzz-power2.
#include <poll.h>

#include <algorithm>
#include <fstream>

#include "tests/qtest/power2/rig.h"

namespace perfboard::qtest {
namespace {

TEST(Power2Pci, IdentityAndBars) {
  Rig r;
  EXPECT_EQ(r.m.pci_read32(r.device, 0), 0x50321234u);
  EXPECT_EQ(r.m.pci_read32(r.device, kClass) >> 8, 0x110100u) << "performance counters";
  r.m.pci_write32(r.device, kBar0, 0xffffffff);
  r.m.pci_write32(r.device, kBar2, 0xffffffff);
  EXPECT_EQ(r.m.pci_read32(r.device, kBar0), ~uint32_t{P2_BAR_BYTES} + 1);
  EXPECT_EQ(r.m.pci_read32(r.device, kBar2), ~uint32_t{P2_BAR_BYTES} + 1);
}

TEST(Power2Card, EachNodesCachesAndOnesOwn) {
  const struct {
    const char* properties;
    uint32_t node, dcache;
  } cases[] = {
      {"", 2, 256 << 10},
      {",node=thin", 0, 64 << 10},
      {",node=thin2", 1, 128 << 10},
      {",node=wide", 2, 256 << 10},
      {",dcache=128K", 3, 128 << 10},
      {",node=thin,dcache-line=64,dcache-ways=2", 3, 64 << 10},
  };
  for (const auto& c : cases) {
    Rig r(c.properties);
    EXPECT_EQ(r.card(P2R_CARD_NODE), c.node) << c.properties;
    EXPECT_EQ(r.card(P2R_CARD_DCACHE), c.dcache) << c.properties;
  }
  Rig own(",dcache-line=64,icache=16K,dcache-penalty=3,tlb-penalty=4,icache-penalty=0,clock=100000000",
          {.args = {"-smp", "3"}});
  EXPECT_EQ(own.card(P2R_CARD_MONITORS), 3u);
  EXPECT_EQ(own.card(P2R_CARD_CLOCK), 100'000'000u);
  EXPECT_EQ(own.card(P2R_CARD_FLAGS), P2_CARD_OWN_MARK);
  EXPECT_EQ(own.card(P2R_CARD_DCACHE_LINE), 64u);
  EXPECT_EQ(own.card(P2R_CARD_ICACHE), 16384u);
  EXPECT_EQ(own.card(P2R_CARD_DCACHE_PENALTY), 3u);
  EXPECT_EQ(own.card(P2R_CARD_TLB_PENALTY), 4u);
  EXPECT_EQ(own.card(P2R_CARD_ICACHE_PENALTY), 0u);
}

// --- registers ----------------------------------------------------------------------------------

TEST(Power2Registers, OfEachProcessorThroughBothWindows) {
  Rig r("", {.args = {"-smp", "2"}});
  for (unsigned processor = 0; processor < 2; ++processor) {
    const uint32_t value = 0x9abcdef1 + processor;
    r.put(P2R_IMR, value, processor);
    EXPECT_EQ(r.get(P2R_IMR, processor), value);
    EXPECT_EQ(r.big32(P2R_OF(processor) + P2R_IMR), value);
    r.big32(P2R_OF(processor) + P2R_IMR, ~value);
    EXPECT_EQ(r.get(P2R_IMR, processor), ~value);
  }
  EXPECT_EQ(r.get(P2R_IMR, 0), ~0x9abcdef1u);
}

// 64 bits are two registers: the one at the lower address is the lower half, in BAR 2 the upper one.
TEST(Power2Registers, SixtyFourBitsAreTwo) {
  Rig r;
  r.put(P2R_MMCR, P2_MMCR_DIS);
  const uint32_t at = P2R_OF(0) + P2R_COUNTER(1);
  r.m.write64(kLittleAt + at, 0x1122334455667788);
  EXPECT_EQ(r.get(P2R_COUNTER(1)), 0x55667788u);
  EXPECT_EQ(r.get(P2R_COUNTER(2)), 0x11223344u);
  EXPECT_EQ(r.m.read64(kLittleAt + at), 0x1122334455667788u);
  EXPECT_EQ(r.m.read64(kBigAt + at), __builtin_bswap64(0x5566778811223344u));
  r.m.write64(kBigAt + at, __builtin_bswap64(0xaabbccdd00112233u));
  EXPECT_EQ(r.get(P2R_COUNTER(1)), 0xaabbccddu);
  EXPECT_EQ(r.get(P2R_COUNTER(2)), 0x00112233u);
}

TEST(Power2Registers, NarrowAndMisalignedAccessesAreIdle) {
  Rig r;
  r.put(P2R_MMCR, P2_MMCR_DIS);
  r.put(P2R_COUNTER(0), 0x12345678);
  r.put(P2R_COUNTER(1), 0x9abcdef0);
  for (const uint32_t bar : {kLittleAt, kBigAt})
    for (const unsigned size : {1u, 2u, 4u, 8u})
      for (uint32_t i = 0; i < 8; ++i) {
        if (size >= 4 && i % size == 0) continue;
        const uint32_t at = bar + P2R_OF(0) + P2R_COUNTER(1) + i;
        EXPECT_EQ(r.m.read(at, size), ~uint64_t{0} >> (64 - 8 * size)) << size << " at " << i;
        r.m.write(at, 0x5a5a5a5a5a5a5a5a >> (64 - 8 * size), size);
      }
  EXPECT_EQ(r.get(P2R_COUNTER(0)), 0x12345678u);
  EXPECT_EQ(r.get(P2R_COUNTER(1)), 0x9abcdef0u);
  EXPECT_TRUE(has(r.m.log(), "power2-pm ")) << r.m.log();
  EXPECT_EQ(r.m.read32(kLittleAt + P2R_OWN + P2R_MMCR), 0xffffffffu) << "no processor makes the access";
  EXPECT_TRUE(has(r.m.log(), "no processor")) << r.m.log();
}

// --- counts -------------------------------------------------------------------------------------

TEST(Power2Counts, ALoopOfAThousandTurns) {
  Rig r = Rig::running(1000);
  const Counted branches = event("branches"), instructions{0, P2_ICU0};  // both in the ICU's group 0
  ASSERT_EQ(branches.mmcr, 0u);
  r.put(P2R_MMCR, 0);
  EXPECT_EQ(r.get(P2R_COUNTER(branches.counter)), 0u) << "no instruction has been executed";
  r.m.step(1'000'000);
  const uint32_t n = r.get(P2R_COUNTER(branches.counter));
  EXPECT_GE(n, 1000u);
  EXPECT_LT(n, 1010u) << "the ROM's jumps";
  EXPECT_GE(r.get(P2R_COUNTER(instructions.counter)), 1000u + 2);
  const uint32_t cycles = r.get(P2R_COUNTER(P2_CYCLES));
  EXPECT_GE(cycles, 1000u);
  r.m.step(1'000'000);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_CYCLES)), cycles) << "a halted processor takes no cycles";
  EXPECT_EQ(r.get(P2R_COUNTER(branches.counter)), n);
}

TEST(Power2Counts, CorrectableErrors) {
  Rig r("", {.args = {"-smp", "2"}});
  EXPECT_EQ(r.m.set("pm", "correctable-errors", "7"), "");
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), 0u) << "nothing counts before the first access";
  EXPECT_EQ(r.m.set("pm", "correctable-errors", "7"), "");
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), 7u);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS), 1), 0u);
  EXPECT_EQ(r.m.set("pm", "correctable-errors-cpu", "1"), "");
  EXPECT_EQ(r.m.set("pm", "correctable-errors", "5"), "");
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS), 1), 5u);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), 7u);
  EXPECT_TRUE(has(r.m.set("pm", "correctable-errors-cpu", "2"), "legal are 0 to 1"));
  EXPECT_NE(r.m.set("pm", "correctable-errors", "-1"), "");
}

// The SCU's counts of DMA and of the I/O bus, while a PCI device (edu) moves memory. A line is the data
// cache's: 256 bytes of a wide node, 64 of a thin one.
void expect_lines(const std::string& node, uint32_t of_the_read) {
  Rig r(",node=" + node, {.devices = {"edu,addr=6,dma_mask=0xffffffff"}});
  Edu edu(r.m, 6);
  const Counted reads = event("dma_rd"), writes = event("dma_wr"), bus = event("sio_requests");
  ASSERT_TRUE(reads.mmcr == writes.mmcr && reads.mmcr == bus.mmcr);
  r.put(P2R_MMCR, reads.mmcr);
  edu.move(false, 0x100040, 1000);
  EXPECT_EQ(r.get(P2R_COUNTER(reads.counter)), of_the_read);
  EXPECT_EQ(r.get(P2R_COUNTER(writes.counter)), 0u);
  edu.move(true, 0x1810ff, 2);  // the last byte of a line, the first of the next
  EXPECT_EQ(r.get(P2R_COUNTER(reads.counter)), of_the_read);
  EXPECT_EQ(r.get(P2R_COUNTER(writes.counter)), 2u);
  EXPECT_EQ(r.get(P2R_COUNTER(bus.counter)), of_the_read + 2);
}

// 0x100040 to 0x100427.
TEST(Power2Dma, LinesThatADeviceMoves) {
  expect_lines("wide", 5);
  expect_lines("thin", 16);
}

TEST(Power2Opcodes, AFileOfWhatWasExecuted) {
  const Scratch scratch;
  const std::string file = scratch.path("opcodes");
  Rig r = Rig::running(1000, ",opcodes=" + file);
  r.m.step(1'000'000);
  const std::string rows = contents(file);
  EXPECT_EQ(rows.find("opcode,times\n0xe2,1000\n"), 0u) << "LOOP, the most frequent: " << rows;
  EXPECT_TRUE(has(rows, "\n0xf4,1\n")) << "HLT: " << rows;
  EXPECT_EQ(r.get(P2R_COUNTER(P2_CYCLES)), 0u) << "the card was asleep all the time";
  r.m.step(1'000'000);
  EXPECT_EQ(contents(file), rows);
}

TEST(Power2Profile, OfAMachineWithoutLinuxItIsOfAll) {
  const Scratch scratch;
  const std::string file = scratch.path("profile");
  Rig r = Rig::running(1000, ",profile=" + file + ",profile-misses=on,profile-calls=on,opcodes=/dev/null");
  r.m.step(1'000'000);
  const std::string said = contents(file);
  EXPECT_EQ(said.find("perfboard-profile 1 x86 whole\nmachine dcache=262144,"), 0u) << said;
  EXPECT_TRUE(has(said, "\ncounts instructions cycles dcache-load-misses ")) << said;
  EXPECT_TRUE(has(said, " 3 1000 2001 ")) << "LOOP, with a prefix: " << said;
  EXPECT_EQ(r.m.quit(), 0);
  EXPECT_FALSE(has(r.m.output(), "opcodes=")) << "what is no regular file has no length";
}

TEST(Power2Opcodes, AFullDiskCostsOneLineAndNothingElse) {
  Rig r = Rig::running(1000, ",opcodes=/dev/full");
  r.m.step(1'000'000);
  EXPECT_TRUE(r.m.answers());
  r.m.step(1'000'000);
  EXPECT_EQ(r.m.quit(), 0);
  const std::string said = r.m.output();
  const size_t line = said.find("opcodes=/dev/full: No space left on device");
  EXPECT_NE(line, said.npos) << said;
  EXPECT_EQ(said.find("opcodes=", line + 10), said.npos) << said;
}

// A processor that may be plugged in has its monitor already; then it is.
TEST(Power2Counts, AProcessorThatIsNotThere) {
  Rig r("", {.args = {"-smp", "1,maxcpus=4"}, .program = turning(1000)});
  EXPECT_EQ(r.card(P2R_CARD_MONITORS), 4u);
  for (uint32_t offset = P2R_MMCR; offset < P2R_STATE; offset += 4) {
    r.put(offset, 0x1111, 3);
    r.get(offset, 3);
  }
  r.get(P2R_STATE, 3);
  r.put(P2R_MMCR, 0, 3);
  r.put(P2R_COUNTER(P2_CYCLES), 5, 3);
  EXPECT_EQ(r.m.set("pm", "correctable-errors-cpu", "3"), "");
  EXPECT_EQ(r.m.set("pm", "correctable-errors", "7"), "");
  r.m.step(1'000'000);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_CYCLES), 3), 5u);
  EXPECT_GT(r.get(P2R_COUNTER(P2_CYCLES)), 1000u);
  EXPECT_EQ(r.m.hmp("device_add qemu64-x86_64-cpu,id=late,socket-id=0,core-id=3,thread-id=0"), "");
  r.put(P2R_MARK, 1, 3);
  EXPECT_EQ(r.get(P2R_STATE, 3) & P2_STATE_PM, P2_STATE_PM);
  r.m.step(1'000'000);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_CYCLES), 3), 5u) << "it waits to be started";
  r.m.save(r.m.scratch("state"));
  EXPECT_TRUE(r.m.answers());
}

// --- log ------------------------------------------------------------------------------------------

TEST(Power2Log, NamesWhatAnAccessReaches) {
  Scratch scratch;
  Rig r(",log=" + scratch.path("log"), {.args = {"-smp", "2"}});
  r.put(P2R_MMCR, P2_MMCR_DIS | 1u << 16, 1);
  r.m.write64(kLittleAt + P2R_OF(0) + P2R_COUNTER(1), 0x0000000200000001);
  r.big32(P2R_OF(0) + P2R_COUNTER(1));
  r.big32(P2R_OF(0) + P2R_IMR, 0x90);
  r.m.read16(kLittleAt + P2R_OF(0));
  r.m.set("pm", "inject-silent", "1");
  r.get(P2R_COUNTER(2));
  EXPECT_EQ(r.m.quit(), 0);
  const std::vector<std::string> wanted = {
      "power2       reset",
      "power2       1:MMCR <- 80010000 DIS=1; awake; MISTAKE reserved-bits (Monitor mode control register): "
      "MMCR: bits "
      "0x10000 are reserved: ignored; counting",
      "power2       0:FPU1 <- 00000001 COUNT=1, 0:FPU2 <- 00000002 COUNT=2",
      "power2       0:FPU1 -> 00000001 COUNT=1",
      "power2       0:IMR <- 00000090 INSTRUCTION=0x90; matching 0x90",
      "power2       bar0+0x1000 -> ffff (nothing answers); MISTAKE bad-size (INFERRED): read of 2 bytes at "
      "offset 0x1000: the "
      "card takes 4 and 8 bytes, aligned; ignored",
      "power2       inject-silent cpu0 (1)",
      "power2       0:FPU2 -> ffffffff COUNT=0xffffffff; unanswered",
  };
  // Without time, vCPU and program counter.
  std::vector<std::string> lines = file_lines(scratch.path("log"));
  for (std::string& line : lines) line.erase(0, std::min(line.size(), line.find("power2")));
  EXPECT_EQ(lines, wanted);
}

// --- reset, snapshots -----------------------------------------------------------------------------

std::vector<uint32_t> all(Rig& r, unsigned processor = 0) {
  std::vector<uint32_t> values;
  for (uint32_t offset = P2R_MMCR; offset <= P2R_STATE; offset += 4)
    values.push_back(r.get(offset, processor));
  return values;
}

void fill(Rig& r) {
  r.put(P2R_MMCR, P2_MMCR_DIS);
  for (unsigned i = 0; i < P2_COUNTERS; ++i) r.put(P2R_COUNTER(i), 0x01000193u * (i + 1));
  r.put(P2R_IMR, 0x90);
  r.put(P2R_SPE, 1);
  r.put(P2R_MARK, 1);
}

TEST(Power2Reset, EverythingIsZeroAndAsleep) {
  Rig r;
  fill(r);
  r.m.qmp("system_reset");
  for (int i = 0; i < 2000 && r.m.pci_read32(r.device, kBar0); ++i) poll(nullptr, 0, 5);
  ASSERT_EQ(r.m.pci_read32(r.device, kBar0), 0u);
  EXPECT_EQ(r.m.set("pm", "correctable-errors", "7"), "");
  r.place();
  for (uint32_t offset = P2R_MMCR; offset < P2R_STATE; offset += 4)
    EXPECT_EQ(r.get(offset), 0u) << std::hex << offset;
  EXPECT_EQ(r.get(P2R_STATE), P2_STATE_COUNTS);
}

TEST(Power2Snapshot, RegistersOfAllProcessors) {
  Rig r("", {.args = {"-smp", "2"}});
  fill(r);
  r.put(P2R_MMCR, 0xf800ffff, 1);
  r.put(P2R_COUNTER(3), 5, 1);
  const std::vector<uint32_t> first = all(r), second = all(r, 1);
  r.m.save(r.m.scratch("state"));
  Rig after = Rig::incoming("", {.args = {"-smp", "2"}});
  after.m.load(r.m.scratch("state"));
  EXPECT_EQ(all(after), first);
  EXPECT_EQ(all(after, 1), second);
}

// In the middle of the loop, as soon as the machine stops. All that was counted is in the snapshot, and the
// rest is counted behind it.
void save_in_mid_count(uint32_t turns, bool* was_in_the_middle) {
  constexpr uint32_t kGroups = P2_MMCR_FPU(4) | P2_MMCR_FXU(4) | P2_MMCR_ICU(4) | P2_MMCR_SCU(8);
  Rig r = Rig::running(turns);
  r.put(P2R_MMCR, kGroups);
  r.m.step(1);
  const std::vector<uint32_t> middle = all(r);
  r.m.save(r.m.scratch("state"));
  Rig after = Rig::incoming("", {.program = turning(turns)});
  after.m.load(r.m.scratch("state"));
  EXPECT_EQ(all(after), middle);
  for (Rig* x : {&r, &after}) x->m.step(uint64_t{2} * turns + 1'000'000);
  EXPECT_EQ(all(after), all(r)) << "the one that was loaded goes on as the other";
  const uint32_t cycles = middle[1 + P2_CYCLES];
  EXPECT_GT(cycles, 100u);
  *was_in_the_middle = r.get(P2R_COUNTER(P2_CYCLES)) != cycles;
}

TEST(Power2Snapshot, InMidCount) {
  bool was_in_the_middle = false;
  for (uint32_t turns = 10'000'000; !was_in_the_middle && turns < 1'000'000'000; turns *= 4)
    save_in_mid_count(turns, &was_in_the_middle);
  EXPECT_TRUE(was_in_the_middle);
}

// MMCR, IMR and the counters stand in the snapshot in this order.
TEST(Power2Snapshot, ADamagedOneLeavesACardThatWasReset) {
  Rig before;
  before.put(P2R_MMCR, P2_MMCR_DIS | 0x5ac3);
  before.put(P2R_IMR, 0x5ba63dc4);
  before.put(P2R_COUNTER(0), 0x5aa53cc3);
  const std::string file = before.m.scratch("state");
  before.m.save(file);
  std::string state = contents(file);
  const std::string mark("\x80\x00\x5a\xc3\x5b\xa6\x3d\xc4\x5a\xa5\x3c\xc3", 12);
  const size_t at = state.find(mark);
  ASSERT_NE(at, state.npos);
  ASSERT_EQ(state.find(mark, at + 1), state.npos);
  state[at + 1] = 1;  // a reserved bit of MMCR
  std::ofstream(file, std::ios::binary) << state;

  Rig after = Rig::incoming();
  const std::string said = after.m.load_refused(file);
  EXPECT_TRUE(has(said, "the snapshot is damaged, and the board was reset instead: mmcr=")) << said;
  EXPECT_EQ(after.m.pci_read32(after.device, kBar0), 0u) << "its windows are gone";
  after.place();
  EXPECT_EQ(after.get(P2R_IMR), 0u);
  EXPECT_EQ(after.get(P2R_COUNTER(0)), 0u);
}

// --- properties -----------------------------------------------------------------------------------

TEST(Power2Properties, BadOnesAreNamed) {
  const Wrong cases = {
      {"node=fat", {"node=fat", "thin"}},
      {"dcache=100000", {"dcache=100000"}},
      {"dcache=1T", {"dcache="}},
      {"icache-ways=0", {"icache-ways=0"}},
      {"icache-line=1", {"icache-line=1"}},
      {"tlb=3", {"tlb=3"}},
      {"tlb-ways=0", {"tlb-ways=0"}},
      {"itlb=0", {"itlb=0"}},
      {"itlb-ways=77", {"itlb-ways=77"}},
      {"clock=0", {"clock=0"}},
      {"stalls=perhaps", {"stalls"}},
      {"opcodes=/nowhere/file", {"opcodes=/nowhere/file", "No such file"}},
      {"profile=/nowhere/file", {"profile=/nowhere/file", "No such file"}},
      {"profile=/dev/null,profile-kernel=/nowhere/file", {"profile-kernel=/nowhere/file", "No such file"}},
      {"profile=/dev/null,profile-kernel=/dev/null", {"profile-kernel=/dev/null"}},
      {"profile=/dev/null,profile-events=7", {"profile-events=7", "two numbers"}},
      {"opcodes=/dev/null,profile=/dev/null,profile-events=7:8x", {"profile-events=7:8x", "two numbers"}},
      {"correctable-errors-cpu=1", {"correctable-errors-cpu=1", "0 to 0"}},
      {"correctable-errors=1", {"correctable-errors"}},
  };
  expect_refused({}, "power2-pm", cases);
  expect_refused({"-device", "power2-pm", "-device", "power2-pm"}, {"the machine has one already"});
}

}  // namespace
}  // namespace perfboard::qtest
