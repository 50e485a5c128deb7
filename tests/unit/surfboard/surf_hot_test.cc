// SPDX-License-Identifier: GPL-2.0-or-later
// surf hot: thresholds that are told when they are reached, and a trace around the first (3.6).
#include "guest/surfboard/cmd/memory.h"
#include "guest/surfboard/host/trace_file.h"
#include "tests/unit/surfboard/surf_fixture.h"

namespace perfboard::prompt {
namespace {

using Packet = surf::SurfBench::Packet;

// Two colours, 0 and 1: the selector here has one bit. A trace of 16 entries.
struct Watched {
  Watched() {
    hot.variable = kHotVariables[1];
    hot.selector = folder.write("color.bit", pack(make_bitstream(HAS_COLOR_SHIFT)));
    hot.threshold = 3;
    board.bench.shift_in(surf::shift_value(0));
    board.traffic = [this] {
      if (next == colors.size()) return false;
      const uint8_t color = colors[next++] == '1';
      board.bench.send({.color = color, .address = 0x5000u + color * 0x1000, .first_word = 0});
      return true;
    };
  }
  // What is told, without the times. Colours of packets, one behind another, come meanwhile.
  std::string told(std::string_view packets) {
    colors = packets;
    std::ostringstream out;
    error.clear();
    notes.clear();
    try {
      watch_hot(board, hot, out, [this](std::string_view text) { notes += text; }, [](size_t, size_t) {});
    } catch (const std::runtime_error& e) {
      error = e.what();
    }
    std::istringstream lines(out.str());
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      const size_t unit = line.find(" s  ");
      EXPECT_NE(unit, line.npos) << line;
      text += line.substr(unit + 4) + "\n";
    }
    return text;
  }
  // "color" of every entry saved
  std::string traced() {
    Input in(hot.trace_file);
    std::string text;
    for (TraceEntry e; read(in, e);) text += fmt::format("{}", e.color());
    return text;
  }

