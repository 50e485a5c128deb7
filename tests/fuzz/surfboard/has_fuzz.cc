// SPDX-License-Identifier: GPL-2.0-or-later
//
// The histogram address selector and the tools for it, which were written apart: the part (hw/surfboard),
// the compiler and disassembler (firmware/surfboard), the reader of bitstream files (guest/surfboard/cmd).
//
// A description survives compiling and disassembling, and the part does what it says; a damaged stream
// never makes the part another one than the disassembler reads; whatever else comes in, the tools
// refuse with a place in it, and the part keeps its outputs up.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "firmware/surfboard/bitstream.h"
#include "guest/surfboard/cmd/bitstream.h"
#include "guest/surfboard/host/trace_file.h"
#include "hw/fpga/xc4000.h"
#include "hw/surfboard/has.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using Bits = std::vector<bool>;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kAllHigh = 0xffffff;
constexpr uint64_t kInputMask = (uint64_t{1} << HAS_INPUTS) - 1;

Bits bits_of(const Bytes& bytes) {
  Bits bits;
  for (uint8_t b : bytes)
    for (int i = 7; i >= 0; --i) bits.push_back(b >> i & 1);
  return bits;
}
Bytes bytes_of(const Bits& bits) {
  Bytes bytes((bits.size() + 7) / 8, 0xff);
  for (size_t i = 0; i < bits.size(); ++i)
    if (!bits[i]) bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] & ~(0x80 >> i % 8));
  return bytes;
}

void check_part(const HasState& h) {
  const bool done = has_done(&h), error = has_error(&h), hdc = has_hdc(&h);
  FUZZ_CHECK(!(done && error), "DONE and INIT* low");
  FUZZ_CHECK(hdc || done, "outputs active before DONE");
  FUZZ_CHECK(!h.prog || (error && hdc && !done), "PROG holds it: ERR %d CFG %d DONE %d", error, hdc, done);
  FUZZ_CHECK(h.frame <= xc4000::kXc4003.frames && h.bit <= xc4000::kXc4003.frame_bits, "frame %u bit %u",
             h.frame, h.bit);
  FUZZ_CHECK(!hdc || has_address(&h, h.count) == kAllHigh, "an address before it is configured");
  FUZZ_CHECK(has_address(&h, ~uint64_t{0}) <= kAllHigh, "more than 24 bits");
}

HasState load(const Bits& bits) {
  HasState h;
  has_power_on(&h);
  check_part(h);
  has_prog(&h, false);
  for (bool b : bits) has_clock(&h, b);
  check_part(h);
  return h;
}

uint32_t expected(const has::Mapping& m, uint64_t input) {
  uint32_t address = 0;
  for (uint32_t k = 0; k < HAS_OUTPUTS; ++k)
    address |= uint32_t{m[k] == has::kOne || (m[k] < HAS_INPUTS && (input >> m[k] & 1))} << k;
  return address;
}

class Bench {
 public:
  explicit Bench(Input& source) : in(source) {}

  void run() {
    switch (in.below(8)) {
      case 0:
        whole();
        break;
      case 1:
      case 2:
        damaged();
        break;
      case 3:
        any_bits();
        break;
      case 4:
      case 5:
        any_text();
        break;
      default:
        any_file();
    }
  }

