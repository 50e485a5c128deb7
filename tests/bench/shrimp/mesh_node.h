// SPDX-License-Identifier: GPL-2.0-or-later
//
// MeshNode - a node of the backplane's mesh: an SNI, and a program that stores into mapped pages, a packet of
// one word each 20 us or so. Pattern `one`: so seldom that node 0's bus is half busy.
//
//   MeshNode n({.pattern = Pattern::kRandom, .node = 3, .nodes = 64, .fabric = &kSniRemote, .cluster = c});
#pragma once

#include <cstdint>
#include <memory>

#include "hw/cluster/cluster.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/sni.h"
#include "tests/bench/scale/node.h"

namespace perfboard::scale {

class MeshNode : public Node {
 public:
  struct Setup {
    Pattern pattern;
    uint32_t node, nodes;
    const SniFabric* fabric;
    Cluster* cluster = nullptr;
    void* opaque = nullptr;  // whatever the fabric needs to find
  };
  explicit MeshNode(const Setup& setup);

  SniBoard* board() { return board_.get(); }
  const Setup& setup() const { return setup_; }
  void arrived();  // the fabric has told the board of something, at this time

  void take(const ClusterMessage& message) override;
  void promise(uint64_t next, uint64_t* promise, uint64_t* answers) override;
  uint64_t answers_after() const override { return sni_answers_after(&board_->config); }

  static MeshNode& of(const SniBoard* board) { return *static_cast<MeshNode*>(board->config.opaque); }

 private:
  void timer() override;
  void use() override;

  const Setup setup_;
  std::unique_ptr<SniBoard> board_;
  uint32_t stores_ = 0;
};

// The mesh in one thread, whose turn it is being the earliest's: without promises, cluster or limits. What
// nodes in step must have done, too. Adds to the row.
void run_in_one_queue(Pattern pattern, uint64_t end, Meter& meter, Row& row);

}  // namespace perfboard::scale
