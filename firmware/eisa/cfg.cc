// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/eisa/cfg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "hw/eisa/eisa_id.h"

namespace perfboard::eisa {
namespace {

constexpr uint32_t kSlotPorts = 0x1000;
constexpr uint64_t kMostMemory = 64 << 20;  // of a block in EISA's tables

const std::set<std::string> kBoard = {
    "ID",     "NAME",      "MFR",    "CATEGORY", "SLOT",    "LENGTH",   "AMPERAGE", "SKIRT",
    "READID", "BUSMASTER", "SIZING", "IOCHECK",  "DISABLE", "COMMENTS", "HELP",
};
const std::set<std::string> kMemory = {"WRITABLE", "MEMTYPE", "SIZE", "DECODE", "CACHE", "SHARE"};
const std::set<std::string> kIrq = {"SHARE", "TRIGGER"};
const std::set<std::string> kFunction = {"TYPE", "HELP", "SHOW", "DISABLE"};
const char* const kFirst[] = {"ID", "NAME", "MFR", "CATEGORY"};

std::string_view trimmed(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

// Lines that cannot be read throw a plain text; read_cfg() says where.
struct Wrong {
  std::string text;
};

template <typename... A>
[[noreturn]] void wrong(fmt::format_string<A...> format, A&&... a) {
  throw Wrong{fmt::format(format, std::forward<A>(a)...)};
}

uint64_t number(std::string_view text, int base, uint64_t most) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > most)
    wrong("{} is no number from 0 to {}{}", text, base == 16 ? "0x" : "",
          base == 16 ? fmt::format("{:x}", most) : fmt::format("{}", most));
  return value;
}

// 0C0010000h: begins with a digit and ends with h.
uint32_t hex(std::string_view text) {
  if (text.size() < 2 || text[0] < '0' || text[0] > '9' || text.back() != 'h')
    wrong("{} is no hexadecimal number: it begins with a digit and ends with h", text);
  return static_cast<uint32_t>(number(text.substr(0, text.size() - 1), 16, UINT32_MAX));
}

std::vector<std::string_view> alternatives_of(std::string_view list) {
  std::vector<std::string_view> items;
  for (size_t at = 0; at != std::string_view::npos;) {
    const size_t bar = list.find('|', at);
    items.push_back(trimmed(list.substr(at, bar == std::string_view::npos ? bar : bar - at)));
    if (items.back().empty()) wrong("an alternative is missing");
    at = bar == std::string_view::npos ? bar : bar + 1;
  }
  return items;
}

std::string unquoted(std::string_view s) {
  if (s.size() < 3 || s.front() != '"' || s.back() != '"') wrong("{} is no text in quotes", s);
  return std::string(s.substr(1, s.size() - 2));
}

uint64_t bytes_of(std::string_view size) {
  const unsigned shift = size.ends_with('K') ? 10 : size.ends_with('M') ? 20 : 0;
  const uint64_t bytes = number(size.substr(0, size.size() - (shift != 0)), 10, kMostMemory) << shift;
  if (!bytes || bytes > kMostMemory) wrong("MEMORY = {}: legal are 1 to 64M", size);
  return bytes;
}

// IOPORT(1)
uint32_t port_number(std::string_view text) {
  if (!text.starts_with("IOPORT(") || !text.ends_with(')')) wrong("{} is no IOPORT(n)", text);
  return static_cast<uint32_t>(number(text.substr(7, text.size() - 8), 10, 255));
}

// IOPORT(3) LOC(2 1 0) 010 | 011
CfgInit read_init(std::string_view value) {
  const size_t loc = value.find(" LOC("),
               close = value.find(')', loc == std::string_view::npos ? loc : loc + 5);
  if (close == std::string_view::npos) wrong("INIT is not IOPORT(n) LOC(bits) values");
  CfgInit init = {port_number(value.substr(0, loc)), {}, {}};
  for (std::string_view rest = trimmed(value.substr(loc + 5, close - loc - 5)); !rest.empty();) {
    const size_t blank = std::min(rest.find(' '), rest.size());
    init.bits.push_back(static_cast<uint32_t>(number(rest.substr(0, blank), 10, 7)));
    rest = trimmed(rest.substr(blank));
  }
  if (init.bits.empty() || !std::is_sorted(init.bits.rbegin(), init.bits.rend(), std::less_equal<>()))
    wrong("LOC: bits of a byte, from the highest to the lowest");
  for (const std::string_view v : alternatives_of(value.substr(close + 1))) {
    if (v.size() != init.bits.size() || v.find_first_not_of("01") != std::string_view::npos)
      wrong("INIT: {} is no value of {} bits", v, init.bits.size());
    init.values.emplace_back(v);
  }
  return init;
}

class Reader {
 public:
  void line(std::string_view text) {
    const size_t equals = text.find('=');
    const std::string key(trimmed(text.substr(0, equals)));
    statement(key, equals == std::string_view::npos ? std::string_view() : trimmed(text.substr(equals + 1)));
  }
  CfgFile file;

