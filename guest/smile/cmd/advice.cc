// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "guest/common/ranges.h"
#include "hw/model/number.h"

namespace perfboard::smile {
namespace {

// Columns of a CSV file with a line of names.
class Columns {
 public:
  Columns(Input& in, std::vector<std::string> names) : in_(in), names_(std::move(names)) {
    std::string_view line;
    if (!in.content(line)) throw FileError(fmt::format("{}: nothing in it", in.name()));
    std::vector<std::string_view> all;
    split_fields(line, all);
    for (const std::string& name : names_) {
      const auto at = std::find(all.begin(), all.end(), name);
      if (at == all.end()) in.fail(fmt::format("no column {}", name));
      column_.push_back(static_cast<size_t>(at - all.begin()));
    }
    count_ = all.size();
  }
  bool row(std::vector<uint64_t>& values) {
    std::string_view line;
    if (!in_.content(line)) return false;
    split_fields(line, fields_);
    if (fields_.size() != count_) in_.fail(fmt::format("{} fields, expected {}", fields_.size(), count_));
    values.resize(names_.size());
    for (size_t i = 0; i < names_.size(); ++i)
      if (!parse_number(fields_[column_[i]], values[i]))
        in_.fail(fmt::format("{}: {}: expected a number", names_[i], show_word(fields_[column_[i]])));
    return true;
  }
  void limit(const std::vector<uint64_t>& values, size_t i, uint64_t most) const {
    if (values[i] > most) in_.fail(fmt::format("{} {}: at most {}", names_[i], values[i], most));
  }

 private:
  Input& in_;
  std::vector<std::string> names_;
  std::vector<size_t> column_;
  std::vector<std::string_view> fields_;
  size_t count_;
};

unsigned largest(const std::array<uint64_t, kNodes>& counts) {
  return static_cast<unsigned>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

}  // namespace

void read_traffic(Input& in, Traffic& traffic) {
  Columns columns(in, {"page", "source", "destination", "count"});
  for (std::vector<uint64_t> row; columns.row(row);) {
    columns.limit(row, 1, kNodes - 1);
    columns.limit(row, 2, kNodes - 1);
    PageTraffic& page = traffic[row[0]];
    page.by_source[row[1]] += row[3];
    page.by_home[row[2]] += row[3];
  }
}

std::vector<Advice> advise(const Traffic& traffic, const std::vector<uint8_t>& homes,
                           const AdviceOptions& options) {
  std::vector<Advice> list;
  for (const auto& [number, page] : traffic) {
    const unsigned home = number < homes.size() ? homes[number] : largest(page.by_home);
    const uint64_t own = home < kNodes ? page.by_source[home] : 0;
    const uint64_t remote = std::accumulate(page.by_source.begin(), page.by_source.end(), uint64_t{0}) - own;
    const unsigned better = largest(page.by_source);
    const uint64_t there = page.by_source[better];
    if (better == home || there <= own || there - own < options.least) continue;
    if (100.0 * static_cast<double>(there) < options.percent * static_cast<double>(remote)) continue;
    list.push_back({number, home, better, remote, there - own});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  return list;
}

std::vector<Move> read_moves(Input& in) {
  Columns columns(in, {"page", "better"});
  std::vector<Move> moves;
  for (std::vector<uint64_t> row; columns.row(row);) {
    columns.limit(row, 0, UINT32_MAX);
    columns.limit(row, 1, kNodes - 1);
    moves.push_back({row[0], static_cast<unsigned>(row[1])});
  }
  return moves;
}

}  // namespace perfboard::smile
