// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/cluster.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "hw/cluster/checkpoint.h"
#include "hw/cluster/group.h"
#include "hw/cluster/outstanding_requests.h"
#include "hw/cluster/polling.h"
#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "hw/model/state_check.h"

namespace perfboard::cluster {

struct Peer {
  uint64_t sent = 0, taken = 0;         // messages
  uint32_t reserved = 0, readable = 0;  // bytes of the ring to it, and from it
  uint32_t kept = 0;                    // bytes of its messages
};

// A message with room for its own data only.
struct Free {
  void operator()(ClusterMessage* m) const { std::free(m); }
};
using Small = std::unique_ptr<ClusterMessage, Free>;

constexpr size_t size_of(const ClusterMessage& m) { return offsetof(ClusterMessage, data) + m.bytes; }
Small small(const ClusterMessage& m) {
  void* const at = std::malloc(size_of(m));
  std::memcpy(at, &m, size_of(m));
  return Small(static_cast<ClusterMessage*>(at));
}

// The latest legal time of what is sent by a node that has come to `now`. QEMU's times have a sign.
constexpr uint64_t soon(uint64_t now) { return std::min(now, PB_NEVER / 2 - kSoonNs) + kSoonNs; }

// Some tens of the processor's cycles, in which another one of its core has its turn.
inline void rest_a_moment() {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  asm volatile("isb");  // `yield` takes one cycle
#endif
}

}  // namespace perfboard::cluster

using namespace perfboard::cluster;

struct Cluster {
  ClusterConfig config;
  std::string path;
  Segment segment;
  Others others;
  std::mutex mutex;  // around peers' sent: boards send from several threads
  std::vector<Peer> peers;
  OutstandingRequests requests;
  std::atomic<uint64_t> promise, answers;  // the processor's thread raises them, whoever sends looks
  uint64_t limit = 0;
  Said said;              // what this node has told of itself last
  uint64_t furthest = 0;  // of all promises of it: no node in step is further than that
  uint64_t began = 0;     // as the segment has it, which others may change
  uint64_t own_stamp = 0;
  uint64_t taken = 0;          // messages
  uint64_t seen = 0;           // changes() when the limit was worked out
  bool own_processor = true;   // the host has one for each node
  uint32_t held_by;            // who has promised least
  bool held_by_group = false;  // that node's, of which it is the first one
  uint32_t first_alone = 0;    // whose `alone` was the least, the last time that all were quiet
  uint64_t orders = 0;
  // By time, sender, order in which they came.
  std::map<std::tuple<uint64_t, uint32_t, uint64_t>, Small> here;
  std::mutex wrong_mutex;  // whoever sends may find the first fault, too
  std::string wrong;       // written once, before is_bad
  std::atomic<bool> is_bad = false;
  bool has_waited = false;
  Polling polling;
  uint64_t looked_ms = 0, moved_ms = 0, moved_limit = 0;
  ClusterMessage next;

  bool free() const { return config.join == CLUSTER_FREE; }
  Node& own() { return segment.node(config.node); }

  void is_wrong(uint32_t node, std::string what) {
    const std::lock_guard lock(wrong_mutex);
    if (is_bad) return;
    // Then what else is wrong follows from that.
    if (const std::string cut = missed(segment, path, config.node, node); !cut.empty()) what = cut;
    wrong = "node " + std::to_string(node) + " " + what;
    is_bad = true;
  }

  void keep(const ClusterMessage& m) {
    peers[m.from].kept += ring_room(m.bytes);
    here.emplace(std::make_tuple(m.at, m.from, orders++), small(m));
  }

  void take_from(uint32_t n) {
    Peer& p = peers[n];
    const uint64_t latest = soon(free() ? host_ns() - began : furthest);
    for (;;) {
      const Taken got = perfboard::cluster::take(segment, n, config.node, p.taken, p.readable, next);
      if (got == Taken::kNone) return;
      if (got == Taken::kDamaged) return is_wrong(n, "has sent a damaged message");
      if (got == Taken::kNoMemory)
        return is_wrong(n, "is not heard any more, " + path + ": " + strerror(errno));
      next.from = n;
      next.to = config.node;
      if (next.at < limit)
        return is_wrong(n, "has sent a message for " + seconds(next.at) + ", later than it had promised");
      if (next.at > latest)
        return is_wrong(n, "has sent a message for " + seconds(next.at) + ", too far ahead");
      if (p.kept + ring_room(next.bytes) > kMostKept)
        return is_wrong(n, "has sent more than may be under way");
      if (next.answers && !requests.answered(n, free() ? PB_NEVER : next.at))
        return is_wrong(n, "has answered what nobody asked");
      p.taken++;
      taken++;
      keep(next);
    }
  }

