// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace perfboard {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

namespace {

struct Markers {
  std::string_view begin, end;
};
constexpr Markers kRegisters = {"<!-- registers:begin -->\n", "<!-- registers:end -->"};
constexpr Markers kView = {"<!-- view:begin -->\n", "<!-- view:end -->"};

std::optional<std::string> between(std::string_view page, Markers markers, std::string_view text) {
  const size_t begin = page.find(markers.begin);
  if (begin == page.npos) return std::nullopt;
  const size_t from = begin + markers.begin.size();
  const size_t end = page.find(markers.end, from);
  if (end == page.npos) return std::nullopt;
  return fmt::format("{}\n{}{}", page.substr(0, from), text, page.substr(end));
}

constexpr std::string_view kAccessNames[] = {"rw", "ro", "wo", "w1c", "wa", "reserved"};

std::string bit_range(const Field& f) {
  return f.msb == f.lsb ? fmt::format("{}", f.msb) : fmt::format("{}..{}", f.msb, f.lsb);
}

bool same_table(const Register& a, const Register& b) {
  return a.fields.data() == b.fields.data() && a.min_write_bytes == b.min_write_bytes && a.source == b.source;
}

// The last of those that follow `first` and are like it.
size_t last_like(std::span<const Register> all, size_t first, auto like) {
  size_t last = first;
  while (last + 1 < all.size() && like(all[first], all[last + 1])) ++last;
  return last;
}

// Registers that follow one another and have the same title as well, such as unassigned addresses, have one
// row.
std::string index(const ManualPart& part) {
  const bool resets = part.resets == Resets::kShown;
  std::string out = resets ? "| Offset | Name | Register | Reset |\n|---|---|---|---|\n"
                           : "| Offset | Name | Register |\n|---|---|---|\n";
  const auto same_row = [](const Register& a, const Register& b) {
    return same_table(a, b) && a.title == b.title;
  };
  for (size_t i = 0, last; i < part.registers.size(); i = last + 1) {
    const Register& r = part.registers[i];
    last = last_like(part.registers, i, same_row);
    const Register& end = part.registers[last];
    out += last == i ? fmt::format("| 0x{:02X} | {} | {} |", r.offset, r.name, cell(r.title))
                     : fmt::format("| 0x{:02X} to 0x{:02X} | {} to {} | {} |", r.offset, end.offset, r.name,
                                   end.name, cell(r.title));
    out += resets ? fmt::format(" {:08X} |\n", r.reset()) : "\n";
  }
  return out;
}

// Registers that follow one another and share their fields have one table. A field without a source has the
// register's.
std::string register_table(const Register& r, const Register& last, Resets resets) {
  std::string out = &r == &last ? fmt::format("#### {} (0x{:02X}): {}", r.name, r.offset, r.title)
                                : fmt::format("#### {} to {} (0x{:02X} to 0x{:02X})", r.name, last.name,
                                              r.offset, last.offset);
  const bool cited = std::ranges::any_of(r.fields, [&](const Field& f) { return f.source != r.source; });
  const bool shared = std::ranges::any_of(r.fields, [&](const Field& f) { return f.source == r.source; });
  out += fmt::format("\n\nSource: {}{}.", r.source, cited && shared ? ", where a field names no other" : "");
  if (r.min_write_bytes > 1)
    out += fmt::format(" Writes of fewer than {} bytes are ignored.", r.min_write_bytes);
  const bool shown = resets == Resets::kShown;
  out +=
      fmt::format("\n\n| Bits | Field |{} Meaning |{}\n|---|---|{}---|{}\n", shown ? " Access | Reset |" : "",
                  cited ? " Source |" : "", shown ? "---|---|" : "", cited ? "---|" : "");
  for (const Field& f : r.fields) {
    out += fmt::format("| {} | {} |", bit_range(f), f.name);
    if (shown) out += fmt::format(" {} | {:X} |", kAccessNames[static_cast<size_t>(f.access)], f.reset);
    out += fmt::format(" {} |", cell(f.text));
    if (cited) out += fmt::format(" {} |", f.source == r.source ? "" : cell(f.source));
    out += '\n';
  }
  return out + '\n';
}

int rewrite(int argc, char** argv, const std::string& all, auto update) {
  if (argc == 1) {
    fmt::print("{}", all);
    return 0;
  }
  if (argc != 2) {
    fmt::print(stderr, "usage: {} [README.md]\n", argv[0]);
    return 2;
  }
  const std::optional<std::string> page = update(read_text_file(argv[1]));
  if (!page) {
    fmt::print(stderr, "{}: cannot be read, or has no markers\n", argv[1]);
    return 1;
  }
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out << *page;
  out.close();
  if (!out) {
    fmt::print(stderr, "{}: cannot be written\n", argv[1]);
    return 1;
  }
  return 0;
}

}  // namespace

std::string manual_tables(std::span<const ManualPart> parts) {
  std::string out;
  for (const ManualPart& part : parts) {
    out += fmt::format("### {}\n\n{}\n", part.title, index(part));
    for (size_t i = 0, last; i < part.registers.size(); i = last + 1) {
      last = last_like(part.registers, i, same_table);
      out += register_table(part.registers[i], part.registers[last], part.resets);
    }
  }
  return out;
}

std::optional<std::string> manual_update(std::string_view page, std::string_view tables) {
  return between(page, kRegisters, tables);
}

std::optional<std::string> manual_update(std::string_view page, std::string_view tables,
                                         std::string_view view) {
  const std::optional<std::string> fresh = between(page, kRegisters, tables);
  return fresh ? between(*fresh, kView, view) : std::nullopt;
}

std::string read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int manual_main(int argc, char** argv, std::span<const ManualPart> parts) {
  return manual_main(argc, argv, manual_tables(parts));
}

int manual_main(int argc, char** argv, const std::string& tables) {
  return rewrite(argc, argv, tables, [&](std::string_view page) { return manual_update(page, tables); });
}

int manual_main(int argc, char** argv, const std::string& tables, const BoardView& view) {
  if (argc == 2 && argv[1] == std::string_view("--names")) {
    fmt::print("{}", manual_names(view));
    return 0;
  }
  const std::string sections = manual_view(view);
  return rewrite(argc, argv, tables + sections,
                 [&](std::string_view page) { return manual_update(page, tables, sections); });
}

}  // namespace perfboard
