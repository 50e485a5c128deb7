// SPDX-License-Identifier: GPL-2.0-or-later
//
// A carrier's Transport over MPI: hosts are ranks, and MPI keeps the order between any two.
//
//   MPI_Init(...);
//   MpiTransport transport;
//   ... carrier.step(); transport.free_sent(); ...
//   transport.finish();
//
// One thread. Nothing here waits but finish().
#pragma once

#include <mpi.h>

#include <deque>

#include "hw/cluster/carrier.h"

namespace perfboard::cluster {

class MpiTransport : public Transport {
 public:
  void send(uint32_t host, Bytes bytes) override;
  // What is larger than any batch comes as nothing, which no batch is.
  bool receive(uint32_t host, Bytes& bytes) override;
  uint64_t under_way(uint32_t host) const override { return under_way_[host]; }
  // What has been sent is kept until MPI does not need it any more.
  void free_sent();
  void finish();

 private:
  struct Sent {
    Bytes bytes;
    MPI_Request request;
  };
  std::deque<Sent> sent_[kMostHosts];
  uint64_t under_way_[kMostHosts] = {};
};

}  // namespace perfboard::cluster