  void take_what_came() {
    take_set(own().inbox, config.nodes, [this](uint32_t n) {
      if (n != config.node && !is_bad) take_from(n);
    });
  }

  // Who sleeps since this node has promised something. A sleeper says so before it looks once more
  // (cluster_wait), so one of both sees the other. That is why this is not asked when the promise is made: it
  // would have to be written first, which takes as long as a step's instructions. It may wait: a node goes no
  // further than the sleeper's promise before it is here again.
  void wake() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    wake_sleepers(segment, config.node);
  }

  uint64_t changes() const { return others.changes(segment); }

  // If no message is under way: when the first one may arrive, if that is later than `until`; else 0. Values
  // of all nodes at one moment: none has changed while they were read.
  uint64_t quiet_until(uint64_t until) {
    if (segment.node(first_alone).alone.load(std::memory_order_relaxed) <= until) return 0;
    Moment m;
    if (!may_be_quiet(segment) || !look(segment, 0, config.nodes, m) || m.sent != m.taken) return 0;
    first_alone = m.node;
    return m.alone;
  }

  void look_at_clock(uint64_t now) { polling.look(now, own_stamp / 2); }

  // True: another node's promises have changed. If each node has a processor, that takes about as long as its
  // step. Else another node may need this processor: it is there sooner than if it were woken.
  bool poll(uint32_t us) {
    wake();
    if (own_processor) {
      for (uint32_t i = 0; i < us * 32; i++) {
        if (changes() != seen) return true;
        rest_a_moment();
      }
      return false;
    }
    const uint64_t end = host_ns() + us * 1000;
    for (;;) {
      sched_yield();
      const uint64_t now = host_ns();
      if (changes() != seen) {
        look_at_clock(now);
        return true;
      }
      if (now >= end) return false;
    }
  }

  void name_holder() {
    if (held_by_group) held_by = least_of_group(segment, held_by);
    held_by_group = false;
  }

  // Somebody dies, or does not come: what is waited for is looked at now and then.
  void look_at_peers() {
    const uint64_t ms = host_ns() / 1'000'000;
    if (ms < looked_ms + 100) return;
    looked_ms = ms;
    if (limit != moved_limit || !moved_ms) {
      moved_limit = limit;
      moved_ms = ms;
    }
    name_holder();
    if (*segment.cut) return is_wrong(held_by, "");
    const Node& n = segment.node(held_by);
    if (n.state == kHere && start_of(n.pid) != n.started) return is_wrong(held_by, "has died");
    if (config.patience_ms && ms - moved_ms > config.patience_ms)
      is_wrong(held_by, n.state < kHere ? "has not come"
                                        : "stands still at " + seconds(n.now) + " since " +
                                              std::to_string((ms - moved_ms) / 1000) + " s");
  }
};

bool cluster_config_ok(const ClusterConfig* c, char* why, uint32_t size) {
  return perfboard::in_range("nodes", c->nodes, 2, kMostNodes, why, size) &&
         perfboard::in_range("node", c->node, 0, c->nodes - 1, why, size) &&
         (c->join == CLUSTER_FREE || perfboard::in_range("join", c->join, 0, PB_NEVER >> 1, why, size));
}

Cluster* cluster_open(const ClusterConfig* config, char* why, uint32_t size) {
  if (!cluster_config_ok(config, why, size)) return nullptr;
  auto c = std::make_unique<Cluster>();
  c->path = config->path;
  c->config = *config;
  c->promise = c->free() ? 0 : config->join;
  c->answers = c->promise.load();
  c->said = {.promise = config->join, .answers = config->join, .alone = config->join, .taken = 0};
  c->furthest = config->join;
  c->peers.resize(config->nodes);
  c->others = Others(config->nodes, config->node);
  c->held_by = config->node ? 0 : 1;
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set))
    c->own_processor = static_cast<uint32_t>(CPU_COUNT(&set)) >= config->nodes;
  std::string wrong;
  if (!map_segment(config->path, config->nodes, config->join, c->segment, wrong)) {
    std::snprintf(why, size, "cluster=%s: %s", config->path, wrong.c_str());
    return nullptr;
  }
  c->began = c->segment.header().began;
  if (c->began > host_ns()) wrong = "is left over: it has begun before this host; remove it";
  if (!wrong.empty() || !claim(c->own(), wrong)) {
    std::snprintf(why, size, "node=%u: cluster %s %s", config->node, config->path, wrong.c_str());
    unmap_segment(c->segment);
    return nullptr;
  }
  c->own().state = kHere;
  return c.release();
}

