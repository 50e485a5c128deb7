// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_options.h"

#include <charconv>
#include <cmath>

#include "guest/common/ranges.h"

namespace perfboard::mk {
namespace {

char* put_digits(char* to, uint64_t value, unsigned digits) {
  for (unsigned i = digits; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + digits;
}

}  // namespace

Options::Options(Tool& tool, Files files) : tool_(tool), files_(files) {
  Arguments& args = tool.args;
  if (files == kOne) {
    args.option("file", words_, "the stream, - for standard input (default)")
        .type("[NODE=]FILE")
        .optional_word();
    args.option("--node", node_, "the node's label in the output").show_default();
  } else {
    args.option("files", words_,
                "streams, - for standard input (default); a node is its place among them if not named; a "
                "file of\n"
                "several nodes (mkcollect) is a stream for each")
        .type("[NODE=]FILE...");
  }
  args.option("--timestamp-hz", hz, "frequency of the Timestamp clock")
      .range(uint64_t{1}, uint64_t{1000000000})
      .show_default();
  args.flag(
      "--long-gaps", long_gaps,
      "a step back of the 40-bit Timestamp is always a wrap: gaps up to an epoch, but damaged times pass");
  args.option("--names", names_file_,
              "lines 'id name' for states and points, 'cN name' for resource counters")
      .type("FILE");
  args.option("--cpu", cpu_, "only samples of these CPU lines, such as 0,2-3").type("LIST");
  args.option("--type", type_, "only trace or only resource samples; the filter is not in a sample")
      .one_of({"trace", "resource"});
  args.option("--source", source_, "only samples of these sources (hex after 0x)").type("LIST");
  args.option("--time", time_, "only samples of these microseconds since the hardware reset").type("LO-HI");
  args.option("--run", run_, "only samples after so many hardware resets in the file").type("LIST");
}

void Options::check() {
  const auto list = [&](const char* option, const std::string& text, auto value_of) {
    if (text.empty()) return;
    const List wanted(option, text);
    selection_.add(option, text, [=](const Sample& s) { return wanted.has(value_of(s)); });
  };
  list("--cpu", cpu_, [](const Sample& s) { return s.cpu(); });
  if (!type_.empty())
    selection_.add("--type", type_,
                   [wanted = type_ == "resource"](const Sample& s) { return wanted == s.resource(); });
  list("--source", source_, [](const Sample& s) { return s.source; });
  list("--run", run_, [](const Sample& s) { return s.run; });
  if (!time_.empty()) {
    const Range times = parse_range("--time", time_, [&](const std::string& text, uint64_t& value) {
      double us = 0;
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), us, std::chars_format::fixed);
      if (error != std::errc{} || end != text.data() + text.size() || !(us >= 0) || us > 1e18) return false;
      // The tools cut times off after three decimals. A printed time must select the tick that it was printed
      // for.
      const double ticks = std::round(us * static_cast<double>(hz) / 1e6 * 1e3) / 1e3;
      if (ticks > 9e18) return false;
      value = static_cast<uint64_t>(std::ceil(ticks));
      return true;
    });
    selection_.add("--time", time_,
                   [=](const Sample& s) { return s.time >= 0 && times.has(static_cast<uint64_t>(s.time)); });
  }
  if (!is_node_label(node_))
    throw UsageError("--node", show_word(node_) + ": expected letters, digits, '_', '-' and '.'");
  if (!names_file_.empty()) {
    tool_.keep_input(names_file_);
    names.load(names_file_);
  }
  const std::vector<NodeFile> files = node_files(tool_, words_, node_);
  if (files_ == kSeveral) {
    streams_ = of_nodes(files);
  } else {
    streams_.push_back({files.front(), kAllNodes});
  }
}

char* Options::seconds_text(char* to, int64_t ticks) const {
  const uint64_t size = ticks < 0 ? 0 - static_cast<uint64_t>(ticks) : static_cast<uint64_t>(ticks);
  if (ticks < 0) *to++ = '-';
  to = std::to_chars(to, to + 20, size / hz).ptr;
  *to++ = '.';
  return put_digits(to, size % hz * 1000000000 / hz, 9);  // hz is at most 10^9
}

// In whole numbers: seconds and nanoseconds apart, or large ones would not fit.
char* Options::us_text(char* to, int64_t ticks) const {
  const uint64_t size = ticks < 0 ? 0 - static_cast<uint64_t>(ticks) : static_cast<uint64_t>(ticks);
  const uint64_t seconds = size / hz, ns = size % hz * 1000000000 / hz;
  if (ticks < 0) *to++ = '-';
  if (seconds > 0)
    to = put_digits(std::to_chars(to, to + 20, seconds).ptr, ns / 1000, 6);
  else
    to = std::to_chars(to, to + 20, ns / 1000).ptr;
  *to++ = '.';
  return put_digits(to, ns % 1000, 3);
}

void Options::put_us(Output& out, int64_t ticks) const {
  char text[32];
  out.write({text, us_text(text, ticks)});
}

void Options::put_seconds(Output& out, int64_t ticks) const {
  char text[32];
  const std::string_view seconds(text, seconds_text(text, ticks));
  for (size_t i = seconds.size(); i < 18; i++) out.put(' ');
  out.write(seconds);
}

std::string Options::us(int64_t ticks) const {
  char text[32];
  return {text, us_text(text, ticks)};
}

}  // namespace perfboard::mk