 private:
  enum { kNothing, kInBoard, kInPort, kInFunction, kInGroup, kInIrq, kInMemory } block_ = kNothing;

  void statement(const std::string& key, std::string_view value) {
    if (key == "BOARD") {
      if (block_ != kNothing) wrong("BOARD comes first, and once");
      block_ = kInBoard;
    } else if (block_ == kNothing) {
      wrong("{}: the first block is BOARD", key);
    } else if (key.starts_with("IOPORT(")) {
      port(port_number(key), value);
    } else if (key == "FUNCTION") {
      if (file.ports.empty()) wrong("FUNCTION: no IOPORT stands before it");
      block_ = kInFunction;
      file.functions.push_back(unquoted(value));
      choice_.clear();
    } else if (block_ == kInBoard) {
      board(key, value);
    } else if (block_ == kInPort) {
      if (key != "SIZE" || value != "BYTE") wrong("{}: an IOPORT has SIZE = BYTE", key);
    } else if (key == "CHOICE") {
      choice_ = unquoted(value);
      disables_ = false;
      block_ = kInFunction;
    } else if (key == "SUBCHOICE") {
      if (choice_.empty()) wrong("SUBCHOICE: not in a CHOICE");
      block_ = kInFunction;
    } else if (key == "LINK" || key == "FREE") {
      if (choice_.empty()) wrong("{}: not in a CHOICE", key);
      file.groups.push_back({file.functions.back(), choice_, key == "LINK", disables_, {}, {}, {}, {}});
      block_ = kInGroup;
    } else if (block_ == kInFunction) {
      if (!kFunction.count(key))
        wrong("{}: legal in a FUNCTION or CHOICE are {}", key, fmt::join(kFunction, " "));
      if (key == "DISABLE") disables_ = value == "YES";
    } else {
      resource(key, value, file.groups.back());
    }
  }

  void board(const std::string& key, std::string_view value) {
    if (!kBoard.count(key)) wrong("{}: legal in BOARD are {}", key, fmt::join(kBoard, " "));
    const size_t n = file.board.size();
    if (n < std::size(kFirst) && key != kFirst[n]) wrong("{}: ID, NAME, MFR and CATEGORY come first", key);
    if (!file.says(key).empty()) wrong("{} stands twice", key);
    file.board.emplace_back(
        key, value.starts_with('"') || n < std::size(kFirst) ? unquoted(value) : std::string(value));
    const std::string& said = file.board.back().second;
    if (key == "ID" &&
        (said.size() != 7 ||
         !std::all_of(said.begin(), said.begin() + 3, [](char c) { return c >= 'A' && c <= 'Z'; }) ||
         said.find_first_not_of("0123456789ABCDEF", 3) != std::string::npos))
      wrong("ID = {}: three letters and four hexadecimal digits", said);
    if (key == "CATEGORY" && said.size() != 3) wrong("CATEGORY = {}: three letters", said);
  }

  // 0ZC84h
  void port(uint32_t n, std::string_view value) {
    if (!value.starts_with("0Z"))
      wrong("IOPORT({}) = {}: a port of the board's slot begins with 0Z", n, value);
    const uint32_t offset = hex("0" + std::string(value.substr(2)));
    if (offset >= kSlotPorts) wrong("IOPORT({}) = {}: legal are 0Z000h to 0ZFFFh", n, value);
    if (!file.functions.empty()) wrong("IOPORT({}): behind a FUNCTION", n);
    if (!file.ports.emplace(n, offset).second) wrong("IOPORT({}) stands twice", n);
    block_ = kInPort;
  }

  void resource(const std::string& key, std::string_view value, CfgGroup& g) {
    if (key == "IRQ") {
      if (!g.irqs.empty()) wrong("IRQ stands twice in a group");
      for (const std::string_view irq : alternatives_of(value))
        g.irqs.push_back(static_cast<uint32_t>(number(irq, 10, 15)));
      block_ = kInIrq;
    } else if (key == "MEMORY") {
      g.memories.push_back({bytes_of(value), {}, {}});
      block_ = kInMemory;
    } else if (key == "INIT") {
      g.inits.push_back(read_init(value));
      if (!file.ports.count(g.inits.back().port)) wrong("INIT: there is no IOPORT({})", g.inits.back().port);
      block_ = kInGroup;
    } else if (block_ == kInMemory && key == "ADDRESS") {
      for (const std::string_view a : alternatives_of(value)) {
        const uint32_t address = hex(a);
        if (address % g.memories.back().bytes) wrong("ADDRESS {}: no multiple of the block's length", a);
        g.memories.back().addresses.push_back(address);
      }
    } else if (block_ == kInMemory && kMemory.count(key)) {
      if (key == "SHARE" && value != "NO")
        wrong("MEMORY, SHARE = {}: nobody shares memory here; legal is NO", value);
      g.memories.back().says[key] = value;
    } else if (block_ == kInIrq && kIrq.count(key)) {
      if (value != (key == "SHARE" ? "YES" : "LEVEL"))
        wrong("IRQ, {} = {}: lines are level-triggered and shared here; legal is {}", key, value,
              key == "SHARE" ? "YES" : "LEVEL");
      g.irq_says[key] = value;
    } else {
      wrong("{}: no statement of this block", key);
    }
  }

