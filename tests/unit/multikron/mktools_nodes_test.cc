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
    const Result merged = run("mkmerge --all-runs" + own(c));
    ASSERT_EQ(merged.code, 0) << merged.err;
    const Result collected = run("mkcollect", c.all.bytes);
    EXPECT_EQ(collected.code, 0) << collected.err;
    EXPECT_EQ(collected.out, merged.out) << wait;
    for (const std::string format : {"--json", "--text"})
      EXPECT_FALSE(says(run("mkcollect " + format, c.all.bytes).out, "reset"));
    EXPECT_EQ(run("mkmerge --all-runs " + folder.write("all", c.all.bytes)).out, merged.out);
  }
}

TEST_F(MkNodes, EachToolTakesAFileOfSeveralNodesAsAStreamForEach) {
  const Collected c = random_nodes(4, 2000, 100);
  const std::string all = folder.write("all", c.all.bytes), apart = own(c);
  for (const std::string tool :
       {"mkmerge", "mkmerge --text", "mkstat", "mkstat --csv visits", "mkstat --csv picture", "mk2trace"}) {
    const Result want = run(tool + apart), got = run(tool + " " + all);
    EXPECT_EQ(want.code, 0) << want.err;
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.out, want.out) << tool;
  }
  // With a label, and beside a stream of one node.
  const Result both = run("mkmerge west=" + all + " east=" + folder.write("one", c.own.at(0).bytes));
  EXPECT_TRUE(says(both.out, "\nwest.3,"));
  EXPECT_TRUE(says(both.out, "\neast,"));
  const Result twice = run("mkmerge " + all + " 2=" + folder.write("one", c.own.at(0).bytes));
  EXPECT_EQ(twice.code, 2);
  EXPECT_EQ(twice.err, "mkmerge: files: '2': two streams of this node\n");
}

TEST_F(MkNodes, DumpNamesTheNodes) {
  StreamText s;
  s.node(3)
      .hardware_reset()
      .node(3)
      .sample({.stamp = 9})
      .node(12)
      .sample({.stamp = 2})
      .node(3)
      .sample({.stamp = 10});
  const Result csv = run("mkdump --csv", s.bytes);
  EXPECT_EQ(csv.code, 0) << csv.err << "a time of its own for each node: nothing goes back";
  EXPECT_TRUE(says(csv.out, "\n3,1,0.900,9,")) << csv.out;
  EXPECT_TRUE(says(csv.out, "\n12,0,0.200,2,")) << csv.out;
  EXPECT_TRUE(says(csv.out, "\n3,1,1.000,10,")) << csv.out;
  const Result check = run("mkdump --check", s.bytes);
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_TRUE(says(check.out, "  of node 3                                  2\n")) << check.out;
  EXPECT_TRUE(says(check.out, "  of node 12                                 1\n")) << check.out;
}

TEST_F(MkNodes, APipeOfSeveralNodesIsRefusedWhereItMustBeAFile) {
  const Collected c = random_nodes(2, 10, 0);
  for (const std::string tool : {"mkmerge", "mkstat", "mk2trace"}) {
    const Result r = run(tool, c.all.bytes);
    EXPECT_EQ(r.code, 1) << tool;
    EXPECT_TRUE(says(r.err, "it is of several nodes, and then it must be a file here")) << r.err;
  }
}

// --- mkcollect ---

TEST_F(MkNodes, CollectTellsWhatCameOfEachNode) {
  StreamText s;
  s.node(0).sample({.stamp = 30}).node(1).software_reset().node(1).sample({.stamp = 10, .counters = {1}});
  s.node(1).sample({.stamp = 40, .flags = MK_HEADER_FIFO_OVERRUN});
  const Result r = run("mkcollect", s.bytes);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(
      r.err,
      "mkcollect: node 0: 1 samples, 0 with counters, 0 with overrun flags, 0 resets; 3.000 to 3.000 us\n"
      "mkcollect: node 1: 2 samples, 1 with counters, 1 with overrun flags, 1 resets; 1.000 to 4.000 us\n");
}

// Live: a sample comes when one that is later by more than the window is there, in whatever pieces.
TEST_F(MkNodes, CollectFollowsAPipe) {
  Running collect("mkcollect --window 5 2>/dev/null");
  StreamText first, later;
  first.node(0).sample({.stamp = 100}).node(1).sample({.stamp = 90});
  later.node(0).sample({.stamp = 151});
  const std::string all = run("mkcollect", first.bytes).out;
  for (const char c : first.bytes) collect.write(std::string(1, c));
  for (const char c : later.bytes) collect.write(std::string(1, c));
  EXPECT_EQ(collect.read(all.size()), all) << "both, by time";
  EXPECT_EQ(collect.end(), 0);
}

TEST_F(MkNodes, CollectSaysWhatTheWindowIsTooShortFor) {
  StreamText s;
  s.node(0).sample({.stamp = 1000}).node(0).sample({.stamp = 2000}).node(1).sample({.stamp = 900});
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
  StreamText s;
  s.node(0).sample({.stamp = 100000}).node(1).sample({.stamp = 100001});
  s.node(1)
      .hardware_reset()
      .node(1)
      .sample({.stamp = 5})
      .node(0)
      .sample({.stamp = 200000})
      .node(1)
      .sample({.stamp = 100005});
  const Result r = run("mkcollect", s.bytes);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 6);
}

TEST_F(MkNodes, CollectWantsNodes) {
  const Result r = run("mkcollect", StreamText().sample({.stamp = 1}).bytes);
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.err,
            "mkcollect: <stdin>: 1 samples without a node left out; mkdump reads a stream of one node\n");
  // One that was joined in the middle of a sample.
  StreamText s;
  s.sample({.stamp = 1}).node(2).sample({.stamp = 2});
  const Result late = run("mkcollect", s.bytes.substr(6));
  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_TRUE(says(late.out, "\n2,0,0.200,2,"));
}

TEST_F(MkNodes, DamageCostsItsSample) {
  StreamText s;
  s.node(0).sample({.stamp = 1}).node(1).sample({.stamp = 2}).node(0).sample({.stamp = 3});
  s.erase(10);  // of the first sample
  StreamText cut = s;
  cut.erase(15);  // its end, too
  for (const StreamText& damaged : {s, cut}) {
    const Result r = run("mkcollect", damaged.bytes);
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_FALSE(says(r.out, "\n0,0,0.100,"));
    EXPECT_TRUE(says(r.out, "\n1,0,0.200,"));
    EXPECT_TRUE(says(r.out, "\n0,0,0.300,"));
  }
  EXPECT_TRUE(says(run("mkcollect", cut.bytes).err,
                   "<stdin>: byte 2: node 1 begins after 14 elements of a sample\n"));
  StreamText word;
  word.node(0).sample({.stamp = 1}).word(0x8404).node(1).sample({.stamp = 2});
  EXPECT_EQ(run("mkcollect", word.bytes).code, 1);
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
