// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write on smile's command line: filters, parts of the window, data structures with names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "guest/common/input.h"
#include "guest/smile/cmd/cards.h"
#include "guest/smile/lib/smilelib.h"

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

// A program's names for what it has in the window (smile_names_write()), and counts by these names.
//
//   Names names; Input in("radix.names"); read_names(in, names);
//   names.expand("keys,filter=read", "radix.names")   "keys=0+262144,filter=read"
//   Shares shares(names, 4096);
//   shares.add(cell) ...                              the sum over all rows is the sum of what was added

struct Name {
  std::string name;
  uint64_t offset, bytes;
};

class Names {
 public:
  // Empty if it overlaps with none; else that one's name, and it is not added.
  std::string add(const Name& name);
  // Those that have bytes there, by offset.
  std::vector<const Name*> in(uint64_t offset, uint64_t bytes) const;
  // "keys", or "keys, sums" if the bytes are of both; empty: of none.
  std::string text(uint64_t offset, uint64_t bytes) const;
  // A word of `smile watch` that begins with a name instead of NAME=RANGE gets its range. Misuse: `file` has
  // no such name.
  std::string expand(const std::string& word, const std::string& file) const;
  std::vector<std::string> all() const;  // by offset

 private:
  std::map<uint64_t, Name> by_offset_;
};

// Lines name,offset,bytes. FileError says what is wrong.
void read_names(Input& in, Names& names);

// A unit's count goes to the structure that has bytes in it. If several have, it is divided in proportion to
// their bytes there, in whole numbers that sum up to the count (largest remainder, at a tie the lower
// offset). Bytes that no structure has take no part, unless the whole unit has none: then it is nobody's.
class Shares {
 public:
  Shares(const Names& names, uint64_t unit_bytes) : names_(names), unit_bytes_(unit_bytes) {}
  void add(const smile_cell& cell);

  using Pair = std::pair<unsigned, unsigned>;  // source, destination
  struct Row {
    std::string name;  // kNobody
    std::map<Pair, uint64_t> count;
    uint64_t all() const;
    uint64_t from(unsigned source) const;
  };
  static constexpr const char* kNobody = "-";
  // By offset, nobody's last; those with no count are left out.
  std::vector<Row> rows() const;
  uint64_t divided() const { return divided_; }  // of the counts: so many were in units of several structures

 private:
  const Names& names_;
  uint64_t unit_bytes_, divided_ = 0;
  std::map<uint64_t, Row> rows_;  // by offset
};

}  // namespace perfboard::smile
