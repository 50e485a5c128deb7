// SPDX-License-Identifier: GPL-2.0-or-later
//
// The reader of coverage files, which a user names and anybody may have written: what is printed is read as
// it was; a text that is taken is one that prints and reads the same again; any other is refused in one line.
// Sums add up, or nothing is added.
#include <algorithm>
#include <string>
#include <string_view>

#include "hw/inspect/coverage_file.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using namespace perfboard::inspect;

bool same(const Item& a, const Item& b) {
  return a.kind == b.kind && a.name == b.name && a.text == b.text && a.source == b.source &&
         a.count == b.count &&
         std::equal(
             a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
             [](const Step& x, const Step& y) { return x.pattern == y.pattern && x.count == y.count; });
}
bool same(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return same(x, y); });
}
bool same(const BoardItems& a, const BoardItems& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && same(x.second, y.second);
  });
}

class Bench {
 public:
  explicit Bench(Input& source) : in(source) {}

  void step() {
    BoardItems boards;
    for (uint32_t n = in.below(3); n; --n) boards[words(2)] = items();
    std::string text = print_coverage(boards);
    BoardItems again;
    std::string why;
    FUZZ_CHECK(parse_coverage(text, again, why) && same(boards, again) && why.empty(), "%s: %s", why.c_str(),
               text.c_str());
    damage(text);
    if (!parse_coverage(text, boards, why)) {
      FUZZ_CHECK(!why.empty() && why.find('\n') == why.npos, "'%s'", why.c_str());
    } else {
      const std::string printed = print_coverage(boards);
      FUZZ_CHECK(parse_coverage(printed, again, why) && same(boards, again), "%s: %s", why.c_str(),
                 printed.c_str());
    }
    sums(boards);
  }

 private:
  std::string words(uint32_t most) {
    static constexpr std::string_view kSome[] = {
        "HTCR", ".", "=3", "surfboard", "\"", "\\", "\n", "p. 5", "\xc3\xa9", " ", "\x01", "TEN",
    };
    std::string text;
    for (uint32_t n = in.below(most + 1); n; --n) text += kSome[in.below(std::size(kSome))];
    return text;
  }
  std::vector<Item> items() {
    std::vector<Item> all(in.below(4));
    for (Item& i : all) {
      i = {.kind = Kind(in.below(uint32_t(Kind::kNothing) + 1)),
           .name = words(3),
           .text = words(2),
           .source = words(2),
           .count = in.flip() ? in.u8() : in.u64(),
           .steps = {}};
      for (uint32_t n = in.below(3); n; --n) i.steps.push_back({words(2), in.u64()});
    }
    return all;
  }
  void damage(std::string& text) {
    static constexpr std::string_view kSome[] = {
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "1e400",
        "-1",
        "18446744073709551616",
        "null",
        "true",
        "\"kind\":\"read\"",
        "\"steps\":[[]]",
        "\\ud800",
        "\\u0000",
        "[[[[[[[[",
        "\xff",
    };
    for (uint32_t n = in.below(4); n; --n) {
      const size_t at = in.u16() % (text.size() + 1),
                   cut = std::min<size_t>(in.below(4) ? in.below(4) : in.u8(), text.size() - at);
      text.replace(at, cut,
                   in.flip() ? std::string(kSome[in.below(std::size(kSome))])
                             : std::string(in.below(3), char(in.u8())));
    }
    if (in.below(64) == 0) text = std::string(20'000, '[');
  }
  void sums(const BoardItems& boards) {
    for (const auto& [name, board] : boards) {
      std::vector<Item> sum = board, more = board;
      if (!more.empty() && in.flip()) {
        Item& odd = more[in.below(uint32_t(std::min<size_t>(more.size(), 256)))];
        if (in.flip())
          odd.name += 'x';
        else
          odd.steps.emplace_back();
      }
      const bool alike = same(sum, more);
      std::string why;
      FUZZ_CHECK(add_counts(sum, more, why) == alike, "%s: %s", name.c_str(), why.c_str());
      for (size_t i = 0; i < sum.size(); ++i)
        FUZZ_CHECK(sum[i].count == board[i].count + (alike ? board[i].count : 0), "item %zu of %s", i,
                   name.c_str());
    }
  }

  Input& in;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
