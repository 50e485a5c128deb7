// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/words.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "guest/common/ranges.h"
#include "hw/model/number.h"

namespace perfboard::p2 {
namespace {

void add_once(std::vector<std::string>& to, const std::string& name) {
  if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

// Letters to change, insert or take out.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    size_t corner = row[0]++;
    for (size_t j = 1; j <= b.size(); j++) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row[b.size()];
}

[[noreturn]] void no_such_event(const std::string& name) {
  std::vector<std::string> like;
  for (size_t e = 0; e < p2_event_count && like.size() < 8; e++) {
    const std::string known = p2_events[e].name;
    if (known.find(name) != known.npos || distance(known, name) <= 2) add_once(like, known);
  }
  throw Misuse(fmt::format("{}: no such event{}; `p2event` lists them", name,
                           like.empty() ? "" : fmt::format(" (like it: {})", fmt::join(like, " "))));
}

unsigned parse_group(const std::string& text) {
  unsigned group = 0;
  if (!parse_integer(text, 10, group) || group >= P2_GROUPS)
    throw Misuse(fmt::format("--groups: {}: legal are groups 0 to {}", text, P2_GROUPS - 1));
  return group;
}

}  // namespace

std::vector<std::string> parse_events(const std::vector<std::string>& lists) {
  std::vector<std::string> events;
  for (const std::string& list : lists)
    for (const std::string& name : split(list, ',')) {
      if (name.find_first_of("*?[") == name.npos) {
        if (!p2_find_event(name.c_str())) no_such_event(name);
        add_once(events, name);
        continue;
      }
      const size_t before = events.size();
      bool some = false;
      for (size_t e = 0; e < p2_event_count; e++)
        if (fnmatch(name.c_str(), p2_events[e].name, 0) == 0) {
          add_once(events, p2_events[e].name);
          some = true;
        }
      if (!some && events.size() == before) throw Misuse(fmt::format("{}: fits no event", name));
    }
  return events;
}

std::vector<p2_set> choose_sets(const std::vector<std::string>& events, uint32_t control) {
  std::vector<const char*> names;
  for (const std::string& event : events) names.push_back(event.c_str());
  std::vector<p2_set> sets(P2_MOST_SETS);
  size_t wrong = 0;
  const size_t count = p2_choose(names.data(), names.size(), control, sets.data(), sets.size(), &wrong);
  if (!count && wrong < events.size()) no_such_event(events[wrong]);
  if (!count)
    throw Misuse(fmt::format("{} events need more than {} sets of groups", events.size(), P2_MOST_SETS));
  sets.resize(count);
  return sets;
}

std::vector<p2_set> parse_groups(const std::string& text, uint32_t control) {
  if (text == "sga") return {{control | P2_MMCR_SGA, 0}};
  std::vector<p2_set> sets;
  if (text == "all") {
    for (unsigned g = 0; g < P2_GROUPS; g++)
      sets.push_back({control | P2_MMCR_FPU(g) | P2_MMCR_FXU(g) | P2_MMCR_ICU(g) | P2_MMCR_SCU(g), 0});
    return sets;
  }
  uint32_t mmcr = control;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string unit = part.substr(0, equals);
    const auto* known = std::find(p2_unit_names, p2_unit_names + P2_UNITS, unit);
    if (equals == part.npos || known == p2_unit_names + P2_UNITS)
      throw Misuse(
          fmt::format("--groups: {}: legal are all, sga, or UNIT=GROUP with UNIT fpu, fxu, icu, scu", part));
    const unsigned shift = 12 - 4 * static_cast<unsigned>(known - p2_unit_names);
    mmcr = (mmcr & ~(15u << shift)) | parse_group(part.substr(equals + 1)) << shift;
  }
  return {{mmcr, 0}};
}

std::vector<std::string> events_of(const std::vector<p2_set>& sets) {
  std::vector<std::string> events;
  for (const p2_set& set : sets)
    for (unsigned i = 0; i < P2_COUNTERS; i++)
      if (const p2_event* event = p2_event_at(set.mmcr, i)) add_once(events, event->name);
  return events;
}

uint64_t parse_time(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  static constexpr std::pair<const char*, double> units[] = {
      {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"s", 1e9}, {"", 1e9}};
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string unit = text.substr(end);
  const auto* u =
      std::find_if(std::begin(units), std::end(units), [&](const auto& x) { return unit == x.first; });
  double number = 0;
  if (end && u != std::end(units)) {
    char* last = nullptr;
    const std::string digits = text.substr(0, end);
    number = std::strtod(digits.c_str(), &last) * u->second;
    if (*last == 0 && number >= static_cast<double>(least) && number <= static_cast<double>(most))
      return static_cast<uint64_t>(std::llround(number));
  }
  throw Misuse(fmt::format("{} {}: legal are {} to {}, with s, ms, us or ns behind the number", option, text,
                           time_text(least), time_text(most)));
}

