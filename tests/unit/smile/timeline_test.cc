// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile timeline: the kernel's trace becomes JSON, layer by layer, in the trace's order.
#include "guest/smile/cmd/timeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace perfboard::smile {
namespace {

class SmileTimeline : public testing::Test {
 protected:
  SmileTimeline()
      : in_(testing::TempDir() + "smile-timeline-" + std::to_string(getpid())), out_(in_ + ".json") {}
  ~SmileTimeline() override {
    std::remove(in_.c_str());
    std::remove(out_.c_str());
  }
  std::string json(const std::string& trace) {
    std::ofstream(in_) << trace;
    Input in(in_);
    Output out(out_);
    counts_ = timeline_json(in, out);
    out.close();
    std::ostringstream text;
    text << std::ifstream(out_).rdbuf();
    return text.str();
  }
  std::string in_, out_;
  TimelineCounts counts_;
};

const std::string kJsonHead =
    R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":0,"tid":0,"name":"process_name","args":{"name":"monitors: requests by readout"}},
{"ph":"M","pid":4194305,"tid":0,"name":"process_name","args":{"name":"driver: smile.ko"}})";

TEST_F(SmileTimeline, AllLayers) {
  EXPECT_EQ(json(R"(# tracer: nop
#
# entries-in-buffer/entries-written: 11/11   #P:4
           smile-70      [000] .....     5.000100: tracing_mark_write: B|70|program:readout
           smile-70      [000] .....     5.000101: tracing_mark_write: B|70|library:smile_swap
           smile-70      [000] .....     5.000102: smile_swap_begin: card=1 records=0
           smile-70      [000] d.h..     5.000103: smile_interrupt: card=1 number=7
           smile-70      [000] .....     5.000104: smile_swap_end: card=1 records=2
           smile-70      [000] .....     5.000105: tracing_mark_write: E|70
           smile-70      [000] .....     5.000106: tracing_mark_write: C|70|requests keys 0|12
           smile-70      [000] .....     5.000107: tracing_mark_write: E|70
         smbench-75      [002] .....     5.000200: tracing_mark_write: B|72|program:work
           smile-70      [000] .....     5.000300: tracing_mark_write: B|70|program:readout
           smile-70      [000] .....     5.000301: tracing_mark_write: C|70|requests keys 0|5
           smile-70      [000] .....     5.000302: tracing_mark_write: C|70|temperature|40
)"),
            kJsonHead + R"(,
{"ph":"M","pid":70,"tid":0,"name":"process_name","args":{"name":"smile"}},
{"ph":"M","pid":70,"tid":70,"name":"thread_name","args":{"name":"smile"}},
{"ph":"B","pid":70,"tid":70,"ts":0.000,"name":"readout","cat":"program"},
{"ph":"B","pid":70,"tid":70,"ts":1.000,"name":"smile_swap","cat":"library"},
{"ph":"M","pid":4194305,"tid":2,"name":"thread_name","args":{"name":"smile1"}},
{"ph":"B","pid":4194305,"tid":2,"ts":2.000,"name":"swap","cat":"driver","args":{"thread":70,"records":"0"}},
{"ph":"i","pid":4194305,"tid":2,"ts":3.000,"name":"interrupt","cat":"driver","s":"t","args":{"thread":70,"number":"7"}},
{"ph":"E","pid":4194305,"tid":2,"ts":4.000,"name":"swap","cat":"driver","args":{"thread":70,"records":"2"}},
{"ph":"E","pid":70,"tid":70,"ts":5.000},
{"ph":"C","pid":0,"tid":0,"ts":0.000,"name":"requests keys 0","cat":"hardware","args":{"count":12}},
{"ph":"E","pid":70,"tid":70,"ts":7.000},
{"ph":"M","pid":72,"tid":75,"name":"thread_name","args":{"name":"smbench"}},
{"ph":"B","pid":72,"tid":75,"ts":100.000,"name":"work","cat":"program"},
{"ph":"B","pid":70,"tid":70,"ts":200.000,"name":"readout","cat":"program"},
{"ph":"C","pid":0,"tid":0,"ts":0.000,"name":"requests keys 0","cat":"hardware","args":{"count":5}},
{"ph":"C","pid":70,"tid":0,"ts":202.000,"name":"temperature","cat":"program","args":{"count":40}},
{"ph":"C","pid":0,"tid":0,"ts":202.000,"name":"requests keys 0","cat":"hardware","args":{"count":0}}
]}
)");
  EXPECT_EQ(counts_.hardware, 2u);
  EXPECT_EQ(counts_.driver, 3u);
  EXPECT_EQ(counts_.library, 1u);
  EXPECT_EQ(counts_.program, 4u);
}

TEST_F(SmileTimeline, WhatOthersWrite) {
  EXPECT_EQ(json("a-1 [000] ..... 5.000100: tracing_mark_write: hello\n"
                 "a-1 [000] ..... 5.000100: tracing_mark_write: B|x|program:work\n"
                 "a-1 [000] ..... 5.000100: tracing_mark_write: B|1|work\n"
                 "a-1 [000] ..... 5.000100: tracing_mark_write: C|1|a|b\n"
                 "a-1 [000] ..... 5.000100: sched_switch: prev_comm=a\n"
                 "nothing\n"),
            kJsonHead + "\n]}\n");
  EXPECT_EQ(counts_.hardware + counts_.driver + counts_.library + counts_.program, 0u);
}

}  // namespace
}  // namespace perfboard::smile
