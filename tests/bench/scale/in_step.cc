// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/scale/in_step.h"

#include <algorithm>

namespace perfboard::scale {

Host::Host(const std::string& path, Pattern pattern, uint32_t nodes, uint32_t first, uint32_t end) {
  for (uint32_t n = first; n < end; n++) {
    const ClusterConfig config = {
        .path = path.c_str(), .node = n, .nodes = nodes, .join = kBegin, .patience_ms = 0};
    char why[200];
    Cluster* const c = cluster_open(&config, why, sizeof why);
    if (!c) fail(why);
    Member& m = members_.emplace_back();
    m.cluster = c;
    m.node = kNetwork.make(pattern, n, nodes, c);
    cluster_answers_after(c, m.node->answers_after());
  }
}

Host::~Host() {
  for (const Member& m : members_) cluster_close(m.cluster);
}

// As a QEMU does it (hw/qemu/core/links/cluster.c): who has nothing new to say says nothing.
void Host::promise(Member& m, uint64_t end) {
  Node& n = *m.node;
  uint64_t next = n.halted() ? std::max(n.now, std::min(n.own(), end)) : n.now;
  if (m.said_now == n.now && m.said_next == next && m.said_came == cluster_came(m.cluster) && !m.delivered)
    return;
  m.said_now = n.now;
  m.said_next = next;
  m.said_came = cluster_came(m.cluster);
  m.delivered = false;
  if (const ClusterMessage* const first = cluster_first(m.cluster))
    next = std::min(next, std::max(n.now, first->at));
  uint64_t promise, answers, alone, owed;
  n.promise(next, &alone, &owed);
  n.promise(std::min(next, std::max(n.now, m.limit)), &promise, &answers);
  cluster_promise(m.cluster, n.now, promise, answers, std::min(alone, owed));
  m.promises++;
}

// False: it may not go on, or is at the end.
bool Host::go(Member& m, uint64_t end) {
  Node& n = *m.node;
  promise(m, end);
  if (n.now >= end) return false;
  const uint64_t limit = m.limit = cluster_limit(m.cluster);
  if (cluster_wrong(m.cluster)) fail(cluster_wrong(m.cluster));
  const ClusterMessage* const first = cluster_first(m.cluster);
  if (first && first->at <= n.now && first->at < limit) {
    n.take(*first);
    cluster_take(m.cluster);
    m.delivered = true;
    return true;
  }
  if (n.own() <= n.now && n.now < limit) {
    n.act();
    m.delivered = true;
    return true;
  }
  const uint64_t to =
      std::min({limit, end, std::max(n.own(), n.now), first ? std::max(first->at, n.now) : PB_NEVER});
  if (to <= n.now) return false;
  n.pass(to);
  return true;
}

bool Host::turn(uint32_t part, uint32_t parts, uint64_t end) {
  bool moved = false;
  for (uint32_t i = first_of(part, parts); i < first_of(part + 1, parts); i++)
    while (go(members_[i], end)) moved = true;
  return moved;
}

bool Host::at_end(uint32_t part, uint32_t parts, uint64_t end) const {
  const auto begin = members_.begin();
  return std::all_of(begin + first_of(part, parts), begin + first_of(part + 1, parts),
                     [end](const Member& m) { return m.node->now >= end && m.said_now == m.node->now; });
}

void Host::leave() {
  for (const Member& m : members_) cluster_leave(m.cluster);
}

void Host::add_to(Row& row) const {
  for (const Member& m : members_) {
    row.events += m.node->events;
    row.promises += m.promises;
    row.hash += m.node->hash;
  }
}

}  // namespace perfboard::scale
