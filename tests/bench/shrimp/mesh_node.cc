// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/shrimp/mesh_node.h"

#include <algorithm>
#include <cmath>

#include "hw/shrimp/registers.h"

namespace perfboard::scale {
namespace {

constexpr uint64_t kGap = 20'000, kGapOfAll = 4'000;  // ns
constexpr uint32_t kPage = 7;  // where it lands; pages below `nodes` are mapped to the node of that number

// Of one thread: a board hands out one at a time.
thread_local SniDelivery delivery;

}  // namespace

MeshNode::MeshNode(const Setup& setup)
    : Node(setup.pattern, setup.node, setup.nodes,
           setup.pattern == Pattern::kOne ? std::max(kGap, kGapOfAll * setup.nodes) : kGap),
      setup_(setup),
      board_(std::make_unique<SniBoard>()) {
  const SniConfig config = {
      .node = setup.node,
      .nodes = setup.nodes,
      .mesh_width = static_cast<uint32_t>(std::ceil(std::sqrt(setup.nodes))),
      .fifo_words = SNI_FIFO_MIN,
      .acquire_ns = perfboard::sni::kAcquire,
      .product_id = EISA_SNI_ID,
      .fabric = setup.fabric,
      .cluster = setup.cluster,
      .opaque = this,
      .remap = [](void*) {},
      .observe = [](void*, uint32_t, uint32_t) {},
      .global_reset = [](void*) {},
  };
  const PbHost machine = host();
  char why[200];
  if (!sni_config_ok(&config, why, sizeof why)) fail(why);
  sni_init(board_.get(), &config, &machine);
  sni_power_on(board_.get());
  sni_io_write(board_.get(), 0xc84, 0xc0000401, 4);
  sni_reg_write(board_.get(), at(sni::kRegisters, "SCR").offset,
                sni::bit::kEn | sni::bit::kAue | sni::bit::kTse, 4);
  sni_reg_write(board_.get(), sni::kInTable + 4 * kPage, 1, 4);
  const auto map = [this](uint32_t node) {
    sni_reg_write(board_.get(), sni::kOutTable + 8 * node,
                  1u << 31 | uint32_t{sni::coordinate(board_->config, node)} << 16 | kPage, 4);
  };
  if (setup.pattern == Pattern::kNeighbour) map((setup.node + 1) % setup.nodes);
  if (setup.pattern == Pattern::kOne) map(0);
  for (uint32_t n = 0; setup.pattern == Pattern::kRandom && n < setup.nodes; n++)
    if (n != setup.node) map(n);
}

void MeshNode::timer() {
  sni_timer(board_.get());
  while (sni_pop_delivery(board_.get(), now, &delivery)) {
    const ShrimpPacket& p = delivery.packet;
    for (const uint64_t value : {p.start_ns, p.end_ns, p.timestamp, uint64_t{p.sender}, uint64_t{p.address},
                                 uint64_t{p.words}, uint64_t{p.first_word}})
      mix(hash, value);
    for (const uint64_t term : delivery.terms) mix(hash, term);
    sni_delivered(board_.get(), &delivery, true);
  }
}

void MeshNode::use() {
  const auto value = static_cast<uint32_t>(random_.below(1u << 31));
  const uint64_t address = uint64_t{whom()} << 12 | (4 * stores_++ & 0xffc);
  sni_bus_write(board_.get(), now, address, reinterpret_cast<const uint8_t*>(&value), sizeof value);
  own_ += gap();
}

void MeshNode::arrived() {
  events++;
  timer();
}

void MeshNode::take(const ClusterMessage& message) {
  if (!sni_take(board_.get(), &message)) fail("a node is sent what no board sends");
  arrived();
}

void MeshNode::promise(uint64_t next, uint64_t* promise, uint64_t* answers) {
  sni_promise(board_.get(), now, next, promise, answers);
}

const Network kNetwork = {
    .name = "mesh",
    .most_nodes = CLUSTER_MOST_NODES,
    .make = [](Pattern pattern, uint32_t node, uint32_t nodes, Cluster* cluster) -> std::unique_ptr<Node> {
      return std::make_unique<MeshNode>(MeshNode::Setup{
          .pattern = pattern, .node = node, .nodes = nodes, .fabric = &kSniRemote, .cluster = cluster});
    },
    .in_one_queue = run_in_one_queue,
};

}  // namespace perfboard::scale
