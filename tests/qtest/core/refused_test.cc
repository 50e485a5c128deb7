// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots that were damaged, and the wire while one is loaded.
//
// A snapshot is made with savevm, bytes of it are changed in the disk's file, and loadvm refuses it, naming
// the member. The board reads as after a reset, its line is down, and the machine lives on.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <fstream>

#include "guest/multikron/regs.h"
#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kSource = 0x8000, kTarget = 0x20000, kCard = 0xe0000000;
constexpr int kLines = 1 << 9 | 1 << 10;  // the SNI's and the SurfBoard's

// --- a disk for savevm --------------------------------------------------------------

void run_job(Machine& m, const std::string& id, Members options) {
  m.qmp("blockdev-create", {{"job-id", id}, {"options", options}});
  const auto concluded = [&] {
    const Json answer = m.qmp("query-jobs");
    const auto jobs = answer["return"].GetArray();
    return std::any_of(jobs.begin(), jobs.end(),
                       [](const auto& job) { return job["status"] == "concluded"; });
  };
  while (!concluded()) poll(nullptr, 0, 5);
  m.qmp("job-dismiss", {{"id", id}});
}

// A qcow2 image that only holds snapshots.
std::string add_disk(Machine& m) {
  const std::string file = m.scratch("disk");
  run_job(m, "a", {{"driver", "file"}, {"size", 0}, {"filename", file}});
  m.qmp("blockdev-add", {{"driver", "file"}, {"node-name", "f"}, {"filename", file}});
  run_job(m, "b", {{"driver", "qcow2"}, {"file", "f"}, {"size", 1048576}});
  m.qmp("blockdev-add", {{"driver", "qcow2"}, {"file", "f"}, {"node-name", "snapshots"}});
  return file;
}

// --- damage -------------------------------------------------------------------------

std::string big_endian(std::initializer_list<uint32_t> words) {
  std::string bytes;
  for (uint32_t w : words)
    for (int i = 24; i >= 0; i -= 8) bytes += static_cast<char>(w >> i);
  return bytes;
}

// What stands in the file so many bytes behind the mark, which is there once.
void change(const std::string& file, const std::string& mark, size_t behind, const std::string& bytes) {
  const std::string all = contents(file);
  const size_t at = all.find(mark);
  ASSERT_NE(at, all.npos) << "the mark is not there";
  ASSERT_EQ(all.find(mark, at + 1), all.npos) << "the mark is there twice";
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(at + behind))
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Register values that no other place of a snapshot has, in the order in which *_vmstate.c saves them.
constexpr uint32_t kFhwm = 0x15a5a, kFlwm = 0x0c3c3, kCtor = 0x5aa55a, kDusa = 0x12345678;
constexpr uint32_t kWcdr = 0xdeadb0a7, kTicr = 0x155aa, kTecr = 0x2aa55, kTpir = 0x33cc3;
const std::string kSniMark = big_endian({kFhwm, kFlwm, kCtor, kDusa});
const std::string kSurfMark = big_endian({kWcdr, kTicr, kTecr, kTpir});
const std::string kMkMark = big_endian({0xa0b0c0d0, 0xa1b1c1d1, 0xa2b2c2d2, 0xa3b3c3d3});
constexpr size_t kFifoPackets = 340;                 // from FHWM
constexpr size_t kHasBit = 16 + 24 * 8 + 4 + 4 + 2;  // from WCDR
constexpr size_t kFifoOverrun = 8 * 4 + 2;           // from the first source register

struct Rig {
  Rig()
      : m({.devices = {"shrimp-sni,slot=1,id=sni", "surfboard,slot=2,id=surf,wire=w,trace-size=4M",
                       "multikron,id=mk,ext0=dcache-misses"}}),
        sni(m, 1),
        surf(m, 2),
        card(m.pci_device(MKR_DEVICE << 16 | MKR_VENDOR)) {}
  void enable() {
    m.level_triggered(kLines);
    sni.enable(SURF_IRLEV_IRQ9);
    surf.enable(SURF_IRLEV_IRQ10);
    m.pci_write32(card, 0x10 + 4 * MKR_BAR8, kCard);
    m.pci_write16(card, 4, 2);
  }
  uint32_t mk(uint32_t address) { return m.read32(kCard + MKR_AT8(address)); }

