// SPDX-License-Identifier: GPL-2.0-or-later
// The file formats of B.2.2: reader and writer.
#include <sys/stat.h>

#include "guest/surfboard/host/trace_file.h"
#include "tests/unit/common/tools_fixture.h"

namespace perfboard {
namespace {

TEST(ToolsFile, TraceWordsAsInA7) {
  const TraceEntry e{0, {0x27000035, 0xA0C7F123, 0x89ABCDEF, 0x9FFFFFF5}};
  EXPECT_EQ(e.sender(), 9u);
  EXPECT_TRUE(e.overflow());
  EXPECT_TRUE(e.underflow());
  EXPECT_EQ(e.latency(), 0x35u);
  EXPECT_EQ(e.category(), 0xAu);
  EXPECT_EQ(e.size(), 0x31u);
  EXPECT_EQ(e.color(), 0x3Fu);
  EXPECT_EQ(e.receive_time(), 0x12389ABCDEFu);
  EXPECT_TRUE(e.interrupt());
  EXPECT_EQ(e.presence(), 0u);
  EXPECT_EQ(e.address(), 0x7FFFFFCu);
  EXPECT_EQ(e.page(), 0x7FFFu);
  EXPECT_EQ(e.byte_enables(), 5u);
  const TraceEntry absent{0, {0, 0, 0, 0x60000000}};
  EXPECT_EQ(absent.presence(), 3u);
  EXPECT_FALSE(absent.interrupt());
  EXPECT_EQ(absent.address(), 0u);
  EXPECT_EQ(absent.size(), 1024u);
}

TEST(ToolsFile, CommentsBlanksAndLooseSpacing) {
  const Folder folder;
  Input in(folder.write("t",
                        "# heading\n\n   \t\n"
                        "00000A 00000001 00000002 00000003 00000004\n"
                        "  b\t1  2 3 DeadBeef# no blank before this\r\n"
                        "#\n3FFFFF FFFFFFFF 0 0 0"));
  TraceEntry e;
  ASSERT_TRUE(read(in, e));
  EXPECT_EQ(e, (TraceEntry{0xA, {1, 2, 3, 4}}));
  EXPECT_EQ(in.number(), 4u);
  ASSERT_TRUE(read(in, e));
  EXPECT_EQ(e, (TraceEntry{0xB, {1, 2, 3, 0xDEADBEEF}}));
  ASSERT_TRUE(read(in, e));
  EXPECT_EQ(e, (TraceEntry{0x3FFFFF, {0xFFFFFFFF, 0, 0, 0}}));
  EXPECT_FALSE(read(in, e));
  EXPECT_FALSE(read(in, e));
}

template <typename Record>
std::string error_of(const std::string& file) {
  try {
    Input in(file);
    for (Record r; read(in, r);) {
    }
  } catch (const FileError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ToolsFile, MalformedLinesAreNamed) {
  const Folder folder;
  const std::string t = folder.file("t");
  const struct {
    const char *line, *error;
  } traces[] = {
      {"1 2 3 4", "4 fields where a line is a 6-digit index and four 8-digit words"},
      {"1 2 3 4 5 6", "6 fields where a line is a 6-digit index and four 8-digit words"},
      {"x", "1 field where a line is a 6-digit index and four 8-digit words"},
      {"1234567 0 0 0 0", "the index is '1234567': expected 6 hexadecimal digits"},
      {"1 0 0 123456789 0", "word 2 is '123456789': expected 8 hexadecimal digits"},
      {"1 0 0x1 0 0", "word 1 is '0x1': expected 8 hexadecimal digits"},
      {"1 \x01\xFF 0 0 0", "word 0 is '\?\?': expected 8 hexadecimal digits"},
  };
  for (const auto& c : traces) {
    folder.write("t", std::string("# one\n1 2 3 4 5\n") + c.line + "\n");
    EXPECT_EQ(error_of<TraceEntry>(t), t + ":3: " + c.error);
  }
  folder.write("t", "1 2\n1 2 3\n");
  EXPECT_EQ(error_of<HistogramBin>(t),
            t + ":2: 3 fields where a line is a 6-digit bin address and an 8-digit count");
  folder.write("t", "1 -2\n");
  EXPECT_EQ(error_of<HistogramBin>(t), t + ":1: the count is '-2': expected 8 hexadecimal digits");
  EXPECT_EQ(error_of<TraceEntry>(folder.file("none")), folder.file("none") + ": No such file or directory");
  EXPECT_EQ(error_of<TraceEntry>(folder.path.string()), folder.path.string() + ": Is a directory");
}

TEST(ToolsFile, RoundTripAcrossBlocks) {
  const Folder folder;
  const std::string file = folder.file("t");
  const auto made = [](uint32_t i) { return TraceEntry{i, {i * 2654435761u, ~i, i << 7, i}}; };
  constexpr uint32_t kEntries = 60000;  // 2.5 MB: several blocks
  {
    Output out(file);
    for (uint32_t i = 0; i < kEntries; i++) write(out, made(i));
    out.close();
  }
  EXPECT_EQ(Folder::read(file).size(), kEntries * 43u);
  Input in(file);
  TraceEntry e;
  for (uint32_t i = 0; i < kEntries; i++) {
    ASSERT_TRUE(read(in, e));
    ASSERT_EQ(e, made(i));
  }
  EXPECT_FALSE(read(in, e));
}

TEST(ToolsFile, LinesLongerThanABlock) {
  const Folder folder;
  Input in(folder.write("t", "#" + std::string(3 << 20, 'x') + "\n000001 00000002\n"));
  HistogramBin bin;
  ASSERT_TRUE(read(in, bin));
  EXPECT_EQ(bin, (HistogramBin{1, 2}));
  EXPECT_EQ(in.number(), 2u);
}

TEST(ToolsFile, HistogramAndFifoText) {
  const Folder folder;
  Output out(folder.file("h"));
  write(out, HistogramBin{0xABCDEF, 0x12});
  write_fifo(out, 0x1F);
  out.close();
  EXPECT_EQ(Folder::read(folder.file("h")), "ABCDEF 00000012\n00001F\n");
  Input in(folder.write("f", "1F # x\n\nabcdef\n"));
  uint32_t address;
  ASSERT_TRUE(read_fifo(in, address));
  EXPECT_EQ(address, 0x1Fu);
  ASSERT_TRUE(read_fifo(in, address));
  EXPECT_EQ(address, 0xABCDEFu);
  EXPECT_FALSE(read_fifo(in, address));
}

}  // namespace
}  // namespace perfboard
