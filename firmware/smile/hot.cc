// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/smile/hot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hw/model/number.h"

namespace perfboard::hot {
namespace {

using smile::Image;

constexpr std::array<std::string_view, 4> kDesigns = {"none", "static", "dynamic", "target"};
constexpr std::string_view kBlanks = " \t\r";

// One line: words, and where they stand.
class Line {
 public:
  Line(std::string_view text, std::string_view file, size_t number)
      : text_(text.substr(0, text.find('#'))), file_(file), number_(number) {
    text_ = text_.substr(0, text_.find_last_not_of(kBlanks) + 1);  // npos + 1 is 0
  }

  bool at_end() {
    at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
    return at_ == text_.size();
  }
  // Of the word that was read last, or of the line's end.
  [[noreturn]] void fail(const std::string& message) const {
    throw DescriptionError(fmt::format("{}:{}:{}: {}", file_, number_, word_at_ + 1, message));
  }
  std::string_view word(std::string_view what) {
    const bool end = at_end();
    word_at_ = at_;
    if (end) fail(fmt::format("expected {}, found the end of the line", what));
    at_ = std::min(text_.find_first_of(kBlanks, at_), text_.size());
    return text_.substr(word_at_, at_ - word_at_);
  }
  std::string_view rest() {
    at_end();
    word_at_ = at_;
    at_ = text_.size();
    return text_.substr(word_at_);
  }
  void end() {
    if (!at_end()) fail(fmt::format("expected the end of the line, found '{}'", word("the end")));
  }

 private:
  std::string_view text_, file_;
  size_t number_;
  size_t at_ = 0, word_at_ = 0;
};

template <typename Number>
Number hex(Line& line, std::string_view text, std::string_view what, size_t digits) {
  Number value{};
  if (text.size() != digits || !parse_integer(text, 16, value))
    line.fail(fmt::format("{} has {} hexadecimal digits, not '{}'", what, digits, text));
  return value;
}

void design(Line& line, Image& image) {
  const std::string_view word = line.word("none, static, dynamic or target");
  const auto found = std::find(kDesigns.begin(), kDesigns.end(), word);
  if (found == kDesigns.end())
    line.fail(fmt::format("no design '{}': there are none, static, dynamic, target", word));
  image.design = static_cast<uint8_t>(found - kDesigns.begin());
}

void revision(Line& line, Image& image) {
  const std::string_view word = line.word("a number");
  if (!parse_integer(word, 10, image.revision))
    line.fail(fmt::format("a revision is 0 to 255, not '{}'", word));
}

void pci(Line& line, Image& image) {
  const std::string_view ids = line.word("VENDOR:DEVICE");
  const size_t colon = ids.find(':');
  if (colon == ids.npos) line.fail(fmt::format("expected VENDOR:DEVICE, found '{}'", ids));
  image.vendor = hex<uint16_t>(line, ids.substr(0, colon), "a vendor", 4);
  image.device = hex<uint16_t>(line, ids.substr(colon + 1), "a device", 4);
  if (const std::string_view word = line.word("class"); word != "class")
    line.fail(fmt::format("expected class, found '{}'", word));
  image.pci_class = hex<uint32_t>(line, line.word("a class"), "a class", 6);
}

void part(Line& line, Image& image) {
  const std::string_view word = line.word("a part");
  image.daughter = word == smile::kDaughterFpga.name;
  if (!image.daughter && word != smile::kFpga.name)
    line.fail(
        fmt::format("no part '{}': there are {}, {}", word, smile::kFpga.name, smile::kDaughterFpga.name));
}

void title(Line& line, Image& image) {
  const std::string_view text = line.rest();
  if (text.empty()) line.fail("expected a title, found the end of the line");
  if (text.size() > smile::kTitleBytes)
    line.fail(fmt::format("a title has up to {} characters, not {}", smile::kTitleBytes, text.size()));
  if (std::any_of(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }))
    line.fail("a title is ASCII");
  std::copy(text.begin(), text.end(), image.title.begin());
}

struct Keyword {
  std::string_view name;
  void (*read)(Line&, Image&);
};
constexpr std::array<Keyword, 5> kKeywords = {
    {{"design", design}, {"revision", revision}, {"part", part}, {"pci", pci}, {"title", title}}};
constexpr size_t kPart = 2,
                 kPci = 3;  // in kKeywords: one may be left out, the other must be for one of the parts

// The daughter board's FPGA has one half of the F.R.L., and no PCI core.
void check_daughter(Image& image, bool has_pci, std::string_view file) {
  if (has_pci)
    throw DescriptionError(fmt::format("{}: pci: an {} has no PCI core", file, smile::kDaughterFpga.name));
  if (kDesigns[image.design] != "static" && kDesigns[image.design] != "dynamic")
    throw DescriptionError(fmt::format("{}: design: an {} has static or dynamic, not {}", file,
                                       smile::kDaughterFpga.name, kDesigns[image.design]));
  image.go_to_daughter();
}

std::string_view title_of(const Image& image) {
  const auto end = std::find(image.title.begin(), image.title.end(), '\0');
  return {image.title.data(), static_cast<size_t>(end - image.title.begin())};
}

}  // namespace

