// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "guest/common/ranges.h"
#include "guest/smile/cmd/cards.h"
#include "hw/model/number.h"

namespace perfboard::smile {
namespace {

struct Word {
  const char* name;
  uint32_t bits;
};
constexpr uint32_t kTypes = SMILE_TYPES, kKinds = SMR_FILTER_REQUEST | SMR_FILTER_RESPONSE,
                   kDirections = SMR_FILTER_INBOUND | SMR_FILTER_OUTBOUND;
constexpr uint32_t kGroups[] = {kTypes, kKinds, kDirections};
constexpr Word kFilterWords[] = {
    {"read", SMR_FILTER_READ},
    {"write", SMR_FILTER_WRITE},
    {"lock", SMR_FILTER_LOCK},
    {"unlock", SMR_FILTER_UNLOCK},
    {"request", SMR_FILTER_REQUEST},
    {"response", SMR_FILTER_RESPONSE},
    {"inbound", SMR_FILTER_INBOUND},
    {"outbound", SMR_FILTER_OUTBOUND},
    {"sent", SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND},
    {"received", SMR_FILTER_REQUEST | SMR_FILTER_INBOUND},
    {"all", 0},
};

uint64_t number(const std::string& what, const std::string& text) {
  uint64_t value = 0;
  if (!parse_number(text, value)) throw Misuse(fmt::format("{}: {}: not a number", what, text));
  return value;
}

void parse_range(const std::string& text, const std::string& range, Watch& w) {
  const size_t at = range.find_first_of("-+");
  if (at == std::string::npos) throw Misuse(fmt::format("{}: RANGE is FIRST-LAST or FIRST+BYTES", text));
  w.offset = parse_bytes(text, range.substr(0, at));
  const uint64_t second = parse_bytes(text, range.substr(at + 1));
  if (range[at] == '-' && second < w.offset) throw Misuse(fmt::format("{}: ends before it begins", text));
  w.bytes = range[at] == '+' ? second : second - w.offset + 1;
  if (!w.bytes || w.bytes > UINT64_MAX - w.offset) throw Misuse(fmt::format("{}: holds nothing", text));
}

uint32_t resolve_event(const std::vector<Watch>& watches, const std::string& name) {
  if (name.empty()) return SMILE_NO_EVENT;
  if (name == "timer") return SMR_TIMER_EVENT;
  for (size_t i = 0; i < watches.size(); ++i)
    if (watches[i].name == name) return static_cast<uint32_t>(SMILE_EVENT_OF(i));
  return parse_global(name);
}

}  // namespace

uint64_t parse_bytes(const std::string& what, const std::string& text) {
  uint64_t factor = 1;
  std::string digits = text;
  if (digits.ends_with('K')) factor = 1 << 10;
  if (digits.ends_with('M')) factor = 1 << 20;
  if (factor > 1) digits.pop_back();
  const uint64_t value = number(what, digits);
  if (value > UINT64_MAX / factor) throw Misuse(fmt::format("{}: {}: too large", what, text));
  return value * factor;
}

uint32_t parse_filter(const std::string& text) {
  uint32_t filter = 0;
  for (const std::string& part : split(text, '+')) {
    const auto* word = std::find_if(std::begin(kFilterWords), std::end(kFilterWords),
                                    [&](const Word& w) { return part == w.name; });
    if (word == std::end(kFilterWords)) {
      std::string all;
      for (const Word& w : kFilterWords) all += fmt::format(" {}", w.name);
      throw Misuse(fmt::format("filter {}: known are{}, with + between them", part, all));
    }
    filter |= word->bits;
  }
  for (uint32_t group : kGroups)
    if (!(filter & group)) filter |= group;
  return filter;
}

std::string filter_text(uint32_t filter) {
  std::string text;
  for (const Word& w : kFilterWords) {
    const bool one_bit = w.bits && !(w.bits & (w.bits - 1));
    if (one_bit && filter & w.bits) text += fmt::format("{}{}", text.empty() ? "" : "+", w.name);
  }
  return text.empty() ? "nothing" : text;
}

uint32_t parse_global(const std::string& text) {
  const std::string digits = text.starts_with("global") ? text.substr(6) : text;
  uint32_t n = 0;
  if (!parse_integer(digits, 10, n) || n < 1 || n > 15)
    throw Misuse(fmt::format(
        "event {}: legal are global1 to global15, and for start= and stop= timer and names", text));
  return SMR_GLOBAL_EVENT + n;
}

Watch parse_watch(const std::string& text) {
  Watch w;
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw Misuse(fmt::format("{}: expected NAME=RANGE", text));
  w.name = text.substr(0, equals);
  const std::vector<std::string> parts = split(text.substr(equals + 1), ',');
  parse_range(text, parts[0], w);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].starts_with("filter="))
      w.filter = parse_filter(parts[i].substr(7));
    else if (parts[i].starts_with("start="))
      w.start = parts[i].substr(6);
    else if (parts[i].starts_with("stop="))
      w.stop = parts[i].substr(5);
    else
      throw Misuse(fmt::format("{}: {}: known are filter=, start= and stop=", text, parts[i]));
  }
  return w;
}