std::string time_text(uint64_t ns) {
  if (ns % 1000000000 == 0) return fmt::format("{}s", ns / 1000000000);
  if (ns % 1000000 == 0) return fmt::format("{}ms", ns / 1000000);
  if (ns % 1000 == 0) return fmt::format("{}us", ns / 1000);
  return fmt::format("{}ns", ns);
}

uint32_t parse_register(const std::string& option, const std::string& text, uint32_t illegal) {
  const bool hex = text.starts_with("0x");
  uint32_t value = 0;
  if (!parse_integer(std::string_view(text).substr(hex ? 2 : 0), hex ? 16 : 10, value) || value & illegal)
    throw Misuse(fmt::format("{} {}: legal are numbers to 0x{:08x}{}", option, text, ~uint32_t{0},
                             illegal ? fmt::format(" without bits of 0x{:08x}", illegal) : ""));
  return value;
}

std::string counter_text(unsigned counter) {
  if (counter == P2_CYCLES) return "cycles";
  if (counter == P2_ERRORS) return "errors";
  return fmt::format("{}{}", p2_unit_names[counter / P2_UNIT_COUNTERS], counter % P2_UNIT_COUNTERS);
}

std::string mmcr_text(uint32_t mmcr) {
  static constexpr std::pair<uint32_t, const char*> bits[] = {
      {P2_MMCR_DIS, "DIS "}, {P2_MMCR_DP, "DP "},   {P2_MMCR_DU, "DU "},
      {P2_MMCR_DMS, "DMS "}, {P2_MMCR_DMR, "DMR "}, {P2_MMCR_SGA, "SGA "},
  };
  std::string text;
  for (const auto& [bit, name] : bits)
    if (mmcr & bit) text += name;
  return text + fmt::format("fpu={} fxu={} icu={} scu={}", mmcr >> 12 & 15, mmcr >> 8 & 15, mmcr >> 4 & 15,
                            mmcr & 15);
}