Image parse_description(std::string_view text, std::string_view file) {
  Image image;
  std::array<size_t, kKeywords.size()> said{};  // in which line
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    Line line(whole, file, number);
    if (line.at_end()) continue;
    const std::string_view word = line.word("a keyword");
    const auto k =
        std::find_if(kKeywords.begin(), kKeywords.end(), [&](auto& key) { return key.name == word; });
    if (k == kKeywords.end())
      line.fail(fmt::format("no keyword '{}': there are design, revision, part, pci, title", word));
    size_t& before = said[static_cast<size_t>(k - kKeywords.begin())];
    if (before) line.fail(fmt::format("{} is said already, in line {}", word, before));
    before = number;
    k->read(line, image);
    line.end();
  }
  for (size_t i = 0; i < kKeywords.size(); ++i)
    if (!said[i] && i != kPart && !(i == kPci && image.daughter))
      throw DescriptionError(fmt::format("{}: no line says {}", file, kKeywords[i].name));
  if (image.daughter) check_daughter(image, said[kPci], file);
  return image;
}

std::string describe(const Image& image) {
  const std::string place = image.daughter ? fmt::format("part     {}", smile::kDaughterFpga.name)
                                           : fmt::format("pci      {:04X}:{:04X} class {:06X}", image.vendor,
                                                         image.device, image.pci_class);
  return fmt::format("design   {}\nrevision {}\n{}\ntitle    {}\n",
                     image.design < kDesigns.size() ? kDesigns[image.design] : "unknown", image.revision,
                     place, title_of(image));
}

const xc4000::Device& device_of(const Image& image) {
  return image.daughter ? smile::kDaughterFpga : smile::kFpga;
}

namespace {

// By the length count in its header. Of a stream that is damaged there: the card's.
bool is_daughters(const std::vector<uint8_t>& stream) {
  constexpr size_t kFirst = xc4000::kDummyBits + xc4000::kPreambleBits;
  uint32_t count = 0;
  for (size_t i = kFirst; i < kFirst + xc4000::kLengthBits && i / 8 < stream.size(); ++i)
    count = count << 1 | (stream[i / 8] >> (7 - i % 8) & 1);
  return count == smile::kDaughterFpga.length_count();
}

}  // namespace

std::vector<uint8_t> assemble(const Image& image) {
  const smile::ImageBytes bytes = smile::pack(image);
  return xc4000::write_stream(device_of(image), [&](uint32_t frame, uint32_t i) {
    const int at = smile::image_byte(frame, i);
    return at != smile::kNoByte && (bytes[static_cast<size_t>(at)] >> i % 8 & 1);
  });
}

Image disassemble(const std::vector<uint8_t>& stream) {
  smile::ImageBytes bytes{};
  const bool daughter = is_daughters(stream);
  xc4000::read_stream(
      daughter ? smile::kDaughterFpga : smile::kFpga, stream,
      [&](uint32_t frame, size_t at_bit, const std::vector<bool>& data) {
        for (uint32_t i = 0; i < data.size(); ++i)
          if (data[i] && !smile::set_image_bit(bytes, frame, i))
            throw xc4000::StreamError(
                at_bit + i,
                fmt::format("data bit {} of frame {}: expected 0, found 1: it means nothing", i, frame));
      });
  Image image = smile::unpack(bytes);
  image.daughter = daughter;
  const size_t first = xc4000::kHeaderBits + 1;
  if (image.magic != smile::kImageMagic)
    throw xc4000::StreamError(first, fmt::format("magic: expected {:08X}, found {:08X}: no design of ours",
                                                 smile::kImageMagic, image.magic));
  if (image.design >= kDesigns.size())
    throw xc4000::StreamError(first + 32, fmt::format("design: expected 0 to 3, found {}", image.design));
  return image;
}

}  // namespace perfboard::hot
