// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_names.h"

#include <algorithm>

#include "guest/common/input.h"
#include "guest/multikron/host/mk_json.h"
#include "hw/core/number.h"

namespace perfboard::mk {
namespace {

// Names go into CSV fields and columns of tables as they are.
bool good_name(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 127 || c == ',' || c == '"';
  });
}

}  // namespace

void Names::load(const std::string& file) {
  Input in(file);
  for (std::string_view line; in.content(line);) {
    const size_t blank = std::min(line.find_first_of(" \t"), line.size());
    std::string id(line.substr(0, blank));
    const size_t start = std::min(line.find_first_not_of(" \t", blank), line.size());
    const std::string name(line.substr(start));
    const bool counter = id.starts_with('c');
    uint64_t number = 0;
    if (!parse_number(counter ? id.substr(1) : id, number) || number > (counter ? 15 : 0xffff))
      in.fail(fmt::format("{}: expected a number of 0-65535, or c0-c15 for a counter", show_word(id)));
    if (!good_name(name))
      in.fail(
          fmt::format("{}: expected a name after the number, without commas and quotes", show_word(name)));
    (counter ? counters_ : ids_)[static_cast<unsigned>(number)] = name;
  }
}

Name::Name(std::string name)
    : text(std::move(name)), json(json_text(text)), column(fmt::format("{:<16}", text)) {}

const Name& Names::of(uint16_t id) const {
  std::unique_ptr<const Name>& given = given_[id];
  if (!given) {
    const auto found = ids_.find(id);
    given = std::make_unique<Name>(found == ids_.end() ? fmt::to_string(id) : found->second);
  }
  return *given;
}

std::string Names::counter(unsigned index) const {
  const auto found = counters_.find(index);
  return found == counters_.end() ? fmt::format("counter {}", index) : found->second;
}

bool Names::id_of(const std::string& text, uint16_t& id) const {
  for (const auto& [number, name] : ids_)
    if (name == text) {
      id = static_cast<uint16_t>(number);
      return true;
    }
  uint64_t number = 0;
  if (!parse_number(text, number) || number > 0xffff) return false;
  id = static_cast<uint16_t>(number);
  return true;
}

}  // namespace perfboard::mk
