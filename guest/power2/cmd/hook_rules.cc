// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/hook_rules.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "guest/common/ranges.h"
#include "hw/core/number.h"

namespace perfboard::p2 {
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
