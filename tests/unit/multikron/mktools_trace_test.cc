// SPDX-License-Identifier: GPL-2.0-or-later
// mk2trace as a program; Python's own JSON reader and a check of the nesting read what it writes.
#include <random>

#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

// What timeline_check.py makes of it.
std::string seen(const std::string& options, const std::string& stream, int code = 0) {
  const Folder folder;
  const std::string json = folder.file("trace.json");
  const Result r = run("mk2trace -o " + json + " " + options, stream);
  EXPECT_EQ(r.code, code) << r.err;
  const Result check = run("mkdump --help >/dev/null; python3 " + std::string(getenv("PERFBOARD_ROOT")) +
                           "/tests/unit/common/timeline_check.py <" + json);
  EXPECT_EQ(check.code, 0) << check.err;
  return check.out;
}

TEST(Mk2Trace, SlicesPointsAndCounters) {
  StreamText s = StreamText().hardware_reset();
  s += events(
      "10 enter 1, 12 enter 1 cpu 3 counters 0 5, 15 enter 2, 20 point 3:4, 25 exit 2, 31 exit 1, 32 exit 1 "
      "cpu 3 "
      "counters 0 9, 40 value 4:77 cpu 1 source 8",
      7);
  const Folder folder;
  const std::string names = folder.write(
      "names",
      "1 a \\ b\n2 gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x99\x82 \xDF\xED\xA0\x80\n4 queue\nc1 loads\n");
  EXPECT_EQ(seen("--names " + names, s.bytes),
            "node 0: hardware reset at 0.000\n"
            "node 0 source 0x7, CPU 0: 3 at 2.000 argument 4\n"
            // UTF-8 stays; bytes that are none become the characters of their numbers.
            "node 0 source 0x7, CPU 0: gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x99\x82 "
            "\xC3\x9F\xC3\xAD\xC2\xA0\xC2\x80 1.500-2.500 depth 1 exited\n"
            "node 0 source 0x7, CPU 0: a \\ b 1.000-3.100 depth 0 exited\n"
            "node 0 source 0x7, CPU 3: a \\ b 1.200-3.200 depth 0 exited\n"
            "node 0: loads /s = 2e+06 from 1.200\n"
            "node 0 source 0x8: queue = 77 from 4.000\n");
  EXPECT_TRUE(says(seen("--totals", s.bytes), "node 0: counter 1 = 9 from 3.200\n"));
}

TEST(Mk2Trace, WhatHasNoPartnerIsClosed) {
  const StreamText s = events("10 enter 1, 20 enter 2, 30 exit 1 lost, 40 exit 1, 50 enter 3, 60 point 9", 0);
  EXPECT_EQ(seen("", s.bytes),
            "node 0: FIFO overrun before this at 3.000\n"
            "node 0 source 0x0, CPU 0: 2 2.000-3.000 depth 1 lost_samples\n"
            "node 0 source 0x0, CPU 0: 1 1.000-3.000 depth 0 exited lost_samples\n"
            "node 0 source 0x0, CPU 0: exit without enter: 1 at 4.000\n"
            "node 0 source 0x0, CPU 0: 9 at 6.000 argument 0\n"
            "node 0 source 0x0, CPU 0: 3 5.000-6.000 depth 0\n");
}

TEST(Mk2Trace, NodesAndRuns) {
  const Folder folder;
  StreamText a = StreamText().hardware_reset();
  a += events("10 enter 1, 90 point 1", 0);
  a.hardware_reset() += events("10 enter 2, 30 exit 2", 0);
  StreamText b = StreamText().hardware_reset().sample({.stamp = 20, .data = kPointData(5)});
  const std::string files = "a=" + folder.write("a", a.bytes) + " b=" + folder.write("b", b.bytes);
  EXPECT_EQ(seen(files, ""),
            "node a: hardware reset at 0.000\n"
            "node b: hardware reset at 0.000\n"
            "node b source 0x0, CPU 0: 5 at 2.000 argument 0\n"
            "node a source 0x0, CPU 0: 2 1.000-3.000 depth 0 exited\n");
  EXPECT_EQ(seen("--all-runs " + folder.file("a"), ""),
            "node 0: hardware reset at 0.000\n"
            "node 0 source 0x0, CPU 0: 1 at 9.000 argument 0\n"
            "node 0 source 0x0, CPU 0: 1 1.000-9.000 depth 0\n"
            "node 0: hardware reset at 9.000\n"
            "node 0 source 0x0, CPU 0: 2 10.000-12.000 depth 0 exited\n");
}

TEST(Mk2Trace, EmptyAndRandom) {
  EXPECT_EQ(seen("", "", 1), "");
  std::mt19937_64 random(3);
  for (unsigned round = 0; round < 10; round++) {
    StreamText s;
    uint64_t t = 0;
    for (unsigned i = 0; i < 400; i++) {
      t += random() % 5;
      if (random() % 50 == 0) s.software_reset();
      s.sample({.stamp = t,
                .cpu = static_cast<unsigned>(random() % 3),
                .source = static_cast<uint32_t>(random() % 2),
                .data = (random() % 6) << 40 | (random() % 4) << 24 | (random() % 9),
                .flags = random() % 20 ? 0u : 6u,
                .counters = std::vector<uint32_t>(random() % 5 ? 0 : 3, static_cast<uint32_t>(random()))});
    }
    const bool damage = round % 2;
    if (damage) s.flip(random() % (s.bytes.size() / 2), 0x100);
    EXPECT_NE(seen("", s.bytes, damage), "");
  }
}

}  // namespace
}  // namespace perfboard::mk
