// SPDX-License-Identifier: GPL-2.0-or-later
//
// Groups - of many nodes none looks at each: kGroup nodes in order are a group, which says what all of them
// say. A node looks at the nodes of its own group, and at the other groups. Up to kGroup nodes are one group,
// and nobody says anything for it.
//
//   node.promise = ...                  a node says something
//   tell_group(segment, node, taken);   it counts for the group
//
// There is no leader: whoever has raised its promise works out the group's and raises that. Promises never go
// back, so the least of any that were read is a promise, and of two of these the later one.
#pragma once

#include "hw/cluster/segment.h"

namespace perfboard::cluster {

// After that node's page has been written. taken: messages, since it was told last.
void tell_group(const Segment& segment, uint32_t node, uint64_t taken);
// Before a message of that node's is in its ring.
void count_sent(const Segment& segment, uint32_t node);

// Counts that change when nodes say something: those of the others of `node`'s group, and of the other
// groups.
uint64_t changes(const Segment& segment, uint32_t node);
// False: messages are on their way, so that it would not be worth while to look at all nodes.
bool may_be_quiet(const Segment& segment);

struct Least {
  uint64_t promise;
  uint32_t node;  // whose it is; of another group the first one
};
// Of all but `node`, and not above `most`, which is `nobody`'s.
Least least_promise(const Segment& segment, uint32_t node, uint64_t most, uint32_t nobody);
// Who of that node's group has promised least.
uint32_t least_of_group(const Segment& segment, uint32_t node);

}  // namespace perfboard::cluster
