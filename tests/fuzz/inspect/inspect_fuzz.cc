// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whoever looks at a board: patterns and filters that a user types, and accesses of any width at any offset
// that a guest makes.
//
// A pattern that is taken says the same when it is written out; one that is not is refused with a reason. An
// access's parts hold each of its bytes once, and nothing else; every line is one line, and every JSON text
// is JSON; a filter keeps what its patterns say.
#include <rapidjson/document.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "hw/inspect/inspector.h"
#include "hw/inspect/text.h"
#include "tests/fuzz/input.h"
#include "tests/unit/inspect/small_board.h"

namespace perfboard::fuzz {
namespace {

using namespace perfboard::inspect;

std::string written(const Pattern& p) {
  using Kind = Pattern::Kind;
  std::string text = p.board;
  if (!p.unit.empty()) text += "@" + p.unit;
  if (p.part >= 0) text += "/" + std::to_string(p.part);
  if (!p.board.empty()) text += ":";
  static constexpr std::string_view kKinds[] = {"",          "irq",   "mistake ", "effect ",
                                                "injected ", "reset", "none"};
  static constexpr std::string_view kOps[] = {"write ", "read ", "any "};
  static constexpr std::string_view kRelations[] = {"", "=", "!=", "<", ">"};
  text += p.kind == Kind::kAccess ? kOps[size_t(p.op)] : kKinds[size_t(p.kind)];
  text += p.name;
  if (p.index >= 0) text += "[" + std::to_string(p.index) + "]";
  if (!p.field.empty()) text += "." + p.field;
  if (p.relation != Pattern::Relation::kNothing)
    text += std::string(kRelations[size_t(p.relation)]) + std::to_string(p.value);
  return text;
}

bool same(const Pattern& a, const Pattern& b) {
  return a.board == b.board && a.unit == b.unit && a.part == b.part && a.kind == b.kind && a.op == b.op &&
         a.name == b.name && a.index == b.index && a.field == b.field && a.relation == b.relation &&
         a.value == b.value;
}

bool is_json(const std::string& text) {
  rapidjson::Document d;
  return !d.Parse(text.c_str()).HasParseError();
}

class Bench final : public Listener {
 public:
  explicit Bench(Input& source) : in(source), inspector_(small_inspected(board_)) { inspector_.add(this); }

  void step() {
    switch (in.below(8)) {
      case 0:
      case 1:
        pattern();
        break;
      case 2:
        filter();
        break;
      case 3:
        inspector_.set_recent(in.below(20));
        FUZZ_CHECK(is_json(inspector_.registers(in.u32(), in.flip())), "registers");
        break;
      case 4:
        tell();
        break;
      default:
        make_access();
    }
  }

  void access(const inspect::Access& a) override {
    ++heard_;
    uint32_t bytes = 0;
    for (const Part& p : a.parts) {
      for (uint32_t k = 0; k < 4; ++k) bytes += p.lanes >> 8 * k & 1;
      FUZZ_CHECK((p.data & ~p.lanes) == 0, "data %x outside lanes %x", p.data, p.lanes);
    }
    FUZZ_CHECK(bytes == a.bytes, "%u bytes in parts of %u", bytes, a.bytes);
    FUZZ_CHECK(a.bytes == 8 || a.value >> 8 * a.bytes == 0 || a.write, "%u bytes read", a.bytes);
    for (uint32_t i = 0; i < a.bytes; ++i) {
      const uint8_t byte = static_cast<uint8_t>(a.value >> 8 * (made_.big ? a.bytes - 1 - i : i));
      FUZZ_CHECK(has_byte(a, i, byte), "byte %u of %u, %02x, is in no part", i, a.bytes, byte);
    }
    one_line(text_of(who(), in.flip(), a));
    FUZZ_CHECK(is_json(json_of(who(), a, 7)), "%s", json_of(who(), a, 7).c_str());
    keeps(a);
  }
  void event(const Event& e) override {
    ++heard_;
    one_line(text_of(who(), in.flip(), e));
    FUZZ_CHECK(is_json(json_of(who(), e)), "%s", json_of(who(), e).c_str());
    keeps(e);
  }

