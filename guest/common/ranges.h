// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ranges of numbers, and lists of them, as options have them.
//
//   const Range sizes = parse_range("--size", "16-", decimal_or_hex);   // UsageError names the option
//   const List cpus("--cpu", "0,2-3");
//   if (cpus.has(3)) ...
//
//   for (const std::string& part : split("a,b", ',')) ...
//   trim(" a b\r") == "a b"
//
// A range is "LO-HI", "LO-", "-HI" or "N", both ends included; a list has commas between them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace perfboard {

struct Range {
  uint64_t low = 0, high = UINT64_MAX;
  bool has(uint64_t value) const { return value >= low && value <= high; }
};

using NumberParser = std::function<bool(const std::string&, uint64_t&)>;
// The parts of a text that stand between the characters `at`; one more than there are of these.
std::vector<std::string> split(const std::string& text, char at);

// The same of a line of comma-separated values, without blanks around them.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

inline constexpr std::string_view kBlanks = " \t\r\n\v\f";
std::string_view trim(std::string_view text);  // without the blanks before and behind it

bool decimal_or_hex(const std::string& text, uint64_t& value);  // hex after 0x
bool hexadecimal(const std::string& text, uint64_t& value);

// Legal are numbers up to `most`.
Range parse_range(const std::string& option, const std::string& text, const NumberParser& number,
                  uint64_t most = UINT64_MAX);

class List {
 public:
  List(const std::string& option, const std::string& text, uint64_t most = UINT64_MAX);
  bool has(uint64_t value) const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace perfboard
