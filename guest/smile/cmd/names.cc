// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "guest/common/ranges.h"
#include "guest/smile/cmd/cards.h"
#include "hw/core/number.h"

namespace perfboard::smile {
namespace {

constexpr std::string_view kHead = "name,offset,bytes";
constexpr uint64_t kNobodysOffset = UINT64_MAX;  // behind all

// The structure's bytes in the unit.
uint64_t shared_bytes(const Name& n, uint64_t offset, uint64_t bytes) {
  return std::min(n.offset + n.bytes, offset + bytes) - std::max(n.offset, offset);
}

struct Part {
  const Name* name;
  uint64_t count, rest;
};

}  // namespace

std::string Names::add(const Name& name) {
  if (const std::vector<const Name*> others = in(name.offset, name.bytes); !others.empty())
    return others[0]->name;
  by_offset_[name.offset] = name;
  return "";
}

std::vector<const Name*> Names::in(uint64_t offset, uint64_t bytes) const {
  std::vector<const Name*> found;
  auto at = by_offset_.upper_bound(offset);
  if (at != by_offset_.begin()) --at;
  for (; at != by_offset_.end() && at->second.offset < offset + bytes; ++at)
    if (at->second.offset + at->second.bytes > offset) found.push_back(&at->second);
  return found;
}

std::string Names::text(uint64_t offset, uint64_t bytes) const {
  std::string text;
  for (const Name* n : in(offset, bytes)) text += (text.empty() ? "" : ", ") + n->name;
  return text;
}

std::string Names::expand(const std::string& word, const std::string& file) const {
  const size_t end = std::min(word.find(','), word.size());
  const std::string name = word.substr(0, end);
  if (name.find('=') != name.npos) return word;
  for (const auto& [offset, n] : by_offset_)
    if (n.name == name) return fmt::format("{}={}+{}{}", name, n.offset, n.bytes, word.substr(end));
  throw Misuse(fmt::format("{}: {} names {}", name, file, fmt::join(all(), ", ")));
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  for (const auto& [offset, n] : by_offset_) names.push_back(n.name);
  return names;
}

void read_names(Input& in, Names& names) {
  std::string_view line;
  if (!in.content(line)) throw FileError(fmt::format("{}: nothing in it", in.name()));
  if (line != kHead) in.fail(fmt::format("{}: expected {}", show_word(line), kHead));
  while (in.content(line)) {
    const std::vector<std::string> fields = split(std::string(line), ',');
    if (fields.size() != 3) in.fail(fmt::format("{} fields, expected 3", fields.size()));
    Name n{fields[0], 0, 0};
    if (n.name.empty() || n.name.find('=') != n.name.npos)
      in.fail(fmt::format("{}: not a name", show_word(n.name)));
    if (!parse_number(fields[1], n.offset) || !parse_number(fields[2], n.bytes) || !n.bytes ||
        n.bytes > UINT64_MAX - n.offset)
      in.fail(fmt::format("{}: offset and bytes {},{}: no part of a window", n.name, show_word(fields[1]),
                          show_word(fields[2])));
    const std::vector<std::string> known = names.all();
    if (std::find(known.begin(), known.end(), n.name) != known.end())
      in.fail(fmt::format("{}: the name stands there twice", n.name));
    if (const std::string other = names.add(n); !other.empty())
      in.fail(fmt::format("{} overlaps with {}", n.name, other));
  }
}

void Shares::add(const smile_cell& cell) {
  const uint64_t offset = cell.unit * unit_bytes_;
  const Pair pair(cell.source, cell.destination);
  const std::vector<const Name*> owners = names_.in(offset, unit_bytes_);
  if (owners.empty()) {
    Row& nobody = rows_[kNobodysOffset];
    nobody.name = kNobody;
    nobody.count[pair] += cell.count;
    return;
  }
  uint64_t bytes = 0, left = cell.count;
  for (const Name* n : owners) bytes += shared_bytes(*n, offset, unit_bytes_);
  std::vector<Part> parts;
  for (const Name* n : owners) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(cell.count) * shared_bytes(*n, offset, unit_bytes_);
    parts.push_back({n, static_cast<uint64_t>(product / bytes), static_cast<uint64_t>(product % bytes)});
    left -= parts.back().count;
  }
  std::vector<Part*> order;
  for (Part& p : parts) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(),
                   [](const Part* a, const Part* b) { return a->rest > b->rest; });
  for (size_t i = 0; i < left; ++i) ++order[i]->count;
  if (parts.size() > 1) divided_ += cell.count;
  for (const Part& p : parts) {
    if (!p.count) continue;
    Row& row = rows_[p.name->offset];
    row.name = p.name->name;
    row.count[pair] += p.count;
  }
}

uint64_t Shares::Row::all() const {
  return std::accumulate(count.begin(), count.end(), uint64_t{0},
                         [](uint64_t sum, const auto& c) { return sum + c.second; });
}

uint64_t Shares::Row::from(unsigned source) const {
  uint64_t sum = 0;
  for (const auto& [pair, n] : count)
    if (pair.first == source) sum += n;
  return sum;
}

std::vector<Shares::Row> Shares::rows() const {
  std::vector<Row> rows;
  for (const auto& [offset, row] : rows_) rows.push_back(row);
  return rows;
}

}  // namespace perfboard::smile
