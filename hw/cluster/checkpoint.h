// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checkpoint - what a node has of the cluster when it is saved: what it has promised, which of its questions
// are not answered, and the messages that have come and are not due.
//
//   Bytes bytes = checkpoint_bytes(checkpoint);
//   std::string wrong = read_checkpoint(bytes.data(), bytes.size(), nodes, node, now, checkpoint);   "": it is whole
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/cluster.h"
#include "hw/cluster/segment.h"

namespace perfboard::cluster {

// What of one node's is kept until it is due, with what stands in front of it in a ring. Credits bound what
// is under way: a ring has room for it (hw/lan/lan.cc, hw/multikron/collect.h), and here it is twice that.
inline constexpr uint32_t kMostKept = 2 * kRingBytes;

struct Checkpoint {
  uint32_t nodes = 0, node = 0;
  uint64_t promise = 0, answers = 0, limit = 0;
  std::vector<std::pair<uint32_t, uint64_t>> asked;  // whom, and when the question arrives
  std::vector<ClusterMessage> here;                  // in the order in which they are due
};

std::vector<uint8_t> checkpoint_bytes(const Checkpoint& checkpoint);
// now: when it was saved, ns. What was under way then arrives soon.
std::string read_checkpoint(const uint8_t* at, size_t n, uint32_t nodes, uint32_t node, uint64_t now,
                            Checkpoint& checkpoint);

}  // namespace perfboard::cluster
