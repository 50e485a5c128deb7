// SPDX-License-Identifier: GPL-2.0-or-later
// CLEAR, LOAD and SAVE of trace, histogram and FIFO (B.2.1, B.2.2).
#include "guest/surfboard/host/trace_file.h"
#include "tests/unit/surfboard/surf_fixture.h"

namespace perfboard::prompt {
namespace {

std::vector<TraceEntry> entries_of(const std::string& file) {
  Input in(file);
  std::vector<TraceEntry> entries;
  for (TraceEntry e; read(in, e);) entries.push_back(e);
  return entries;
}

struct Small : Prompt {
  Small() : Prompt(kSmall) {}
  Folder folder;
};

// `packets` packets of 1, 2, 3, ... words into a 16-entry trace in the given mode.
struct Traced : Small {
  explicit Traced(const char* mode) {
    (*this)("CLEAR TRACE");
    (*this)("ACDR = 6000");
    (*this)(std::string("TTCR.MODE = ") + mode);
    (*this)("TTCR.QUAL = 1");  // the trigger is the external input
    (*this)("HTCR = 1");
  }
  void send(int packets) {
    for (; packets > 0; packets--) bench.send({.words = words++});
  }
  void trigger() { bench.pull(true); }
  std::vector<TraceEntry> save() {
    (*this)("SAVE TRACE " + folder.file("t"));
    notes = err.str();
    return entries_of(folder.file("t"));
  }
  // index:size of every entry saved
  std::string saved() {
    std::string text;
    for (const TraceEntry& e : save())
      text += fmt::format("{}{:X}:{}", text.empty() ? "" : " ", e.index, e.size());
    return text;
  }
  std::string notes;
  uint16_t words = 1;
};

TEST(SurfTrace, ClearMakesEveryEntryAbsent) {
  Small p;
  p("CLEAR trace");
  const std::span<uint32_t> memory = p.board.trace();
  for (size_t i = 0; i < memory.size(); i++) ASSERT_EQ(memory[i], i % 4 == 3 ? 0x60000000u : 0u) << i;
}

TEST(SurfTrace, SavesTheCountedEntriesOldestFirst) {
  const std::string full = "0:1 1:2 2:3 3:4 4:5 5:6 6:7 7:8 8:9 9:10 A:11 B:12 C:13 D:14 E:15 F:16";
  // Packets before the trigger and from it on; those of the run before, of which nothing is saved.
  const struct {
    const char* mode;
    int earlier, before, after;
    std::string saved;
  } kRuns[] = {
      {"0", 0, 2, 0, ""},
      {"0", 0, 2, 3, "0:3 1:4 2:5"},
      {"0", 0, 2, 23, "0:3 1:4 2:5 3:6 4:7 5:8 6:9 7:10 8:11 9:12 A:13 B:14 C:15 D:16 E:17 F:18"},
      {"0", 9, 0, 2, "0:10 1:11"},
      {"1", 0, 3, 2, full.substr(0, 19)},
      {"1", 0, 3, 22, full},
      {"1", 9, 0, 2, "0:10 1:11"},
      {"1", 0, 20, 30, "C:13 D:14 E:15 F:16 0:17 1:18 2:19 3:20 4:21 5:22 6:23 7:24 8:25 9:26 A:27 B:28"},
      {"2", 0, 18, 5, "3:4 4:5 5:6 6:7 7:8 8:9 9:10 A:11 B:12 C:13 D:14 E:15 F:16 0:17 1:18 2:19"},
  };
  for (const auto& run : kRuns) {
    Traced t(run.mode);
    if (run.earlier) {
      t.trigger();
      t.send(run.earlier);
      t.all({"HTCR = 0", "TICR = 0", "TECR = 0", "HTCR = 1"});
    }
    t.send(run.before);
    if (run.after) t.trigger();
    t.send(run.after);
    EXPECT_EQ(t.saved(), run.saved) << run.mode << ' ' << run.before;
  }
}

TEST(SurfTrace, AfterTecrWasClearedThePresenceBitsDecide) {
  Traced t("0");
  t.trigger();
  t.send(3);
  t("TECR = 0");
  EXPECT_EQ(t.saved(), "0:1 1:2 2:3");
  EXPECT_TRUE(says(t.notes, "TECR is 0: 3 entries")) << t.notes;
}

TEST(SurfTrace, SaveLeavesTheBoardAsItWas) {
  Traced t("0");
  t.trigger();
  t.send(3);
  t("SHOW");  // the model catches up when it is looked at
  const SurfState before = t.bench.state();
  const BlankMemory memory = t.bench.trace_memory;
  t.save();
  EXPECT_EQ(t.notes, "");
  EXPECT_EQ(t.bench.state().acdr, before.acdr);
  EXPECT_EQ(t.bench.state().ticr, before.ticr);
  EXPECT_EQ(t.bench.trace_memory, memory);
}

TEST(SurfTrace, RoundTrip) {
  Traced t("2");
  t.send(18);
  const std::vector<TraceEntry> saved = t.save();
  ASSERT_EQ(saved.size(), 16u);
  const BlankMemory memory = t.bench.trace_memory;
  t("CLEAR TRACE");
  EXPECT_NE(t.bench.trace_memory, memory);
  t("LOAD TRACE " + t.folder.file("t"));
  EXPECT_EQ(t.bench.trace_memory, memory);
}

TEST(SurfTrace, SizeBeyondTheMemory) {
  Small p;
  p.all({"ACDR.TSIZE = 3", "CLEAR TRACE"});
  p("SAVE TRACE " + p.folder.file("t"));
  EXPECT_TRUE(says(p.err.str(), "TSIZE is for 4194304 entries, the memory has 262144"));
}

TEST(SurfTrace, LoadNamesFileAndLine) {
  Small p;
  const std::string far = p.folder.write("far", "# c\n000001 1 2 3 4\n040000 1 2 3 4\n");
  EXPECT_TRUE(
      says(p.fails("LOAD TRACE " + far), far + ":3: index 040000: the trace memory has 40000 entries"));
  EXPECT_EQ(p.board.trace()[7], 4u);
  const std::string bad = p.folder.write("bad", "000001 1 2 3\n");
  EXPECT_TRUE(says(p.fails("LOAD TRACE " + bad), bad + ":1: 4 fields"));
}

TEST(SurfMemory, EmptySocketsAreNamed) {
  Prompt p({0, 0});
  for (const char* line : {"CLEAR TRACE", "SAVE TRACE /dev/null", "LOAD TRACE /dev/null"})
    EXPECT_TRUE(says(p.fails(line), "no trace memory"));
  for (const char* line : {"CLEAR HISTOGRAM", "SAVE HISTOGRAM /dev/null", "LOAD HISTOGRAM /dev/null"})
    EXPECT_TRUE(says(p.fails(line), "no histogram memory"));
}

TEST(SurfHistogram, RoundTripWithoutTheZeros) {
  Small p;
  const std::string file = p.folder.file("h");
  p.bench.set_bin(0, 5);
  p.bench.set_bin(0xABCDE, 0xFFFFFFF0);
  p.bench.set_bin(0xFFFFF, 1);
  const BlankMemory memory = p.bench.hist_memory;
  p("SAVE HISTOGRAM " + file);
  EXPECT_EQ(Folder::read(file),
            "# SurfBoard histogram: bins of 0 are left out\n"
            "000000 00000005\n0ABCDE FFFFFFF0\n0FFFFF 00000001\n");
  p("CLEAR HISTOGRAM");
  for (uint8_t byte : p.bench.hist_memory) ASSERT_EQ(byte, 0);
  p("LOAD HISTOGRAM " + file);
  EXPECT_EQ(p.bench.hist_memory, memory);
}

TEST(SurfHistogram, LoadKeepsWhatItDoesNotName) {
  Small p;
  p.bench.set_bin(7, 70);
  p("LOAD HISTOGRAM " + p.folder.write("h", "8 fffffff0 # a threshold\n\n"));
  EXPECT_EQ(p.bench.bin(7), 70u);
  EXPECT_EQ(p.bench.bin(8), 0xFFFFFFF0u);
  EXPECT_TRUE(says(p.fails("LOAD HISTOGRAM " + p.folder.write("h", "100000 1\n")), ":1: bin 100000"));
}

TEST(SurfFifo, RoundTripLeavesItFull) {
  Small p;
  const std::string file = p.folder.file("f");
  p("CLEAR FIFO");
  p("LOAD FIFO " + p.folder.write("in", "00123F\nABCDEF # second\n"));
  EXPECT_EQ(p.bench.state().fifo.count, 6);
  p("SAVE FIFO " + file);
  EXPECT_EQ(Folder::read(file),
            "# SurfBoard FIFO: addresses of bins that overflowed, oldest first\n00123F\nABCDEF\n");
  EXPECT_EQ(p.bench.state().fifo.count, 6);
  for (uint32_t slot : {0x13F, 0x012, 0x000, 0x1EF, 0x0CD, 0x0AB}) EXPECT_EQ(p.bench.read("HFDR"), slot);
}

TEST(SurfFifo, WhatTheBoardWrote) {
  Small p;
  p("CLEAR FIFO");
  p("ACDR = 6040");
  p("FPGA " + p.folder.write("has", pack(make_bitstream(HAS_SIZE_SHIFT))));
  p("LOAD HISTOGRAM " + p.folder.write("h", "1 FFFFFFFF\n"));
  p("HTCR.HEN = 1");
  p.bench.send({.words = 1});
  p("SAVE FIFO " + p.folder.file("f"));
  EXPECT_TRUE(says(Folder::read(p.folder.file("f")), "\n000001\n"));
}

TEST(SurfFifo, StrayBytesStayInTheFifo) {
  Small p;
  p("CLEAR FIFO");
  for (const char* slot : {"55", "101", "2", "3", "104"}) p(std::string("HFDR = ") + slot);
  p("SAVE FIFO " + p.folder.file("f"));
  EXPECT_TRUE(says(Folder::read(p.folder.file("f")), "\n030201\n"));
  EXPECT_TRUE(says(p.err.str(), "2 bytes of the FIFO"));
  EXPECT_EQ(p.bench.state().fifo.count, 5);
  EXPECT_EQ(p.bench.read("HFDR"), 0x55u);
}

TEST(SurfFifo, TakesWhatFitsOrNothing) {
  Small p;
  std::string text;
  for (int i = 0; i < 1365; i++) text += fmt::format("{:06X}\n", i);
  p("CLEAR FIFO");
  p("LOAD FIFO " + p.folder.write("full", text));
  EXPECT_EQ(p.bench.state().fifo.count, 4095);
  p("CLEAR FIFO");
  EXPECT_EQ(p.bench.state().fifo.count, 0);
  const std::string over = p.folder.write("over", text + "1\n");
  EXPECT_TRUE(says(p.fails("LOAD FIFO " + over), over + ":1366: no room"));
  EXPECT_EQ(p.bench.state().fifo.count, 0);
}

TEST(SurfFifo, ResetIsNamed) {
  Prompt p(kSmall);
  EXPECT_TRUE(says(p.fails("SAVE FIFO /dev/null"), "HTCR.FRS is 1"));
  EXPECT_TRUE(says(p.fails("LOAD FIFO /dev/null"), "HTCR.FRS is 1"));
  p("HTCR = 11");
  p("CLEAR FIFO");
  EXPECT_EQ(p.bench.read("HTCR"), 1u);
}

TEST(SurfMemory, AFileThatCannotBeWrittenIsAnError) {
  Prompt p(kSmall);
  p("CLEAR TRACE");
  EXPECT_TRUE(says(p.fails("SAVE TRACE /nowhere/t"), "/nowhere/t: No such file"));
  EXPECT_TRUE(says(p.fails("SAVE HISTOGRAM /dev/full"), "/dev/full: No space left"));
}

}  // namespace
}  // namespace perfboard::prompt
