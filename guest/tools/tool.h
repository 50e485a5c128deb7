// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the utilities of B.2.2 have in common: options, files, errors.
//
//   int main(int argc, char** argv) {
//     Tool tool("sizeHist", "Packet size histogram in CSV format from a trace file.");
//     tool.app.add_option(...);
//     return tool.run(argc, argv, [&](Input& in, Output& out) { ... });
//   }
//
// Exit code 0; 1 if a file could not be read or written or has a malformed line; 2 for a wrong option.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "guest/tools/trace_file.h"

namespace perfboard {

class Tool {
 public:
  Tool(const std::string& name, const std::string& description, bool input_file = true);
  int run(int argc, char** argv, const std::function<void(Input&, Output&)>& work);
  // A line on standard error that is not an error.
  void note(std::string_view text) const;

  CLI::App app;

 private:
  std::string name_;
  std::string input_ = "-", output_ = "-";
};

// Times of a trace as numbers of a CSV: microseconds with one decimal, or clock ticks of 100 ns.
// A latency is a window on the 44-bit difference that began at bit 2 * LAT_S (ACDR).
class TimeUnit {
 public:
  explicit TimeUnit(CLI::App& app);
  std::string time(uint64_t ticks) const;
  std::string latency(uint64_t raw) const { return time(raw << 2 * lat_s_); }
  // A latency as the user gives it in options, in ticks: "4.6" microseconds or "46".
  bool parse(const std::string& text, uint64_t& ticks) const;
  uint64_t latency_ticks(uint32_t raw) const { return uint64_t{raw} << 2 * lat_s_; }

 private:
  bool ticks_ = false;
  unsigned lat_s_ = 0;
};

// "LO-HI", "LO-", "-HI" or "N", both ends included.
struct Range {
  uint64_t low = 0, high = UINT64_MAX;
  bool has(uint64_t value) const { return value >= low && value <= high; }
};
using NumberParser = std::function<bool(const std::string&, uint64_t&)>;
// Throws FileError naming the option.
Range parse_range(const std::string& option, const std::string& text, const NumberParser& number);
bool parse_number(const std::string& text, uint64_t& value);      // decimal, or hex after 0x
bool parse_hex_number(const std::string& text, uint64_t& value);  // hex

// A file of comma-separated values, line by line; comments and blank lines are left out.
bool read_csv(Input& in, std::vector<std::string_view>& fields);
double csv_number(const Input& in, std::string_view field);
bool is_number(std::string_view field);
std::string csv_text(double value);  // as few digits as give the value back, at most 15

}  // namespace perfboard
