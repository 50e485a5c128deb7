// SPDX-License-Identifier: GPL-2.0-or-later
//
// Nodes in step, those of one host in this process: each has its Cluster, and promises for itself.
//
//   Host host(path, pattern, nodes, first, end);     nodes first to end - 1
//   while (!host.at_end(end_ns)) host.turn(part, parts, end_ns);      each node goes as far as it may
//
// A turn is of one thread; several threads have a part of the nodes each.
#pragma once

#include <string>
#include <vector>

#include "hw/model/host.h"
#include "tests/bench/scale/node.h"

namespace perfboard::scale {

class Host {
 public:
  Host(const std::string& path, Pattern pattern, uint32_t nodes, uint32_t first, uint32_t end);
  ~Host();
  Host(const Host&) = delete;

  // True: some node has gone on. Ends the program, with a line, if something is wrong.
  bool turn(uint32_t part, uint32_t parts, uint64_t end);
  // All nodes of that part, and have said so.
  bool at_end(uint32_t part, uint32_t parts, uint64_t end) const;
  void leave();
  void add_to(Row& row) const;

 private:
  struct Member {
    std::unique_ptr<Node> node;
    Cluster* cluster;
    uint64_t limit = 0, promises = 0;
    uint64_t said_now = PB_NEVER, said_next = 0, said_came = 0;
    bool delivered = false;
  };
  uint32_t first_of(uint32_t part, uint32_t parts) const {
    return static_cast<uint32_t>(members_.size() * part / parts);
  }
  void promise(Member& m, uint64_t end);
  bool go(Member& m, uint64_t end);

  std::vector<Member> members_;
};

}  // namespace perfboard::scale
