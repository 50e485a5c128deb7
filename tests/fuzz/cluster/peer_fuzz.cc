// SPDX-License-Identifier: GPL-2.0-or-later
//
// A node, and peers that may write anything anywhere into the segment, or cut it short. What is true is
// taken; of the rest come only messages that a node may have: whole, in time, of another node, and no more of
// one than may be under way. What is wrong is one line that names a node, and stays. Time does not go back.
// An operation is a message of a peer's, or a step.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "hw/cluster/checkpoint.h"
#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "hw/model/state_check.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using namespace cluster;

constexpr uint32_t kNodes = 3;  // 0 is the node; the others are played
constexpr uint64_t kJoin = 100, kAnswer = 50;

class Bench {
 public:
  explicit Bench(Input& source) : in(source), free_(in.below(8) == 0) {
    const ClusterConfig config = {
        .path = path_.c_str(),
        .node = 0,
        .nodes = kNodes,
        .join = free_ ? CLUSTER_FREE : kJoin,
        .patience_ms = 0,
    };
    char why[200] = "";
    std::string wrong;
    node_ = cluster_open(&config, why, sizeof why);
    FUZZ_CHECK(node_ && map_segment(path_.c_str(), kNodes, config.join, segment_, wrong), "%s%s", why,
               wrong.c_str());
    cluster_answers_after(node_, kAnswer);
    for (uint32_t n = 1; n < kNodes; n++) FUZZ_CHECK(claim(segment_.node(n), wrong), "%s", wrong.c_str());
    for (uint32_t n = 1; n < kNodes; n++) segment_.node(n).state = kHere;
  }
  ~Bench() {
    unmap_segment(segment_);
    cluster_close(node_);
    std::filesystem::remove(path_);
  }

  void step() {
    switch (in.below(16)) {
      case 0:
        if (in.below(4) == 0) write_anything();
        break;
      case 1:
        if (in.below(64) == 0) cut();
        break;
      case 2:
        if (in.below(4) == 0) send_much();
        break;
      case 3:
      case 4:
        send();
        break;
      case 5:
      case 6:
      case 7:
        promise();
        break;
      case 8:
        send_of_its_own();
        break;
      default:
        for (uint32_t n = 1 + in.below(8); n; n--) {
          const ClusterMessage m = legal();
          if (kept_[from_] + ring_room(m.bytes) < kRingBytes / 2) post_one(m);
        }
        run();
    }
    if (cluster_wrong(node_)) in = Input(nullptr, 0);  // it ends
  }

  void finish() {
    if (cut_)
      for (int i = 0; i < 2000 && !cluster_wrong(node_); i++)
        free_ ? cluster_take_in(node_) : cluster_wait(node_, 0);
    run();
    const std::string said = cluster_wrong(node_) ? cluster_wrong(node_) : "";
    FUZZ_CHECK(lied_ || said.empty(), "%s", said.c_str());
    FUZZ_CHECK(!cut_ || !said.empty(), "the file is cut short, and nobody says so");
    FUZZ_CHECK(said.empty() || said.starts_with("node 1 ") || said.starts_with("node 2 "), "%s",
               said.c_str());
    uint8_t* bytes;
    const uint32_t n = cluster_save(node_, &bytes);
    std::free(bytes);
    FUZZ_CHECK(n < 4096 + 16 * asked_ + (kNodes - 1) * kMostKept, "%u bytes are kept", n);
  }

