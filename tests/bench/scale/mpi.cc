// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same nodes divided over MPI's ranks: each is a host with a segment, its nodes and a
// carrier, all in one thread. Rank 0 has the line.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "hw/cluster/mpi/transport.h"
#include "tests/bench/scale/in_step.h"

namespace {

using namespace perfboard::scale;
using namespace perfboard::cluster;

void run(Pattern pattern, uint32_t rank, Meter& meter, Row& row) {
  const std::string path = "/dev/shm/bench-scale." + std::to_string(getpid());
  const uint64_t end = kBegin + row.us * 1000;
  MpiTransport transport;
  Carrier carrier({.path = path, .nodes = row.nodes, .hosts = row.hosts, .host = rank, .join = kBegin},
                  transport);
  if (!carrier.open()) fail(carrier.wrong());
  Host host(path, pattern, row.nodes, first_node(row.nodes, row.hosts, rank),
            first_node(row.nodes, row.hosts, rank + 1));
  std::filesystem::remove(path);
  MPI_Barrier(MPI_COMM_WORLD);
  meter.start();
  // At the end a node waits for the others before it leaves: what is sent to one that has left would be under
  // way for ever.
  MPI_Request all = MPI_REQUEST_NULL;
  for (int at_end = 0, left = 0; !carrier.done();) {
    const bool carried = carrier.step();
    if (!carrier.wrong().empty()) fail(carrier.wrong());
    transport.free_sent();
    if (!host.turn(0, 1, end) && !carried) sched_yield();
    if (!at_end && host.at_end(0, 1, end)) {
      at_end = 1;
      MPI_Ibarrier(MPI_COMM_WORLD, &all);
    }
    if (!at_end || left) continue;
    MPI_Test(&all, &left, MPI_STATUS_IGNORE);
    if (!left) continue;
    meter.stop(row);
    host.leave();
  }
  transport.finish();
  host.add_to(row);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Options o(argc, argv, "pattern=random nodes=4 us=1000");
  Pattern pattern;
  Row row = row_of(o, pattern);
  row.hosts = static_cast<uint32_t>(size);
  Meter meter;
  run(pattern, static_cast<uint32_t>(rank), meter, row);
  const uint64_t own[] = {row.events, row.promises, row.cpu_ns, row.own_bytes, row.shared_bytes, row.hash};
  uint64_t sums[6];
  MPI_Reduce(own, sums, 6, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank) {
    row.events = sums[0];
    row.promises = sums[1];
    row.cpu_ns = sums[2];
    row.own_bytes = sums[3];
    row.shared_bytes = sums[4];
    row.hash = sums[5];
    print(row);
  }
  MPI_Finalize();
  return 0;
}
