// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters on a bench: a fake machine that keeps their time and every packet.
//
//   SciBench bench({.nodes = 4});       // enabled; 16 pages
//   bench.home(3, 1);                   // page 3 is at node 1
//   bench.load(0, 0x3000);              // node 0 loads 4 bytes of it
//   bench.take()                        // the packets since the last call, as text: "0: 0>1 read #0 3.000"
//   bench.pass_until(ns)                // time passes, and with it the packets of latency=on; the calls
//   above do not wait for those: bench.seen()                        // packets, also those that are on their
//   way
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "hw/sci/registers.h"
#include "hw/sci/sci.h"
#include "tests/unit/model/rig.h"

namespace perfboard::sci {

constexpr uint32_t kAway = 0x3000;  // in a page that is not the first node's

inline std::string text(const SciPacket& p) {
  static constexpr const char* kWhat[] = {"read", "write", "lock", "unlock"};
  const auto command = static_cast<unsigned>(p.bd1 >> 16 & 0x7f);
  char line[80];
  std::snprintf(line, sizeof line, "%u: %u>%u %s%s #%u %x.%03x", p.node, unsigned(p.bd1 & 0xffff),
                unsigned(p.bd1 >> 32 & 0xffff), kWhat[command & 3], command & 4 ? "'" : "",
                unsigned(p.bd1 >> 48 & 0x3f), unsigned(p.bd2 >> 12 & 0xffff), unsigned(p.bd2 & 0xffc));
  return line;
}

class SciBench : public Rig {
 public:
  struct Setup {
    uint32_t nodes = 4;
    uint64_t size = 16 * SCI_PAGE_BYTES;
    bool latency = false;
    uint32_t ringlet = 8;
    uint32_t wc_buffers = 4;
    bool enable = true;
    Cluster* cluster = nullptr;  // of other machines: this one is `node`
    uint32_t node = 0, cable = 0;
  };

  SciBench() : SciBench(Setup{}) {}
  explicit SciBench(Setup setup) : memory(setup.size), adapter_(std::make_unique<SciAdapter>()) {
    const SciConfig config = {
        .nodes = setup.nodes,
        .size = setup.size,
        .latency = setup.latency || setup.cluster,
        .ringlet = setup.ringlet,
        .wc_buffers = setup.wc_buffers,
        .opaque = this,
        .packet = [](void* o, const SciPacket* p) { self(o).packets.push_back(*p); },
        .memory = memory.data(),
        .cluster = setup.cluster,
        .node = setup.node,
        .cable_ns = setup.cable,
        .moved = [](void* o, uint64_t ns) { self(o).until = ns; },
    };
    now = 1'000'000'007;  // on no edge of the B-Link clock
    char why[200] = "";
    EXPECT_TRUE(sci_config_ok(&config, why, sizeof why)) << why;
    sci_init(adapter(), &config, &host());
    if (setup.enable) write(kCtrl, 1);
  }

  SciAdapter* adapter() { return adapter_.get(); }
  SciState& state() { return adapter_->state; }

  uint32_t read(uint32_t offset, uint32_t vcpu = SCI_NO_VCPU) {
    return static_cast<uint32_t>(sci_register_read(adapter(), offset, 4, vcpu));
  }
  void write(uint32_t offset, uint32_t v, uint32_t vcpu = SCI_NO_VCPU) {
    sci_register_write(adapter(), offset, v, 4, vcpu);
  }
  uint64_t count(unsigned node, Count which) {
    return sci_register_read(adapter(), kStatisticsBase + kStatisticsStep * node + 8 * which, 8, SCI_NO_VCPU);
  }
  void home(uint32_t page, uint32_t node) { write(kAtt + 4 * page, node); }

  sci_result access(SciAccess a) {
    a.ns = now;
    return sci_access(adapter(), &a, &until);
  }
  void load(uint32_t vcpu, uint64_t offset, uint32_t bytes = 4, bool locked = false) {
    access({.offset = offset, .bytes = bytes, .vcpu = vcpu, .locked = locked});
  }
  void store(uint32_t vcpu, uint64_t offset, uint32_t bytes = 4, bool locked = false) {
    access({.offset = offset, .bytes = bytes, .vcpu = vcpu, .store = true, .locked = locked});
  }
  void combined(uint32_t vcpu, uint64_t offset, uint32_t bytes = 4) {
    access({.offset = offset, .bytes = bytes, .vcpu = vcpu, .store = true, .write_combining = true});
  }
  void pass_until(uint64_t ns) {
    Rig::pass_until(ns, [this] { sci_timer(adapter()); });
  }
  std::vector<SciPacket>& seen() {
    sci_tell_all(adapter());
    return packets;
  }
  std::vector<std::string> take() {
    std::vector<std::string> lines;
    for (const SciPacket& p : seen()) lines.push_back(text(p));
    packets.clear();
    return lines;
  }

  std::vector<uint8_t> memory;
  uint64_t until = 0;  // as the last access that waits was told
  std::vector<SciPacket> packets;

 private:
  static SciBench& self(void* o) { return *static_cast<SciBench*>(o); }
  std::unique_ptr<SciAdapter> adapter_;
};

using Lines = std::vector<std::string>;

}  // namespace perfboard::sci