 private:
  // What a peer may send now.
  ClusterMessage legal() {
    from_ = 1 + in.below(kNodes - 1);
    ClusterMessage m;
    m.at = free_ ? cluster_age(node_) : std::max(promise_[from_], limit_) + in.u8();
    m.to = 0;
    m.kind = in.u8();
    m.bytes = in.below(4) ? in.below(64) : in.below(CLUSTER_MOST_BYTES + 1);
    m.asks = in.flip();
    m.answers = false;
    std::memset(m.data, in.u8(), m.bytes);
    return m;
  }
  void post_one(const ClusterMessage& m) {
    operations++;
    if (!post(segment_, from_, 0, number_[from_], m)) return;
    number_[from_]++;
    kept_[from_] += ring_room(m.bytes);
  }
  void send() {
    ClusterMessage m = legal();
    lied_ = true;
    switch (in.below(4)) {
      case 0:
        m.at = in.u64();
        break;
      case 1:
        m.answers = true;
        m.asks = false;
        break;
      case 2:
        m.at += in.u32() % (2 * kSoonNs);
        break;
      default:
        number_[from_] += in.below(4);
    }
    post_one(m);
  }
  // As much as is taken, for a time that does not come.
  void send_much() {
    lied_ = true;
    ClusterMessage m = legal();
    m.at += kSoonNs / 2;
    m.bytes = in.below(256);
    for (uint32_t n = in.below(4096); n && !cluster_wrong(node_); n--) {
      post_one(m);
      if (n % 256 == 0) run();
    }
  }
  void promise() {
    const uint32_t n = 1 + in.below(kNodes - 1);
    Node& node = segment_.node(n);
    const bool lie = in.below(16) == 0;
    lied_ |= lie;
    promise_[n] = lie ? in.u64() : std::max(promise_[n], std::min(promise_[n], PB_NEVER / 4) + in.u8());
    node.stamp.fetch_add(lie ? in.u8() : 2);
    perfboard::cluster::write(node, {.promise = promise_[n],
                                     .answers = lie ? in.u64() : promise_[n],
                                     .alone = lie ? in.u64() : promise_[n],
                                     .taken = lie ? in.u64() : node.taken.load()});
    run();
  }
  // Any of its words: the header's, a page's, a group's, or those of a ring.
  void write_anything() {
    lied_ = true;
    for (uint32_t n = 1 + in.below(4); n; n--) {
      const uint64_t ring = rings_at(kNodes) + in.below(kNodes * (kNodes - 1)) * sizeof(Ring);
      const uint64_t at =
          in.flip() ? in.below(static_cast<uint32_t>(rings_at(kNodes) - 8)) : ring + in.below(512);
      const uint64_t value = in.flip() ? in.u64() : in.u8();
      std::memcpy(segment_.at + at, &value, in.flip() ? 8 : 1);
    }
    run();
  }
  void cut() {
    lied_ = true;
    cut_ = true;
    FUZZ_CHECK(!truncate(path_.c_str(), in.flip() ? 0 : in.below(16) * kPage), "%s", path_.c_str());
    run();
    put_into_set(segment_.node(0).inbox, 1);
    cluster_limit(node_);
  }
  void send_of_its_own() {
    ClusterMessage m;
    m.at = free_ ? 0 : own_ + in.u8();
    m.to = in.below(kNodes + 1);
    m.kind = 0;
    m.bytes = in.below(CLUSTER_MOST_BYTES + 1);
    m.asks = in.flip();
    m.answers = false;
    std::memset(m.data, 0, m.bytes);
    if (!cluster_has_room(node_, m.to, m.bytes)) return;
    if (cluster_send(node_, &m)) asked_ += m.asks;
  }
  // The node takes what has come, and all that is due.
  void run() {
    if (free_) {
      if (cluster_listen(node_, 0)) cluster_take_in(node_);
    } else {
      own_ += in.u8();
      cluster_promise(node_, own_, own_, own_, own_ + in.u8());
      const uint64_t limit = cluster_limit(node_);
      FUZZ_CHECK(limit >= limit_, "back to %llu", static_cast<unsigned long long>(limit));
      limit_ = limit;
    }
    for (const ClusterMessage* m;
         (m = cluster_first(node_)) && m->at < (free_ ? cluster_age(node_) : limit_);) {
      FUZZ_CHECK(m->from > 0 && m->from < kNodes && m->to == 0 && m->bytes <= CLUSTER_MOST_BYTES &&
                     m->at >= last_ && m->at <= PB_NEVER / 2 && !(m->asks && m->answers),
                 "%u bytes from node %u", m->bytes, m->from);
      last_ = free_ ? 0 : m->at;
      kept_[m->from] -= ring_room(m->bytes);
      cluster_take(node_);
    }
  }

  Input& in;
  const std::string path_ = "/dev/shm/fuzz-peer." + std::to_string(getpid());
  const bool free_;
  Cluster* node_ = nullptr;
  Segment segment_;
  uint32_t from_ = 1;
  uint64_t number_[kNodes] = {}, kept_[kNodes] = {}, promise_[kNodes] = {kJoin, kJoin, kJoin};
  uint64_t own_ = kJoin, limit_ = 0, last_ = 0, asked_ = 0;
  bool lied_ = false, cut_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
