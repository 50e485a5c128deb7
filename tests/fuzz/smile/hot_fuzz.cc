// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SMiLE card's configuration images and what reads them, which were written apart: the card
// (hw/smile/image.cc), the compiler and the disassembler (firmware/smile), the parser of descriptions.
//
// An image survives the description and the stream, and the card takes the design that was written; what the
// disassembler reads from a damaged stream, the card reads, too, and no stream makes the card a design that
// is none of ours; any text is refused with its place, or it is an image that its description gives again.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "firmware/smile/hot.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using smile::Image;
using Bytes = std::vector<uint8_t>;

bool same(const Image& a, const Image& b) { return smile::pack(a) == smile::pack(b); }

class Bench {
 public:
  explicit Bench(Input& source) : in(source) {}
  void run() {
    if (in.below(8))
      while (!in.empty()) any_text();
    else
      stream();
  }

 private:
  Image image() {
    Image i;
    i.design = static_cast<uint8_t>(in.below(3));
    i.revision = in.u8();
    if (in.below(4) == 0) i.vendor = in.u16();
    if (in.below(4) == 0) i.device = in.u16();
    if (in.below(4) == 0) i.pci_class = in.u32() & 0xffffff;
    const uint32_t length = 1 + in.below(smile::kTitleBytes);
    for (uint32_t k = 0; k < length; ++k) {
      const bool end = k == 0 || k + 1 == length;  // a title neither begins nor ends with a blank
      char c = static_cast<char>(' ' + in.below('~' - ' ' + 1));
      if (c == '#' || (end && c == ' ')) c = 'x';
      i.title[k] = c;
    }
    return i;
  }
  void any_text() {
    ++operations;
    const Image i = image();
    std::string text = hot::describe(i);
    FUZZ_CHECK(same(hot::parse_description(text, "x"), i), "%s", text.c_str());
    for (uint32_t n = in.below(6); n; --n) {
      static constexpr std::string_view kSome[] = {
          "design", "revision 256", "pci 1:2 class", "title", "\n", "#", "\r", "\t", " ", "none\n",
          ":",      "0000:"};
      const size_t at = in.u16() % (text.size() + 1);
      text.replace(at, std::min<size_t>(in.below(8), text.size() - at),
                   in.flip() ? std::string(kSome[in.below(std::size(kSome))])
                             : std::string(in.below(2), static_cast<char>(in.u8())));
    }
    try {
      const Image read = hot::parse_description(text, "x");
      FUZZ_CHECK(same(hot::parse_description(hot::describe(read), "x"), read), "%s", text.c_str());
    } catch (const hot::DescriptionError& e) {  // "x:line:column: message", or "x: message" about the whole
      const auto lines = static_cast<unsigned>(std::count(text.begin(), text.end(), '\n')) + 1;
      unsigned line = 0, column = 0;
      const bool placed = std::sscanf(e.what(), "x:%u:%u: ", &line, &column) == 2 && line >= 1 &&
                          line <= lines && column >= 1;
      FUZZ_CHECK(placed || !std::strncmp(e.what(), "x: ", 3), "%s", e.what());
    }
  }
  void stream() {
    ++operations;
    const Image i = image();
    Bytes bytes = hot::assemble(i);
    check(bytes, &i);
    for (uint32_t n = 1 + in.below(4); n; --n) {
      // The frames that mean something, the header, or anywhere.
      const size_t at = in.below(4) ? in.below(500) : (in.u32() & 0xffffff) % bytes.size();
      bytes[at] = static_cast<uint8_t>(in.flip() ? bytes[at] ^ 1u << in.below(8) : in.u8());
    }
    if (in.below(8) == 0) bytes.resize((in.u32() & 0xffffff) % bytes.size());
    check(bytes, nullptr);
  }
  void check(const Bytes& bytes, const Image* sent) {
    const smile::LoadedImage l = smile::load_image(bytes.data(), static_cast<uint32_t>(bytes.size()));
    FUZZ_CHECK(l.clocks <= 8 * bytes.size(), "%u clocks of %zu bytes", l.clocks, bytes.size());
    FUZZ_CHECK(!l.ok || smile::image_fits(l.image), "the card takes what does not fit it");
    if (sent)
      FUZZ_CHECK(same(l.image, *sent) && l.ok == smile::image_fits(*sent), "the card reads another image");
    try {
      const Image read = hot::disassemble(bytes);
      FUZZ_CHECK(same(read, l.image) && l.ok == smile::image_fits(read),
                 "the disassembler reads another image, taken: %d", l.ok);
      if (sent) FUZZ_CHECK(same(read, *sent), "the disassembler reads another image");
    } catch (const xc4000::StreamError& e) {
      FUZZ_CHECK(!sent && e.what()[0], "%s", e.what());
    }
  }

  Input& in;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  perfboard::fuzz::Input in(data, size);
  perfboard::fuzz::Bench(in).run();
  return 0;
}
