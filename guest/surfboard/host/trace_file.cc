// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/host/trace_file.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "hw/model/number.h"

namespace perfboard {
namespace {

uint32_t hex_field(const Input& in, std::string_view word, unsigned digits, std::string_view what) {
  uint32_t value = 0;
  if (word.size() > digits || !parse_integer(word, 16, value))
    in.fail(fmt::format("{} is {}: expected {} hexadecimal digits", what, show_word(word), digits));
  return value;
}

// The next record's fields; their number must be right.
bool record(Input& in, std::vector<std::string_view>& fields, size_t wanted, std::string_view format) {
  if (!in.fields(fields)) return false;
  if (fields.size() != wanted)
    in.fail(
        fmt::format("{} field{} where a line is {}", fields.size(), fields.size() == 1 ? "" : "s", format));
  return true;
}

}  // namespace

bool read(Input& in, TraceEntry& entry) {
  thread_local std::vector<std::string_view> fields;
  if (!record(in, fields, 5, "a 6-digit index and four 8-digit words")) return false;
  constexpr std::string_view kNames[] = {"word 0", "word 1", "word 2", "word 3"};
  entry.index = hex_field(in, fields[0], 6, "the index");
  for (size_t i = 0; i < 4; i++) entry.word[i] = hex_field(in, fields[i + 1], 8, kNames[i]);
  return true;
}

bool read(Input& in, HistogramBin& bin) {
  thread_local std::vector<std::string_view> fields;
  if (!record(in, fields, 2, "a 6-digit bin address and an 8-digit count")) return false;
  bin.address = hex_field(in, fields[0], 6, "the bin address");
  bin.count = hex_field(in, fields[1], 8, "the count");
  return true;
}

bool read_fifo(Input& in, uint32_t& address) {
  thread_local std::vector<std::string_view> fields;
  if (!record(in, fields, 1, "a 6-digit bin address")) return false;
  address = hex_field(in, fields[0], 6, "the bin address");
  return true;
}

void write(Output& out, const TraceEntry& entry) {
  out.hex_upper(entry.index, 6);
  for (uint32_t word : entry.word) {
    out.put(' ');
    out.hex_upper(word, 8);
  }
  out.put('\n');
}

void write(Output& out, const HistogramBin& bin) {
  out.hex_upper(bin.address, 6);
  out.put(' ');
  out.hex_upper(bin.count, 8);
  out.put('\n');
}

void write_fifo(Output& out, uint32_t address) {
  out.hex_upper(address, 6);
  out.put('\n');
}

}  // namespace perfboard
