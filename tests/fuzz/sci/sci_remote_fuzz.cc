// SPDX-License-Identifier: GPL-2.0-or-later
//
// A node whose others are machines of their own, which may send anything: what is no message of an adapter is
// refused and changes nothing; whatever is taken leaves a state that a snapshot may have, and the node's
// processor goes on in the end.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hw/cluster/cluster.h"
#include "hw/sci/registers.h"
#include "hw/sci/sci.h"
#include "tests/fuzz/input.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

using namespace perfboard::sci;

constexpr uint32_t kNodes = 3, kPages = 4, kBytes = kPages * SCI_PAGE_BYTES;

class Bench : public Rig {
 public:
  explicit Bench(Input& source) : in(source), memory_(kBytes), adapter_(std::make_unique<SciAdapter>()) {
    const std::string path = "/dev/shm/fuzz-sci-remote." + std::to_string(getpid());
    const ClusterConfig cluster = {
        .path = path.c_str(), .node = 0, .nodes = kNodes, .join = 0, .patience_ms = 0};
    char why[200];
    cluster_ = cluster_open(&cluster, why, sizeof why);
    std::filesystem::remove(path);
    FUZZ_CHECK(cluster_, "%s", why);
    SciConfig config = {
        .nodes = kNodes,
        .size = kBytes,
        .latency = true,
        .ringlet = 2 + in.below(7),
        .wc_buffers = in.below(17),
        .opaque = this,
        .packet = [](void*, const SciPacket* p) { FUZZ_CHECK(p->node == 0, "node %u", p->node); },
        .memory = memory_.data(),
        .node = 0,
        .cable_ns = in.flip() ? in.u16() : 0u,
        .moved = [](void* o, uint64_t ns) { static_cast<Bench*>(o)->until_ = ns; }};
    sci_join(&config, cluster_);
    sci_init(adapter(), &config, &host());
    start();
  }
  ~Bench() { cluster_close(cluster_); }

  void step() {
    switch (in.below(8)) {
      case 0:
        pass(in.below(4) ? in.below(2000) : in.u32() % 20'000'000);
        break;
      case 1:
        if (in.below(16) == 0) sci_reset(adapter()), start();
        break;
      case 2:
        sci_drain(adapter(), now, 0);
        break;
      case 3:
      case 4:
        message();
        break;
      default:
        access();
    }
    char why[PB_WHY_BYTES];
    FUZZ_CHECK(sci_state_ok(adapter(), &adapter()->state, why, sizeof why), "%s", why);
  }
  void finish() {}

 private:
  SciAdapter* adapter() { return adapter_.get(); }
  void start() {
    sci_register_write(adapter(), kCtrl, 1, 4, 0);
    for (uint32_t p = 0; p < kPages; ++p) sci_register_write(adapter(), kAtt + 4 * p, p % kNodes, 4, 0);
  }
  void pass(uint64_t ns) {
    Rig::pass_until(now + ns, [this] { sci_timer(adapter()); });
    uint64_t promise, answers;
    sci_promise(adapter(), now, now + in.u16(), &promise, &answers);
    FUZZ_CHECK(promise > now && answers > now, "it promises the past");
  }
  // One that an adapter sends, or nearly.
  void message() {
    ClusterMessage m = {};
    m.at = now - in.below(20);
    m.to = 0;
    m.from = 1 + in.below(kNodes - 1);
    m.kind = SCI_CLUSTER_KIND;
    const SciAsked& asked = adapter()->state.cluster.asked;
    const bool response = in.below(3) == 0, fits = asked.waits && in.below(4);
    const uint8_t what = response ? (fits ? asked.what : 2 * in.below(2)) : in.below(4),
                  line = what == SCI_WRITE && in.flip();
    const bool none = !response && (what == SCI_READ || what == SCI_LOCK);
    const uint32_t offset = fits ? asked.offset : in.u16() % kBytes & (line ? ~63u : ~0u);
    const uint64_t number = fits ? asked.number : in.below(64);
    if (fits) m.from = asked.home ? asked.home : 1;
    m.data[0] = what;
    m.data[1] = response;
    m.data[2] = line;
    m.data[3] = line ? 0xff : in.u8();
    m.data[4] = static_cast<uint8_t>(in.below(64));
    m.data[5] = what == SCI_UNLOCK && in.flip();
    std::memcpy(m.data + 8, &offset, sizeof offset);
    std::memcpy(m.data + 16, &number, sizeof number);
    m.bytes = 24 + (none ? 0 : line ? 64 : 8);
    for (uint32_t i = 24; i < m.bytes; ++i) m.data[i] = in.u8();
    m.asks = none;
    m.answers = response;
    if (in.below(4) == 0) {
      for (uint32_t n = 1 + in.below(3); n; --n) m.data[in.below(100)] = in.u8();
      if (in.flip()) m.bytes = in.below(8) ? in.below(100) : in.below(CLUSTER_MOST_BYTES + 1);
      if (in.below(4) == 0) m.asks = in.flip(), m.answers = in.flip();
      if (in.below(8) == 0) m.from = in.below(40);
    }
    const auto before = std::make_unique<SciState>(adapter()->state);
    const std::vector<uint8_t> bytes = memory_;
    if (!sci_take(adapter(), &m))
      FUZZ_CHECK(!std::memcmp(before.get(), &adapter()->state, sizeof(SciState)) && bytes == memory_,
                 "what is refused changes something");
  }
  void access() {
    const uint32_t bytes = 1u << in.below(4);
    const bool store = in.flip(), locked = in.below(3) == 0;
    uint8_t data[8] = {};
    std::memset(data, in.u8(), sizeof data);
    SciAccess a = {.ns = now,
                   .offset = in.u16() % kBytes & ~(bytes - 1),
                   .bytes = bytes,
                   .vcpu = 0,
                   .store = store,
                   .locked = locked,
                   .write_combining = in.flip(),
                   .data = data,
                   .loaded = data};
    if (in.flip()) a.offset &= 0x3038;
    // Sometimes it is given up.
    for (uint32_t tries = in.below(8) ? 20 : 1; tries; --tries) {
      a.ns = now;
      if (sci_access(adapter(), &a, &until_) == SCI_DONE) return;
      FUZZ_CHECK(until_ > now && until_ < now + 1'000'000'000, "it waits for %llu ns",
                 static_cast<unsigned long long>(until_ - now));
      if (in.flip()) message();
      if (in.below(4)) pass(until_ > now ? until_ - now : 0);
    }
  }

  Input& in;
  std::vector<uint8_t> memory_;
  std::unique_ptr<SciAdapter> adapter_;
  Cluster* cluster_;
  uint64_t until_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