  Folder folder;
  ModelBoard board{kSmall};
  Hot hot;
  std::string colors, error, notes;
  size_t next = 0;
};

TEST(SurfHot, TheFirstToReachTheThresholdIsTold) {
  Watched w;
  EXPECT_EQ(w.told("0101100000"), "watching color: 3 packets\ncolor 1: 3 packets\n");
  EXPECT_EQ(w.error + w.notes, "");
  EXPECT_EQ(w.next, 5u) << "at the packet that reached it";
  EXPECT_EQ(w.board.bench.read("HTCR"), 0u);
  EXPECT_EQ(w.board.bench.read("IEMR"), 0u);
}

TEST(SurfHot, ThenTheNextThresholdCounts) {
  Watched w;
  w.hot.times = 4;
  EXPECT_EQ(w.told("111011100111000"),
            "watching color: 3 packets\ncolor 1: 3 packets\ncolor 1: 6 packets\ncolor 0: 3 packets\n"
            "color 1: 9 packets\n");
  EXPECT_EQ(w.next, 12u);
}

TEST(SurfHot, WhatComesBeforeTheHandlerIsCounted) {
  Watched w;
  w.hot.times = 3;
  const auto one = w.board.traffic;
  unsigned calls = 0;
  w.board.traffic = [&] {
    for (unsigned n = calls++ == 0 ? 11 : 1; n > 0; n--)
      if (!one()) return false;
    return true;
  };
  // 7 of colour 1 and 4 of colour 0 are there at the first interrupt.
  EXPECT_EQ(w.told("11111110000"
                   "11"),
            "watching color: 3 packets\ncolor 1: 6 packets\ncolor 0: 3 packets\ncolor 1: 9 packets\n");
  EXPECT_EQ(w.error, "");
}

TEST(SurfHot, OneValueAlone) {
  Watched w;
  w.hot.only = 1;
  EXPECT_EQ(w.told("000000000010101"), "watching color: 3 packets\ncolor 1: 3 packets\n");
  EXPECT_EQ(w.next, 15u);
}

TEST(SurfHot, ATraceAroundThePacketThatReachedIt) {
  Watched w;
  w.hot.trace_file = w.folder.file("t");
  w.hot.times = 1;
  // 16 entries: the trigger packet and seven behind it, eight before it.
  const std::string before = "0000000000000000011", behind = "00000100000";
  w.hot.only = 1;
  EXPECT_EQ(w.told(before + "1" + behind),
            "watching color: 3 packets\ncolor 1: 3 packets\n"
            "trigger at 000003: page 6 sender 0 color 1 category 0 words 1\n");
  EXPECT_EQ(w.error + w.notes, "");
  EXPECT_EQ(w.traced(),
            "00000011"
            "1"
            "0000010");
  EXPECT_EQ(w.next, before.size() + 8) << "the end is when the trace is complete";
}

TEST(SurfHot, ATraceThatEndsWithIt) {
  Watched w;
  w.hot.trace_file = w.folder.file("t");
  w.hot.mode = SURF_MODE_END;
  w.told("0110100000");
  EXPECT_EQ(w.error + w.notes, "");
  EXPECT_EQ(w.traced(), "01101");
}

TEST(SurfHot, ATraceThatIsNotFullIsSavedToo) {
  Watched w;
  w.hot.trace_file = w.folder.file("t");
  w.told("11100");
  EXPECT_EQ(w.error, "");
  EXPECT_EQ(w.notes, "the end came before the trace was complete");
  EXPECT_EQ(w.traced(), "11100");
}

TEST(SurfHot, TheEndBeforeAThreshold) {
  Watched w;
  w.hot.times = 2;
  EXPECT_EQ(w.told("11101"), "watching color: 3 packets\ncolor 1: 3 packets\n");
  EXPECT_EQ(w.error, "the end came after 1 of 2 thresholds");
  EXPECT_EQ(w.board.bench.read("HTCR"), 0u);
}

TEST(SurfHot, ALostAddressIsFoundInTheBins) {
  Watched w;
  w.board.bench.state().injected.fifo_overflow = 1;
  w.hot.times = 2;
  EXPECT_EQ(w.told("111111"), "watching color: 3 packets\ncolor 1: 3 packets\ncolor 1: 6 packets\n");
  EXPECT_EQ(w.notes, "the FIFO has lost addresses (ISCR.FV): all bins are looked at");
}

TEST(SurfHot, AnEarlierRunLeavesNothing) {
  Watched w;
  w.hot.trace_file = w.folder.file("t");
  w.hot.mode = SURF_MODE_END;
  w.told("11");
  EXPECT_EQ(w.error, "the end came after 0 of 1 thresholds");
  w.next = 0;
  EXPECT_EQ(w.told("0111"),
            "watching color: 3 packets\ncolor 1: 3 packets\n"
            "trigger at 000003: page 6 sender 0 color 1 category 0 words 1\n");
  EXPECT_EQ(w.traced(), "0111");
}

TEST(SurfHot, WhatCannotBeIsSaidBeforeTheBoardIsTouched) {
  Watched w;
  w.hot.trace_file = "/nowhere/t";
  EXPECT_EQ(w.told(""), "");
  EXPECT_TRUE(says(w.error, "/nowhere/t: No such file")) << w.error;
  EXPECT_EQ(w.board.writes, 0u);
}

TEST(SurfHot, EmptySocketsAreNamed) {
  Watched w;
  ModelBoard none({4 * surf::kMiB, 0}), no_trace({0, 4 * surf::kMiB});
  const auto why = [&](ModelBoard& board) -> std::string {
    std::ostringstream out;
    try {
      watch_hot(board, w.hot, out, [](std::string_view) {}, [](size_t, size_t) {});
    } catch (const BoardError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_TRUE(says(why(none), "no histogram memory"));
  w.hot.trace_file = w.folder.file("t");
  EXPECT_TRUE(says(why(no_trace), "no trace memory"));
}

}  // namespace
}  // namespace perfboard::prompt
