// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/session.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "guest/common/ranges.h"
#include "guest/surfboard/cmd/bitstream.h"
#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/host/trace_file.h"
#include "guest/surfboard/regs.h"
#include "hw/model/number.h"

namespace perfboard::prompt {
namespace {

constexpr std::string_view kCommands[] = {"QUIT",  "EXIT", "HELP", "SHOW", "DO",
                                          "CLEAR", "FPGA", "LOAD", "SAVE"};

struct MemoryName {
  std::string_view name;
  MemoryType type;
};
constexpr MemoryName kMemories[] = {
    {"TRACE", MemoryType::trace}, {"HISTOGRAM", MemoryType::histogram}, {"FIFO", MemoryType::fifo}};

std::string_view without_comment(std::string_view line) {
  bool in_quotes = false;
  for (size_t i = 0; i < line.size(); i++) {
    if (line[i] == '"') in_quotes = !in_quotes;
    if (line[i] == '#' && !in_quotes) return line.substr(0, i);
  }
  return line;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    size_t end;
    if (text[0] == '"') {
      end = text.find('"', 1);
      if (end == text.npos) throw CommandError(fmt::format("{}: the closing '\"' is missing", text));
      words.emplace_back(text.substr(1, end - 1));
      end++;
    } else {
      end = std::min(text.find_first_of(kBlanks), text.size());
      words.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(end);
  }
  return words;
}

std::string list(std::span<const FieldInfo> fields) {
  std::string text;
  for (const FieldInfo& field : fields) text += fmt::format("{}{}", text.empty() ? "" : " ", field.name);
  return text;
}

std::string list_registers() {
  std::string text;
  for (const RegisterInfo& reg : all_registers())
    text += fmt::format("{}{}", text.empty() ? "" : " ", reg.name);
  return text;
}

MemoryType memory_type(std::string_view word) {
  for (const MemoryName& m : kMemories)
    if (same_word(word, m.name)) return m.type;
  throw CommandError(fmt::format("unknown memory {}: expected TRACE, HISTOGRAM or FIFO", show_word(word)));
}

// The arguments of a command, whose number must be right.
void expect(const std::vector<std::string>& words, size_t arguments, std::string_view usage) {
  if (words.size() - 1 == arguments) return;
  if (words.size() - 1 < arguments)
    throw CommandError(fmt::format("{} needs more: expected {}", show_word(words[0]), usage));
  throw CommandError(fmt::format("{} is too much: expected {}", show_word(words[arguments + 1]), usage));
}

}  // namespace

uint32_t parse_value(std::string_view word) {
  const bool decimal = word.size() > 1 && word.back() == '.';
  std::string_view digits = decimal ? word.substr(0, word.size() - 1) : word;
  if (!decimal && digits.size() > 2) digits = without_hex_prefix(digits);
  if (digits.empty()) throw CommandError("the value is missing: expected a number after '='");
  if (digits.find_first_not_of(decimal ? "0123456789" : "0123456789abcdefABCDEF") != digits.npos)
    throw CommandError(fmt::format(
        "value {}: expected hexadecimal digits, or decimal digits and a '.' at the end", show_word(word)));
  uint32_t value = 0;
  if (!parse_integer(digits, decimal ? 10 : 16, value))
    throw CommandError(fmt::format("value {}: expected no more than 32 bits", show_word(word)));
  return value;
}

Session::Session(Board& board, std::ostream& out, std::ostream& err, Watch watch)
    : board_(board), out_(out), err_(err), watch_(std::move(watch)) {}

void Session::report(std::string_view what) {
  out_.flush();
  err_ << "surf: " << what << std::endl;
}

Outcome Session::execute(std::string_view line) {
  try {
    const std::string_view text = trim(without_comment(line));
    return text.empty() ? Outcome::done : command(text);
  } catch (const std::runtime_error& e) {
    report(e.what());
    return Outcome::failed;
  }
}

Outcome Session::command(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(" \t\r=\""));
  const std::string_view rest = trim(text.substr(first.size()));
  if (rest.starts_with('=')) {
    assign(first, trim(rest.substr(1)));
    return Outcome::done;
  }
  const std::vector<std::string> words = words_of(text);
  const auto is = [&](std::string_view name) { return same_word(words[0], name); };
  const auto progress = [&](size_t done, size_t all) {
    if (watch_) watch_(text, done, all);
  };
  const auto note = [&](std::string_view what) { report(what); };

