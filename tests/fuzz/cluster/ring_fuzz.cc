// SPDX-License-Identifier: GPL-2.0-or-later
//
// A ring of a cluster's segment, whose other end may write anything: messages come out as they went in, in
// order, until something is damaged; then whatever is taken lies inside of a message.
#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "hw/cluster/segment.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using namespace cluster;

class Bench {
 public:
  explicit Bench(Input& source) : in(source), ring_(std::make_unique<Ring>()) {
    // Anywhere: a ring is in use for long.
    ring_->read = ring_->written = ring_->begin = in.u64() & ~uint64_t{7};
  }

  void step() {
    switch (in.below(8)) {
      case 0:
        if (in.below(8) == 0) damage();
        break;
      case 1:
      case 2:
      case 3:
        write();
        break;
      default:
        read();
    }
  }
  void finish() {
    while (!damaged_ && !sent_.empty()) read();
  }

 private:
  void write() {
    ClusterMessage m;
    m.bytes = in.flip() ? in.below(CLUSTER_MOST_BYTES + 1) : in.below(64);
    m.at = in.u64();
    m.kind = in.u32();
    m.asks = in.below(4) == 0;
    m.answers = !m.asks && in.flip();
    std::memset(m.data, in.u8(), m.bytes);
    if (m.bytes) m.data[in.below(std::min(m.bytes, 65536u))] = in.u8();
    const uint64_t used = ring_->written - ring_->read;
    const bool fits = used <= kRingBytes && kRingBytes - used >= 40 + m.bytes + 7;
    const bool taken = put(*ring_, put_, m);
    FUZZ_CHECK(taken || damaged_ || !fits, "no room for %u bytes behind %llu", m.bytes,
               static_cast<unsigned long long>(used));
    if (!taken) return;
    put_++;
    sent_.push_back(m);
  }
  void read() {
    ClusterMessage m;
    m.bytes = 0;
    switch (take(*ring_, taken_, m)) {
      case Taken::kNone:
        FUZZ_CHECK(damaged_ || sent_.empty(), "%zu messages are lost", sent_.size());
        break;
      case Taken::kNoMemory:
        FUZZ_CHECK(false, "memory that is all there is missed");
        break;
      case Taken::kDamaged:
        FUZZ_CHECK(damaged_, "message %llu is damaged", static_cast<unsigned long long>(taken_));
        break;
      case Taken::kOne:
        FUZZ_CHECK(m.bytes <= CLUSTER_MOST_BYTES && !(m.asks && m.answers), "%u bytes", m.bytes);
        taken_++;
        if (damaged_) break;
        FUZZ_CHECK(!sent_.empty(), "a message that nobody sent");
        const ClusterMessage& w = sent_.front();
        FUZZ_CHECK(m.at == w.at && m.kind == w.kind && m.bytes == w.bytes && m.asks == w.asks &&
                       m.answers == w.answers && std::memcmp(m.data, w.data, m.bytes) == 0,
                   "message %llu is another one", static_cast<unsigned long long>(taken_));
        sent_.pop_front();
    }
  }
  void damage() {
    damaged_ = true;
    switch (in.below(5)) {
      case 0:
        ring_->written = in.u64();
        break;
      case 2:
        ring_->begin = ring_->read + in.below(2 * kRingBytes);
        break;
      case 1:
        ring_->written = ring_->written + in.below(4096) - 2048;
        break;
      default:
        for (uint32_t n = 1 + in.below(8); n; n--)
          ring_->bytes[(ring_->read + in.below(512)) % kRingBytes] = in.u8();
    }
  }

  Input& in;
  const std::unique_ptr<Ring> ring_;
  std::deque<ClusterMessage> sent_;
  uint64_t put_ = 0, taken_ = 0;
  bool damaged_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
