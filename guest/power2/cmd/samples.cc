// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/samples.h"

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "guest/common/ranges.h"

namespace perfboard::p2 {
namespace {

double to_number(std::string_view word) {
  double value;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool good = error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string csv_word(std::string_view text) {
  std::string word;
  for (char c : text) word += c > ' ' && c <= '~' && c != ',' && c != '"' && c != '#' ? c : '_';
  return word;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "-";
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  if (std::fabs(value) >= 1e5) return fmt::format("{:.1f}", value);
  return fmt::format("{:.6g}", value);
}

void put_fact_line(Output& out, const Facts& facts) {
  out.put('#');
  for (const auto& [name, value] : facts) out.print(" {}={}", name, value);
  out.put('\n');
}

void put_count(Output& out, double value) {
  if (!std::isnan(value)) out.number(value, 15);
}

std::vector<std::string> sample_columns(const std::vector<std::string>& events) {
  std::vector<std::string> columns{"time", "elapsed", "seconds", "cpu", "pid", "command", "running"};
  columns.insert(columns.end(), events.begin(), events.end());
  return columns;
}

SampleWriter::SampleWriter(Output& out, const Facts& facts, const std::vector<std::string>& events)
    : out_(out) {
  put_fact_line(out, facts);
  out.print("{}\n", fmt::join(sample_columns(events), ","));
}

void SampleWriter::put(const Sample& s) {
  out_.print("{:.9f},{:.9f},{:.9f},", s.time, s.elapsed, s.seconds);
  if (s.cpu >= 0) out_.number(s.cpu);
  out_.put(',');
  if (s.pid >= 0) out_.number(s.pid);
  out_.print(",{},", csv_word(s.command));
  out_.number(s.running, 6);
  for (double count : s.counts) {
    out_.put(',');
    put_count(out_, count);
  }
  out_.put('\n');
}

// A comment's words NAME=NUMBER are facts.
void SampleReader::note(std::string_view comment) {
  while (!(comment = trim(comment)).empty()) {
    const std::string_view word = comment.substr(0, comment.find_first_of(" \t"));
    comment.remove_prefix(word.size());
    const size_t equals = word.find('=');
    if (equals == word.npos) continue;
    const double value = to_number(word.substr(equals + 1));
    if (!std::isnan(value)) facts_.insert_or_assign(std::string(word.substr(0, equals)), value);
  }
}

bool SampleReader::line() {
  for (std::string_view text; in_.line(text);) {
    text = trim(text);
    if (text.starts_with('#')) note(text.substr(1));
    if (text.empty() || text.starts_with('#')) continue;
    text_ = text;
    split_fields(text_, words_);
    return true;
  }
  return false;
}

bool SampleReader::head() {
  if (!line()) return false;
  columns_.assign(words_.begin(), words_.end());
  for (size_t i = 0; i < columns_.size(); i++) {
    if (columns_[i].empty() || !std::isnan(to_number(columns_[i])))
      in_.fail(fmt::format("{}: a line of columns' names was expected", show_word(columns_[i])));
    for (size_t j = 0; j < i; j++)
      if (columns_[i] == columns_[j]) in_.fail(fmt::format("column {} stands there twice", columns_[i]));
  }
  return true;
}

bool SampleReader::next() {
  if (!line()) return false;
  if (words_.size() != columns_.size())
    in_.fail(fmt::format("{} fields; the line of names has {}", words_.size(), columns_.size()));
  numbers_.clear();
  for (std::string_view word : words_) numbers_.push_back(to_number(word));
  return true;
}

}  // namespace perfboard::p2
