// SPDX-License-Identifier: GPL-2.0-or-later
//
// The description language of bitstream.h: text to mapping, and back.
#include <fmt/format.h>

#include <optional>

#include "firmware/fpga/bitstream.h"
#include "hw/surfboard/has.h"

namespace perfboard::has {
namespace {

struct Variable {
  std::string_view name;
  uint32_t width, shift;
};
constexpr Variable kVariables[] = {
    {"latency", 24, HAS_LATENCY_SHIFT},  {"sender", 6, HAS_SENDER_SHIFT}, {"color", 6, HAS_COLOR_SHIFT},
    {"category", 4, HAS_CATEGORY_SHIFT}, {"size", 10, HAS_SIZE_SHIFT},
};

struct Range {
  uint32_t msb, lsb;
  uint32_t width() const { return msb - lsb + 1; }
};

// One line of a description, read from left to right.
class Line {
 public:
  Line(std::string_view text, std::string_view file, uint32_t number)
      : text_(text.substr(0, text.find('#'))), file_(file), number_(number) {}

  [[noreturn]] void fail(size_t at, const std::string& why) const {
    throw DescriptionError(fmt::format("{}:{}:{}: {}", file_, number_, at + 1, why));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) at_++;
  }
  bool empty() {
    skip();
    return at_ == text_.size();
  }
  size_t at() {
    skip();
    return at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    at_++;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(at_, fmt::format("expected '{}'", c));
  }
  std::string_view word() {
    skip();
    const size_t first = at_;
    while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') at_++;
    return text_.substr(first, at_ - first);
  }
  std::optional<uint32_t> number() {
    skip();
    const size_t first = at_;
    uint32_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value < 1000)
      value = value * 10 + static_cast<uint32_t>(text_[at_++] - '0');
    if (first == at_) return std::nullopt;
    return value;
  }
  // "[msb:lsb]", "[bit]", or nothing, which is all of it.
  Range range(std::string_view name, uint32_t width) {
    if (!take('[')) return {width - 1, 0};
    const Range r = {bit(name, width), 0};
    if (take(']')) return {r.msb, r.msb};
    expect(':');
    const size_t column = at();
    const uint32_t lsb = bit(name, width);
    if (lsb > r.msb) fail(column, fmt::format("a range is msb:lsb, and {} is above {}", lsb, r.msb));
    expect(']');
    return {r.msb, lsb};
  }

 private:
  uint32_t bit(std::string_view name, uint32_t width) {
    const size_t column = at();
    const std::optional<uint32_t> n = number();
    if (!n) fail(column, "expected a bit number");
    if (*n >= width) fail(column, fmt::format("{} has bits {}..0", name, width - 1));
    return *n;
  }

  std::string_view text_, file_;
  uint32_t number_;
  size_t at_ = 0;
};

void assign(Line& line, Mapping& mapping, std::array<bool, HAS_OUTPUTS>& assigned) {
  size_t column = line.at();
  if (line.word() != "address") line.fail(column, "expected 'address'");
  const Range to = line.range("address", HAS_OUTPUTS);
  for (uint32_t i = to.lsb; i <= to.msb; i++) {
    if (assigned[i]) line.fail(column, fmt::format("address[{}] is assigned already", i));
    assigned[i] = true;
  }
  line.expect('=');
  column = line.at();
  if (const std::optional<uint32_t> constant = line.number()) {
    if (*constant > 1) line.fail(column, "a constant is 0 or 1");
    for (uint32_t i = to.lsb; i <= to.msb; i++) mapping[i] = *constant ? kOne : kZero;
  } else {
    const std::string_view name = line.word();
    const Variable* variable = nullptr;
    for (const Variable& v : kVariables)
      if (v.name == name) variable = &v;
    if (!variable)
      line.fail(column, fmt::format("'{}' is none of latency, sender, color, category, size, 0, 1", name));
    const Range from = line.range(name, variable->width);
    if (from.width() != to.width())
      line.fail(column, fmt::format("{} bits for {} address bits", from.width(), to.width()));
    for (uint32_t i = 0; i < to.width(); i++)
      mapping[to.lsb + i] = static_cast<uint8_t>(variable->shift + from.lsb + i);
  }
  if (!line.empty()) line.fail(line.at(), "nothing more is expected on the line");
}

std::string range_text(std::string_view name, uint32_t lsb, uint32_t width) {
  return width == 1 ? fmt::format("{}[{}]", name, lsb) : fmt::format("{}[{}:{}]", name, lsb + width - 1, lsb);
}

const Variable& variable_of(uint8_t input) {
  for (const Variable& v : kVariables)
    if (input >= v.shift && input < v.shift + v.width) return v;
  throw std::logic_error("no such input");
}

}  // namespace

Mapping parse_description(std::string_view text, std::string_view name) {
  Mapping mapping = all_zero();
  std::array<bool, HAS_OUTPUTS> assigned{};
  for (uint32_t number = 1; !text.empty(); number++) {
    const size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), name, number);
    if (!line.empty()) assign(line, mapping, assigned);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return mapping;
}

std::string describe(const Mapping& mapping) {
  std::string text;
  for (uint32_t high = HAS_OUTPUTS; high > 0;) {
    const uint8_t source = mapping[high - 1];
    uint32_t low = high - 1;
    if (source == kZero || source == kOne) {
      while (low > 0 && mapping[low - 1] == source) low--;
      text += fmt::format("{} = {}\n", range_text("address", low, high - low), source == kOne ? 1 : 0);
    } else {
      const Variable& v = variable_of(source);
      while (low > 0 && mapping[low - 1] + 1 == mapping[low] && mapping[low - 1] >= v.shift) low--;
      text += fmt::format("{} = {}\n", range_text("address", low, high - low),
                          range_text(v.name, mapping[low] - v.shift, high - low));
    }
    high = low;
  }
  return text;
}

}  // namespace perfboard::has
