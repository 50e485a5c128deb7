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
  using Kind = Expression::Kind;

 public:
  ExpressionParser(Expression& to, std::string_view text) : to_(to), text_(text) {}

  void all() {
    choice();
    if (at_ < text_.size()) fail("an operator was expected");
  }

 private:
  struct Operator {
    const char* text;
    double (*of)(double, double);
  };
  static constexpr Operator kComparisons[] = {
      {"<=", [](double a, double b) -> double { return a <= b; }},
      {">=", [](double a, double b) -> double { return a >= b; }},
      {"==", [](double a, double b) -> double { return a == b; }},
      {"!=", [](double a, double b) -> double { return a != b; }},
      {"<", [](double a, double b) -> double { return a < b; }},
      {">", [](double a, double b) -> double { return a > b; }},
  };
  static constexpr Operator kSums[] = {
      {"+", [](double a, double b) { return a + b; }},
      {"-", [](double a, double b) { return a - b; }},
  };
  static constexpr Operator kProducts[] = {
      {"*", [](double a, double b) { return a * b; }},
      {"/", [](double a, double b) { return b == 0 ? kNone : a / b; }},
      {"%", [](double a, double b) { return b == 0 ? kNone : std::fmod(a, b); }},
  };
  static constexpr Operator kPowers[] = {{"^", [](double a, double b) { return std::pow(a, b); }}};

  struct Function {
    const char* name;
    Kind kind;
    double (*one)(double);
    double (*two)(double, double);
  };
  static constexpr Function kFunctions[] = {
      {"min", Kind::kMany, nullptr, [](double a, double b) { return a < b ? a : b; }},
      {"max", Kind::kMany, nullptr, [](double a, double b) { return a > b ? a : b; }},
      {"abs", Kind::kOne, [](double a) { return std::fabs(a); }, nullptr},
      {"sqrt", Kind::kOne, [](double a) { return a < 0 ? kNone : std::sqrt(a); }, nullptr},
      {"log", Kind::kOne, [](double a) { return a <= 0 ? kNone : std::log(a); }, nullptr},
      {"log2", Kind::kOne, [](double a) { return a <= 0 ? kNone : std::log2(a); }, nullptr},
      {"exp", Kind::kOne, [](double a) { return std::exp(a); }, nullptr},
      {"floor", Kind::kOne, [](double a) { return std::floor(a); }, nullptr},
      {"ceil", Kind::kOne, [](double a) { return std::ceil(a); }, nullptr},
      {"round", Kind::kOne, [](double a) { return std::round(a); }, nullptr},
      {"known", Kind::kOne, [](double a) -> double { return !std::isnan(a); }, nullptr},
      {"first", Kind::kFirst, nullptr, nullptr},
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

  const Operator* taken(std::span<const Operator> operators) {
    for (const Operator& o : operators)
      if (take(o.text)) return &o;
    return nullptr;
  }

  void put(Expression::Step step) { to_.steps_.push_back(step); }

  void choice() {
    if (++depth_ > kMostDepth) fail("too deep");
    comparison();
    if (take("?")) {
      choice();
      need(":");
      choice();
      put({.kind = Kind::kChoose});
    }
    depth_--;
  }

  void comparison() {
    sum();
    if (const Operator* const o = taken(kComparisons)) {
      sum();
      put({.kind = Kind::kTwo, .two = o->of});
    }
  }

  void sum() { from_the_left(kSums, &ExpressionParser::product); }
  void product() { from_the_left(kProducts, &ExpressionParser::sign); }
  void from_the_left(std::span<const Operator> operators, void (ExpressionParser::*operand)()) {
    (this->*operand)();
    while (const Operator* const o = taken(operators)) {
      (this->*operand)();
      put({.kind = Kind::kTwo, .two = o->of});
    }
  }

  void sign() {
    if (++depth_ > kMostDepth) fail("too deep");
    if (take("-")) {
      sign();
      put({.kind = Kind::kOne, .one = [](double a) { return -a; }});
    } else {
      power();
    }
    depth_--;
  }

  void power() {
    atom();
    if (const Operator* const o = taken(kPowers)) {
      sign();
      put({.kind = Kind::kTwo, .two = o->of});
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
    put({.kind = Kind::kNumber, .number = value});
    skip();
  }

  void name() {
    const size_t from = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) at_++;
    const std::string word(text_.substr(from, at_ - from));
    if (take("(")) return function(word, from);
    skip();
    const auto known = std::find(to_.names_.begin(), to_.names_.end(), word);
    put({.kind = Kind::kName, .operands = static_cast<uint32_t>(known - to_.names_.begin())});
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
    if (f->kind == Kind::kOne && operands != 1) {
      at_ = from;
      fail(fmt::format("{} takes one operand", word));
    }
    put({.kind = f->kind, .operands = operands, .one = f->one, .two = f->two});
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
  for (const Step& s : steps_) {
    switch (s.kind) {
      case Kind::kNumber:
        stack.push_back(s.number);
        break;
      case Kind::kName:
        stack.push_back(values[s.operands]);
        break;
      case Kind::kOne:
        stack.back() = s.one(stack.back());
        break;
      case Kind::kTwo: {
        const double right = pop(), left = pop();
        stack.push_back(std::isnan(left) || std::isnan(right) ? kNone : s.two(left, right));
        break;
      }
      case Kind::kChoose: {
        const double no = pop(), yes = pop(), condition = pop();
        stack.push_back(std::isnan(condition) ? kNone : condition != 0 ? yes : no);
        break;
      }
      case Kind::kMany: {
        double best = pop();
        for (uint32_t i = 1; i < s.operands; i++) {
          const double x = pop();
          best = std::isnan(best) || std::isnan(x) ? kNone : s.two(x, best);
        }
        stack.push_back(best);
        break;
      }
      case Kind::kFirst: {
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
