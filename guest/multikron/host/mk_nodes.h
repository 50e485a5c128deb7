// SPDX-License-Identifier: GPL-2.0-or-later
//
// A file with the streams of several nodes (hw/multikron/stream.h: MK_STREAM_NODE), as a stream for each
// node.
//
//   for (const Stream& s : of_nodes(node_files(...))) StreamReader reader(s.file, long_gaps, s.only);
#pragma once

#include <vector>

#include "guest/common/node_files.h"
#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

struct Stream : NodeFile {
  int only = kNoNodes;  // for StreamReader
};

// A file of several nodes becomes that many streams, whose labels are the nodes' numbers: N, or LABEL.N if
// the file was given a label of its own. Pipes are not looked at, as they can be read once. UsageError: a
// node twice.
std::vector<Stream> of_nodes(const std::vector<NodeFile>& files);

}  // namespace perfboard::mk
