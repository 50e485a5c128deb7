// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ends of an Ethernet without a cluster: what one sends is kept.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hw/core/host.h"
#include "hw/lan/lan.h"

namespace perfboard::lan {

constexpr uint64_t kNow = 5'000'000;

using Bytes = std::vector<uint8_t>;

constexpr uint16_t kAll = 0xffff;

// To the adapter of a node, or to all.
inline Bytes frame_to(uint16_t node, uint32_t bytes, uint8_t fill = 0) {
  Bytes f(bytes, fill);
  const uint8_t address[] = {
      0x52, 0x54, 0x00, 0x50, static_cast<uint8_t>(node >> 8), static_cast<uint8_t>(node)};
  for (uint32_t i = 0; i < 6 && i < bytes; i++) f[i] = node == kAll ? 0xff : address[i];
  return f;
}

class LanTest : public testing::Test {
 protected:
  void make(uint32_t node, uint32_t nodes, uint32_t rate = 10, uint64_t join = 0) {
    const LanConfig config = {.node = node,
                              .nodes = nodes,
                              .rate = rate,
                              .latency_ns = 10'000,
                              .join = join,
                              .send = keep,
                              .opaque = this};
    lan = std::make_unique<Lan>();
    lan_init(lan.get(), &config);
  }
  LanSent send(uint64_t now, const Bytes& frame) {
    return lan_send(lan.get(), now, frame.data(), static_cast<uint32_t>(frame.size()));
  }
  // A frame arrives; when the adapter gets it, if nothing else is held.
  bool take(uint64_t at, const Bytes& frame) {
    auto m = std::make_unique<ClusterMessage>();
    m->at = at;
    m->kind = LAN_CLUSTER_KIND;
    m->bytes = static_cast<uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), m->data);
    return lan_take(lan.get(), m.get());
  }
  Bytes next(uint64_t now) {
    Bytes f(LAN_MOST_BYTES);
    f.resize(lan_next(lan.get(), now, f.data()));
    return f;
  }

  std::unique_ptr<Lan> lan;
  std::vector<ClusterMessage> sent;

 private:
  static void keep(void* opaque, const ClusterMessage* m) {
    static_cast<LanTest*>(opaque)->sent.push_back(*m);
  }
};

}  // namespace perfboard::lan
