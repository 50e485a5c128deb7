// SPDX-License-Identifier: GPL-2.0-or-later
//
// perfboard-carrier FILE NODES JOIN - the carrier of one host of a cluster; MPI's ranks are the hosts.
//
// FILE is the segment of this host, which its nodes are given as cluster=FILE; JOIN is in ns. perfboard
// cluster starts it. It ends when all nodes of all hosts have ended. SIGTERM: those of this host that have
// not come do not come any more. Status 1, and a line: a node of this host has died. Else what is wrong is a
// line, and the end of all ranks.
#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "hw/cluster/carrier.h"
#include "hw/cluster/mpi/transport.h"
#include "hw/cluster/segment.h"

namespace {

using namespace perfboard::cluster;

constexpr uint32_t kTries =
    400;  // with nothing to carry, before the first nap: a step of busy nodes takes less
constexpr long kNapNs = 30'000;       // short: what comes meanwhile waits
constexpr long kLongNapNs = 500'000;  // nodes boot, or compute alone
constexpr uint32_t kNaps = 2000;      // before they become long

volatile std::sig_atomic_t told_no_more = 0;

void complain(const std::string& what) { std::fprintf(stderr, "perfboard-carrier: %s\n", what.c_str()); }

bool number(const char* text, uint64_t& value) {
  char* end;
  errno = 0;
  value = std::strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

// The host may have no processor for this program alone: whoever waits gives it to a node.
void wait(uint32_t idle) {
  if (idle < kTries) {
    sched_yield();
    return;
  }
  const timespec nap = {0, idle < kTries + kNaps ? kNapNs : kLongNapNs};
  nanosleep(&nap, nullptr);
}

int carry(const CarrierConfig& config) {
  MpiTransport transport;
  Carrier carrier(config, transport);
  carrier.open();
  for (uint32_t idle = 0; !carrier.done() && carrier.wrong().empty();) {
    if (told_no_more) carrier.no_more();
    if (carrier.step()) {
      idle = 0;
      transport.free_sent();
    } else {
      wait(idle++);
    }
  }
  if (!carrier.wrong().empty()) {
    complain(carrier.wrong());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  transport.finish();
  if (carrier.died().empty()) return 0;
  complain(carrier.died());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t nodes, join;
  if (argc != 4 || !number(argv[2], nodes) || !number(argv[3], join)) {
    std::fputs("usage: perfboard-carrier FILE NODES JOIN, as a rank of MPI\n", stderr);
    return 2;
  }
  struct sigaction action = {};
  action.sa_handler = [](int) { told_no_more = 1; };
  sigaction(SIGTERM, &action, nullptr);
  prctl(PR_SET_TIMERSLACK, 1);
  ask_for_short_turns();
  MPI_Init(nullptr, nullptr);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int status = carry({.path = argv[1],
                            .nodes = static_cast<uint32_t>(std::min<uint64_t>(nodes, UINT32_MAX)),
                            .hosts = static_cast<uint32_t>(size),
                            .host = static_cast<uint32_t>(rank),
                            .join = join});
  MPI_Finalize();
  return status;
}
