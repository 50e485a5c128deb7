// SPDX-License-Identifier: GPL-2.0-or-later
//
// An end of the Ethernet, a guest that sends anything and a peer that does: what is kept stays within its
// bounds, what leaves is a frame that keeps the promise, what the adapter gets has come, in order; and each
// state is one that a snapshot may have.
#include <cstring>
#include <deque>
#include <vector>

#include "hw/lan/lan.h"
#include "hw/model/host.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

class Bench {
 public:
  explicit Bench(Input& source) : in(source) {
    const uint32_t nodes = 2 + in.below(in.flip() ? 15 : 1023);
    const LanConfig config = {.node = in.below(nodes),
                              .nodes = nodes,
                              .rate = 1 + in.below(1000),
                              .latency_ns = 5000 + in.below(30000),
                              .join = in.below(1000),
                              .send = sent,
                              .opaque = this};
    char why[PB_WHY_BYTES];
    FUZZ_CHECK(lan_config_ok(&config, why, sizeof why), "%s", why);
    lan_init(&lan_, &config);
  }

  void step() {
    now_ += in.flip() ? in.u8() : in.u16() * 64u;
    switch (in.below(3)) {
      case 0:
        send();
        break;
      case 1:
        take();
        break;
      default:
        next();
    }
    char why[PB_WHY_BYTES];
    FUZZ_CHECK(lan_state_ok(&lan_.state, now_, why, sizeof why), "%s", why);
  }

 private:
  static void sent(void* opaque, const ClusterMessage* m) {
    const Bench* const b = static_cast<Bench*>(opaque);
    const LanConfig& c = b->lan_.config;
    FUZZ_CHECK(m->to < c.nodes && m->to != c.node, "to node %u", m->to);
    FUZZ_CHECK(m->bytes >= LAN_LEAST_BYTES && m->bytes <= LAN_MOST_BYTES, "%u bytes", m->bytes);
    FUZZ_CHECK(m->at >= b->promised_ && m->at >= c.join, "too early");
  }
  void send() {
    std::vector<uint8_t> frame(in.flip() ? in.below(80) : in.u16());
    for (size_t i = 0; i < frame.size() && i < 14; i++) frame[i] = in.u8();
    promised_ = lan_promise(&lan_, now_);
    lan_send(&lan_, now_, frame.data(), static_cast<uint32_t>(frame.size()));
  }
  void take() {
    m_.at = now_;
    m_.bytes = in.flip() ? LAN_LEAST_BYTES + in.below(40) : in.u16() % (CLUSTER_MOST_BYTES + 1);
    m_.asks = in.below(16) == 0;
    m_.answers = in.below(16) == 0;
    const uint32_t held = lan_.state.held;
    std::memset(m_.data, in.u8(), m_.bytes);
    const bool frame = !m_.asks && !m_.answers && m_.bytes >= LAN_LEAST_BYTES && m_.bytes <= LAN_MOST_BYTES;
    FUZZ_CHECK(lan_take(&lan_, &m_) == frame, "%u bytes", m_.bytes);
    if (frame && held < LAN_HELD) came_.emplace_back(m_.data, m_.data + m_.bytes);
    FUZZ_CHECK(lan_.state.held == came_.size(), "%u held", lan_.state.held);
  }
  void next() {
    uint8_t frame[LAN_MOST_BYTES];
    const uint64_t due = lan_due(&lan_);
    const uint32_t bytes = lan_next(&lan_, now_, frame);
    FUZZ_CHECK((bytes != 0) == (due <= now_), "due at %llu", static_cast<unsigned long long>(due));
    if (!bytes) return;
    FUZZ_CHECK(bytes == came_.front().size() && std::memcmp(frame, came_.front().data(), bytes) == 0,
               "another frame");
    came_.pop_front();
  }

  Input& in;
  Lan lan_ = {};
  ClusterMessage m_ = {};
  uint64_t now_ = 0, promised_ = 0;
  std::deque<std::vector<uint8_t>> came_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
