// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_options.h"

#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <sys/stat.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cmath>

#include "guest/common/input.h"
#include "guest/common/ranges.h"
#include "hw/model/number.h"

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

namespace {

// Each sample and reset of such a stream has a node's word in front. So one that is read from anywhere has
// one after so many words.
constexpr size_t kSoon = MK_RESOURCE_BYTES + 1;

std::bitset<MK_STREAM_NODES> nodes_in(const std::string& file) {
  std::bitset<MK_STREAM_NODES> nodes;
  struct stat status;
  if (stat(file.c_str(), &status) || !S_ISREG(status.st_mode)) return nodes;
  ByteInput in(file);
  std::vector<uint8_t> block(1 << 16);
  size_t words = 0;
  for (size_t n; (n = in.read(block.data(), block.size())) > 1;) {
    for (size_t i = 0; i + 1 < n; i += 2) {
      const unsigned w = block[i] | block[i + 1] << 8;
      if (MK_STREAM_IS_NODE(w)) nodes.set(MK_STREAM_NODE_OF(w));
    }
    words += n / 2;
    if (words > kSoon && nodes.none()) break;
  }
  return nodes;
}

}  // namespace

std::vector<Stream> of_nodes(const std::vector<NodeFile>& files) {
  std::vector<Stream> streams;
  const auto add = [&](Stream stream) {
    for (const Stream& other : streams)
      if (other.node == stream.node)
        throw UsageError("files", show_word(stream.node) + ": two streams of this node");
    streams.push_back(std::move(stream));
  };
  for (size_t i = 0; i < files.size(); i++) {
    const std::bitset<MK_STREAM_NODES> nodes = nodes_in(files[i].file);
    if (nodes.none()) add({files[i], kNoNodes});
    for (unsigned n = 0; n < MK_STREAM_NODES; n++)
      if (nodes[n])
        add({{files[i].node == fmt::to_string(i) ? fmt::to_string(n) : fmt::format("{}.{}", files[i].node, n),
              files[i].file},
             static_cast<int>(n)});
  }
  return streams;
}

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

std::string json_text(std::string_view text) {
  using rapidjson::StringBuffer;
  using rapidjson::UTF8;
  StringBuffer good, json;
  for (size_t at = 0; at < text.size();) {
    rapidjson::MemoryStream rest(text.data() + at, text.size() - at);
    StringBuffer character;
    if (UTF8<>::Validate(rest, character)) {
      for (size_t i = 0; i < character.GetSize(); i++) good.Put(text[at++]);
    } else {
      UTF8<>::Encode(good, static_cast<unsigned char>(text[at++]));
    }
  }
  rapidjson::Writer<StringBuffer>(json).String(good.GetString(), static_cast<unsigned>(good.GetSize()));
  return json.GetString();
}

void Problems::add(const StreamReader& reader, const Item& item) {
  File& file = files_[reader.name()];
  if (is_error(item.fault)) file.errors++;
  if (file.lines++ < kShown)
    tool_.note(fmt::format("{}: byte {}: {}", reader.name(), item.byte, describe(item)));
}

void Problems::end(const StreamReader& reader) {
  if (reader.samples() > 0 || files_[reader.name()].errors > 0) return;
  tool_.complain(fmt::format("{}: {}", reader.name(),
                             reader.bytes() == 0 ? "the stream is empty" : "no samples in the stream"));
}

void Problems::finish() const {
  std::string text;
  for (const auto& [name, file] : files_) {
    if (file.errors)
      text += fmt::format("{}{}: {} error{} in the stream", text.empty() ? "" : "; ", name, file.errors,
                          file.errors == 1 ? "" : "s");
    if (file.lines > kShown) tool_.note(fmt::format("{}: {} more of that kind", name, file.lines - kShown));
  }
  if (!text.empty()) throw FileError(text);
}

}  // namespace perfboard::mk
