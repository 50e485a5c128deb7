// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which accesses become which packets.
#include "hw/sci/pieces.h"
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

TEST(SciTransactions, NothingHappensWhileDisabled) {
  SciBench b({.enable = false});
  b.home(3, 1);
  b.load(0, 0x3000);
  EXPECT_EQ(b.take(), Lines{});
  b.write(kCtrl, 1);
  b.load(0, 0x3000);
  EXPECT_EQ(b.take().size(), 4u);
  b.write(kCtrl, 0);
  b.load(0, 0x3000);
  EXPECT_EQ(b.take(), Lines{});
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

TEST(SciPieces, AlignedAccessesAreOnePieceUpTo8Bytes) {
  for (uint32_t bytes : {1u, 2u, 4u, 8u})
    for (uint64_t at = 0; at < 64; at += bytes) EXPECT_EQ(pieces(at, bytes), (Pieces{{at, bytes}}));
  EXPECT_EQ(pieces(16, 16), (Pieces{{16, 8}, {24, 8}}));
}

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

TEST(SciPieces, EachPieceIsATransaction) {
  SciBench b;
  b.home(3, 1);
  b.store(0, 0x3006, 4);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 write #0 3.004", "1: 0>1 write #0 3.004", "0: 0>1 write #1 3.008",
                             "1: 0>1 write #1 3.008"}));
  EXPECT_EQ(b.count(0, kWrites), 2u);
}

}  // namespace
}  // namespace perfboard::sci
