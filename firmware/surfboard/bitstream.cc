// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/surfboard/bitstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace perfboard::has {
namespace {

// Whether switch i is closed when an address bit shows this source.
bool closes(uint8_t source, uint32_t i) { return source == kOne ? i == kVcc : source == i && i < HAS_INPUTS; }

std::string switch_name(uint32_t i) { return i == kVcc ? std::string("VCC") : fmt::format("input {}", i); }

// What a frame's switches connect to the address bit of the same number. Frames behind those of the address
// bits have no switches: kZero.
uint8_t source_of(uint32_t frame, size_t at_bit, const std::vector<bool>& data) {
  std::vector<uint32_t> closed;
  for (uint32_t i = 0; i < data.size(); ++i)
    if (data[i]) closed.push_back(i);
  const auto fail = [&](uint32_t i, const std::string& why) {
    throw StreamError(at_bit + i,
                      fmt::format("data bit {} of frame {}: expected 0, found 1: {}", i, frame, why));
  };
  for (const uint32_t i : closed)
    if (frame >= HAS_OUTPUTS || i >= kSwitches) fail(i, "no switch is there");
  if (closed.size() > 1)
    fail(closed[1], fmt::format("address[{}] shows {} already", frame, switch_name(closed[0])));
  if (closed.empty()) return kZero;
  return closed[0] == kVcc ? kOne : static_cast<uint8_t>(closed[0]);
}

}  // namespace

std::vector<uint8_t> assemble(const Mapping& mapping) {
  return xc4000::write_stream(
      kDevice, [&](uint32_t frame, uint32_t i) { return frame < HAS_OUTPUTS && closes(mapping[frame], i); });
}

Mapping disassemble(const std::vector<uint8_t>& bytes) {
  Mapping mapping = all_zero();
  xc4000::read_stream(kDevice, bytes, [&](uint32_t frame, size_t at_bit, const std::vector<bool>& data) {
    const uint8_t source = source_of(frame, at_bit, data);
    if (frame < HAS_OUTPUTS) mapping[frame] = source;
  });
  return mapping;
}

// --- descriptions ---

namespace {

struct Variable {
  std::string_view name;
  uint32_t shift, width;
};
constexpr Variable kVariables[] = {
    {"size", HAS_SIZE_SHIFT, 10},    {"category", HAS_CATEGORY_SHIFT, 4}, {"color", HAS_COLOR_SHIFT, 6},
    {"sender", HAS_SENDER_SHIFT, 6}, {"latency", HAS_LATENCY_SHIFT, 24},
};
constexpr Variable kAddress = {"address", 0, HAS_OUTPUTS};

// Bits high to low of a variable, or of the address. Bit 0 of a variable is input bit `shift`, a constant is
// its number in a Mapping, and the address has shift 0.
struct Operand {
  std::string_view text;  // as it was written
  size_t column;
  uint32_t shift, high, low;
  uint32_t width() const { return high - low + 1; }
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string bits(uint32_t width) { return fmt::format("{} {}", width, width == 1 ? "bit" : "bits"); }

class Line {
 public:
  Line(std::string_view text, std::string_view file, size_t number)
      : text_(text.substr(0, text.find('#'))), file_(file), number_(number) {}

  bool at_end() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    return at_ == text_.size();
  }

  [[noreturn]] void fail(size_t column, const std::string& message) const {
    throw DescriptionError(fmt::format("{}:{}:{}: {}", file_, number_, column, message));
  }
  [[noreturn]] void expected(std::string_view what) {
    if (at_end()) fail(at_ + 1, fmt::format("expected {}, found the end of the line", what));
    const auto c = static_cast<uint8_t>(text_[at_]);
    fail(at_ + 1, c > ' ' && c <= '~' ? fmt::format("expected {}, found '{}'", what, text_[at_])
                                      : fmt::format("expected {}, found byte 0x{:02X}", what, c));
  }

  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Operand target() {
    at_end();
    const size_t column = at_ + 1;
    const std::string_view name = word();
    if (name.empty()) expected("address");
    if (name != kAddress.name) fail(column, fmt::format("'{}' cannot be assigned: only address can", name));
    return range(kAddress, column);
  }

