// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write to the command smile; names of structures: the file that a program writes, and counts
// by them.
#include "guest/smile/cmd/words.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "guest/smile/cmd/cards.h"

namespace perfboard::smile {
namespace {

class SmileNames : public testing::Test {
 protected:
  SmileNames() : file_(testing::TempDir() + "smile-names-" + std::to_string(getpid())) {
    unsetenv(SMILE_NAMES);
  }
  ~SmileNames() override {
    std::remove(file_.c_str());
    unsetenv(SMILE_NAMES);
  }
  Names read(const std::string& text) {
    std::ofstream(file_) << text;
    Input in(file_);
    Names names;
    read_names(in, names);
    return names;
  }
  std::string complaint(const std::string& lines) {
    try {
      read("name,offset,bytes\n" + lines);
    } catch (const FileError& e) {
      const std::string text = e.what();
      return text.substr(file_.size());
    }
    return "";
  }
  std::string written() {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }
  std::string file_;
};

using Lines = std::vector<std::string>;

Lines lines(const Shares& shares) {
  Lines all;
  for (const Shares::Row& row : shares.rows())
    for (const auto& [pair, n] : row.count)
      all.push_back(row.name + " " + std::to_string(pair.first) + ">" + std::to_string(pair.second) + " " +
                    std::to_string(n));
  return all;
}

TEST_F(SmileNames, AProgramWritesThem) {
  const smile_name names[] = {{"matrix A", 0, 4000}, {"sums", 8192, 16}};
  ASSERT_EQ(smile_names_write(file_.c_str(), names, 2), 0);
  EXPECT_EQ(written(), "name,offset,bytes\nmatrix A,0,4000\nsums,8192,16\n");
  EXPECT_NE(access((file_ + "." + std::to_string(getpid())).c_str(), F_OK), 0);
  EXPECT_EQ(read(written()).all(), (Lines{"matrix A", "sums"}));
  std::remove(file_.c_str());
  EXPECT_EQ(smile_names_write(nullptr, names, 2), 0);
  EXPECT_NE(access(file_.c_str(), F_OK), 0);
  setenv(SMILE_NAMES, file_.c_str(), 1);
  EXPECT_EQ(smile_names_write(nullptr, names, 1), 0);
  EXPECT_EQ(written(), "name,offset,bytes\nmatrix A,0,4000\n");
}

TEST_F(SmileNames, WhatAProgramMayNotWrite) {
  for (const char* text : {"", " a", "a ", "a,b", "a=b", "a#b", "a\"", "a\n", "\xe4"}) {
    const smile_name name = {text, 0, 4};
    errno = 0;
    EXPECT_EQ(smile_names_write(file_.c_str(), &name, 1), -1) << text;
    EXPECT_EQ(errno, EINVAL);
  }
  for (const smile_name& name : {smile_name{"a", 0, 0}, smile_name{"a", UINT64_MAX, 2}})
    EXPECT_EQ(smile_names_write(file_.c_str(), &name, 1), -1);
  EXPECT_NE(access(file_.c_str(), F_OK), 0);
  const smile_name name = {"a", 0, 4};
  EXPECT_EQ(smile_names_write("/nowhere/names", &name, 1), -1);
  EXPECT_EQ(errno, ENOENT);
  mkdir(file_.c_str(), 0700);
  EXPECT_EQ(smile_names_write(file_.c_str(), &name, 1), -1);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_NE(access((file_ + "." + std::to_string(getpid())).c_str(), F_OK), 0);
  rmdir(file_.c_str());
}

TEST_F(SmileNames, AFileThatIsWrong) {
  EXPECT_EQ(complaint("a,0,4\n\n# a comment\nb,4,4\n"), "");
  EXPECT_EQ(complaint("a,0\n"), ":2: 2 fields, expected 3");
  EXPECT_EQ(complaint(",0,4\n"), ":2: '': not a name");
  EXPECT_EQ(complaint("a,x,4\n"), ":2: a: offset and bytes 'x','4': no part of a window");
  EXPECT_EQ(complaint("a,0,0\n"), ":2: a: offset and bytes '0','0': no part of a window");
  EXPECT_NE(complaint("a,18446744073709551615,2\n"), "");
  EXPECT_EQ(complaint("a,0,4\na,4,4\n"), ":3: a: the name stands there twice");
  EXPECT_EQ(complaint("a,0,5\nb,4,4\n"), ":3: b overlaps with a");
  EXPECT_EQ(complaint("a,4,4\nb,0,5\n"), ":3: b overlaps with a");
  EXPECT_THROW(read(""), FileError);
  EXPECT_THROW(read("offset,name,bytes\n"), FileError);
}

TEST_F(SmileNames, WordsOfWatch) {
  const Names names = read("name,offset,bytes\nsums,8192,16\nmatrix A,0,4000\n");
  EXPECT_EQ(names.expand("matrix A", "f"), "matrix A=0+4000");
  EXPECT_EQ(names.expand("sums,filter=read+sent,start=timer", "f"),
            "sums=8192+16,filter=read+sent,start=timer");
  EXPECT_EQ(names.expand("other=0+4,filter=read", "f"), "other=0+4,filter=read");
  try {
    names.expand("sum", "f");
    FAIL();
  } catch (const Misuse& e) {
    EXPECT_STREQ(e.what(), "sum: f names matrix A, sums");
  }
  EXPECT_EQ(names.text(0, 4), "matrix A");
  EXPECT_EQ(names.text(3999, 1), "matrix A");
  EXPECT_EQ(names.text(4000, 4192), "");
  EXPECT_EQ(names.text(3999, 4194), "matrix A, sums");
}

TEST_F(SmileNames, UnitsThatSeveralShare) {
  // Unit 0: a alone, 30 of 100 bytes. Unit 1: 30 bytes of b, 60 of c. Unit 2: nobody's. Unit 3: 1 byte each.
  const Names names = read("name,offset,bytes\na,70,30\nb,100,30\nc,140,60\nd,300,1\ne,350,1\n");
  Shares shares(names, 100);
  shares.add({0, 1, 2, 7});
  shares.add({1, 1, 2, 10});
  shares.add({1, 3, 2, 3});
  shares.add({2, 0, 1, 5});
  shares.add({3, 0, 1, 3});
  EXPECT_EQ(lines(shares),
            (Lines{"a 1>2 7", "b 1>2 3", "b 3>2 1", "c 1>2 7", "c 3>2 2", "d 0>1 2", "e 0>1 1", "- 0>1 5"}));
  EXPECT_EQ(shares.divided(), 16u);
}

// Whatever the units: nothing is lost, nothing counts twice, for each source and destination.
TEST_F(SmileNames, SumsStay) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 200; ++round) {
    Names names;
    for (unsigned n = 0; n < 8; ++n)
      names.add({"n" + std::to_string(n), random() % 4000, 1 + random() % 900});
    Shares shares(names, 4u << random() % 10);
    std::map<Shares::Pair, uint64_t> wanted, got;
    for (unsigned n = 0; n < 50; ++n) {
      const smile_cell cell = {random() % 300, static_cast<uint8_t>(random() % 4),
                               static_cast<uint8_t>(random() % 4),
                               random() % 8 ? random() % 20 : UINT64_MAX / 1000};
      shares.add(cell);
      if (cell.count) wanted[{cell.source, cell.destination}] += cell.count;
    }
    for (const Shares::Row& row : shares.rows()) {
      uint64_t by_source = 0;
      for (unsigned source = 0; source < 4; ++source) by_source += row.from(source);
      EXPECT_EQ(by_source, row.all());
      for (const auto& [pair, n] : row.count)
        if (n) got[pair] += n;
    }
    ASSERT_EQ(got, wanted);
  }
}

