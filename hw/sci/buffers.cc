// SPDX-License-Identifier: GPL-2.0-or-later
//
// Write-combining buffers of the processors.
#include <algorithm>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr uint64_t kAll = UINT64_MAX;

SciBuffer* first_unused(SciAdapter* a, SciNode& n) {
  return std::find_if(n.buffer, n.buffer + a->config.wc_buffers,
                      [](const SciBuffer& b) { return b.bytes == 0; });
}

// What a buffer holds goes to the page's home of now.
void send(SciAdapter* a, uint8_t node, uint64_t ns, const SciBuffer& b) {
  const uint64_t line = uint64_t{b.line} * SCI_LINE_BYTES;
  const uint8_t home = home_of(a, line);
  if (home == node) return;
  const uint8_t* const data = a->config.memory + line;
  if (b.bytes == kAll) return post(a, {line, SCI_WRITE, node, home, 0xff, true, data}, ns);
  for (uint32_t i = 0; i < SCI_LINE_BYTES; i += 8)
    if (const auto enables = static_cast<uint8_t>(b.bytes >> i))
      post(a, {line + i, SCI_WRITE, node, home, enables, false, data + i}, ns);
}

void leave(SciAdapter* a, uint8_t node, uint64_t ns, SciBuffer* b) {
  SciNode& n = a->state.node[node];
  const SciBuffer gone = *b;
  std::move(b + 1, n.buffer + a->config.wc_buffers, b);
  n.buffer[a->config.wc_buffers - 1] = {};
  --a->derived.filled;
  send(a, node, ns, gone);
}

}  // namespace

void combine(SciAdapter* a, uint8_t node, uint64_t ns, uint64_t offset, uint32_t bytes) {
  SciNode& n = a->state.node[node];
  const auto line = static_cast<uint32_t>(offset / SCI_LINE_BYTES);
  const uint64_t stored = ((uint64_t{1} << bytes) - 1) << offset % SCI_LINE_BYTES;
  SciBuffer* b =
      std::find_if(n.buffer, first_unused(a, n), [&](const SciBuffer& x) { return x.line == line; });
  if (b == n.buffer + a->config.wc_buffers) leave(a, node, ns, n.buffer), --b;
  if (b->bytes == 0) {
    b->line = line;
    ++a->derived.filled;
  }
  b->bytes |= stored;
  if (b->bytes == kAll) leave(a, node, ns, b);
}

void drain(SciAdapter* a, uint8_t node, uint64_t ns) {
  if (a->state.node[node].buffer[0].bytes) tell_effect(a, effect("buffers-left"), node);
  while (a->state.node[node].buffer[0].bytes) leave(a, node, ns, a->state.node[node].buffer);
}

uint32_t filled(const SciState& s) {
  uint32_t n = 0;
  for (const SciNode& node : s.node)
    for (const SciBuffer& b : node.buffer) n += b.bytes != 0;
  return n;
}

}  // namespace perfboard::sci
