// SPDX-License-Identifier: GPL-2.0-or-later
// What users write, and what they read of it.
#include "guest/common/ranges.h"
#include "guest/multikron/cmd/card.h"
#include "hw/model/number.h"

namespace perfboard::mk {
namespace {

struct Word {
  const char* name;
  uint32_t bit;
};
// Table 2, the column of what is written.
constexpr Word kCsrWords[] = {
    {"sampling", MKR_CSR_SE},        {"no-sampling", MKR_CSR_SEOFF}, {"wait", MKR_CSR_WWAIT},
    {"no-wait", MKR_CSR_WWAITOFF},   {"read-wait", MKR_CSR_RWAIT},   {"no-read-wait", MKR_CSR_RWAITOFF},
    {"slow-10us", MKR_CSR_SLOW10US}, {"slow-1us", MKR_CSR_SLOW1US},
};
// Table 4: as mk shows it, and the paper's word.
struct InputName {
  std::string_view name, paper;
};
constexpr InputName kInputs[] = {
    {"slow", "slow"}, {"ext", "external"}, {"soft", "software"}, {"node", "node"}};

}  // namespace

uint64_t legal_number(const std::string& text, uint64_t most) {
  uint64_t value = 0;
  if (!parse_number(text, value)) throw Misuse(fmt::format("{}: not a number", text));
  if (value > most) throw Misuse(fmt::format("{}: larger than {}", text, most));
  return value;
}

uint16_t parse_set(const std::string& text) {
  if (text == "all") return 0xffff;
  if (text == "none") return 0;
  if (text.starts_with("0x")) return static_cast<uint16_t>(legal_number(text, 0xffff));
  const List list("SET", text, 15);
  uint16_t set = 0;
  for (unsigned i = 0; i < 16; ++i)
    if (list.has(i)) set |= static_cast<uint16_t>(1u << i);
  return set;
}

std::string set_text(uint16_t set) {
  if (set == 0xffff) return "all";
  if (!set) return "none";
  std::string text;
  for (unsigned low = 0; low < 16; ++low) {
    if (!(set >> low & 1)) continue;
    unsigned high = low;
    while (high < 15 && set >> (high + 1) & 1) ++high;
    text += fmt::format("{}{}", text.empty() ? "" : ",", low);
    if (high > low) text += fmt::format("{}{}", high == low + 1 ? ',' : '-', high);
    low = high;
  }
  return text;
}

uint32_t parse_csr(const std::string& word) {
  for (const Word& w : kCsrWords)
    if (word == w.name) return w.bit;
  if (word.empty() || word[0] < '0' || word[0] > '9') {
    std::string all;
    for (const Word& w : kCsrWords) all += fmt::format(" {}", w.name);
    throw Misuse(fmt::format("csr {}: known are{}, and numbers", word, all));
  }
  return static_cast<uint32_t>(legal_number(word, UINT32_MAX));
}

std::string csr_text(uint32_t csr) {
  return fmt::format("sampling {}, write wait {}, read wait {}, slow clock {} us, wait states {}",
                     csr & MKR_CSR_SE ? "on" : "off", csr & MKR_CSR_WWAIT ? "on" : "off",
                     csr & MKR_CSR_RWAIT ? "on" : "off", csr & MKR_CSR_SLOW10US ? 10 : 1,
                     MKR_GET(CSR_WS, csr));
}

std::string_view input_name(unsigned input) { return kInputs[input].name; }

std::string input_words() {
  std::string words;
  for (const auto& [name, paper] : kInputs)
    words += fmt::format("{}{}{}", words.empty() ? "" : ", ", name,
                         name == paper ? "" : fmt::format(" ({})", paper));
  return words;
}

unsigned parse_input(const std::string& name) {
  for (unsigned i = 0; i < 4; ++i)
    if (name == kInputs[i].name || name == kInputs[i].paper) return i;
  throw Misuse(fmt::format("{}: legal are {}", name, input_words()));
}

}  // namespace perfboard::mk