// --- what users write to the command smile -----------------------------------------------

TEST(SmileWords, Bytes) {
  EXPECT_EQ(parse_bytes("x", "17"), 17u);
  EXPECT_EQ(parse_bytes("x", "0x1f"), 31u);
  EXPECT_EQ(parse_bytes("x", "4K"), 4096u);
  EXPECT_EQ(parse_bytes("x", "3M"), 3u << 20);
  for (const char* text : {"", "K", "-1", "4k", "1KM", "x", "18446744073709551615K"})
    EXPECT_THROW(parse_bytes("x", text), Misuse) << text;
}

TEST(SmileWords, Filters) {
  EXPECT_EQ(parse_filter("sent"), SMILE_SENT);
  EXPECT_EQ(parse_filter("received"), SMILE_RECEIVED);
  EXPECT_EQ(parse_filter("all"), SMR_FILTER_ALL);
  EXPECT_EQ(parse_filter("read+request+inbound"), SMR_FILTER_READ | SMR_FILTER_REQUEST | SMR_FILTER_INBOUND);
  EXPECT_EQ(parse_filter("read+sent"), SMR_FILTER_READ | SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND);
  EXPECT_EQ(parse_filter("lock"), SMR_FILTER_ALL & ~(SMR_FILTER_READ | SMR_FILTER_WRITE | SMR_FILTER_UNLOCK));
  for (const char* text : {"", "reed", "read+", "+read", "read,write"})
    EXPECT_THROW(parse_filter(text), Misuse) << text;
  for (uint32_t filter = 0; filter <= SMR_FILTER_ALL; ++filter)
    if (filter & SMILE_TYPES && filter & (SMR_FILTER_REQUEST | SMR_FILTER_RESPONSE) &&
        filter & (SMR_FILTER_INBOUND | SMR_FILTER_OUTBOUND)) {
      EXPECT_EQ(parse_filter(filter_text(filter)), filter);
    }
  EXPECT_EQ(filter_text(0), "nothing");
}

