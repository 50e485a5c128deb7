// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nodes of SCI's ring: an adapter each, and a program that loads from other nodes' memories and waits, some
// 20 us after the last one was there. As many as there are node numbers for. That all in one machine would
// see the same is for tests/unit/sci/remote_test.cc: nodes that are machines share no links.
#include <memory>
#include <vector>

#include "hw/sci/registers.h"
#include "hw/sci/sci.h"
#include "tests/bench/scale/node.h"

namespace perfboard::scale {
namespace {

constexpr uint64_t kGap = 20'000;  // ns

class RingNode : public Node {
 public:
  RingNode(Pattern pattern, uint32_t node, uint32_t nodes, Cluster* cluster)
      : Node(pattern, node, nodes, pattern == Pattern::kOne ? kGap * nodes / 4 : kGap),
        memory_(kPages * SCI_PAGE_BYTES) {
    const SciConfig config = {
        .nodes = nodes,
        .size = memory_.size(),
        .latency = true,
        .ringlet = SCI_MOST_RINGLET,
        .wc_buffers = 0,
        .opaque = this,
        .packet = [](void* o, const SciPacket* p) { static_cast<RingNode*>(o)->packet(*p); },
        .memory = memory_.data(),
        .cluster = cluster,
        .node = node,
        .moved = [](void* o, uint64_t ns) { static_cast<RingNode*>(o)->own_ = ns; },
    };
    const PbHost machine = host();
    char why[200];
    if (!sci_config_ok(&config, why, sizeof why)) fail(why);
    sci_init(adapter_.get(), &config, &machine);
    sci_register_write(adapter_.get(), sci::kCtrl, 1, 4, node);
    for (uint32_t page = 0; page < kPages; page++)
      sci_register_write(adapter_.get(), sci::kAtt + 4 * page, page % nodes, 4, node);
  }

  bool halted() const override { return waits_ || Node::halted(); }
  void use() override {
    if (!waits_) offset_ = whom() * SCI_PAGE_BYTES + 8 * random_.below(SCI_PAGE_BYTES / 8);
    uint64_t value = 0, until = 0;
    const SciAccess load = {.ns = now,
                            .offset = offset_,
                            .bytes = sizeof value,
                            .vcpu = node_,
                            .can_wait = true,
                            .loaded = reinterpret_cast<uint8_t*>(&value)};
    waits_ = sci_access(adapter_.get(), &load, &until) == SCI_WAIT;
    own_ = waits_ ? until : now + gap();
  }
  void take(const ClusterMessage& message) override {
    events++;
    if (!sci_take(adapter_.get(), &message)) fail("a node is sent what no adapter sends");
    pass(now);
  }
  void promise(uint64_t next, uint64_t* promise, uint64_t* answers) override {
    sci_promise(adapter_.get(), now, next, promise, answers);
  }
  uint64_t answers_after() const override { return sci_answers_after(&adapter_->config); }

 private:
  static constexpr uint32_t kPages = SCI_MAX_NODES;
  void timer() override { sci_timer(adapter_.get()); }
  void packet(const SciPacket& p) {
    for (const uint64_t value : {now, uint64_t{p.node}, p.bd1, p.bd2}) mix(hash, value);
  }

  std::vector<uint8_t> memory_;
  std::unique_ptr<SciAdapter> adapter_ = std::make_unique<SciAdapter>();
  uint64_t offset_ = 0;
  bool waits_ = false;
};

}  // namespace

const Network kNetwork = {
    .name = "ring",
    .most_nodes = SCI_MAX_NODES,
    .make = [](Pattern pattern, uint32_t node, uint32_t nodes, Cluster* cluster) -> std::unique_ptr<Node> {
      return std::make_unique<RingNode>(pattern, node, nodes, cluster);
    },
    .in_one_queue = nullptr,
};

}  // namespace perfboard::scale
