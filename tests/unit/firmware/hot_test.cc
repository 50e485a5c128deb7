// SPDX-License-Identifier: GPL-2.0-or-later
//
// Configuration images of the SMiLE monitor: from description to image, into the FPGA, and back.
#include "firmware/smile/hot.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/common/tools_fixture.h"

namespace perfboard::hot {
namespace {

using smile::Image;
using smile::LoadedImage;
using Bytes = std::vector<uint8_t>;

const std::string kGood =
    "# a comment\n"
    "design   static   # of the two\n"
    "\n"
    "revision 7\r\n"
    "pci      133E:4000 class 118000\n"
    "title    A title, of words\n";

LoadedImage load(const Bytes& bytes) {
  return smile::load_image(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

std::string error_of(std::string text) {
  try {
    parse_description(text, "a.hot");
  } catch (const DescriptionError& e) {
    return e.what();
  }
  return "no error";
}
std::string with(std::string_view line, std::string_view other, std::string text = kGood) {
  return text.replace(text.find(line), line.size(), other);
}

TEST(Hot, FieldsLieWhereTheFpgaHasThem) {
  const Bytes bytes = assemble(parse_description(kGood, "a.hot"));
  ASSERT_EQ(bytes.size(), 179233u);
  const auto byte = [&](size_t first) {
    uint32_t value = 0;
    for (size_t i = 0; i < 8; ++i) value |= (bytes[(first + i) / 8] >> (7 - (first + i) % 8) & 1u) << i;
    return value;
  };
  const size_t frame0 = 41, frame1 = 41 + 613;
  const uint8_t want[] = {'S', 'M', 'i', 'L', 1, 7, 0x3e, 0x13, 0x00, 0x40, 0x00, 0x80, 0x11};
  for (size_t i = 0; i < std::size(want); ++i) EXPECT_EQ(byte(frame0 + 8 * i), want[i]) << i;
  const std::string title = "A title, of words";
  for (size_t i = 0; i < title.size(); ++i) EXPECT_EQ(byte(frame1 + 8 * i), static_cast<uint8_t>(title[i]));
  EXPECT_EQ(byte(frame1 + 8 * title.size()), 0u);
}

TEST(Hot, TheReadyDesignsLoadAndSayWhichTheyAre) {
  const std::string names[] = {"core", "static", "dynamic"};
  for (uint8_t i = 0; i < 3; ++i) {
    const Bytes bytes =
        assemble(parse_description(source("firmware/smile/designs/" + names[i] + ".hot"), names[i]));
    const LoadedImage l = load(bytes);
    EXPECT_TRUE(l.ok) << names[i];
    EXPECT_EQ(l.image.design, i) << names[i];
    EXPECT_EQ(l.clocks, 1433860u - 7 + 4) << "until start-up is over";
    EXPECT_EQ(describe(disassemble(bytes)), describe(l.image));
  }
}

TEST(Hot, ADesignForAnotherCardDoesNotFit) {
  for (const char* line :
       {"pci 133F:4000 class 118000", "pci 133E:4001 class 118000", "pci 133E:4000 class 118001"}) {
    const LoadedImage l =
        load(assemble(parse_description(with("pci      133E:4000 class 118000", line), "a.hot")));
    EXPECT_FALSE(l.ok) << line;
    EXPECT_EQ(l.image.design, 1) << line;
  }
}

TEST(Hot, NothingOfOursIsNoDesign) {
  const Bytes empty = xc4000::write_stream(smile::kFpga, [](uint32_t, uint32_t) { return false; });
  EXPECT_FALSE(load(empty).ok) << "the container is right, but it does not say what it is";
  EXPECT_THROW(disassemble(empty), xc4000::StreamError);
  EXPECT_FALSE(load(Bytes(1000, 0xff)).ok);
  EXPECT_EQ(load(Bytes(1000, 0xff)).clocks, 8000u) << "all bytes were tried";
  EXPECT_FALSE(load(Bytes()).ok);
  const Bytes stray =
      xc4000::write_stream(smile::kFpga, [](uint32_t frame, uint32_t i) { return frame == 2 && i == 5; });
  try {
    disassemble(stray);
    ADD_FAILURE();
  } catch (const xc4000::StreamError& e) {
    EXPECT_STREQ(e.what(), "bit 1272: data bit 5 of frame 2: expected 0, found 1: it means nothing");
  }
}

TEST(Hot, ErrorsNameFileLineAndColumn) {
  const struct {
    std::string text;
    const char* says;
  } errors[] = {
      {kGood, "no error"},
      {"", "a.hot: no line says design"},
      {with("revision 7\r\n", ""), "a.hot: no line says revision"},
      {with("static", "both"), "a.hot:2:10: no design 'both': there are none, static, dynamic, target"},
      {with("static   #", "#"),
       "a.hot:2:7: expected none, static, dynamic or target, found the end of the line"},
      {with("static ", "static x"), "a.hot:2:17: expected the end of the line, found 'x'"},
      {with("revision 7", "revision 256"), "a.hot:4:10: a revision is 0 to 255, not '256'"},
      {with("revision 7", "design none"), "a.hot:4:1: design is said already, in line 2"},
      {with("revision 7", "version 7"),
       "a.hot:4:1: no keyword 'version': there are design, revision, part, pci, title"},
      {with("133E:4000", "133E4000"), "a.hot:5:10: expected VENDOR:DEVICE, found '133E4000'"},
      {with("133E:", "33E:"), "a.hot:5:10: a vendor has 4 hexadecimal digits, not '33E'"},
      {with("class 1", "klass 1"), "a.hot:5:20: expected class, found 'klass'"},
      {with("118000", "118"), "a.hot:5:26: a class has 6 hexadecimal digits, not '118'"},
      {with("A title, of words", std::string(65, 'x')),
       "a.hot:6:10: a title has up to 64 characters, not 65"},
      {with("A title, of words", "A t\xc3\xaftle"), "a.hot:6:10: a title is ASCII"},
  };
  for (const auto& e : errors) EXPECT_EQ(error_of(e.text), e.says);
}

const std::string kDaughter =
    "design   dynamic\n"
    "revision 3\n"
    "part     XC4085XLA\n"
    "title    F.R.L.\n";

TEST(Hot, ADaughterBoardsDesignIsForItsPart) {
  const Image image = parse_description(kDaughter, "a.hot");
  EXPECT_TRUE(image.daughter);
  EXPECT_EQ(describe(image), kDaughter);
  const Bytes bytes = assemble(image);
  EXPECT_EQ(bytes.size(), 240'624u);
  const Image again = disassemble(bytes);
  EXPECT_TRUE(again.daughter);
  EXPECT_EQ(describe(again), kDaughter);
  using smile::Board;
  const auto fits = [&](const Bytes& b, Board board) {
    return smile::load_image(b.data(), static_cast<uint32_t>(b.size()), board).ok;
  };
  EXPECT_TRUE(fits(bytes, Board::kDaughter));
  EXPECT_FALSE(fits(bytes, Board::kOne));
  EXPECT_FALSE(fits(bytes, Board::kCard));
  const Bytes one = assemble(parse_description(kGood, "a.hot"));
  EXPECT_TRUE(fits(one, Board::kOne));
  EXPECT_FALSE(fits(one, Board::kCard)) << "the F.R.L. is on the daughter board";
  EXPECT_FALSE(fits(one, Board::kDaughter));
  const Bytes target = assemble(parse_description(with("static", "target"), "a.hot"));
  EXPECT_TRUE(fits(target, Board::kCard));
  EXPECT_FALSE(fits(target, Board::kOne));
}

TEST(Hot, WrongPartsAreNamed) {
  EXPECT_EQ(error_of(kDaughter + "pci 133E:4000 class 118000\n"), "a.hot: pci: an XC4085XLA has no PCI core");
  for (const std::string design : {"target", "none"})
    EXPECT_EQ(error_of(with("dynamic", design, kDaughter)),
              "a.hot: design: an XC4085XLA has static or dynamic, not " + design);
  EXPECT_EQ(error_of(with("XC4085XLA", "XC4003", kDaughter)),
            "a.hot:3:10: no part 'XC4003': there are XC4062XLA, XC4085XLA");
  EXPECT_EQ(error_of(with("XC4085XLA", "XC4062XLA", kDaughter)), "a.hot: no line says pci");
}

}  // namespace
}  // namespace perfboard::hot