 private:
  bool has_byte(const inspect::Access& a, uint32_t i, uint8_t byte) const {
    const Place wanted = made_.none ? Place{} : small_place(&board_, a.window, a.offset + i);
    const unsigned lane = 8 * (wanted.reg ? wanted.byte : (a.offset + i) & 3);
    return std::any_of(a.parts.begin(), a.parts.end(), [&](const Part& p) {
      return p.place.reg == wanted.reg && p.place.index == wanted.index && p.place.unit == wanted.unit &&
             (p.lanes >> lane & 0xff) == 0xff && (p.data >> lane & 0xff) == byte;
    });
  }
  const Who& who() const { return inspector_.who(); }
  static void one_line(const std::string& text) {
    FUZZ_CHECK(!text.empty() && text.find('\n') == text.npos, "'%s'", text.c_str());
  }
  template <typename Seen>
  void keeps(const Seen& seen) {
    const Filter& f = inspector_.filter();
    const auto fits = [&](const Pattern& p) { return matches(p, who(), seen); };
    const bool wanted = std::none_of(f.leave_out.begin(), f.leave_out.end(), fits) &&
                        (f.keep.empty() || std::any_of(f.keep.begin(), f.keep.end(), fits));
    FUZZ_CHECK(f.keeps(who(), seen) == wanted, "the filter");
  }

  // Words of the language in any order, and other bytes.
  std::string text() {
    static constexpr std::string_view kSome[] = {
        "small",       "other",    "@2",
        "/1",          "/",        ":",
        "read ",       "write ",   "any ",
        "CTRL",        "STAT",     "DATA",
        "KICK",        "*",        "[",
        "]",           "[3]",      ".",
        ".EN",         ".MODE",    ".COUNT",
        "=",           "!=",       "<",
        ">",           "1",        "0x",
        "0x1F",        "irq",      "reset",
        "none",        "mistake ", "effect ",
        "injected ",   "late",     "popped",
        "inject-drop", " ",        "18446744073709551616",
    };
    std::string made;
    for (uint32_t n = in.below(8); n; --n) {
      if (in.below(8) == 0)
        made += static_cast<char>(in.u8());
      else
        made += kSome[in.below(std::size(kSome))];
    }
    return made;
  }
  void pattern() {
    const std::string given = text();
    std::string why;
    const auto p = parse_pattern(given, why);
    if (!p) {
      FUZZ_CHECK(!why.empty(), "'%s' is refused without a word", given.c_str());
      return;
    }
    const auto again = parse_pattern(written(*p), why);
    FUZZ_CHECK(again && same(*again, *p), "'%s' is '%s': %s", given.c_str(), written(*p).c_str(),
               why.c_str());
    why.clear();
    const bool known = pattern_known(*p, who(), why);
    FUZZ_CHECK(known == why.empty(), "'%s' is %sknown: '%s'", given.c_str(), known ? "" : "un", why.c_str());
    if (known && in.flip()) inspector_.set_break(*p);
  }
  void filter() {
    std::string given;
    for (uint32_t n = in.below(4); n; --n) given += (in.below(4) ? "" : "!") + text() + ";";
    std::string why;
    if (auto f = parse_filter(given, who(), why))
      inspector_.set_filter(*std::move(f));
    else
      FUZZ_CHECK(!why.empty(), "'%s' is refused without a word", given.c_str());
  }
  void tell() {
    static constexpr uint32_t kNumbers[] = {2, 2, 1, 1, 1};  // of the small board's lists
    const uint32_t what = in.below(5);
    inspector_.tell(What(what), in.below(kNumbers[what]), in.value(), "a \"line\" with \\");
  }
  void make_access() {
    const uint64_t offset = in.below(4) ? in.below(0x60) : in.u64();
    const PbInspectAccess a = {
        .ns = in.u64(),
        .vcpu = int(in.below(4)) - 1,
        .has_pc = in.flip(),
        .pc = in.u64(),
        .window = in.below(2),
        .offset = offset,
        .bytes = in.below(4) ? 1u << in.below(4) : 1 + in.below(8),
        .write = in.flip(),
        .big = in.flip(),
        .none = in.below(16) == 0,
        .value = in.u64(),
    };
    made_ = a;
    inspector_.breaks(a);
    const unsigned before = heard_;
    inspector_.begin(a);
    for (uint32_t n = in.below(4); n; --n) tell();
    board_.ctrl ^= in.value();
    board_.stat ^= in.value();
    const bool up = in.below(8) == 0;
    if (up)
      inspector_.given_up();
    else
      inspector_.end(in.u64());
    FUZZ_CHECK(up || heard_ == before + 1, "heard %u times", heard_ - before);
    FUZZ_CHECK(board_.locked == 0, "the board stays locked");
  }

  Input& in;
  SmallBoard board_;
  PbInspectAccess made_{};
  Inspector inspector_;
  unsigned heard_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
