// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_nodes.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <bitset>

namespace perfboard::mk {
namespace {

// Each sample and reset of such a stream has a node's word in front. So one that is read from anywhere has
// one after so many words.
constexpr size_t kSoon = MK_RESOURCE_BYTES + 1;

std::bitset<MK_STREAM_NODES> nodes_in(const std::string& file) {
  std::bitset<MK_STREAM_NODES> nodes;
  struct stat status;
  if (stat(file.c_str(), &status) || !S_ISREG(status.st_mode)) return nodes;
  ByteInput in(file);
  std::vector<uint8_t> block(1 << 16);
  size_t words = 0;
  for (size_t n; (n = in.read(block.data(), block.size())) > 1;) {
    for (size_t i = 0; i + 1 < n; i += 2) {
      const unsigned w = block[i] | block[i + 1] << 8;
      if (MK_STREAM_IS_NODE(w)) nodes.set(MK_STREAM_NODE_OF(w));
    }
    words += n / 2;
    if (words > kSoon && nodes.none()) break;
  }
  return nodes;
}

}  // namespace

std::vector<Stream> of_nodes(const std::vector<NodeFile>& files) {
  std::vector<Stream> streams;
  const auto add = [&](Stream stream) {
    for (const Stream& other : streams)
      if (other.node == stream.node)
        throw UsageError("files", show_word(stream.node) + ": two streams of this node");
    streams.push_back(std::move(stream));
  };
  for (size_t i = 0; i < files.size(); i++) {
    const std::bitset<MK_STREAM_NODES> nodes = nodes_in(files[i].file);
    if (nodes.none()) add({files[i], kNoNodes});
    for (unsigned n = 0; n < MK_STREAM_NODES; n++)
      if (nodes[n])
        add({{files[i].node == fmt::to_string(i) ? fmt::to_string(n) : fmt::format("{}.{}", files[i].node, n),
              files[i].file},
             static_cast<int>(n)});
  }
  return streams;
}

}  // namespace perfboard::mk