namespace {

constexpr uint32_t d(uint32_t opcode) { return opcode << 26; }
constexpr uint32_t x(uint32_t opcode, uint32_t extended) { return opcode << 26 | extended << 1; }

// The words of Power ISA 2.07B, Book I, Appendix F, without operands.
constexpr Opcode kPower[] = {
    {"addi", d(14)},        {"addis", d(15)},      {"ld", d(58)},         {"std", d(62)},
    {"lwz", d(32)},         {"stw", d(36)},        {"lbz", d(34)},        {"stb", d(38)},
    {"lhz", d(40)},         {"sth", d(44)},        {"lha", d(42)},        {"lmw", d(46)},
    {"stmw", d(47)},        {"lfd", d(50)},        {"stfd", d(54)},       {"lfs", d(48)},
    {"stfs", d(52)},        {"b", d(18)},          {"bc", d(16)},         {"bclr", x(19, 16)},
    {"bcctr", x(19, 528)},  {"cmpi", d(11)},       {"cmpli", d(10)},      {"cmp", x(31, 0)},
    {"cmpl", x(31, 32)},    {"add", x(31, 266)},   {"subf", x(31, 40)},   {"neg", x(31, 104)},
    {"mulli", d(7)},        {"mullw", x(31, 235)}, {"mulld", x(31, 233)}, {"divw", x(31, 491)},
    {"divd", x(31, 489)},   {"ori", d(24)},        {"or", x(31, 444)},    {"and", x(31, 28)},
    {"andi.", d(28)},       {"xor", x(31, 316)},   {"rlwinm", d(21)},     {"rldicl", d(30)},
    {"slw", x(31, 24)},     {"srw", x(31, 536)},   {"srawi", x(31, 824)}, {"extsw", x(31, 986)},
    {"lwzx", x(31, 23)},    {"ldx", x(31, 21)},    {"stdx", x(31, 149)},  {"lbzx", x(31, 87)},
    {"lfdx", x(31, 599)},   {"stfdx", x(31, 727)}, {"fadd", x(63, 21)},   {"fsub", x(63, 20)},
    {"fmul", x(63, 25)},    {"fmadd", x(63, 29)},  {"fdiv", x(63, 18)},   {"fcmpu", x(63, 0)},
    {"fmr", x(63, 72)},     {"mfspr", x(31, 339)}, {"mtspr", x(31, 467)}, {"lwarx", x(31, 20)},
    {"stwcx.", x(31, 150)}, {"sync", x(31, 598)},  {"sc", d(17)},         {"rfid", x(19, 18)},
};
static_assert(std::size(kPower) <= P2_MOST_SETS);

// Map << 8 | opcode. A name with _s stores to memory or to the register of ModRM's r/m, one with _i has an
// immediate operand.
constexpr Opcode kX86[] = {
    {"mov", 0x8b},     {"mov_s", 0x89},     {"mov_i", 0xc7},    {"mov_s8", 0x88},   {"mov8", 0x8a},
    {"movzx8", 0x1b6}, {"movzx16", 0x1b7},  {"movsx8", 0x1be},  {"movsxd", 0x63},   {"lea", 0x8d},
    {"add", 0x03},     {"add_s", 0x01},     {"sub", 0x2b},      {"sub_s", 0x29},    {"cmp", 0x3b},
    {"cmp_s", 0x39},   {"test", 0x85},      {"test8", 0x84},    {"and_s", 0x21},    {"or_s", 0x09},
    {"xor_s", 0x31},   {"xor", 0x33},       {"arith_i8", 0x83}, {"arith_i", 0x81},  {"arith8_i", 0x80},
    {"shift_i", 0xc1}, {"shift_1", 0xd1},   {"shift_cl", 0xd3}, {"inc_dec", 0xff},  {"mul_div", 0xf7},
    {"imul", 0x1af},   {"push_rbp", 0x55},  {"push_rbx", 0x53}, {"pop_rbp", 0x5d},  {"pop_rbx", 0x5b},
    {"call", 0xe8},    {"ret", 0xc3},       {"jmp", 0xe9},      {"jmp8", 0xeb},     {"je8", 0x74},
    {"jne8", 0x75},    {"jb8", 0x72},       {"jae8", 0x73},     {"jbe8", 0x76},     {"ja8", 0x77},
    {"jl8", 0x7c},     {"jge8", 0x7d},      {"jle8", 0x7e},     {"jg8", 0x7f},      {"je", 0x184},
    {"jne", 0x185},    {"nop", 0x11f},      {"syscall", 0x105}, {"movups", 0x110},  {"movups_s", 0x111},
    {"movaps", 0x128}, {"movaps_s", 0x129}, {"adds", 0x158},    {"muls", 0x159},    {"subs", 0x15c},
    {"divs", 0x15e},   {"ucomis", 0x12e},   {"cvtsi2s", 0x12a}, {"cmpxchg", 0x1b1},
};
static_assert(std::size(kX86) <= P2_MOST_SETS);

}  // namespace

std::vector<Opcode> opcodes(bool power) {
  if (power) return {std::begin(kPower), std::end(kPower)};
  return {std::begin(kX86), std::end(kX86)};
}

std::vector<NamedOpcode> parse_opcodes(const std::string& option, const std::string& text, bool power) {
  const std::vector<Opcode> all = opcodes(power);
  std::vector<NamedOpcode> found;
  if (text == "all") {
    for (const Opcode& o : all) found.push_back({o.name, o.imr});
    return found;
  }
  for (const std::string& word : split(text, ',')) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Opcode& o) { return word == o.name; });
    uint32_t number = 0;
    if (known != all.end())
      found.push_back({word, known->imr});
    else if (parse_number(word, number) && number)
      found.push_back({word, number});
    else
      throw Misuse(fmt::format("{} {}: legal are numbers but 0, and names that `p2event --opcodes` lists",
                               option, word));
  }
  return found;
}

namespace {

struct Masked {
  uint64_t value, mask;
};

class HookRule {
 public:
  HookRule(const std::string& text, const std::vector<std::string>& events) : text_(text), events_(events) {}

  p2_rule parse() {
    const size_t colon = text_.find(':');
    for (const std::string& word : words(text_.substr(0, colon))) test(word);
    if (colon != text_.npos)
      for (const std::string& word : words(text_.substr(colon + 1))) action(word);
    // Only now: which kind of hook it is may stand behind the argument.
    for (int i = 0; i < 2; i++)
      if (!told_mask_[i] && rule_.mask[i] && rule_.flags & P2_RULE_EVENT) {
        rule_.mask[i] = std::numeric_limits<uint32_t>::max();
        if (rule_.value[i] & ~rule_.mask[i])
          wrong(fmt::format("arg{}", i), "of an event: 32 bits, or VALUE/MASK");
      }
    return rule_;
  }

