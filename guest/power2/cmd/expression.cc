// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {
namespace {

constexpr unsigned kMostDepth = 64;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.'; }

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && begins_name(text[0]) && std::all_of(text.begin(), text.end(), continues_name);
}

// By recursive descent, the loosest operators first.
class ExpressionParser {
  using Code = Expression::Code;

 public:
  ExpressionParser(Expression& to, std::string_view text) : to_(to), text_(text) {}

  void all() {
    choice();
    if (at_ < text_.size()) fail("an operator was expected");
  }

 private:
  struct Operator {
    const char* text;
    Code code;
  };
  struct Function {
    const char* name;
    Code code;
    unsigned least, most;
  };
  static constexpr unsigned kAny = 1000;
  static constexpr Function kFunctions[] = {
      {"min", Code::kMin, 1, kAny},  {"max", Code::kMax, 1, kAny},  {"abs", Code::kAbs, 1, 1},
      {"sqrt", Code::kSqrt, 1, 1},   {"log", Code::kLog, 1, 1},     {"log2", Code::kLog2, 1, 1},
      {"exp", Code::kExp, 1, 1},     {"floor", Code::kFloor, 1, 1}, {"ceil", Code::kCeil, 1, 1},
      {"round", Code::kRound, 1, 1}, {"known", Code::kKnown, 1, 1}, {"first", Code::kFirst, 1, kAny},
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw Misuse(fmt::format("{}: at {}: {}", text_, at_ + 1, what));
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) at_++;
  }

  bool take(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    skip();
    return true;
  }

  void need(std::string_view word) {
    if (!take(word)) fail(fmt::format("'{}' was expected", word));
  }

  void put(Code code, uint32_t operands = 0, double number = 0) {
    to_.steps_.push_back({code, operands, number});
  }

  void choice() {
    if (++depth_ > kMostDepth) fail("too deep");
    comparison();
    if (take("?")) {
      choice();
      need(":");
      choice();
      put(Code::kChoose);
    }
    depth_--;
  }

  void comparison() {
    static constexpr Operator kOperators[] = {{"<=", Code::kLessEqual}, {">=", Code::kGreaterEqual},
                                              {"==", Code::kEqual},     {"!=", Code::kNotEqual},
                                              {"<", Code::kLess},       {">", Code::kGreater}};
    sum();
    for (const Operator& o : kOperators)
      if (take(o.text)) {
        sum();
        put(o.code);
        return;
      }
  }

  void sum() {
    product();
    for (;;) {
      if (take("+")) {
        product();
        put(Code::kAdd);
      } else if (take("-")) {
        product();
        put(Code::kSubtract);
      } else {
        return;
      }
    }
  }

  void product() {
    sign();
    for (;;) {
      if (take("*")) {
        sign();
        put(Code::kMultiply);
      } else if (take("/")) {
        sign();
        put(Code::kDivide);
      } else if (take("%")) {
        sign();
        put(Code::kRemainder);
      } else {
        return;
      }
    }
  }

  void sign() {
    if (++depth_ > kMostDepth) fail("too deep");
    if (take("-")) {
      sign();
      put(Code::kNegate);
    } else {
      power();
    }
    depth_--;
  }

  void power() {
    atom();
    if (take("^")) {
      sign();
      put(Code::kPower);
    }
  }

  void atom() {
    skip();
    if (take("(")) {
      choice();
      need(")");
    } else if (at_ < text_.size() && begins_name(text_[at_])) {
      name();
    } else {
      number();
    }
  }

  void number() {
    double value = 0;
    const char* const from = text_.data() + at_;
    const auto [end, error] = std::from_chars(from, text_.data() + text_.size(), value);
    // from_chars takes inf and nan as well.
    if (error != std::errc{} || !(is_digit(*from) || *from == '.'))
      fail("a number, a name or ( was expected");
    at_ += static_cast<size_t>(end - from);
    put(Code::kNumber, 0, value);
    skip();
  }

  void name() {
    const size_t from = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) at_++;
    const std::string word(text_.substr(from, at_ - from));
    if (take("(")) return function(word, from);
    skip();
    const auto known = std::find(to_.names_.begin(), to_.names_.end(), word);
    put(Code::kName, static_cast<uint32_t>(known - to_.names_.begin()));
    if (known == to_.names_.end()) to_.names_.push_back(word);
  }

  void function(const std::string& word, size_t from) {
    const auto* f = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                 [&](const Function& g) { return word == g.name; });
    if (f == std::end(kFunctions)) {
      at_ = from;
      std::string known;
      for (const Function& g : kFunctions) known += fmt::format(" {}", g.name);
      fail(fmt::format("{}: no such function; there are{}", word, known));
    }
    uint32_t operands = 0;
    do {
      choice();
      operands++;
    } while (take(","));
    need(")");
    if (operands < f->least || operands > f->most) {
      at_ = from;
      fail(fmt::format("{} takes {}", word, f->most == 1 ? "one operand" : "at least one operand"));
    }
    put(f->code, operands);
  }

  Expression& to_;
  std::string_view text_;
  size_t at_ = 0;
  unsigned depth_ = 0;
};

