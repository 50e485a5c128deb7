// SPDX-License-Identifier: GPL-2.0-or-later
// Several nodes: mkcollect of one stream, what the other tools make of it, and mkmerge of several streams.
#include <map>
#include <random>

#include "guest/multikron/host/mk_stream.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

// Of a collection network: `all`, and each node's own stream. Samples wait in their chips for up to `wait`
// ticks.
struct Collected {
  StreamText all;
  std::map<unsigned, StreamText> own;
  void add(unsigned node, const StreamText& s) {
    all.node(node) += s;
    own[node] += s;
  }
};

Collected random_nodes(unsigned nodes, unsigned samples, unsigned wait) {
  std::mt19937 random(7);
  Collected c;
  for (unsigned n = 0; n < nodes; n++) c.add(n, StreamText().hardware_reset());
  std::map<unsigned, uint64_t> last;
  uint64_t now = 100'000;
  for (unsigned i = 0; i < samples; i++) {
    const unsigned n = random() % nodes;
    now += random() % 100;
    const uint64_t stamp = std::max(last[n], now - random() % (wait + 1));
    last[n] = stamp;
    const uint16_t state = static_cast<uint16_t>(1 + random() % 3);
    SampleSpec s = {.stamp = stamp,
                    .cpu = static_cast<unsigned>(random() % 2),
                    .source = n,
                    .data = i % 2 ? kEnterData(state) : kExitData(state)};
    if (i % 9 == 0) s.counters = {i, 2 * i, 3};
    c.add(n, StreamText().sample(s));
  }
  return c;
}

class MkNodes : public testing::Test {
 protected:
  // Words NODE=FILE of the nodes' own streams.
  std::string own(const Collected& c) {
    std::string words;
    for (const auto& [n, s] : c.own)
      words += " " + std::to_string(n) + "=" + folder.write("own" + std::to_string(n), s.bytes);
    return words;
  }
  Folder folder;
};

TEST_F(MkNodes, CollectedInOrderIsWhatTheNodesStreamsMerge) {
  for (const unsigned wait : {0u, 250u, 9000u}) {
    const Collected c = random_nodes(5, 3000, wait);
    const std::string merged = output_of("mkmerge --all-runs" + own(c));
    EXPECT_EQ(output_of("mkcollect", c.all.bytes), merged) << wait;
    for (const std::string format : {"--json", "--text"})
      EXPECT_FALSE(says(run("mkcollect " + format, c.all.bytes).out, "reset"));
    EXPECT_EQ(run("mkmerge --all-runs " + folder.write("all", c.all.bytes)).out, merged);
  }
}

TEST_F(MkNodes, EachToolTakesAFileOfSeveralNodesAsAStreamForEach) {
  const Collected c = random_nodes(4, 2000, 100);
  const std::string all = folder.write("all", c.all.bytes), apart = own(c);
  for (const std::string tool :
       {"mkmerge", "mkmerge --text", "mkstat", "mkstat --csv visits", "mkstat --csv picture", "mk2trace"})
    EXPECT_EQ(output_of(tool + " " + all), output_of(tool + apart)) << tool;
  // With a label, and beside a stream of one node.
  const std::string one = folder.write("one", c.own.at(0).bytes),
                    both = run("mkmerge west=" + all + " east=" + one).out;
  EXPECT_TRUE(says(both, "\nwest.3,") && says(both, "\neast,"));
  EXPECT_EQ(complaint_of("mkmerge " + all + " 2=" + one, {}, 2),
            "mkmerge: files: '2': two streams of this node\n");
}

TEST_F(MkNodes, DumpNamesTheNodes) {
  const StreamText s = StreamText().node(3).hardware_reset().of(3, 9).of(12, 2).of(3, 10);
  // A time of its own for each node: nothing goes back.
  const std::string csv = output_of("mkdump --csv", s.bytes), check = output_of("mkdump --check", s.bytes);
  for (const char* row : {"\n3,1,0.900,9,", "\n12,0,0.200,2,", "\n3,1,1.000,10,"})
    EXPECT_TRUE(says(csv, row)) << csv;
  EXPECT_TRUE(says(check, "  of node 3                                  2\n")) << check;
  EXPECT_TRUE(says(check, "  of node 12                                 1\n")) << check;
}

TEST_F(MkNodes, APipeOfSeveralNodesIsRefusedWhereItMustBeAFile) {
  const Collected c = random_nodes(2, 10, 0);
  for (const char* tool : {"mkmerge", "mkstat", "mk2trace"})
    EXPECT_TRUE(
        says(complaint_of(tool, c.all.bytes), "it is of several nodes, and then it must be a file here"))
        << tool;
}

// --- mkcollect ---