 private:
  has::Mapping mapping() {
    has::Mapping m = has::all_zero();
    for (uint8_t& s : m) s = static_cast<uint8_t>(in.below(std::max(has::kZero, has::kOne) + 1));
    return m;
  }
  void same_function(const HasState& h, const has::Mapping& m) {
    FUZZ_CHECK(has_done(&h) && !has_error(&h) && !has_hdc(&h), "it is not configured");
    for (int i = 0; i < 8; ++i) {
      const uint64_t input = i == 0 ? 0 : i == 1 ? kInputMask : in.u64();
      FUZZ_CHECK(has_address(&h, input) == expected(m, input), "address %x, should be %x",
                 has_address(&h, input), expected(m, input));
    }
  }
  void whole() {
    const has::Mapping m = mapping();
    const std::string text = has::describe(m);
    FUZZ_CHECK(has::parse_description(text, "x") == m, "%s", text.c_str());
    const Bytes stream = has::assemble(m);
    FUZZ_CHECK(has::disassemble(stream) == m, "the stream is not the description");
    FUZZ_CHECK(prompt::parse_bitstream("x", stream) == stream, "the file is not the stream");
    std::string rbt = "Xilinx ASCII Bitstream\nBits: 53984\n";
    const Bits bits = bits_of(stream);
    for (bool b : bits) rbt += b ? "1" : in.flip() ? "0" : "\n0";
    FUZZ_CHECK(prompt::parse_bitstream("x", Bytes(rbt.begin(), rbt.end())) == stream,
               "as text it is another");
    HasState h = load(bits);
    same_function(h, m);
    for (int i = 0; i < 100; ++i) has_clock(&h, in.flip());  // clocks after the end change nothing
    same_function(h, m);
    has_prog(&h, true);
    check_part(h);
  }
  void damaged() {
    const has::Mapping m = mapping();
    Bits bits = bits_of(has::assemble(m));
    const size_t header = xc4000::kHeaderBits,
                 frames_end = header + xc4000::kXc4003.frames * xc4000::kXc4003.frame_bits;
    const uint32_t kind = in.below(4);
    bool in_frames = false;
    const uint32_t flips = kind == 0 ? 1 : 2 + in.below(6);
    if (kind <= 1) {
      for (uint32_t i = 0; i < flips; ++i) {
        const size_t at = in.u16() % bits.size();
        in_frames |= at >= header && at < frames_end;
        bits[at] = !bits[at];
      }
    } else if (kind == 2) {
      bits.resize(in.u16() % bits.size());
    } else {  // slipped by a bit
      const size_t at = in.u16() % bits.size();
      if (in.flip())
        bits.erase(bits.begin() + static_cast<ptrdiff_t>(at));
      else
        bits.insert(bits.begin() + static_cast<ptrdiff_t>(at), in.flip());
    }
    const HasState h = load(bits);
    if (kind == 0 && in_frames)
      FUZZ_CHECK(has_error(&h) && !has_done(&h), "one wrong bit in the frames passed");
    if (kind == 2 && bits.size() < xc4000::kXc4003.length_count())
      FUZZ_CHECK(!has_done(&h), "DONE after %zu bits", bits.size());
    try {
      const has::Mapping read = has::disassemble(bytes_of(bits));
      if (!has_hdc(&h)) same_function(h, read);
      // What it takes, it wrote; padding aside.
      const Bytes again = has::assemble(read), given = bytes_of(bits);
      FUZZ_CHECK(given.size() >= again.size() && std::equal(again.begin(), again.end(), given.begin()),
                 "decode");
    } catch (const has::StreamError& e) {
      FUZZ_CHECK(e.bit <= bytes_of(bits).size() * 8 && *e.what(), "bit %zu of %zu", e.bit, bits.size());
    }
  }
  void any_bits() {
    HasState h;
    has_power_on(&h);
    while (!in.empty()) {
      const uint8_t what = in.u8();
      if (what < 4) {
        has_prog(&h, what & 1);
      } else if (what < 40) {  // a header; then whatever comes are frames
        has_prog(&h, true);
        has_prog(&h, false);
        for (int i = 0; i < 8; ++i) has_clock(&h, true);
        for (int i = 3; i >= 0; --i) has_clock(&h, xc4000::kPreamble >> i & 1);
        const uint32_t length = what & 1 ? xc4000::kXc4003.length_count() : in.u32();
        for (int i = 23; i >= 0; --i) has_clock(&h, length >> i & 1);
        for (int i = 0; i < 4; ++i) has_clock(&h, in.flip());
      } else {
        for (int i = 0; i < 8; ++i) has_clock(&h, what >> i & 1);
      }
      check_part(h);
      has_read_data(&h);
    }
  }
  // Words that descriptions are made of, and others.
  void any_text() {
    static const char* const words[] = {
        "address", "size", "category", "color", "sender", "latency",      "[",  "]", ":", "=", "0", "1", "23",
        "9",       "49",   "\n",       " ",     "#",      "999999999999", "-1", "\t"};
    std::string text;
    while (!in.empty() && text.size() < 4000) {
      if (in.below(8))
        text += words[in.below(std::size(words))];
      else
        text += static_cast<char>(in.u8());
    }
    try {
      const has::Mapping m = has::parse_description(text, "x");
      FUZZ_CHECK(has::parse_description(has::describe(m), "x") == m, "%s", text.c_str());
    } catch (const has::DescriptionError& e) {  // "x:line:column: message"
      const auto lines = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n')) + 1;
      unsigned line = 0, column = 0;
      const bool placed = std::sscanf(e.what(), "x:%u:%u: ", &line, &column) == 2;
      FUZZ_CHECK(placed && line >= 1 && line <= lines && column >= 1, "%s", e.what());
    }
  }
  // The .bit header's parts, .rbt's lines, or bytes.
  void any_file() {
    Bytes file;
    if (in.flip()) file = {0x00, 0x09, 0x0F, 0xF0, 0x0F, 0xF0, 0x0F, 0xF0, 0x0F, 0xF0, 0x00, 0x00, 0x01};
    const bool text = in.flip();
    while (!in.empty()) {
      const uint8_t b = in.u8();
      if (text)
        file.push_back("01\n \tXe"[b % 7]);
      else if (b < 64)
        file.insert(file.end(), {static_cast<uint8_t>('a' + b % 6), 0, in.u8()});
      else
        file.push_back(b);
    }
    try {
      const Bytes stream = prompt::parse_bitstream("x", file);
      FUZZ_CHECK(stream.size() <= file.size(), "%zu bytes out of %zu", stream.size(), file.size());
      load(bits_of(stream));
      has::disassemble(stream);
    } catch (const FileError& e) {
      FUZZ_CHECK(std::string(e.what()).starts_with("x"), "no file named: %s", e.what());
    } catch (const has::StreamError&) {
    }
  }

  Input& in;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  perfboard::fuzz::Input in(data, size);
  perfboard::fuzz::Bench(in).run();
  ++perfboard::fuzz::operations;
  return 0;
}
