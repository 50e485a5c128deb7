// SPDX-License-Identifier: GPL-2.0-or-later
// mkmerge as a program: order, the wrap, resets.
#include "guest/multikron/host/mk_stream.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

// node, run, ticks of each sample.
std::vector<std::string> order(const std::string& csv) {
  std::vector<std::string> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, ',');) fields.push_back(field);
    rows.push_back(fields.at(0) + " " + fields.at(1) + " " + fields.at(3));
  }
  return rows;
}

StreamText at(std::initializer_list<uint64_t> times) {
  StreamText s;
  for (uint64_t t : times) s.sample({.stamp = t % kEpoch});
  return s;
}

class MkMerge : public testing::Test {
 protected:
  Result merge(const std::string& options, const std::vector<std::string>& streams) {
    std::string command = "mkmerge " + options;
    for (size_t i = 0; i < streams.size(); i++)
      command += " " + std::string(1, static_cast<char>('a' + i)) + "=" +
                 folder.write(std::to_string(i), streams[i]);
    return run(command);
  }
  using Rows = std::vector<std::string>;
  Folder folder;
};

TEST_F(MkMerge, ByTimeThenByNode) {
  const Result r = merge("", {at({1, 5, 5, 9}).bytes, at({0, 5, 9, 9, 10}).bytes, at({5}).bytes});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(order(r.out), (Rows{"b 0 0", "a 0 1", "a 0 5", "a 0 5", "b 0 5", "c 0 5", "a 0 9", "b 0 9",
                                "b 0 9", "b 0 10"}));
}

TEST_F(MkMerge, AcrossTheWrap) {
  const uint64_t e = kEpoch;
  const Result r = merge(
      "", {(StreamText().hardware_reset() += at({e - 3, e + 1, e + e / 3, 2 * e - e / 3, 2 * e + 4})).bytes,
           (StreamText().hardware_reset() += at({e - 2, e, e + e / 3, 2 * e - e / 4, 2 * e + 2})).bytes});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto row = [](const char* node, uint64_t t) { return std::string(node) + " 0 " + std::to_string(t); };
  EXPECT_EQ(order(r.out), (Rows{row("a", e - 3), row("b", e - 2), row("b", e), row("a", e + 1),
                                row("a", e + e / 3), row("b", e + e / 3), row("a", 2 * e - e / 3),
                                row("b", 2 * e - e / 4), row("b", 2 * e + 2), row("a", 2 * e + 4)}));
}

TEST_F(MkMerge, FromTheLastCommonReset) {
  // Node a was read from the start, b began after the first reset: its one reset is a's second.
  StreamText a = StreamText().hardware_reset();
  a += at({50, 60});
  a.hardware_reset() += at({3, 8});
  StreamText b = at({55});
  b.hardware_reset() += at({4, 7});
  const Result last = merge("", {a.bytes, b.bytes});
  EXPECT_EQ(last.code, 0);
  EXPECT_EQ(order(last.out), (Rows{"a 0 3", "b 0 4", "b 0 7", "a 0 8"}));
  EXPECT_NE(last.err.find("/0: 2 samples before the last common hardware reset left out\n"),
            std::string::npos)
      << last.err;
  EXPECT_NE(last.err.find("/1: 1 samples"), std::string::npos) << last.err;
  const Result all = merge("--all-runs", {a.bytes, b.bytes});
  EXPECT_EQ(order(all.out), (Rows{"a 0 50", "b 0 55", "a 0 60", "a 1 3", "b 1 4", "b 1 7", "a 1 8"}));
  EXPECT_EQ(all.err, "");
}

TEST_F(MkMerge, JsonTextAndPipes) {
  StreamText a = StreamText().hardware_reset();
  a += at({3});
  EXPECT_EQ(merge("--json", {a.bytes})
                .out.find("{\"node\":\"a\",\"run\":0,\"type\":\"hardware reset\"}\n{\"node\":\"a\""),
            0u);
  EXPECT_NE(merge("--text", {a.bytes}).out.find("0.000000300  a      cpu 0 trace"), std::string::npos);
  const std::string file = folder.write("p", a.bytes), tools = getenv("PERFBOARD_TOOLS");
  const Result piped =
      run("mkmerge --help >/dev/null; cat " + file + " | " + tools + "/mkmerge x=- y=" + file);
  EXPECT_EQ(order(piped.out), (Rows{"x 0 3", "y 0 3"})) << piped.err;
}

TEST_F(MkMerge, DamageIsNamedWithItsFile) {
  const Result r = merge("", {at({1, 2, 3}).flip(20, 1).bytes, at({2}).bytes});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(order(r.out), (Rows{"a 0 1", "b 0 2", "a 0 3"}));
  EXPECT_NE(r.err.find("/0: byte 40: element 0x0101: even parity"), std::string::npos) << r.err;
}

TEST_F(MkMerge, ManyNodesManySamples) {
  std::vector<std::string> streams;
  for (uint64_t node = 0; node < 12; node++) {
    StreamText s;
    for (uint64_t i = 0; i < 2000; i++) s.sample({.stamp = i * 12 + node * 5 % 12});
    streams.push_back(s.bytes);
  }
  const auto rows = order(merge("", streams).out);
  ASSERT_EQ(rows.size(), 24000u);
  for (size_t i = 0; i < rows.size(); i++) ASSERT_EQ(rows[i].substr(4), std::to_string(i));
}

}  // namespace
}  // namespace perfboard::mk
