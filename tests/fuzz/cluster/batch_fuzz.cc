// SPDX-License-Identifier: GPL-2.0-or-later
//
// A carrier, and another host that may send anything: what is true is taken, message by message, and before
// what is promised behind it. From a batch that is damaged, with a sum that fits or not, come only messages
// that a node may have: whole, in time, of nodes that the host has; and nothing that was promised is taken
// back.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string>

#include "hw/cluster/carrier.h"
#include "hw/cluster/segment.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using namespace cluster;

constexpr uint32_t kNodes = 3;  // 0 is here, 1 and 2 are the other host's
constexpr uint64_t kJoin = 100;

struct Wire : Transport {
  void send(uint32_t, Bytes bytes) override { sent.push_back(std::move(bytes)); }
  bool receive(uint32_t, Bytes& bytes) override {
    if (to_come.empty()) return false;
    bytes = std::move(to_come.front());
    to_come.pop_front();
    return true;
  }
  std::deque<Bytes> sent, to_come;
};

class Bench {
 public:
  explicit Bench(Input& source) : in(source), carrier_({path(), kNodes, 2, 0, kJoin}, wire_) {
    std::string why;
    const bool open = carrier_.open() && map_segment(path().c_str(), kNodes, kJoin, segment_, why);
    std::filesystem::remove(path());
    FUZZ_CHECK(open, "%s%s", carrier_.wrong().c_str(), why.c_str());
    segment_.node(0).state = kHere;
    wire_.sent.clear();
    wire_.to_come.push_back(hello_bytes({.nodes = kNodes, .hosts = 2, .host = 1, .join = kJoin}));
  }
  ~Bench() { unmap_segment(segment_); }

  void step() {
    if (!carrier_.wrong().empty()) in = Input(nullptr, 0);  // it would end
    switch (in.below(4)) {
      case 0:
        own_node();
        break;
      case 1:
        if (in.below(4) == 0) {
          damaged();
          break;
        }
        [[fallthrough]];
      default:
        honest();
    }
    carrier_.step();
    FUZZ_CHECK(lied_ || carrier_.wrong().empty(), "%s", carrier_.wrong().c_str());
    look();
  }

 private:
  static std::string path() { return "/dev/shm/fuzz-batch." + std::to_string(getpid()); }

  void add(BatchWriter& writer) {
    for (uint32_t n = in.below(4); n; n--) {
      ClusterMessage m;
      m.from = 1 + in.below(2);
      m.to = 0;
      m.answers = in.below(4) == 0;
      m.asks = !m.answers && in.flip();
      m.at = (m.answers ? answers_[m.from] : promise_[m.from]) + in.u8();
      m.kind = in.u8();
      m.bytes = in.below(80);
      std::memset(m.data, in.u8(), m.bytes);
      writer.message(m);
      if (!lied_) expected_[m.from].push_back(m);
      came_++;
    }
    for (uint32_t n = 1; n < kNodes; n++) {
      promise_[n] += in.u8();
      answers_[n] += in.u8();
      writer.page(
          {.node = n, .state = kHere, .promise = promise_[n], .answers = answers_[n], .now = promise_[n]});
    }
    if (in.flip())
      writer.quiet({.is = 1, .alone = in.u64(), .came = {in.below(2) ? went_ : 0}, .went = {came_}}, 2);
  }
  void honest() {
    BatchWriter writer;
    add(writer);
    wire_.to_come.push_back(writer.finish(number_++, false));
  }
  void damaged() {
    lied_ = true;
    BatchWriter writer;
    add(writer);
    Bytes bytes = writer.finish(number_++, in.below(4) == 0);
    for (uint32_t n = in.below(8); n; n--) bytes[in.below(static_cast<uint32_t>(bytes.size()))] = in.u8();
    if (in.below(4) == 0) bytes.resize(in.below(600));
    if (bytes.size() >= 8 && in.below(8)) {
      uint32_t size = static_cast<uint32_t>(bytes.size());
      if (in.flip()) std::memcpy(&bytes[4], &size, 4);
      const uint32_t sum = add_to_sum(kSumOfNothing, &bytes[4], bytes.size() - 4);
      std::memcpy(&bytes[0], &sum, 4);
    }
    wire_.to_come.push_back(bytes);
  }
  // It promises more, sends, and takes all that is there (look()).
  void own_node() {
    Node& node = segment_.node(0);
    node.promise = node.promise + in.u8();
    node.answers = node.answers + in.u8();
    const uint32_t to = 1 + in.below(2);
    ClusterMessage m;
    m.at = node.promise;
    m.kind = m.bytes = 0;
    m.asks = m.answers = false;
    node.sent.fetch_add(1);
    FUZZ_CHECK(post(segment_, 0, to, put_[to]++, m), "a ring that is emptied has no room");
    went_++;
  }

  void look() {
    for (uint32_t n = 1; n < kNodes; n++) {
      Node& node = segment_.node(n);
      for (;;) {
        ClusterMessage m;
        const Taken got = take(segment_.ring(n, 0), taken_[n], m);
        if (got == Taken::kNone) break;
        FUZZ_CHECK(got == Taken::kOne, "a damaged message");
        taken_[n]++;
        segment_.node(0).taken.fetch_add(1);
        FUZZ_CHECK(m.at >= (m.answers ? last_answers_[n] : last_promise_[n]), "a message that is too late");
        if (expected_[n].empty()) {
          FUZZ_CHECK(lied_, "a message that nobody sent");
          continue;
        }
        const ClusterMessage& w = expected_[n].front();
        FUZZ_CHECK(m.at == w.at && m.kind == w.kind && m.bytes == w.bytes && m.asks == w.asks &&
                       m.answers == w.answers && std::memcmp(m.data, w.data, m.bytes) == 0,
                   "another message");
        expected_[n].pop_front();
      }
      FUZZ_CHECK(node.sent == taken_[n] || !carrier_.wrong().empty(), "%llu sent, %llu there",
                 static_cast<unsigned long long>(node.sent), static_cast<unsigned long long>(taken_[n]));
      FUZZ_CHECK(expected_[n].empty(), "%zu messages are lost", expected_[n].size());
      FUZZ_CHECK(node.promise >= last_promise_[n] && node.answers >= last_answers_[n],
                 "a promise is taken back");
      FUZZ_CHECK(lied_ || (node.promise == promise_[n] && node.answers == answers_[n]), "another promise");
      FUZZ_CHECK(node.alone >= std::min<uint64_t>(node.promise, node.answers), "alone goes too far back");
      FUZZ_CHECK(node.stamp % 2 == 0, "a page is being changed for ever");
      last_promise_[n] = node.promise;
      last_answers_[n] = node.answers;
    }
  }

  Input& in;
  Wire wire_;
  Carrier carrier_;
  Segment segment_;
  uint64_t promise_[kNodes] = {kJoin, kJoin, kJoin}, answers_[kNodes] = {kJoin, kJoin, kJoin};
  uint64_t last_promise_[kNodes] = {}, last_answers_[kNodes] = {};
  uint64_t put_[kNodes] = {}, taken_[kNodes] = {};
  uint64_t number_ = 0, came_ = 0, went_ = 0;
  std::deque<ClusterMessage> expected_[kNodes];
  bool lied_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