std::vector<smile_watch> resolve(const std::vector<Watch>& watches) {
  std::vector<smile_watch> resolved;
  for (const Watch& w : watches) {
    for (const Watch& other : watches)
      if (&other != &w && other.name == w.name)
        throw Misuse(fmt::format("{}: the name stands there twice", w.name));
    smile_watch r{};
    r.name = w.name.c_str();
    r.offset = w.offset;
    r.bytes = w.bytes;
    r.filter = w.filter;
    r.start = resolve_event(watches, w.start);
    r.stop = resolve_event(watches, w.stop);
    resolved.push_back(r);
  }
  return resolved;
}

namespace {

constexpr std::string_view kHead = "name,offset,bytes";
constexpr uint64_t kNobodysOffset = UINT64_MAX;  // behind all

// The structure's bytes in the unit.
uint64_t shared_bytes(const Name& n, uint64_t offset, uint64_t bytes) {
  return std::min(n.offset + n.bytes, offset + bytes) - std::max(n.offset, offset);
}

struct Part {
  const Name* name;
  uint64_t count, rest;
};

}  // namespace

std::string Names::add(const Name& name) {
  if (const std::vector<const Name*> others = in(name.offset, name.bytes); !others.empty())
    return others[0]->name;
  by_offset_[name.offset] = name;
  return "";
}

std::vector<const Name*> Names::in(uint64_t offset, uint64_t bytes) const {
  std::vector<const Name*> found;
  auto at = by_offset_.upper_bound(offset);
  if (at != by_offset_.begin()) --at;
  for (; at != by_offset_.end() && at->second.offset < offset + bytes; ++at)
    if (at->second.offset + at->second.bytes > offset) found.push_back(&at->second);
  return found;
}

std::string Names::text(uint64_t offset, uint64_t bytes) const {
  std::string text;
  for (const Name* n : in(offset, bytes)) text += (text.empty() ? "" : ", ") + n->name;
  return text;
}

std::string Names::expand(const std::string& word, const std::string& file) const {
  const size_t end = std::min(word.find(','), word.size());
  const std::string name = word.substr(0, end);
  if (name.find('=') != name.npos) return word;
  for (const auto& [offset, n] : by_offset_)
    if (n.name == name) return fmt::format("{}={}+{}{}", name, n.offset, n.bytes, word.substr(end));
  throw Misuse(fmt::format("{}: {} names {}", name, file, fmt::join(all(), ", ")));
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  for (const auto& [offset, n] : by_offset_) names.push_back(n.name);
  return names;
}

void read_names(Input& in, Names& names) {
  std::string_view line;
  if (!in.content(line)) throw FileError(fmt::format("{}: nothing in it", in.name()));
  if (line != kHead) in.fail(fmt::format("{}: expected {}", show_word(line), kHead));
  while (in.content(line)) {
    const std::vector<std::string> fields = split(std::string(line), ',');
    if (fields.size() != 3) in.fail(fmt::format("{} fields, expected 3", fields.size()));
    Name n{fields[0], 0, 0};
    if (n.name.empty() || n.name.find('=') != n.name.npos)
      in.fail(fmt::format("{}: not a name", show_word(n.name)));
    if (!parse_number(fields[1], n.offset) || !parse_number(fields[2], n.bytes) || !n.bytes ||
        n.bytes > UINT64_MAX - n.offset)
      in.fail(fmt::format("{}: offset and bytes {},{}: no part of a window", n.name, show_word(fields[1]),
                          show_word(fields[2])));
    const std::vector<std::string> known = names.all();
    if (std::find(known.begin(), known.end(), n.name) != known.end())
      in.fail(fmt::format("{}: the name stands there twice", n.name));
    if (const std::string other = names.add(n); !other.empty())
      in.fail(fmt::format("{} overlaps with {}", n.name, other));
  }
}

void Shares::add(const smile_cell& cell) {
  const uint64_t offset = cell.unit * unit_bytes_;
  const Pair pair(cell.source, cell.destination);
  const std::vector<const Name*> owners = names_.in(offset, unit_bytes_);
  if (owners.empty()) {
    Row& nobody = rows_[kNobodysOffset];
    nobody.name = kNobody;
    nobody.count[pair] += cell.count;
    return;
  }
  uint64_t bytes = 0, left = cell.count;
  for (const Name* n : owners) bytes += shared_bytes(*n, offset, unit_bytes_);
  std::vector<Part> parts;
  for (const Name* n : owners) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(cell.count) * shared_bytes(*n, offset, unit_bytes_);
    parts.push_back({n, static_cast<uint64_t>(product / bytes), static_cast<uint64_t>(product % bytes)});
    left -= parts.back().count;
  }
  std::vector<Part*> order;
  for (Part& p : parts) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(),
                   [](const Part* a, const Part* b) { return a->rest > b->rest; });
  for (size_t i = 0; i < left; ++i) ++order[i]->count;
  if (parts.size() > 1) divided_ += cell.count;
  for (const Part& p : parts) {
    if (!p.count) continue;
    Row& row = rows_[p.name->offset];
    row.name = p.name->name;
    row.count[pair] += p.count;
  }
}

uint64_t Shares::Row::all() const {
  return std::accumulate(count.begin(), count.end(), uint64_t{0},
                         [](uint64_t sum, const auto& c) { return sum + c.second; });
}

uint64_t Shares::Row::from(unsigned source) const {
  uint64_t sum = 0;
  for (const auto& [pair, n] : count)
    if (pair.first == source) sum += n;
  return sum;
}

std::vector<Shares::Row> Shares::rows() const {
  std::vector<Row> rows;
  for (const auto& [offset, row] : rows_) rows.push_back(row);
  return rows;
}

}  // namespace perfboard::smile
