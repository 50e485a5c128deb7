// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers that users write: all of a text is one number without a sign, or it is none.
#pragma once

#include <charconv>
#include <concepts>
#include <string_view>

namespace perfboard {

// In this base, without a prefix.
template <std::unsigned_integral Number>
bool parse_integer(std::string_view text, int base, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

inline std::string_view without_hex_prefix(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text;
}

// Decimal, or hexadecimal after 0x.
template <std::unsigned_integral Number>
bool parse_number(std::string_view text, Number& value) {
  const std::string_view digits = without_hex_prefix(text);
  return parse_integer(digits, digits.size() < text.size() ? 16 : 10, value);
}

// Hexadecimal, 0x or not.
template <std::unsigned_integral Number>
bool parse_hex_number(std::string_view text, Number& value) {
  return parse_integer(without_hex_prefix(text), 16, value);
}

}  // namespace perfboard