  // Everything has something to forget.
  void make_busy() {
    enable();
    sni.accept(kTarget >> SNI_PAGE_SHIFT, SNI_IPT_VALID | SNI_IPT_INT);
    sni.write(SNI_SIER, SNI_SIER_RXI);
    surf.shift_in(kPlainShift);
    surf.write(SURF_HTCR, SURF_HTCR_WEN | SURF_HTCR_TEN);
    surf.write(SURF_IEMR, SURF_IEMR_TP);
    sni.deliberate(kSource, kTarget, 3);
    m.step(20'000);
    EXPECT_EQ(m.irr() & kLines, kLines);
    sni.write(SNI_FHWM, kFhwm);
    sni.write(SNI_FLWM, kFlwm);
    sni.write(SNI_CTOR, kCtor);
    sni.write(SNI_DUSA, kDusa);
    surf.write(SURF_ECDR, SURF_ECDR_DATA);
    surf.write(SURF_TTCR, SURF_TTCR_MEOD);
    surf.write(SURF_WCDR, kWcdr);
    surf.write(SURF_TICR, kTicr);
    surf.write(SURF_TECR, kTecr);
    surf.write(SURF_TPIR, kTpir);
    for (uint32_t i = 0; i < 4; ++i) m.write32(kCard + MKR_AT8(MKR_SOURCE(i)), 0xa0b0c0d0 + i * 0x01010101);
    m.write32(kCard + MKR_AT8(MKR_CSR), MKR_CSR_SE);
    EXPECT_FALSE(m.flag("surf", "ext-wire"));
  }
  void expect_works() {
    enable();
    sni.accept(kTarget >> SNI_PAGE_SHIFT, SNI_IPT_VALID);
    surf.shift_in(kPlainShift);
    surf.write(SURF_WCDR, 0);
    surf.write(SURF_HTCR, SURF_HTCR_WEN);
    sni.deliberate(kSource, kTarget, 5);
    m.step(20'000);
    EXPECT_EQ(surf.read(SURF_WCDR), 5u);
    EXPECT_TRUE(m.answers());
  }

  Machine m;
  Sni sni;
  Surf surf;
  unsigned card;
};

struct Case {
  const char *name, *member;
  const std::string& mark;
  size_t behind;
  std::string bytes;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.member; }
};

class Refused : public testing::TestWithParam<Case> {
 protected:
  // What is damaged was reset, in all members (unit-board-BOARD); what was not reached by the load was reset
  // with the machine.
  static void expect_reset(Rig& r, const std::string& board) {
    EXPECT_EQ(r.m.irr() & (board == "Sni" ? 1 << 9 : board == "Surf" ? 1 << 10 : 0), 0);
    EXPECT_EQ(r.m.in32(r.sni.port(SNI_EPIR)), kSniId);
    EXPECT_EQ(r.m.in32(r.surf.port(SURF_EPIR)), kSurfId);
    if (board == "Sni") {
      EXPECT_EQ(r.sni.read(SNI_FHWM), 0xffffffffu) << "its window is gone";
      r.sni.enable(SURF_IRLEV_IRQ9);
      EXPECT_EQ(r.sni.read(SNI_FHWM), 3584u);
    } else if (board == "Surf") {
      EXPECT_EQ(r.surf.read(SURF_WCDR), 0xffffffffu) << "its window is gone";
      EXPECT_TRUE(r.m.flag("surf", "ext-wire"));
      r.surf.enable(SURF_IRLEV_IRQ10);
      EXPECT_EQ(r.surf.read(SURF_WCDR), 0u);
    } else {
      EXPECT_EQ(r.m.pci_read32(r.card, 0x10 + 4 * MKR_BAR8) & ~0xfu, 0u) << "its windows are gone";
      EXPECT_EQ(r.m.pci_read32(r.card, 4) & 2, 0u);
      r.enable();
      EXPECT_EQ(r.mk(MKR_SOURCE(0)), 0u);
    }
  }
};

TEST_P(Refused, LoadvmLeavesABoardThatWasReset) {
  const Case& c = GetParam();
  Rig r;
  const std::string disk = add_disk(r.m);
  r.make_busy();
  ASSERT_EQ(r.m.hmp("savevm good").find("Error"), std::string::npos);
  // The good one first: nothing is wrong with how it is done.
  const std::string good = r.m.hmp("loadvm good");
  ASSERT_EQ(good.find("Error"), std::string::npos) << good;
  EXPECT_EQ(r.surf.read(SURF_WCDR), kWcdr);

  change(disk, c.mark, c.behind, c.bytes);
  const std::string said = r.m.hmp("loadvm good") + r.m.output();
  EXPECT_TRUE(has(said, "the snapshot is damaged")) << said;
  EXPECT_TRUE(has(said, c.member)) << said;
  EXPECT_TRUE(has(said, "legal")) << said;
  expect_reset(r, c.name);
  // Nobody drives the line of a board that the load did not reach, whatever the bridge's part of it said.
  r.m.step(1'000);
  const std::string name = c.name;
  EXPECT_EQ(r.m.irr() & kLines, name == "Sni" ? 0 : name == "Surf" ? 1 << 9 : kLines);
  r.expect_works();
  r.m.hmp("savevm again");
  EXPECT_FALSE(has(r.m.hmp("loadvm again"), "Error"));
  EXPECT_EQ(r.surf.read(SURF_WCDR), 5u);
}

const Case kCases[] = {
    {"Sni", "fifo_packets=4294967295", kSniMark, kFifoPackets, big_endian({0xffffffff})},
    {"Surf", "has.bit=65535", kSurfMark, kHasBit, "\xff\xff"},
    {"Multikron", "fifo_overrun=7", kMkMark, kFifoOverrun, "\x07"},
};
INSTANTIATE_TEST_SUITE_P(Boards, Refused, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// --- caches -------------------------------------------------------------------------

std::string little_endian(std::initializer_list<uint32_t> words) {
  std::string bytes = big_endian(words);
  for (size_t i = 0; i < bytes.size(); i += 4)
    std::reverse(bytes.begin() + static_cast<long>(i), bytes.begin() + static_cast<long>(i) + 4);
  return bytes;
}

// The SNI's caches are the observation layer's, and stand in the snapshot behind their geometry
// (plugins/models.cc).
TEST(RefusedCaches, AreEmptyAndTheMachineLivesOn) {
  Rig r;
  const std::string disk = add_disk(r.m);
  r.make_busy();
  ASSERT_EQ(r.m.hmp("savevm good").find("Error"), std::string::npos);
  constexpr size_t kHead = 16 + 32, kCounts = 4 * 8;
  change(disk, little_endian({8192, 2, 262144, 1, 32}), kHead - 16 + kCounts, "\x01");
  const std::string said = r.m.hmp("loadvm good") + r.m.output();
  EXPECT_TRUE(has(said, "vCPU 0's data caches: level 1 cache, set 0: a place is empty and dirty")) << said;
  r.expect_works();
  r.m.hmp("savevm again");
  EXPECT_FALSE(has(r.m.hmp("loadvm again"), "Error"));
}

// --- the wire -----------------------------------------------------------------------

constexpr const char* kThree[] = {"surfboard,slot=1,id=a,wire=w", "surfboard,slot=2,id=b,wire=w",
                                  "surfboard,slot=3,id=c,wire=w"};

MachineOptions three_boards(bool incoming) {
  MachineOptions o{.devices = {"multikron,id=mk,ext5=wire:w"}};
  for (const char* board : kThree) o.devices.push_back(board);
  if (incoming) o.args = {"-incoming", "defer"};
  return o;
}

uint32_t counter5(Machine& m) {
  const unsigned card = m.pci_device(MKR_DEVICE << 16 | MKR_VENDOR);
  m.pci_write32(card, 0x10 + 4 * MKR_BAR8, kCard);
  m.pci_write16(card, 4, 2);
  return m.read32(kCard + MKR_AT8(MKR_COUNTER(5)));
}

// In the snapshot c's cable pulls the wire low; in the machine it is loaded into, b's does. While it is
// loaded nobody pulls for a moment.
TEST(WireLoad, CountsAndLatchesNothing) {
  for (const bool inverted : {false, true}) {
    Machine before(three_boards(false));
    EXPECT_EQ(counter5(before), 0u);
    before.write32(kCard + MKR_AT8(MKR_MUXSEL), 1 << 5);  // the External Signal
    before.write32(kCard + MKR_AT8(MKR_ENABLE), 1 << 5);
    for (const bool low : {true, false, true})
      EXPECT_EQ(before.set("c", "ext-pull", low ? "true" : "false"), "");
    EXPECT_EQ(counter5(before), 1u);
    Surf a(before, 1);
    a.enable();
    a.write(SURF_TTCR, inverted ? SURF_TTCR_EIP : 0);
    a.write(SURF_ISCR, SURF_ISCR_EXT);
    ASSERT_EQ(a.read(SURF_ISCR) & SURF_ISCR_EXT, 0u);
    before.save(before.scratch("state"));

    Machine after(three_boards(true));
    EXPECT_EQ(after.set("b", "ext-pull", "true"), "");
    after.load(before.scratch("state"));
    EXPECT_EQ(counter5(after), 1u) << "an edge was counted";
    EXPECT_EQ(Surf(after, 1).read(SURF_ISCR) & SURF_ISCR_EXT, 0u) << "EXT was latched";
    EXPECT_FALSE(after.flag("b", "ext-pull"));
    EXPECT_TRUE(after.flag("c", "ext-pull"));
    EXPECT_FALSE(after.flag("a", "ext-wire"));
    EXPECT_TRUE(after.flag("a", "led1"));
    after.step(10'000);
    EXPECT_EQ(counter5(after), 1u);
    // A real edge counts.
    EXPECT_EQ(after.set("c", "ext-pull", "false"), "");
    EXPECT_EQ(counter5(after), 2u);
    EXPECT_EQ((Surf(after, 1).read(SURF_ISCR) & SURF_ISCR_EXT) != 0, inverted);
  }
}

}  // namespace
}  // namespace perfboard::qtest
