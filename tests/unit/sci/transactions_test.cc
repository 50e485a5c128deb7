// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which accesses become which packets, what these are made of, and which need not be told.
#include <cstring>
#include <random>

#include "hw/sci/model.h"
#include "hw/sci/packet.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

TEST(SciTransactions, LoadIsARequestAndAResponseOnBothBLinks) {
  SciBench b;
  b.home(3, 1);
  b.load(0, 0x3008);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 read #0 3.008", "1: 0>1 read #0 3.008", "1: 1>0 read' #0 3.008",
                             "0: 1>0 read' #0 3.008"}));
}

TEST(SciTransactions, StoreIsARequestAlone) {
  SciBench b;
  b.home(3, 1);
  b.store(2, 0x3ffc);
  EXPECT_EQ(b.take(), (Lines{"2: 2>1 write #0 3.ffc", "1: 2>1 write #0 3.ffc"}));
}

TEST(SciTransactions, LockedInstructionIsLockAndUnlock) {
  SciBench b;
  b.home(0, 3);
  b.load(0, 0, 4, true);
  b.store(0, 0, 4, true);
  EXPECT_EQ(b.take(), (Lines{"0: 0>3 lock #0 0.000", "3: 0>3 lock #0 0.000", "3: 3>0 lock' #0 0.000",
                             "0: 3>0 lock' #0 0.000", "0: 0>3 unlock #1 0.000", "3: 0>3 unlock #1 0.000"}));
}

TEST(SciTransactions, OfAPacketThatIsNotWantedNothingIsToldAndAllElseIsAsEver) {
  for (const bool latency : {false, true}) {
    SciBench all({.latency = latency}), some({.latency = latency});
    sci_want_packets(some.adapter(), 1 << 1);
    for (SciBench* b : {&all, &some}) {
      b->home(3, 1);
      b->load(0, kAway);
      b->store(2, kAway + 64);
      b->load(2, kAway + 8, 4, true);
    }
    std::vector<std::pair<uint64_t, std::string>> wanted, told;
    for (const SciPacket& p : all.seen())
      if (p.node == 1) wanted.emplace_back(p.ns, text(p));
    for (const SciPacket& p : some.seen()) told.emplace_back(p.ns, text(p));
    EXPECT_EQ(wanted.size(), 5u);
    EXPECT_EQ(told, wanted);
    EXPECT_TRUE(all.state() == some.state());
  }
}

TEST(SciTransactions, NothingLeavesForAPageAtHome) {
  SciBench b;
  b.home(3, 1);
  b.load(1, 0x3000);
  b.store(1, 0x3000);
  b.load(0, 0x2ffc);
  b.store(0, 0x4000);
  EXPECT_EQ(b.take(), Lines{});
  b.load(0, 0x3000);
  b.load(1, 0x2ffc);
  EXPECT_EQ(b.take().size(), 8u) << "both sides of the page's borders";
}

TEST(SciTransactions, AVcpuThatIsNoNodeStaysLocalAndIsLoggedOnce) {
  SciBench b({.nodes = 2});
  b.home(3, 1);
  b.load(2, 0x3000);
  b.store(31, 0x3000);
  EXPECT_EQ(b.take(), Lines{});
  EXPECT_EQ(b.log, Lines{"vCPU 2 accesses the window and is no node (0 to 1): its accesses stay local"});
  b.load(0, 0x3000);
  EXPECT_EQ(b.take().size(), 4u);
}

TEST(SciTransactions, TransactionIdsGoRoundForEachNode) {
  SciBench b;
  b.home(3, 1);
  for (unsigned i = 0; i < 65; ++i) b.store(0, 0x3000);
  b.store(2, 0x3000);
  EXPECT_EQ(text(b.packets[2 * 63]), "0: 0>1 write #63 3.000");
  EXPECT_EQ(text(b.packets[2 * 64]), "0: 0>1 write #0 3.000");
  EXPECT_EQ(text(b.packets[2 * 65]), "2: 2>1 write #0 3.000");
}

