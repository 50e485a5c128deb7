// SPDX-License-Identifier: GPL-2.0-or-later
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"
#include "tests/bench/shrimp/mesh_node.h"

namespace perfboard::scale {
namespace {

// When, from whom, in what order: as cluster_first() has it.
using Key = std::tuple<uint64_t, uint32_t, uint64_t>;

struct Queue {
  struct Place {
    std::unique_ptr<MeshNode> node;
    std::map<Key, std::function<void()>> here;
    uint64_t planned = PB_NEVER;  // its earliest time in `turns`
    uint64_t next() {
      const uint64_t inside = std::min(sni::next_event(*node->board()), node->armed);
      return std::min({inside, node->own(), here.empty() ? PB_NEVER : std::get<0>(here.begin()->first)});
    }
  };
  std::vector<Place> places;
  std::priority_queue<std::pair<uint64_t, uint32_t>, std::vector<std::pair<uint64_t, uint32_t>>,
                      std::greater<>>
      turns;
  uint64_t number = 0;

  void plan(uint32_t n) {
    Place& p = places[n];
    const uint64_t at = std::max(p.next(), p.node->now);
    if (p.next() == PB_NEVER || at >= p.planned) return;
    p.planned = at;
    turns.emplace(at, n);
  }
  void put(uint32_t from, uint32_t to, uint64_t at, std::function<void()> what) {
    places[to].here.emplace(Key{at, from, number++}, std::move(what));
    plan(to);
  }
  void run(uint64_t end) {
    while (!turns.empty() && turns.top().first < end) {
      const auto [at, n] = turns.top();
      turns.pop();
      Place& p = places[n];
      if (at != p.planned) continue;  // it had another turn before
      p.planned = PB_NEVER;
      MeshNode& node = *p.node;
      node.pass(at);
      sni_timer(node.board());
      while (!p.here.empty() && std::get<0>(p.here.begin()->first) <= at) {
        p.here.begin()->second();
        p.here.erase(p.here.begin());
      }
      if (node.own() <= at) node.act();
      plan(n);
    }
    for (Place& p : places) p.node->pass(end);
  }
};

Queue* queue_of(SniBoard* b) { return static_cast<Queue*>(MeshNode::of(b).setup().opaque); }

bool send(SniBoard* b, const SniFlight* f, uint64_t sent) {
  Queue* const queue = queue_of(b);
  SniFlight flight = *f;
  flight.sender = sni::coordinate(b->config, b->config.node);
  sni::fill_in_way(flight, sni::worm_of(*b, flight, sent), 0);
  flight.start = flight.end = flight.landed = 0;
  flight.entry = 0;
  const uint32_t to = sni::node_at(b->config, sni::Header::of(f->header).to);
  queue->put(b->config.node, to, flight.arrive + sni::kReceive, [queue, to, flight] {
    sni_port_arrive(queue->places[to].node->board(), &flight);
    queue->places[to].node->arrived();
  });
  return true;
}

void done(SniBoard* b, const SniFlight* f) {
  Queue* const queue = queue_of(b);
  const uint32_t to = sni::node_at(b->config, f->sender);
  const uint64_t at = f->landed + sni::kBackplane;
  queue->put(b->config.node, to, at, [queue, to, at] {
    sni_port_credit(queue->places[to].node->board(), at);
    queue->places[to].node->arrived();
  });
}

constexpr SniFabric kOneQueue = {"one-queue", send, done};

}  // namespace

void run_in_one_queue(Pattern pattern, uint64_t end, Meter& meter, Row& row) {
  Queue queue;
  queue.places.resize(row.nodes);
  for (uint32_t n = 0; n < row.nodes; n++) {
    queue.places[n].node = std::make_unique<MeshNode>(MeshNode::Setup{
        .pattern = pattern, .node = n, .nodes = row.nodes, .fabric = &kOneQueue, .opaque = &queue});
    queue.plan(n);
  }
  meter.start();
  queue.run(end);
  meter.stop(row);
  for (const Queue::Place& p : queue.places) {
    row.events += p.node->events;
    row.hash += p.node->hash;
  }
}

}  // namespace perfboard::scale