TEST_F(MkNodes, CollectTellsWhatCameOfEachNode) {
  StreamText s = StreamText().of(0, 30).node(1).software_reset();
  s.node(1).sample({.stamp = 10, .counters = {1}});
  s.node(1).sample({.stamp = 40, .flags = MK_HEADER_FIFO_OVERRUN});
  EXPECT_EQ(
      complaint_of("mkcollect", s.bytes, 0),
      "mkcollect: node 0: 1 samples, 0 with counters, 0 with overrun flags, 0 resets; 3.000 to 3.000 us\n"
      "mkcollect: node 1: 2 samples, 1 with counters, 1 with overrun flags, 1 resets; 1.000 to 4.000 us\n");
}

// Live: a sample comes when one that is later by more than the window is there, in whatever pieces.
TEST_F(MkNodes, CollectFollowsAPipe) {
  Running collect("mkcollect --window 5 2>/dev/null");
  StreamText s = StreamText().of(0, 100).of(1, 90);
  const std::string all = run("mkcollect", s.bytes).out;
  for (const char c : s.of(0, 151).bytes) collect.write(std::string(1, c));
  EXPECT_EQ(collect.read(all.size()), all) << "both, by time";
  EXPECT_EQ(collect.end(), 0);
}

TEST_F(MkNodes, CollectSaysWhatTheWindowIsTooShortFor) {
  const StreamText s = StreamText().of(0, 1000).of(0, 2000).of(1, 900);
  const Result r = run("mkcollect --window 50", s.bytes);
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(says(r.err, "<stdin>: 1 samples came too late for --window 50: they are not in their order\n"))
      << r.err;
  EXPECT_TRUE(says(r.out, "\n1,0,90.000,900,")) << "it comes all the same";
  EXPECT_EQ(run("mkcollect --window 110", s.bytes).code, 0);
  EXPECT_EQ(run("mkcollect --window x", s.bytes).code, 2);
}

// A node that starts anew has another time from then on.
TEST_F(MkNodes, CollectKeepsRunsApart) {
  StreamText s = StreamText().of(0, 100000).of(1, 100001);
  s.node(1).hardware_reset().of(1, 5).of(0, 200000).of(1, 100005);
  const std::string rows = output_of("mkcollect", s.bytes);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 6);
}

TEST_F(MkNodes, CollectWantsNodes) {
  StreamText s = StreamText().sample({.stamp = 1});
  EXPECT_EQ(complaint_of("mkcollect", s.bytes),
            "mkcollect: <stdin>: 1 samples without a node left out; mkdump reads a stream of one node\n");
  // One that was joined in the middle of a sample.
  EXPECT_TRUE(says(output_of("mkcollect", s.of(2, 2).bytes.substr(6)), "\n2,0,0.200,2,"));
}

TEST_F(MkNodes, DamageCostsItsSample) {
  const StreamText s = StreamText().of(0, 1).of(1, 2).of(0, 3).erase(10);  // of the first sample
  const StreamText cut = StreamText(s).erase(15);                          // its end, too
  for (const StreamText& damaged : {s, cut}) {
    const std::string rows = output_of("mkcollect", damaged.bytes, 1);
    EXPECT_FALSE(says(rows, "\n0,0,0.100,"));
    EXPECT_TRUE(says(rows, "\n1,0,0.200,") && says(rows, "\n0,0,0.300,")) << rows;
  }
  EXPECT_TRUE(says(run("mkcollect", cut.bytes).err,
                   "<stdin>: byte 2: node 1 begins after 14 elements of a sample\n"));
  EXPECT_EQ(run("mkcollect", StreamText().of(0, 1).word(0x8404).of(1, 2).bytes).code, 1);
}

// --- mkmerge: order, the wrap, resets --------------------------------------------------------------

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
  const Result r = merge("", {at({e - 3, e + 1}).bytes, at({e - 2, e}).bytes});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto row = [](const char* node, uint64_t t) { return std::string(node) + " 0 " + std::to_string(t); };
  EXPECT_EQ(order(r.out), (Rows{row("a", e - 3), row("b", e - 2), row("b", e), row("a", e + 1)}));
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
  EXPECT_TRUE(says(last.err, "/0: 2 samples before the last common hardware reset left out\n")) << last.err;
  EXPECT_TRUE(says(last.err, "/1: 1 samples")) << last.err;
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
  EXPECT_TRUE(says(merge("--text", {a.bytes}).out, "0.000000300  a      cpu 0 trace"));
  const std::string file = folder.write("p", a.bytes), tools = getenv("PERFBOARD_TOOLS");
  const Result piped =
      run("mkmerge --help >/dev/null; cat " + file + " | " + tools + "/mkmerge x=- y=" + file);
  EXPECT_EQ(order(piped.out), (Rows{"x 0 3", "y 0 3"})) << piped.err;
}

TEST_F(MkMerge, DamageIsNamedWithItsFile) {
  const Result r = merge("", {at({1, 2, 3}).flip(20, 1).bytes, at({2}).bytes});
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(order(r.out), (Rows{"a 0 1", "b 0 2", "a 0 3"}));
  EXPECT_TRUE(says(r.err, "/0: byte 40: element 0x0101: even parity")) << r.err;
}

}  // namespace
}  // namespace perfboard::mk