TEST(SciTransactions, PacketsAsWords) {
  SciBench b({.nodes = 32, .size = SCI_MOST_SIZE});
  b.home(0xffff, 31);
  for (unsigned i = 0; i < 63; ++i) b.store(30, 0xffff000);
  b.packets.clear();
  b.load(30, 0xffffffc, 4);
  ASSERT_EQ(b.packets.size(), 4u);
  const SciPacket &out = b.packets[0], &in = b.packets[1], &back = b.packets[2], &done = b.packets[3];
  EXPECT_EQ(out.bd1, 0x003f'001f'0000'001eu);
  EXPECT_EQ(out.bd2, 0x0000'00f0'0fff'fffcu);
  EXPECT_EQ(back.bd1, 0x003f'001e'0004'001fu);
  EXPECT_EQ(back.bd2, out.bd2);
  EXPECT_EQ(in.bd1, out.bd1);
  EXPECT_EQ(done.bd1, back.bd1);
  EXPECT_EQ(out.words, 2);
  EXPECT_EQ(back.words, 3);
  b.packets.clear();
  b.store(30, 0xffff001, 1);
  EXPECT_EQ(b.packets[0].bd1, 0x0000'001f'0001'001eu);
  EXPECT_EQ(b.packets[0].bd2, 0x0000'0002'0fff'f000u);
  EXPECT_EQ(b.packets[0].words, 3);
}

// --- pieces ------------------------------------------------------------------------------------------

struct Piece {
  uint64_t at;
  uint32_t bytes;
  bool operator==(const Piece&) const = default;
};
void PrintTo(const Piece& p, std::ostream* os) { *os << p.at << '+' << p.bytes; }

std::vector<Piece> pieces(uint64_t at, uint32_t bytes, bool store = false) {
  std::vector<Piece> out;
  each_piece(at, bytes, store, [&](uint64_t offset, uint32_t n) { out.push_back({offset, n}); });
  return out;
}
using Pieces = std::vector<Piece>;

TEST(SciPieces, OthersAreSplitAsQemuSplitsThem) {
  EXPECT_EQ(pieces(1, 2), (Pieces{{1, 1}, {2, 1}}));
  EXPECT_EQ(pieces(2, 4), (Pieces{{2, 2}, {4, 2}}));
  EXPECT_EQ(pieces(7, 2), (Pieces{{7, 1}, {8, 1}})) << "both sides of 8 bytes";
  EXPECT_EQ(pieces(3, 4), (Pieces{{3, 1}, {4, 1}, {5, 1}, {6, 1}}));
  EXPECT_EQ(pieces(4, 8), (Pieces{{4, 4}, {8, 4}}));
  EXPECT_EQ(pieces(6, 8), (Pieces{{6, 2}, {8, 2}, {10, 2}, {12, 2}}));
  EXPECT_EQ(pieces(0xffd, 3), (Pieces{{0xffd, 1}, {0xffe, 2}})) << "the end of a page";
  EXPECT_EQ(pieces(0x1000, 5), (Pieces{{0x1000, 1}, {0x1001, 1}, {0x1002, 1}, {0x1003, 1}, {0x1004, 1}}));
  EXPECT_EQ(pieces(4, 16), (Pieces{{4, 4}, {8, 4}, {12, 4}, {16, 4}}));
  EXPECT_EQ(pieces(0, 12), (Pieces{{0, 4}, {4, 4}, {8, 4}}))
      << "a load: the last 8 bytes are a half of their own";
  EXPECT_EQ(pieces(0, 12, true), (Pieces{{0, 8}, {8, 4}})) << "a store: the first 8";
}

// --- the words of a packet, as the table has them -----------------------------------------------------

TEST(SciPacket, TableIsThatOfTheHeader) {
  const auto field = [](std::string_view word, std::string_view name, unsigned shift, unsigned bits) {
    const Field& f = at(kPacket, word).field(name);
    const unsigned up = word.ends_with('H') ? 32 : 0;
    EXPECT_EQ(f.lsb + up, shift) << name;
    EXPECT_EQ(f.msb - f.lsb + 1u, bits) << name;
  };
  field("BD1", "SOURCE", SCI_BD1_SOURCE_SHIFT, 16);
  field("BD1H", "DEST", SCI_BD1_DEST_SHIFT, 16);
  field("BD1H", "TRANS", SCI_BD1_TRANS_SHIFT, SCI_BD1_TRANS_BITS);
  field("BD2", "OFFSET", SCI_BD2_OFFSET_SHIFT, SCI_BD2_OFFSET_BITS);
  field("BD2", "PAGE", SCI_BD2_PAGE_SHIFT, SCI_BD2_PAGE_BITS);
  field("BD2H", "ENABLES", SCI_BD2_ENABLES_SHIFT, 8);
  const auto mask = [](std::string_view name) {
    return at(kPacket, "BD1").field(name).mask() >> SCI_BD1_COMMAND_SHIFT;
  };
  EXPECT_EQ(mask("WHAT"), SCI_COMMAND_WHAT);
  EXPECT_EQ(mask("RESPONSE"), SCI_COMMAND_RESPONSE);
  EXPECT_EQ(mask("DATA64"), SCI_COMMAND_64);
  EXPECT_EQ(mask("ECHO"), SCI_COMMAND_ECHO);
}

// --- sci_stays(): what need not be told. Told or not, it makes no difference; and what makes none is mostly
// known.

TEST(SciStays, AnAccessThatStaysChangesNothing) {
  SciBench b;
  std::minstd_rand random(1);
  unsigned stayed = 0, left = 0;
  for (uint32_t page = 0; page < 16; ++page) b.home(page, page % 4);
  for (unsigned i = 0; i < 20000; ++i) {
    const SciAccess a = {.offset = random() % 16 * SCI_PAGE_BYTES + random() % 500 * 8,
                         .bytes = 1u << random() % 4,
                         .vcpu = static_cast<uint32_t>(random() % 5),
                         .store = random() % 2 == 0,
                         .locked = random() % 8 == 0,
                         .write_combining = random() % 16 == 0};
    const bool stays = sci_stays(b.adapter(), &a);
    if (a.vcpu < 4 && a.offset / SCI_PAGE_BYTES % 4 == a.vcpu && !a.write_combining) {
      ASSERT_EQ(stays, !sci_holds(b.adapter())) << i << ": at home, and no buffer to be emptied";
    }
    const SciState before = b.state();
    b.packets.clear();
    b.now += 4;
    b.access(a);
    const bool changed = !b.packets.empty() || before != b.state();
    if (stays) {
      ASSERT_FALSE(changed) << i;
    }
    (stays ? stayed : left) += 1;
    if (random() % 3 == 0)
      for (uint32_t node = 0; node < 4; ++node) sci_drain(b.adapter(), b.now, node);
  }
  EXPECT_GT(stayed, 1000u);
  EXPECT_GT(left, 1000u);
}

}  // namespace
}  // namespace perfboard::sci
