// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events_text.h"

#include <algorithm>
#include <iterator>

#include "hw/model/number.h"

namespace perfboard {
namespace {

constexpr std::string_view kNames[] = {
    "instructions",  "loads",         "stores",     "branches",           "exceptions",          "interrupts",
    "dcache-misses", "icache-misses", "tlb-misses", "dcache-load-misses", "dcache-store-misses", "castouts",
    "itlb-misses",   "io-loads",      "io-stores",  "dma-reads",          "dma-writes",          "pages"};
static_assert(std::size(kNames) == kEventKinds);

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  return parse_number(text, value) ? std::optional(value) : std::nullopt;
}

// What stands before the first colon; text becomes what stands behind it. True: there was one.
bool split(std::string_view& text, std::string_view& before) {
  const size_t colon = text.find(':');
  before = text.substr(0, colon);
  if (colon == std::string_view::npos) return false;
  text.remove_prefix(colon + 1);
  return true;
}

bool parse_range(std::string_view range, EventSpec& spec, std::string& why) {
  const size_t dash = range.find('-');
  const auto low = number(range.substr(0, dash));
  const auto high = dash == std::string_view::npos ? std::nullopt : number(range.substr(dash + 1));
  if (!low || !high || *low > *high) {
    why = "'" + std::string(range) +
          "' is no range of addresses; legal is LOW-HIGH, LOW not above HIGH, "
          "for example pages:0x100000-0x1fffff";
    return false;
  }
  spec.low = *low;
  spec.high = *high;
  return true;
}

// Contexts that a word leaves.
struct ContextWord {
  std::string_view word;
  unsigned contexts;
};
constexpr ContextWord kContextWords[] = {
    {"user", 0b0101}, {"kernel", 0b1010}, {"unmarked", 0b0011}, {"marked", 0b1100}};

const ContextWord* context_word(std::string_view text) {
  const auto* const found = std::find_if(std::begin(kContextWords), std::end(kContextWords),
                                         [&](const ContextWord& c) { return c.word == text; });
  return found != std::end(kContextWords) ? found : nullptr;
}

// Takes the contexts off the front of rest. more: rest is there, and becomes whether anything is left of it.
bool parse_contexts(std::string_view& rest, bool& more, EventSpec& spec, std::string& why) {
  while (more) {
    std::string_view after = rest, word;
    const bool another = split(after, word);
    const ContextWord* const context = context_word(word);
    if (!context) return true;
    spec.contexts &= context->contexts;
    if (spec.contexts == 0) {
      why = "'" + std::string(word) +
            "' leaves no context; legal are one of user, kernel and one of marked, unmarked";
      return false;
    }
    rest = after;
    more = another;
  }
  return true;
}

}  // namespace

std::string event_name(EventKind kind) {
  const std::string name(kNames[static_cast<unsigned>(kind)]);
  return kind == EventKind::kPages ? name + ":LOW-HIGH" : name;
}

std::optional<EventSpec> parse_event(std::string_view text, unsigned vcpus, std::string& why) {
  std::string_view rest = text, name, range;
  bool more = split(rest, name);
  EventSpec spec{};
  unsigned kind = 0;
  while (kind < kEventKinds && kNames[kind] != name) ++kind;
  if (kind == kEventKinds) {
    why = "unknown event source '" + std::string(name) + "'; legal are ";
    for (unsigned k = 0; k < kEventKinds; ++k) why += event_name(static_cast<EventKind>(k)) + ", ";
    why += "each with an optional :VCPU, and before that :user or :kernel, :marked or :unmarked";
    return std::nullopt;
  }
  spec.kind = static_cast<EventKind>(kind);
  if (spec.kind == EventKind::kPages) {
    if (more) more = split(rest, range);
    if (!parse_range(range, spec, why)) return std::nullopt;
  }
  if (!parse_contexts(rest, more, spec, why)) return std::nullopt;
  if (!more) return spec;
  const auto vcpu = number(rest);
  if (!vcpu || *vcpu >= vcpus) {
    why = "'" + std::string(rest) + "' is no vCPU of this machine; legal are 0.." +
          std::to_string(vcpus - 1) + ", or a context: user, kernel, marked, unmarked";
    return std::nullopt;
  }
  spec.vcpu = static_cast<int>(*vcpu);
  return spec;
}

}  // namespace perfboard
