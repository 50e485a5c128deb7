// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "hw/model/number.h"

namespace perfboard {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const size_t comma = line.find(',');
    fields.push_back(trim(line.substr(0, comma)));
    if (comma == line.npos) return;
    line.remove_prefix(comma + 1);
  }
}

bool decimal_or_hex(const std::string& text, uint64_t& value) { return parse_number(text, value); }
bool hexadecimal(const std::string& text, uint64_t& value) { return parse_hex_number(text, value); }

Range parse_range(const std::string& option, const std::string& text, const NumberParser& number,
                  uint64_t most) {
  Range range{0, most};
  const size_t dash = text.find('-');
  const std::string low = text.substr(0, dash);
  bool good = dash == text.npos || text.size() > 1;
  if (!low.empty() || dash == text.npos) good = good && number(low, range.low);
  if (dash == text.npos)
    range.high = range.low;
  else if (dash + 1 < text.size())
    good = good && number(text.substr(dash + 1), range.high);
  if (!good || range.low > range.high || range.high > most)
    throw UsageError(option, show_word(text) + ": expected LO-HI, LO-, -HI or a single number" +
                                 (most < UINT64_MAX ? fmt::format(", at most {}", most) : ""));
  return range;
}

List::List(const std::string& option, const std::string& text, uint64_t most) {
  for (const std::string& part : split(text, ','))
    ranges_.push_back(parse_range(option, part, decimal_or_hex, most));
}

bool List::has(uint64_t value) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [=](const Range& r) { return r.has(value); });
}

}  // namespace perfboard
