// SPDX-License-Identifier: GPL-2.0-or-later
//
// bench-mkstream MEGABYTES >FILE - a stream of MULTIKRON's network to measure guest/multikron/host with. Four
// CPUs are by turns in nested states. Each hundredth sample is a resource sample. Nothing is damaged.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "hw/multikron/stream.h"

namespace {

std::vector<uint8_t> g_out;

void word(unsigned w) {
  g_out.push_back(static_cast<uint8_t>(w));
  g_out.push_back(static_cast<uint8_t>(w >> 8));
}

void sample(uint64_t stamp, unsigned cpu, unsigned kind, unsigned id, const std::vector<uint32_t>& counters) {
  std::vector<uint8_t> bytes;
  const auto put = [&](uint64_t value, unsigned size) {
    while (size-- > 0) bytes.push_back(static_cast<uint8_t>(value >> 8 * size));
  };
  put(cpu << 5 | (counters.empty() ? MK_TYPE_TRACE : MK_TYPE_RESOURCE) << 3, 1);
  put(stamp, 5);
  put(0x7b, 4);
  put(uint64_t{kind} << 40 | uint64_t{id} << 24 | (stamp & 0xffffff), 6);
  for (uint32_t c : counters) put(c, 4);
  for (size_t i = 0; i < bytes.size(); i++) word(mk_stream_element(bytes[i], i + 1 == bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t megabytes = argc == 2 ? strtoull(argv[1], nullptr, 10) : 0;
  if (megabytes == 0) {
    fprintf(stderr, "bench-mkstream: expected a number of megabytes\n");
    return 2;
  }
  uint64_t written = 0, stamp = 0, random = 1;
  word(MK_STREAM_EVENT | MK_EVENT_HARDWARE_RESET);
  std::vector<uint32_t> counters(16);
  // A CPU's turn: enter 1, enter 2 to 4, exit that, exit 1.
  for (uint64_t n = 0; written < megabytes * 1000000; n++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    stamp += 1 + (random >> 60);
    const unsigned cpu = n & 3, turn = n >> 2 & 3, inner = 2 + (n >> 4) % 3;
    if (n % 100 == 99) {
      for (size_t i = 0; i < 4; i++) counters[i] += static_cast<uint32_t>((random >> 40) % (1000 << 4 * i));
      sample(stamp, cpu, 3, 9, counters);
    }
    sample(stamp, cpu, turn < 2 ? 1 : 2, turn == 0 || turn == 3 ? 1 : inner, {});
    if (g_out.size() < 1 << 20) continue;
    if (fwrite(g_out.data(), 1, g_out.size(), stdout) != g_out.size()) {
      perror("bench-mkstream");
      return 1;
    }
    written += g_out.size();
    g_out.clear();
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