void cluster_leave(Cluster* c) {
  hear_bus_errors();
  Node& own = c->own();
  own.state = kLeft;
  c->take_what_came();  // it is lost, and not under way any more: the others may agree that nothing is
  cluster_promise(c, own.now, PB_NEVER, PB_NEVER, PB_NEVER);
  c->wake();
}

void cluster_close(Cluster* c) {
  unmap_segment(c->segment);
  delete c;
}

void cluster_answers_after(Cluster* c, uint64_t ns) { c->requests.answers_after(ns); }

void cluster_promise(Cluster* c, uint64_t now, uint64_t promise, uint64_t answers, uint64_t alone) {
  Node& own = c->own();
  if (!c->own_stamp) hear_bus_errors();
  c->wake();
  promise = std::max(c->promise.load(std::memory_order_relaxed), promise);
  answers = std::max(c->answers.load(std::memory_order_relaxed), answers);
  c->promise.store(promise, std::memory_order_relaxed);
  c->answers.store(answers, std::memory_order_relaxed);
  own.now.store(now, std::memory_order_relaxed);
  const Said said = {
      .promise = promise, .answers = answers, .alone = std::max(alone, c->config.join), .taken = c->taken};
  if (said == c->said) return;
  const uint64_t taken = said.taken - c->said.taken;
  c->said = said;
  c->furthest = std::max({c->furthest, said.promise, said.alone});
  // Only this node writes its stamp. Whoever waits for it takes the line away again and again: so it is
  // written without reading it, and without waiting until it is written.
  c->own_stamp += 2;
  own.stamp.store(c->own_stamp - 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  write(own, said);
  own.stamp.store(c->own_stamp, std::memory_order_release);
  tell_group(c->segment, c->config.node, taken);
}

uint64_t cluster_limit(Cluster* c) {
  // A question that is not asked yet may be answered then.
  const uint64_t promise = c->promise.load(std::memory_order_relaxed);
  uint64_t limit = promise > PB_NEVER - c->requests.after() ? PB_NEVER : promise + c->requests.after();
  c->seen = c->changes();
  const Least least = c->others.least_promise(c->segment, {limit, c->config.node ? 0u : 1u});
  limit = least.promise;
  c->held_by = least.node;
  c->held_by_group = least.of_group;
  c->requests.look(c->segment);
  c->take_what_came();
  if (c->requests.hold(limit, c->held_by)) c->held_by_group = false;
  if (c->said.alone > promise) limit = std::max(limit, c->quiet_until(limit));
  c->limit = std::max(c->limit, limit);
  return c->limit;
}

void cluster_wait(Cluster* c, uint32_t us) {
  Node& own = c->own();
  if (!c->has_waited) ask_for_short_turns();
  c->has_waited = true;
  if (c->polling.pays() && c->poll(us)) return;
  c->look_at_clock(host_ns());
  const uint32_t bell = own.bell.load();
  c->name_holder();
  own.needs = c->limit;
  own.waits_for = c->held_by + 1;
  c->wake();
  put_into_set(c->segment.header().sleepers, c->config.node);
  // As in cluster_listen(): what the others say now is not read before they can see that this one sleeps.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (c->changes() == c->seen) {
    const timespec ms = {0, 1'000'000};
    syscall(SYS_futex, &own.bell, FUTEX_WAIT, bell, &ms, nullptr, 0);
  }
  own.waits_for = 0;
  c->look_at_peers();
}

uint64_t cluster_came(Cluster* c) { return c->taken; }

const ClusterMessage* cluster_first(Cluster* c) {
  return c->here.empty() ? nullptr : c->here.begin()->second.get();
}

void cluster_take(Cluster* c) {
  const ClusterMessage& m = *c->here.begin()->second;
  c->peers[m.from].kept -= ring_room(m.bytes);
  c->here.erase(c->here.begin());
}