  std::string choice_;
  bool disables_ = false;
};

std::string name_of(const CfgGroup& g) {
  return fmt::format("FUNCTION \"{}\", CHOICE \"{}\"", g.function, g.choice);
}

void check_group(const CfgGroup& g) {
  if (g.inits.empty()) wrong("{}: no INIT", name_of(g));
  const size_t n = g.alternatives();
  const auto has = [&](const char* what, size_t count) {
    if (count != n) wrong("{}: {} alternatives of {}, but {} of the first INIT", name_of(g), count, what, n);
  };
  for (const CfgInit& init : g.inits) has("an INIT", init.values.size());
  for (const CfgMemory& m : g.memories) has("ADDRESS", m.addresses.size());
  if (!g.irqs.empty()) {
    has("IRQ", g.irqs.size());
    for (const std::string& key : kIrq)  // left out it would mean the other one
      if (!g.irq_says.count(key)) wrong("{}: IRQ without {}", name_of(g), key);
  }
  if (!g.link && (!g.irqs.empty() || !g.memories.empty()))
    wrong("{}: FREE, but it asks for something", name_of(g));
}

// Whatever is chosen of a function, it sets the same bits, and no other function sets them.
void check_bits(const CfgFile& f) {
  std::map<std::string, CfgBytes> by_function;
  for (const CfgGroup& g : f.groups)
    if (by_function.emplace(g.function, cfg_mask(f, g)).first->second != cfg_mask(f, g))
      wrong("{}: sets other bits than another choice of the function", name_of(g));
  CfgBytes all;
  for (const std::string& function : f.functions) {
    if (!by_function.count(function)) wrong("FUNCTION \"{}\": no LINK or FREE", function);
    for (const auto& [offset, mask] : by_function.at(function)) {
      if (all[offset] & mask)
        wrong("FUNCTION \"{}\": sets a bit of port {:X} that another one sets", function, offset);
      all[offset] |= mask;
    }
  }
}

}  // namespace

const std::string& CfgFile::says(const std::string& key) const {
  static const std::string nothing;
  const auto found = std::find_if(board.begin(), board.end(), [&](const auto& s) { return s.first == key; });
  return found == board.end() ? nothing : found->second;
}

uint32_t CfgFile::product_id() const {
  const std::string& id = says("ID");
  return EISA_ID(id[0], id[1], id[2], static_cast<unsigned>(number(id.substr(3, 3), 16, 0xfff)),
                 static_cast<unsigned>(number(id.substr(6), 16, 0xf)));
}

CfgFile read_cfg(std::string_view name, std::string_view text) {
  Reader reader;
  size_t line = 0;
  try {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      line++;
      const std::string_view said = trimmed(text.substr(at, end - at));
      if (!said.empty() && said[0] != ';') reader.line(said);
      at = end + 1;
    }
    line = 0;
    if (reader.file.board.size() < std::size(kFirst)) wrong("ID, NAME, MFR and CATEGORY are not all there");
    if (reader.file.functions.empty()) wrong("no FUNCTION");
    for (const CfgGroup& g : reader.file.groups) check_group(g);
    check_bits(reader.file);
  } catch (const Wrong& w) {
    throw CfgError(line ? fmt::format("{}:{}: {}", name, line, w.text) : fmt::format("{}: {}", name, w.text));
  }
  return std::move(reader.file);
}

CfgBytes cfg_value(const CfgFile& f, const CfgGroup& g, size_t alternative) {
  CfgBytes bytes;
  for (const CfgInit& init : g.inits)
    for (size_t i = 0; i < init.bits.size(); ++i)
      bytes[f.ports.at(init.port)] |=
          static_cast<uint8_t>((init.values[alternative][i] == '1') << init.bits[i]);
  return bytes;
}

CfgBytes cfg_mask(const CfgFile& f, const CfgGroup& g) {
  CfgBytes bytes;
  for (const CfgInit& init : g.inits)
    for (const uint32_t bit : init.bits) bytes[f.ports.at(init.port)] |= static_cast<uint8_t>(1u << bit);
  return bytes;
}

}  // namespace perfboard::eisa