  Operand source() {
    at_end();
    const size_t column = at_ + 1;
    if (at_ < text_.size() && is_digit(text_[at_])) {
      const uint32_t value = number();
      if (value > 1) fail(column, fmt::format("a constant is 0 or 1, not {}", written(column)));
      return {written(column), column, value ? kOne : kZero, 0, 0};
    }
    const std::string_view name = word();
    if (name.empty()) expected("a variable, 0 or 1");
    for (const Variable& v : kVariables)
      if (v.name == name) return range(v, column);
    fail(column, fmt::format("no variable '{}': there are size, category, color, sender, latency", name));
  }

 private:
  std::string_view word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  uint32_t number() {
    if (at_end() || !is_digit(text_[at_])) expected("a bit number");
    uint32_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    at_ += static_cast<size_t>(end - begin);
    return error == std::errc{} ? value : UINT32_MAX;  // too large: no field has such a bit
  }

  uint32_t bit_of(const Variable& v) {
    at_end();
    const size_t column = at_ + 1;
    const uint32_t bit = number();
    if (bit >= v.width)
      fail(column, fmt::format("{} has no bit {}: its bits are {}..0", v.name, written(column), v.width - 1));
    return bit;
  }

  Operand range(const Variable& v, size_t column) {
    uint32_t high = v.width - 1, low = 0;
    const size_t name_end = at_;
    if (take('[')) {
      at_end();
      const size_t first = at_ + 1;
      bool pair = false;
      high = low = bit_of(v);
      if (take(':')) {
        pair = true;
        low = bit_of(v);
        if (low > high) fail(first, fmt::format("the high bit comes first: [{}:{}]", low, high));
      }
      if (!take(']')) expected(pair ? "']'" : "':' or ']'");
    } else {
      at_ = name_end;
    }
    return {written(column), column, v.shift, high, low};
  }

  std::string_view written(size_t column) const { return text_.substr(column - 1, at_ - (column - 1)); }

  std::string_view text_, file_;
  size_t number_;
  size_t at_ = 0;
};

std::string range_text(const Variable& v, uint32_t high, uint32_t low) {
  if (low == 0 && high == v.width - 1) return std::string(v.name);
  if (high == low) return fmt::format("{}[{}]", v.name, high);
  return fmt::format("{}[{}:{}]", v.name, high, low);
}

const Variable* variable_of(uint8_t s) {
  for (const Variable& v : kVariables)
    if (s >= v.shift && s < v.shift + v.width) return &v;
  return nullptr;
}

}  // namespace

Mapping parse_description(std::string_view text, std::string_view file) {
  Mapping mapping = all_zero();
  std::array<size_t, HAS_OUTPUTS> assigned{};  // in which line
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    Line line(whole, file, number);
    if (line.at_end()) continue;

    const Operand target = line.target();
    if (!line.take('=')) line.expected("'='");
    const Operand source = line.source();
    if (!line.at_end()) line.expected("the end of the line");
    if (source.width() != target.width())
      line.fail(source.column, fmt::format("{} has {}, {} has {}", target.text, bits(target.width()),
                                           source.text, bits(source.width())));
    for (uint32_t i = 0; i < target.width(); ++i) {
      const uint32_t bit = target.low + i;
      if (assigned[bit])
        line.fail(target.column,
                  fmt::format("address[{}] is assigned already, in line {}", bit, assigned[bit]));
      assigned[bit] = number;
      mapping[bit] = static_cast<uint8_t>(source.shift + source.low + i);
    }
  }
  return mapping;
}

std::string describe(const Mapping& mapping) {
  std::string text;
  for (uint32_t high = HAS_OUTPUTS; high-- > 0;) {
    const uint8_t top = mapping[high];
    if (top == kZero) continue;
    uint32_t low = high;
    std::string source = "1";
    if (const Variable* v = variable_of(top)) {
      while (low > 0 && mapping[low] > v->shift && mapping[low - 1] == mapping[low] - 1) --low;
      source = range_text(*v, top - v->shift, mapping[low] - v->shift);
    }
    text += fmt::format("{} = {}\n", range_text(kAddress, high, low), source);
    high = low;
  }
  if (text.empty()) text = "address[0] = 0\n";
  return text;
}

}  // namespace perfboard::has