Expression::Expression(const std::string& text) { ExpressionParser(*this, text).all(); }

double Expression::value(std::span<const double> values) const {
  std::vector<double> stack;
  stack.reserve(16);
  const auto pop = [&] {
    const double x = stack.back();
    stack.pop_back();
    return x;
  };
  const auto both = [&](auto work) {
    const double right = pop();
    double& left = stack.back();
    left = std::isnan(left) || std::isnan(right) ? kNone : static_cast<double>(work(left, right));
  };
  const auto one = [&](auto work) { stack.back() = static_cast<double>(work(stack.back())); };
  // min, max and first take many; those without a value are left out of none but first.
  const auto many = [&](uint32_t operands, auto better) {
    double best = pop();
    for (uint32_t i = 1; i < operands; i++) {
      const double x = pop();
      best = std::isnan(best) || std::isnan(x) ? kNone : better(x, best) ? x : best;
    }
    stack.push_back(best);
  };
  for (const Step& s : steps_) {
    switch (s.code) {
      case Code::kNumber:
        stack.push_back(s.number);
        break;
      case Code::kName:
        stack.push_back(values[s.operands]);
        break;
      case Code::kNegate:
        one([](double a) { return -a; });
        break;
      case Code::kAdd:
        both([](double a, double b) { return a + b; });
        break;
      case Code::kSubtract:
        both([](double a, double b) { return a - b; });
        break;
      case Code::kMultiply:
        both([](double a, double b) { return a * b; });
        break;
      case Code::kDivide:
        both([](double a, double b) { return b == 0 ? kNone : a / b; });
        break;
      case Code::kRemainder:
        both([](double a, double b) { return b == 0 ? kNone : std::fmod(a, b); });
        break;
      case Code::kPower:
        both([](double a, double b) { return std::pow(a, b); });
        break;
      case Code::kLess:
        both([](double a, double b) { return a < b; });
        break;
      case Code::kLessEqual:
        both([](double a, double b) { return a <= b; });
        break;
      case Code::kGreater:
        both([](double a, double b) { return a > b; });
        break;
      case Code::kGreaterEqual:
        both([](double a, double b) { return a >= b; });
        break;
      case Code::kEqual:
        both([](double a, double b) { return a == b; });
        break;
      case Code::kNotEqual:
        both([](double a, double b) { return a != b; });
        break;
      case Code::kChoose: {
        const double no = pop(), yes = pop();
        one([&](double c) { return std::isnan(c) ? kNone : c != 0 ? yes : no; });
        break;
      }
      case Code::kMin:
        many(s.operands, [](double a, double b) { return a < b; });
        break;
      case Code::kMax:
        many(s.operands, [](double a, double b) { return a > b; });
        break;
      case Code::kAbs:
        one([](double a) { return std::fabs(a); });
        break;
      case Code::kSqrt:
        one([](double a) { return a < 0 ? kNone : std::sqrt(a); });
        break;
      case Code::kLog:
        one([](double a) { return a <= 0 ? kNone : std::log(a); });
        break;
      case Code::kLog2:
        one([](double a) { return a <= 0 ? kNone : std::log2(a); });
        break;
      case Code::kExp:
        one([](double a) { return std::exp(a); });
        break;
      case Code::kFloor:
        one([](double a) { return std::floor(a); });
        break;
      case Code::kCeil:
        one([](double a) { return std::ceil(a); });
        break;
      case Code::kRound:
        one([](double a) { return std::round(a); });
        break;
      case Code::kKnown:
        one([](double a) { return !std::isnan(a); });
        break;
      case Code::kFirst: {
        double found = kNone;
        for (uint32_t i = 0; i < s.operands; i++) {
          const double x = pop();
          if (!std::isnan(x)) found = x;
        }
        stack.push_back(found);
        break;
      }
    }
  }
  const double result = stack.back();
  return std::isfinite(result) ? result : kNone;
}

}  // namespace perfboard::p2