 private:
  static std::vector<std::string> words(const std::string& list) {
    return list.empty() ? std::vector<std::string>{} : split(list, ',');
  }
  [[noreturn]] void wrong(const std::string& word, const std::string& legal) const {
    throw Misuse(fmt::format("--when {}: {}: {}", text_, word, legal));
  }
  uint64_t number(const std::string& word, std::string_view text, uint64_t most) const {
    uint64_t value = 0;
    if (!parse_number(text, value) || value > most)
      wrong(word, fmt::format("legal are numbers to 0x{:x}", most));
    return value;
  }
  Masked masked(const std::string& word, const std::string& text, uint64_t most) const {
    const size_t slash = text.find('/');
    const uint64_t mask =
        slash == text.npos ? most : number(word, std::string_view(text).substr(slash + 1), most);
    const uint64_t value = number(word, std::string_view(text).substr(0, slash), most);
    if (value & ~mask) wrong(word, "bits that are not in the mask");
    return {value, mask};
  }
  void kind(const std::string& word, uint32_t flag, uint64_t id) {
    if (rule_.flags & (P2_RULE_HOOK | P2_RULE_EVENT)) wrong(word, "one hook or one event");
    rule_.flags |= flag;
    rule_.id = static_cast<uint32_t>(id);
  }
  void test(const std::string& word) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals),
                      value = equals < word.size() ? word.substr(equals + 1) : "";
    if (name == "hook") return kind(word, P2_RULE_HOOK, number(word, value, 0xffff));
    if (name == "event") {
      const auto at = std::find(events_.begin(), events_.end(), value);
      if (at == events_.end())
        wrong(word, fmt::format("the driver hooks {} (/sys/module/power2/parameters/hooks)",
                                events_.empty() ? "no event" : fmt::format("{}", fmt::join(events_, " "))));
      return kind(word, P2_RULE_EVENT, static_cast<uint64_t>(at - events_.begin()));
    }
    if (name == "arg0" || name == "arg1") {
      const int i = name[3] - '0';
      const Masked m = masked(word, value, std::numeric_limits<uint64_t>::max());
      rule_.value[i] = m.value;
      rule_.mask[i] = m.mask;
      told_mask_[i] = value.find('/') != value.npos;
      return;
    }
    if (name == "state") {
      const Masked m = masked(word, value, std::numeric_limits<uint32_t>::max());
      rule_.state_value = static_cast<uint32_t>(m.value);
      rule_.state_mask = static_cast<uint32_t>(m.mask);
      return;
    }
    if (name == "link") {
      const size_t dash = value.find('-');
      if (dash == value.npos) wrong(word, "legal is link=FIRST-LAST, addresses in the program");
      rule_.flags |= P2_RULE_LINK;
      rule_.link_first =
          number(word, std::string_view(value).substr(0, dash), std::numeric_limits<uint64_t>::max());
      rule_.link_last =
          number(word, std::string_view(value).substr(dash + 1), std::numeric_limits<uint64_t>::max());
      if (rule_.link_first > rule_.link_last) wrong(word, "LAST is below FIRST");
      return;
    }
    wrong(word, "legal tests are hook=, event=, arg0=, arg1=, link=, state=");
  }
  void action(const std::string& word) {
    if (word == "silent") {
      rule_.flags |= P2_RULE_SILENT;
      return;
    }
    if (!word.starts_with("state=")) wrong(word, "legal actions are silent and state=VALUE[/MASK]");
    const Masked m = masked(word, word.substr(6), std::numeric_limits<uint32_t>::max());
    rule_.set_value = static_cast<uint32_t>(m.value);
    rule_.set_mask = static_cast<uint32_t>(m.mask);
  }

  const std::string& text_;
  const std::vector<std::string>& events_;
  p2_rule rule_{};
  bool told_mask_[2] = {};
};

}  // namespace

p2_rule parse_hook_rule(const std::string& text, const std::vector<std::string>& events) {
  return HookRule(text, events).parse();
}

std::vector<p2_rule> parse_hook_rules(const std::vector<std::string>& texts,
                                      const std::vector<std::string>& events) {
  if (texts.size() > P2_MOST_RULES)
    throw Misuse(fmt::format("--when: {} rules; legal are up to {}", texts.size(), P2_MOST_RULES));
  std::vector<p2_rule> rules;
  for (const std::string& text : texts) rules.push_back(parse_hook_rule(text, events));
  return rules;
}

}  // namespace perfboard::p2
