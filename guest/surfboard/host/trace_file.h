// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trace, histogram and FIFO files (TR-596-99, B.2.2) - one reader and one writer for surf and the tools.
//
//   Input in("run1.trace");
//   for (TraceEntry e; read(in, e);) ...       // false at the end; FileError names file and line
//   Output out("-");
//   write(out, e); out.close();
//
//   trace      IIIIII w0 w1 w2 w3    index and the four words of A.7, 6 and 8 hex digits
//   histogram  AAAAAA CCCCCCCC       bin address and count
//   FIFO       AAAAAA                a bin address, first in first; INFERRED: the paper names no format
//
// '#' begins a comment, blank lines are ignored, fields are separated by blanks or tabs, and a line
// may end in CR LF. Leading zeros may be left out; more digits than the format has are an error.
#pragma once

#include <array>
#include <cstdint>

#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/surfboard/regs.h"

namespace perfboard {

struct TraceEntry {
  uint32_t index = 0;
  std::array<uint32_t, 4> word{};

  uint32_t sender() const { return SURF_GET(TRACE0_SENDER, word[0]); }
  bool overflow() const { return word[0] & SURF_TRACE0_V; }
  bool underflow() const { return word[0] & SURF_TRACE0_U; }
  uint32_t latency() const { return SURF_GET(TRACE0_LATENCY, word[0]); }
  uint32_t category() const { return SURF_GET(TRACE1_CATEGORY, word[1]); }
  uint32_t color() const { return SURF_GET(TRACE1_COLOR, word[1]); }
  uint64_t receive_time() const { return uint64_t{SURF_GET(TRACE1_RTIME, word[1])} << 32 | word[2]; }
  bool interrupt() const { return word[3] & SURF_TRACE3_I; }
  uint32_t presence() const { return SURF_GET(TRACE3_P, word[3]); }
  uint32_t byte_enables() const { return SURF_GET(TRACE3_BE, word[3]); }
  uint32_t address() const { return SURF_GET(TRACE3_ADDRESS, word[3]) << 2; }
  uint32_t page() const { return address() >> 12; }
  // Payload words as the 10-bit counter has them.
  uint32_t raw_size() const { return SURF_GET(TRACE1_SIZE, word[1]); }
  // INFERRED: a packet has at least one word and at most 1024 (a page), so the counter's 0 is 1024.
  uint32_t size() const { return raw_size() ? raw_size() : 1024; }

  bool operator==(const TraceEntry&) const = default;
};

struct HistogramBin {
  uint32_t address = 0;  // 24 bits
  uint32_t count = 0;
  bool operator==(const HistogramBin&) const = default;
};

bool read(Input& in, TraceEntry& entry);
bool read(Input& in, HistogramBin& bin);
bool read_fifo(Input& in, uint32_t& address);

void write(Output& out, const TraceEntry& entry);
void write(Output& out, const HistogramBin& bin);
void write_fifo(Output& out, uint32_t address);

}  // namespace perfboard