  if (is("QUIT") || is("EXIT")) {
    expect(words, 0, "QUIT or EXIT alone");
    return Outcome::quit;
  }
  if (is("HELP")) {
    expect(words, 0, "HELP alone");
    out_ << kHelp << std::flush;
  } else if (is("SHOW")) {
    expect(words, 0, "SHOW alone");
    out_ << show(board_) << std::flush;
  } else if (is("DO")) {
    expect(words, 1, "DO <filename>");
    return run_file(words[1]);
  } else if (is("CLEAR")) {
    expect(words, 1, "CLEAR <memtype>");
    clear_memory(board_, memory_type(words[1]), progress);
  } else if (is("FPGA")) {
    expect(words, 1, "FPGA <filename>");
    board_.configure(read_bitstream(words[1]));
  } else if (is("LOAD")) {
    expect(words, 2, "LOAD <memtype> <filename>");
    load_memory(board_, memory_type(words[1]), words[2], progress);
  } else if (is("SAVE")) {
    expect(words, 2, "SAVE <memtype> <filename>");
    save_memory(board_, memory_type(words[1]), words[2], note, progress);
  } else if (find_register(first.substr(0, first.find('.')))) {
    throw CommandError(fmt::format("{} is a register: expected {} = <value>", show_word(first), first));
  } else {
    throw CommandError(
        fmt::format("unknown word {}: expected a command (HELP lists them) or <register> = <value>",
                    show_word(words[0])));
  }
  return Outcome::done;
}

void Session::assign(std::string_view target, std::string_view word) {
  const std::string_view name = target.substr(0, target.find('.'));
  const RegisterInfo* reg = find_register(name);
  if (!reg)
    throw CommandError(fmt::format("unknown register {}: expected {}", show_word(name), list_registers()));
  const FieldInfo* field = nullptr;
  if (name.size() < target.size()) {
    const std::string_view field_name = target.substr(name.size() + 1);
    field = find_field(*reg, field_name);
    if (!field)
      throw CommandError(fmt::format("{} has no field {}: expected {}", reg->name, show_word(field_name),
                                     list(reg->fields)));
  }
  const uint32_t value = parse_value(word);
  if (!field) {
    if (reg->kind == RegisterKind::fifo_offset)
      throw CommandError(
          fmt::format("{} has no value of its own: expected {}.EMPTY or {}.FULL", name, name, name));
    if (value & ~reg->mask())
      throw CommandError(fmt::format("value {}: expected no more than {:X}, the bits of {}", show_word(word),
                                     reg->mask(), reg->name));
    write_register(board_, *reg, value);
    return;
  }
  if (field->access == FieldAccess::ro)
    throw CommandError(fmt::format("{}.{} is read only", reg->name, field->name));
  if (value > field->mask >> field->shift())
    throw CommandError(fmt::format("value {}: expected no more than {:X}, {}.{} has {} bit{}",
                                   show_word(word), field->mask >> field->shift(), reg->name, field->name,
                                   field->bits(), field->bits() == 1 ? "" : "s"));
  if (reg->kind == RegisterKind::fifo_offset && board_.get(SURF_HTCR) & SURF_HTCR_FRS)
    throw CommandError("the FIFO is held in reset and would not keep its offsets: HTCR.FRS is 1");
  if (reg->kind == RegisterKind::fifo_data && reg->mask() != field->mask)
    throw CommandError(
        "reading HFDR takes an entry from the FIFO, so a field cannot be changed alone: "
        "expected HFDR = <value>");
  // A read-modify-write would clear the other conditions that are set.
  const uint32_t old = field->access == FieldAccess::w1c ? 0 : read_register(board_, *reg);
  write_register(board_, *reg, field->put(old, value));
}

Outcome Session::run_file(const std::string& file) {
  if (nested_ == kMostNested)
    throw CommandError(fmt::format("DO {}: more than {} files within each other", file, kMostNested));
  struct stat status;
  if (stat(file.c_str(), &status) != 0) throw CommandError(fmt::format("{}: {}", file, strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw CommandError(fmt::format("{}: {}", file, strerror(EISDIR)));
  std::ifstream in(file);
  if (!in) throw CommandError(fmt::format("{}: {}", file, strerror(errno)));
  nested_++;
  const Outcome outcome = run(in, file, false);
  nested_--;
  return outcome;
}

Outcome Session::run(std::istream& in, const std::string& name, bool echo) {
  std::string line;
  for (unsigned long number = 1; std::getline(in, line); number++) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (echo) out_ << kPrompt << line << std::endl;
    const Outcome outcome = execute(line);
    if (outcome == Outcome::done) continue;
    if (outcome == Outcome::failed) err_ << name << ':' << number << ": " << line << std::endl;
    return outcome;
  }
  return Outcome::done;
}

std::vector<std::string> completions(std::string_view line_before, std::string_view word) {
  std::vector<std::string> found;
  const auto offer = [&](std::string_view candidate) {
    if (candidate.size() >= word.size() && same_word(candidate.substr(0, word.size()), word))
      found.emplace_back(candidate);
  };
  const std::string_view before = trim(line_before);
  if (before.empty()) {
    const size_t dot = word.find('.');
    if (const RegisterInfo* reg = dot == word.npos ? nullptr : find_register(word.substr(0, dot))) {
      for (const FieldInfo& field : reg->fields) offer(fmt::format("{}.{}", reg->name, field.name));
      return found;
    }
    for (std::string_view name : kCommands) offer(name);
    for (const RegisterInfo& reg : all_registers()) offer(reg.name);
  } else if (same_word(before, "CLEAR") || same_word(before, "LOAD") || same_word(before, "SAVE")) {
    for (const MemoryName& m : kMemories) offer(m.name);
  }
  return found;
}

}  // namespace perfboard::prompt
