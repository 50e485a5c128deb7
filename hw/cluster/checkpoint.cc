// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/checkpoint.h"

#include <algorithm>
#include <cstring>

#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "hw/model/state_check.h"

namespace perfboard::cluster {
namespace {

// Then the questions, then the messages, each with its data and up to 7 bytes of 0.
struct CheckpointHead {
  uint64_t magic = 0x3130'5450'4b43'4250;  // "PBCKPT01": the format's version
  uint32_t nodes, node;
  uint64_t promise, answers, limit;
  uint32_t asked, here;
  uint32_t sum, zero;  // of all that follows
};
struct CheckpointQuestion {
  uint64_t at;
  uint32_t whom, zero;
};
struct CheckpointMessage {
  uint64_t at;
  uint32_t from, kind, bytes;
  uint8_t asks, answers;
  uint16_t zero;
};
static_assert(sizeof(CheckpointHead) == 56 && sizeof(CheckpointQuestion) == 16 &&
              sizeof(CheckpointMessage) == 24);

template <class T>
void append(std::vector<uint8_t>& to, const T& value) {
  const uint8_t* const at = reinterpret_cast<const uint8_t*>(&value);
  to.insert(to.end(), at, at + sizeof value);
}

// False: there are not so many bytes left.
bool get(const uint8_t*& at, size_t& left, void* to, size_t n, size_t padded) {
  if (left < padded) return false;
  std::memcpy(to, at, n);
  at += padded;
  left -= padded;
  return true;
}

}  // namespace

std::vector<uint8_t> checkpoint_bytes(const Checkpoint& checkpoint) {
  std::vector<uint8_t> bytes(sizeof(CheckpointHead));
  for (const auto& [whom, at] : checkpoint.asked)
    append(bytes, CheckpointQuestion{.at = at, .whom = whom, .zero = 0});
  for (const ClusterMessage& m : checkpoint.here) {
    append(bytes, CheckpointMessage{.at = m.at,
                                    .from = m.from,
                                    .kind = m.kind,
                                    .bytes = m.bytes,
                                    .asks = m.asks,
                                    .answers = m.answers,
                                    .zero = 0});
    bytes.insert(bytes.end(), m.data, m.data + m.bytes);
    bytes.resize(bytes.size() + whole_words(m.bytes) - m.bytes);
  }
  const CheckpointHead head = {
      .nodes = checkpoint.nodes,
      .node = checkpoint.node,
      .promise = checkpoint.promise,
      .answers = checkpoint.answers,
      .limit = checkpoint.limit,
      .asked = static_cast<uint32_t>(checkpoint.asked.size()),
      .here = static_cast<uint32_t>(checkpoint.here.size()),
      .sum = add_to_sum(kSumOfNothing, bytes.data() + sizeof head, bytes.size() - sizeof head),
      .zero = 0,
  };
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

std::string read_checkpoint(const uint8_t* at, size_t n, uint32_t nodes, uint32_t node, uint64_t now,
                            Checkpoint& checkpoint) {
  CheckpointHead head;
  if (!get(at, n, &head, sizeof head, sizeof head) || head.magic != CheckpointHead().magic)
    return "is another version's";
  if (head.nodes != nodes || head.node != node)
    return "is of node " + std::to_string(head.node) + " of " + std::to_string(head.nodes) +
           ", this is node " + std::to_string(node) + " of " + std::to_string(nodes);
  const std::string damaged = "is damaged";
  char why[160];
  StateCheck check(why, sizeof why);
  const uint64_t latest = now + std::min(kSoonNs, PB_NEVER - now);
  std::vector<uint64_t> bytes(nodes);  // of each sender's messages
  if (head.sum != add_to_sum(kSumOfNothing, at, n)) return damaged;
  checkpoint = {.nodes = nodes,
                .node = node,
                .promise = head.promise,
                .answers = head.answers,
                .limit = head.limit,
                .asked = {},
                .here = {}};
  const auto other = [&](uint32_t peer) { return peer < nodes && peer != node; };
  for (uint32_t i = 0; i < head.asked; i++) {
    CheckpointQuestion a;
    if (!get(at, n, &a, sizeof a, sizeof a) || !other(a.whom)) return damaged;
    const StateCheck::Part part(check, "asked", static_cast<int>(i));
    check.in("at", a.at, 0, latest);
    checkpoint.asked.emplace_back(a.whom, a.at);
  }
  for (uint32_t i = 0; i < head.here; i++) {
    CheckpointMessage r;
    ClusterMessage m = {};
    if (!get(at, n, &r, sizeof r, sizeof r) || !other(r.from) || r.bytes > CLUSTER_MOST_BYTES || r.asks > 1 ||
        r.answers > 1 || !get(at, n, m.data, r.bytes, whole_words(r.bytes)))
      return damaged;
    const StateCheck::Part part(check, "here", static_cast<int>(i));
    check.in("at", r.at, 0, latest);
    check.that((bytes[r.from] += ring_room(r.bytes)) <= kMostKept, "bytes", r.bytes,
               "its sender has more under way than may be");
    m.at = r.at;
    m.to = node;
    m.from = r.from;
    m.kind = r.kind;
    m.bytes = r.bytes;
    m.asks = r.asks;
    m.answers = r.answers;
    checkpoint.here.push_back(m);
  }
  if (n) return damaged;
  return check.ok() ? "" : damaged + ": " + why;
}

}  // namespace perfboard::cluster
