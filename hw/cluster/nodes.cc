// SPDX-License-Identifier: GPL-2.0-or-later
//
// perfboard-nodes FILE - how far the nodes of a cluster are, while they run. A line for each: its number;
// away, here or left; its virtual time, ns; the number of the node that it sleeps for, or -. It looks and
// changes nothing.
#include <cstdio>
#include <string>

#include "hw/cluster/segment.h"

using namespace perfboard::cluster;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: perfboard-nodes FILE, what the nodes share\n", stderr);
    return 2;
  }
  Segment segment;
  std::string wrong;
  if (!copy_to_look(argv[1], segment, wrong)) {
    std::fprintf(stderr, "perfboard-nodes: %s: %s\n", argv[1], wrong.c_str());
    return 1;
  }
  static const char* const kStates[] = {"away", "away", "here", "left"};
  for (uint32_t n = 0; n < segment.nodes; n++) {
    const Node& node = segment.node(n);
    const uint32_t state = node.state, for_whom = node.waits_for;
    std::printf(
        "%u %s %llu %s\n", n, kStates[state <= kLeft ? state : kAway],
        static_cast<unsigned long long>(node.now.load()),
        state == kHere && for_whom && for_whom <= segment.nodes ? std::to_string(for_whom - 1).c_str() : "-");
  }
  return std::fflush(stdout) ? 1 : 0;
}