TEST(SmileWords, Structures) {
  const Watch a = parse_watch("a=0x1000-0x1fff");
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.offset, 0x1000u);
  EXPECT_EQ(a.bytes, 0x1000u);
  EXPECT_EQ(a.filter, 0u);
  const Watch b = parse_watch("b c=4K+8,filter=write+sent,stop=timer,start=a");
  EXPECT_EQ(b.name, "b c");
  EXPECT_EQ(b.offset, 4096u);
  EXPECT_EQ(b.bytes, 8u);
  EXPECT_EQ(b.filter, SMR_FILTER_WRITE | SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND);
  EXPECT_EQ(b.start, "a");
  EXPECT_EQ(b.stop, "timer");
  for (const char* text : {"", "a", "=0+4", "a=", "a=4", "a=5-4", "a=0+0", "a=0-18446744073709551615",
                           "a=x+4", "a=0+4,end=1", "a=1+-2"})
    EXPECT_THROW(parse_watch(text), Misuse) << text;
}

TEST(SmileWords, EventsOfStructures) {
  const std::vector<Watch> watches{parse_watch("a=0+4,start=b,stop=timer"),
                                   parse_watch("b=4+4,start=global1,stop=15"), parse_watch("timer2=8+4")};
  const std::vector<smile_watch> resolved = resolve(watches);
  ASSERT_EQ(resolved.size(), 3u);
  EXPECT_EQ(resolved[0].start, SMILE_EVENT_OF(1u));
  EXPECT_EQ(resolved[0].stop, 16u);
  EXPECT_EQ(resolved[1].start, 17u);
  EXPECT_EQ(resolved[1].stop, 31u);
  EXPECT_EQ(resolved[2].start, SMILE_NO_EVENT);
  EXPECT_STREQ(resolved[2].name, "timer2");
  EXPECT_THROW(resolve({parse_watch("a=0+4,start=c")}), Misuse);
  EXPECT_THROW(resolve({parse_watch("a=0+4"), parse_watch("a=4+4")}), Misuse);
  for (const char* text : {"0", "16", "global0", "global16", "", "global", "-1"})
    EXPECT_THROW(parse_global(text), Misuse) << text;
}

}  // namespace
}  // namespace perfboard::smile
