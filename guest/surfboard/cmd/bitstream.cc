// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/bitstream.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "guest/surfboard/host/trace_file.h"

namespace perfboard::prompt {
namespace {

constexpr size_t kLargest = 16u << 20;  // no XC4000 has a megabyte; a wrong file may have any size
constexpr uint8_t kBitHeader[] = {0x00, 0x09, 0x0F, 0xF0, 0x0F, 0xF0, 0x0F,
                                  0xF0, 0x0F, 0xF0, 0x00, 0x00, 0x01};

bool is_text(const std::vector<uint8_t>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](uint8_t c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; });
}

std::vector<uint8_t> parse_rbt(const std::string& name, std::string_view text) {
  std::vector<uint8_t> bits;
  size_t count = 0;
  unsigned long number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    number++;
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    if (line.find_first_not_of("01") != line.npos) {
      if (count == 0) continue;
      throw FileError(
          fmt::format("{}:{}: {}: expected only 0 and 1 after the header", name, number, show_word(line)));
    }
    for (char c : line) {
      if (count % 8 == 0) bits.push_back(0xFF);
      if (c == '0') bits.back() &= static_cast<uint8_t>(~(0x80u >> count % 8));
      count++;
    }
  }
  if (count == 0) throw FileError(fmt::format("{}: a text without a line of 0 and 1: not a bitstream", name));
  return bits;
}

// Behind the 13 bytes, parts a to d have a key, a 16-bit length and a text; e has 32 bits of length.
std::vector<uint8_t> parse_bit(const std::string& name, const std::vector<uint8_t>& bytes) {
  size_t at = sizeof kBitHeader;
  const auto number = [&](size_t size) {
    if (bytes.size() - at < size) throw FileError(fmt::format("{}: the .bit header is cut off", name));
    size_t value = 0;
    for (; size > 0; size--) value = value << 8 | bytes[at++];
    return value;
  };
  for (;;) {
    const size_t key = number(1);
    const size_t length = number(key == 'e' ? 4 : 2);
    if (key < 'a' || key > 'e')
      throw FileError(fmt::format("{}: part {:02X} of the .bit header: expected a to e", name, key));
    if (bytes.size() - at < length)
      throw FileError(
          fmt::format("{}: part {:c} promises {} bytes, {} are there", name, key, length, bytes.size() - at));
    if (key == 'e') {
      const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
      return {begin, begin + static_cast<ptrdiff_t>(length)};
    }
    at += length;
  }
}

}  // namespace

std::vector<uint8_t> parse_bitstream(const std::string& name, const std::vector<uint8_t>& bytes) {
  if (bytes.empty()) throw FileError(fmt::format("{}: the file is empty: not a bitstream", name));
  if (bytes.size() >= sizeof kBitHeader && memcmp(bytes.data(), kBitHeader, sizeof kBitHeader) == 0)
    return parse_bit(name, bytes);
  if (is_text(bytes))
    return parse_rbt(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return bytes;
}

std::vector<uint8_t> read_bitstream(const std::string& file) {
  const std::unique_ptr<FILE, int (*)(FILE*)> f(fopen(file.c_str(), "rbe"), fclose);
  if (!f) throw FileError(fmt::format("{}: {}", file, strerror(errno)));
  std::vector<uint8_t> bytes;
  uint8_t block[16384];
  while (const size_t got = fread(block, 1, sizeof block, f.get())) {
    bytes.insert(bytes.end(), block, block + got);
    if (bytes.size() > kLargest)
      throw FileError(fmt::format("{}: more than {} bytes: not a bitstream", file, kLargest));
  }
  if (ferror(f.get())) throw FileError(fmt::format("{}: {}", file, strerror(errno)));
  return parse_bitstream(file, bytes);
}

}  // namespace perfboard::prompt
