// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/mpi/transport.h"

namespace perfboard::cluster {
namespace {

constexpr int kTag = 1;

}  // namespace

// MPI's default is to end the program by itself where a call of it fails: its results are not looked at.
void MpiTransport::send(uint32_t host, Bytes bytes) {
  under_way_[host] += bytes.size();
  Sent& s = sent_[host].emplace_back(Sent{std::move(bytes), MPI_REQUEST_NULL});
  MPI_Isend(s.bytes.data(), static_cast<int>(s.bytes.size()), MPI_BYTE, static_cast<int>(host), kTag,
            MPI_COMM_WORLD, &s.request);
}

bool MpiTransport::receive(uint32_t host, Bytes& bytes) {
  int there = 0, size = 0;
  MPI_Status status;
  MPI_Iprobe(static_cast<int>(host), kTag, MPI_COMM_WORLD, &there, &status);
  if (!there) return false;
  MPI_Get_count(&status, MPI_BYTE, &size);
  bytes.clear();
  if (size < 0 || static_cast<uint32_t>(size) > kMostBatch) return true;
  bytes.resize(static_cast<size_t>(size));
  MPI_Recv(bytes.data(), size, MPI_BYTE, static_cast<int>(host), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return true;
}

void MpiTransport::free_sent() {
  for (uint32_t h = 0; h < kMostHosts; h++)
    for (int done = 1; !sent_[h].empty(); sent_[h].pop_front()) {
      MPI_Test(&sent_[h].front().request, &done, MPI_STATUS_IGNORE);
      if (!done) break;
      under_way_[h] -= sent_[h].front().bytes.size();
    }
}

void MpiTransport::finish() {
  for (auto& sent : sent_)
    for (; !sent.empty(); sent.pop_front()) MPI_Wait(&sent.front().request, MPI_STATUS_IGNORE);
}

}  // namespace perfboard::cluster
