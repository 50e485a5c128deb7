// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write to the command smile.
#include <gtest/gtest.h>

#include "guest/smile/cmd/words.h"

namespace perfboard::smile {
namespace {

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
