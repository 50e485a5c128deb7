// SPDX-License-Identifier: GPL-2.0-or-later
//
// Expressions of rules: numbers, names, operators, functions.
//
//   const Expression e("(loads + stores) / instructions");
//   e.names();                             // loads, stores, instructions
//   const double values[] = {3, 4, 14};    // in their order
//   e.value(values);                       // 0.5
//
//   + - * / % ^          as usual; ^ is a power and binds from the right
//   < <= > >= == !=      1 or 0
//   c ? a : b            a unless c is 0
//   min(a, b, ...) max(a, b, ...) abs(a) sqrt(a) log(a) log2(a) exp(a) floor(a) ceil(a) round(a)
//   known(a)             1 if a has a value, else 0
//   first(a, b, ...)     the first that has a value
//
// What is not known (an event that was not counted, a division by 0) is NaN, and so is what is made of it. A
// wrong expression throws Misuse, with the place. Not muParser: to it 1 < NaN is 0, which is a value.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace perfboard::p2 {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // not known

class Expression {
 public:
  explicit Expression(const std::string& text);
  const std::vector<std::string>& names() const { return names_; }
  double value(std::span<const double> values) const;

 private:
  friend class ExpressionParser;
  enum class Kind : uint8_t { kNumber, kName, kOne, kTwo, kChoose, kMany, kFirst };
  struct Step {  // of a stack machine
    Kind kind;
    uint32_t operands = 0;  // of kMany and kFirst; kName: which
    double number = 0;
    double (*one)(double) = nullptr;
    double (*two)(double, double) = nullptr;  // neither is NaN
  };
  std::vector<Step> steps_;
  std::vector<std::string> names_;
};

bool is_name(std::string_view text);  // letters, digits, _ and ., not a digit first

}  // namespace perfboard::p2
