// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nodes of a network in this process: in step by the cluster's promises, or all in one queue of events
// (threads=0). A line of what they did and what it took.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "hw/cluster/carrier.h"
#include "tests/bench/scale/in_step.h"
#include "tests/unit/cluster/net.h"

namespace {

using namespace perfboard::scale;
using namespace perfboard::cluster;

// A folder in memory that goes with the object.
struct Folder {
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(uint32_t host) const { return path + "/" + std::to_string(host); }
  const std::string path = "/dev/shm/bench-scale." + std::to_string(getpid());
};

void run_threads(Host& host, uint32_t threads, uint64_t end) {
  std::vector<std::thread> others;
  const auto run = [&host, threads, end](uint32_t part) {
    while (!host.at_end(part, threads, end))
      if (!host.turn(part, threads, end)) sched_yield();
  };
  for (uint32_t part = 1; part < threads; part++) others.emplace_back(run, part);
  run(0);
  for (std::thread& t : others) t.join();
}

// Several hosts with a carrier each, all in this thread.
void run_hosts(std::vector<std::unique_ptr<Host>>& hosts, std::vector<std::unique_ptr<Carrier>>& carriers,
               uint64_t end) {
  for (size_t at_end = 0; at_end < hosts.size();) {
    at_end = 0;
    for (size_t h = 0; h < hosts.size(); h++) {
      carriers[h]->step();
      if (!carriers[h]->wrong().empty()) fail(carriers[h]->wrong());
      hosts[h]->turn(0, 1, end);
      at_end += hosts[h]->at_end(0, 1, end);
    }
  }
}

void run_in_step(Pattern pattern, uint64_t end, Meter& meter, Row& row) {
  const Folder folder;
  std::vector<std::unique_ptr<Host>> hosts;
  std::vector<std::unique_ptr<Carrier>> carriers;
  Net net(row.hosts, 0);
  for (uint32_t h = 0; h < row.hosts && row.hosts > 1; h++) {
    const CarrierConfig config = {
        .path = folder.file(h), .nodes = row.nodes, .hosts = row.hosts, .host = h, .join = kBegin};
    carriers.push_back(std::make_unique<Carrier>(config, net.port(h)));
    if (!carriers[h]->open()) fail(carriers[h]->wrong());
  }
  for (uint32_t h = 0; h < row.hosts; h++)
    hosts.push_back(std::make_unique<Host>(folder.file(h), pattern, row.nodes,
                                           first_node(row.nodes, row.hosts, h),
                                           first_node(row.nodes, row.hosts, h + 1)));
  meter.start();
  if (row.hosts > 1)
    run_hosts(hosts, carriers, end);
  else
    run_threads(*hosts[0], row.threads, end);
  meter.stop(row);
  for (const auto& host : hosts) host->add_to(row);
}

}  // namespace

int main(int argc, char** argv) {
  const Options o(argc, argv, "pattern=random nodes=4 us=1000 threads=1 hosts=1");
  Pattern pattern;
  Row row = row_of(o, pattern);
  row.hosts = o.number("hosts", 1, std::min(kMostHosts, row.nodes));
  row.threads = o.number("threads", kNetwork.in_one_queue ? 0 : 1, 64);
  const uint64_t end = kBegin + row.us * 1000;
  Meter meter;
  if (row.threads)
    run_in_step(pattern, end, meter, row);
  else
    kNetwork.in_one_queue(pattern, end, meter, row);
  print(row);
  return 0;
}
