// SPDX-License-Identifier: GPL-2.0-or-later
//
// Hosts of one process: a Transport between carriers that are threads. What is sent arrives in order, after a
// while that is random.
//
//   Net net(hosts, most_us);
//   Carrier carrier({...}, net.port(host));
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <random>
#include <vector>

#include "hw/cluster/carrier.h"

namespace perfboard::cluster {

class Net {
 public:
  Net(uint32_t hosts, unsigned most_us) : hosts_(hosts), most_us_(most_us), ways_(hosts * hosts) {
    for (uint32_t h = 0; h < hosts; h++) ports_.emplace_back(*this, h);
  }
  Transport& port(uint32_t host) { return ports_[host]; }
  uint64_t batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Item {
    Clock::time_point due;
    Bytes bytes;
  };
  struct Port : Transport {
    Port(Net& of, uint32_t own) : net(of), host(own) {}
    void send(uint32_t to, Bytes bytes) override { net.send(host, to, std::move(bytes)); }
    bool receive(uint32_t from, Bytes& bytes) override { return net.receive(from, host, bytes); }
    Net& net;
    uint32_t host;
  };

  void send(uint32_t from, uint32_t to, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    std::deque<Item>& way = ways_[from * hosts_ + to];
    auto due = Clock::now() + std::chrono::microseconds(most_us_ ? random_() % most_us_ : 0);
    if (!way.empty()) due = std::max(due, way.back().due);
    way.push_back({due, std::move(bytes)});
    batches_++;
  }
  bool receive(uint32_t from, uint32_t to, Bytes& bytes) {
    const std::lock_guard lock(mutex_);
    std::deque<Item>& way = ways_[from * hosts_ + to];
    if (way.empty() || way.front().due > Clock::now()) return false;
    bytes = std::move(way.front().bytes);
    way.pop_front();
    return true;
  }

  const uint32_t hosts_;
  const unsigned most_us_;
  std::mutex mutex_;
  std::mt19937 random_{1};
  uint64_t batches_ = 0;
  std::vector<std::deque<Item>> ways_;
  std::deque<Port> ports_;
};

}  // namespace perfboard::cluster