bool cluster_send(Cluster* c, const ClusterMessage* m) {
  hear_bus_errors();
  const std::lock_guard lock(c->mutex);
  if (m->to >= c->config.nodes || m->to == c->config.node || m->at < (m->answers ? c->answers : c->promise))
    return false;
  Peer& p = c->peers[m->to];
  if (c->segment.node(m->to).state == kLeft) return true;  // lost, as with a node that is switched off
  if (!reserve(c->segment, c->config.node, m->to, m->bytes, p.reserved)) {
    c->is_wrong(m->to, "cannot be sent to, " + c->path + ": " + strerror(errno));
    return false;
  }
  if (m->asks) c->requests.ask(m->to, m->at);  // its answer may be here before this thread is back
  count_sent(c->segment, c->config.node);
  if (!post(c->segment, c->config.node, m->to, p.sent, *m)) {
    c->is_wrong(m->to, "takes no messages");
    return false;
  }
  p.sent++;
  if (c->free()) c->wake();  // whoever listens says so before it looks once more
  return true;
}

uint64_t cluster_age(Cluster* c) { return host_ns() - c->began; }

bool cluster_listen(Cluster* c, uint32_t ms) {
  hear_bus_errors();
  Node& own = c->own();
  const auto come = [&] { return any_in_set(own.inbox, c->config.nodes); };
  const uint32_t bell = own.bell.load();
  put_into_set(c->segment.header().sleepers, c->config.node);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const timespec time = {ms / 1000, ms % 1000 * 1'000'000};
  if (!come()) syscall(SYS_futex, &own.bell, FUTEX_WAIT, bell, &time, nullptr, 0);
  return come();
}

bool cluster_has_room(Cluster* c, uint32_t to, uint32_t bytes) {
  hear_bus_errors();
  const std::lock_guard lock(c->mutex);
  return to < c->config.nodes && to != c->config.node &&
         reserve(c->segment, c->config.node, to, bytes, c->peers[to].reserved) &&
         has_room(c->segment.ring(c->config.node, to), bytes);
}

void cluster_take_in(Cluster* c) {
  hear_bus_errors();
  c->own().now = cluster_age(c);
  c->take_what_came();
  const uint64_t ms = host_ns() / 1'000'000;
  if (*c->segment.cut) return c->is_wrong(c->held_by, "");
  if (ms < c->looked_ms + 100) return;
  c->looked_ms = ms;
  for (uint32_t n = 0; n < c->config.nodes; n++) {
    const Node& other = c->segment.node(n);
    if (other.state == kHere && start_of(other.pid) != other.started) c->is_wrong(n, "has died");
  }
}

uint64_t cluster_promised(const Cluster* c) {
  return c->free() ? 0 : std::max(c->promise.load(), c->said.alone);
}

bool cluster_has_left(const Cluster* c, uint32_t node) {
  hear_bus_errors();
  return c->segment.node(node).state >= kLeft;
}

void cluster_blame(Cluster* c, uint32_t node, const char* what) { c->is_wrong(node, what); }

const char* cluster_wrong(Cluster* c) { return c->is_bad ? c->wrong.c_str() : nullptr; }

uint32_t cluster_save(Cluster* c, uint8_t** bytes) {
  Checkpoint checkpoint = {.nodes = c->config.nodes,
                           .node = c->config.node,
                           .promise = c->promise,
                           .answers = c->answers,
                           .limit = c->limit,
                           .asked = {},
                           .here = {}};
  c->take_what_came();
  for (const Request& q : c->requests.all()) checkpoint.asked.emplace_back(q.node, q.at);
  for (const auto& [key, message] : c->here)
    std::memcpy(&checkpoint.here.emplace_back(), message.get(), size_of(*message));
  const std::vector<uint8_t> all = checkpoint_bytes(checkpoint);
  *bytes = static_cast<uint8_t*>(std::malloc(all.size()));
  std::memcpy(*bytes, all.data(), all.size());
  return static_cast<uint32_t>(all.size());
}

bool cluster_load(Cluster* c, const uint8_t* bytes, uint32_t n, uint64_t now, char* why, uint32_t why_size) {
  Checkpoint checkpoint;
  std::string wrong =
      read_checkpoint(bytes, n, c->config.nodes, c->config.node, std::max(now, c->config.join), checkpoint);
  if (wrong.empty() && c->own_stamp) wrong = "is for a machine that has not begun";
  if (!wrong.empty()) {
    std::snprintf(why, why_size, "the snapshot of the cluster %s", wrong.c_str());
    return false;
  }
  c->promise = checkpoint.promise;
  c->answers = checkpoint.answers;
  c->limit = std::min(checkpoint.limit, now);  // the others are asked again for what is later
  c->furthest = std::max({c->furthest, now, checkpoint.promise});
  for (const auto& [whom, at] : checkpoint.asked) c->requests.ask(whom, at);
  for (const ClusterMessage& m : checkpoint.here) c->keep(m);
  return true;
}
