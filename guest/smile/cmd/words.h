// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write on smile's command line: filters, parts of the window, data structures with names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guest/smile/cmd/cards.h"

namespace perfboard::smile {

// Decimal, or hexadecimal after 0x; K and M behind it multiply.
uint64_t parse_bytes(const std::string& what, const std::string& text);

// "sent", "received", or words with + between: read write lock unlock request response inbound outbound. Of a
// group (type, kind, direction) that no word is of, all pass. "all".
uint32_t parse_filter(const std::string& text);
std::string filter_text(uint32_t filter);

// NAME=RANGE[,filter=FILTER][,start=EVENT][,stop=EVENT]
// RANGE: FIRST-LAST (bytes, both included) or FIRST+BYTES; EVENT: timer, global1 to global15, or another
// structure's NAME.
struct Watch {
  std::string name;
  uint64_t offset, bytes;
  uint32_t filter = 0;
  std::string start, stop;  // empty: none
};
Watch parse_watch(const std::string& text);
// With events resolved to numbers; names point into `watches`.
std::vector<smile_watch> resolve(const std::vector<Watch>& watches);

// 1 to 15, or global1 to global15: the number of the event.
uint32_t parse_global(const std::string& text);

}  // namespace perfboard::smile
