// SPDX-License-Identifier: GPL-2.0-or-later
//
// MULTIKRON's access log: an access is the paper's register, whatever its window and width.
#include "tests/qtest/multikron/card.h"

namespace perfboard::qtest {
namespace {

TEST(MultikronLog, NamesWhatAnAccessReaches) {
  Scratch scratch;
  Machine m({.devices = {"multikron,id=mk,log=" + scratch.path("log")}});
  Card card(m);
  card.put(MKR_FILTER, 0xffff);
  card.put(MKR_CSR, MKR_CSR_SE);
  m.write64(kFourAt + MKR_AT4(MKR_SAMPLE_TRACE(2)), 0x123456789abc);
  card.get64(MKR_COUNTER(3));
  card.put(MKR_COUNTER(1), 0);
  m.step(1'000'000);
  card.get(MKR_OVERRUN);
  EXPECT_EQ(m.quit(), 0);
  const std::vector<std::string> wanted = {
      "multikron    reset",
      "multikron    FILTER <- 0000ffff LEVEL=0xffff",
      "multikron    CSR <- 00000001 SE=1",
      "multikron    TRACE2 <- 56789abc DATA=0x56789abc, TRACE2_H <- 00001234 DATA=0x1234; MISTAKE "
      "no-cpu-line (Appendix A): "
      "TRACE2 written while no CPU ID line is active: encoded as 0; trace-sample 2",
      "multikron    RC3 -> 00000000, RC3_H -> 00000000; counters-copied 3",
      "multikron    RC1 <- 00000000; MISTAKE not-software (Processor Incrementing of a Resource Counter (p. "
      "10)): RC1 written, "
      "but MUX SEL does not select the Software Signal: ignored",
      "multikron    sample-sent 0x10",
      "multikron    OVERRUN -> 00000000",
  };
  EXPECT_EQ(log_lines(scratch.path("log"), "multikron"), wanted)
      << "the sample that was sent is nobody's access";
}

TEST(MultikronLog, RegistersWithoutTouchingThem) {
  Machine m({.devices = {"multikron,id=mk"}});
  Card card(m);
  card.start();
  card.sample(MKR_SAMPLE_RESOURCE(0), 0);
  const std::string first = m.text("mk", "registers");
  for (const char* part :
       {R"("SHFULL":1)", R"({"reg":"FILTER","value":65535)",
        R"({"reg":"RC3_H","value":2147483648,"fields":{"WRONG":1}})", R"({"reg":"MAGIC","value":1314016077)"})
    EXPECT_NE(first.find(part), first.npos) << part << " in " << first;
  EXPECT_EQ(m.text("mk", "registers"), first) << "nothing has changed";
}

}  // namespace
}  // namespace perfboard::qtest
