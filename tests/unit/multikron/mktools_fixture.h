// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes of a MULTIKRON network stream, written by hw/multikron/stream.h's definitions: one sample, one reset,
// or one element at a time, and damage to them. events() has samples of states in words.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "hw/multikron/stream.h"

namespace perfboard::mk {

struct SampleSpec {
  uint64_t stamp = 0;
  unsigned cpu = 0;
  uint32_t source = 0;
  uint64_t data = 0;
  unsigned flags = 0;                // MK_HEADER_*
  std::vector<uint32_t> counters{};  // given: a resource sample; those left out are 0
};

inline constexpr const char* kKinds[] = {"enter", "exit", "point", "value"};  // from 1 on
constexpr uint64_t kind_data(uint64_t kind, uint16_t id, uint32_t argument) {
  return kind << 40 | uint64_t{id} << 24 | argument;
}
constexpr uint64_t kEnterData(uint16_t id, uint32_t argument = 0) { return kind_data(1, id, argument); }
constexpr uint64_t kExitData(uint16_t id) { return kind_data(2, id, 0); }
constexpr uint64_t kPointData(uint16_t id, uint32_t argument = 0) { return kind_data(3, id, argument); }

class StreamText {
 public:
  StreamText& word(unsigned w) {
    bytes += static_cast<char>(w);
    bytes += static_cast<char>(w >> 8);
    return *this;
  }
  StreamText& event(unsigned code) { return word(MK_STREAM_EVENT | code); }
  StreamText& hardware_reset() { return event(MK_EVENT_HARDWARE_RESET); }
  StreamText& software_reset() { return event(MK_EVENT_SOFTWARE_RESET); }
  StreamText& node(unsigned n) { return word(MK_STREAM_NODE(n)); }
  StreamText& raw(const std::vector<uint8_t>& data) {
    for (size_t i = 0; i < data.size(); i++) word(mk_stream_element(data[i], i + 1 == data.size()));
    return *this;
  }
  StreamText& sample(const SampleSpec& s) { return raw(encode(s)); }
  StreamText& of(unsigned n, uint64_t stamp) { return node(n).sample({.stamp = stamp}); }
  StreamText& operator+=(const StreamText& other) {
    bytes += other.bytes;
    return *this;
  }
  // Damage: bits of a word flipped, words taken out, a word put in before the one at the place.
  StreamText& flip(size_t place, unsigned bits) {
    bytes[2 * place] = static_cast<char>(bytes[2 * place] ^ static_cast<char>(bits));
    bytes[2 * place + 1] = static_cast<char>(bytes[2 * place + 1] ^ static_cast<char>(bits >> 8));
    return *this;
  }
  StreamText& erase(size_t place, size_t count = 1) {
    bytes.erase(2 * place, 2 * count);
    return *this;
  }
  StreamText& insert(size_t place, unsigned w) {
    bytes.insert(2 * place, std::string{static_cast<char>(w), static_cast<char>(w >> 8)});
    return *this;
  }

  // Tables 5 to 7, each field's most significant byte first.
  static std::vector<uint8_t> encode(const SampleSpec& s) {
    std::vector<uint8_t> out;
    const auto put = [&](uint64_t value, unsigned size) {
      for (unsigned i = size; i-- > 0;) out.push_back(static_cast<uint8_t>(value >> 8 * i));
    };
    const unsigned type = s.counters.empty() ? MK_TYPE_TRACE : MK_TYPE_RESOURCE;
    put(s.cpu << 5 | type << 3 | s.flags, 1);
    put(s.stamp, 5);
    put(s.source, 4);
    put(s.data, 6);
    for (unsigned i = 0; i < 16 && !s.counters.empty(); i++)
      put(i < s.counters.size() ? s.counters[i] : 0, 4);
    return out;
  }

  std::string bytes;
};

// "STAMP KIND ID[:ARGUMENT] [cpu N] [source N] [lost|lost-counters] [counters N...]", with commas between;
// `source` if none is named.
inline StreamText events(const std::string& text, uint32_t source = 1) {
  StreamText s;
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, ',');) {
    std::istringstream in(one);
    SampleSpec spec{.source = source};
    std::string kind, word;
    uint16_t id = 0;
    uint32_t argument = 0;
    in >> spec.stamp >> kind >> id;
    if (in.peek() == ':') in.ignore() >> argument;
    for (unsigned k = 0; k < 4; k++)
      if (kind == kKinds[k]) spec.data = kind_data(k + 1, id, argument);
    if (kind == "other") spec.data = 0xFF0000000000 | id;
    while (in >> word) {
      if (word == "cpu") in >> spec.cpu;
      if (word == "source") in >> spec.source;
      if (word == "lost") spec.flags = MK_HEADER_FIFO_OVERRUN;
      if (word == "lost-counters") spec.flags = MK_HEADER_RSRC_OVERRUN;
      if (word == "counters")
        for (uint32_t n; in >> n;) spec.counters.push_back(n);
    }
    EXPECT_TRUE(in.eof() && spec.data) << one;
    s.sample(spec);
  }
  return s;
}

}  // namespace perfboard::mk
