// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header of offsets and bits, transcribed from the paper on its own, against the tables that
// the model runs: every register and field of the tables is in the header, and they agree.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "guest/surfboard/regs.h"
#include "hw/surfboard/registers.h"

namespace perfboard::surf {
namespace {

class GuestHeader : public testing::Test {
 protected:
  void offset(const char* reg, uint32_t value) { EXPECT_EQ(at(table_of(reg), reg).offset, value) << reg; }
  void flag(const char* reg, const char* name, uint32_t mask) {
    const Field& f = take(reg, name);
    EXPECT_EQ(f.mask(), mask) << reg << '.' << name;
    EXPECT_EQ(f.msb, f.lsb) << reg << '.' << name;
  }
  void wide(const char* reg, const char* name, uint32_t mask, uint32_t shift) {
    const Field& f = take(reg, name);
    EXPECT_EQ(f.mask(), mask) << reg << '.' << name;
    EXPECT_EQ(f.lsb, shift) << reg << '.' << name;
  }
  void all_taken(std::span<const Register> table) {
    for (const Register& r : table)
      for (const Field& f : r.fields)
        EXPECT_TRUE(taken.contains(std::string(r.name) + '.' + std::string(f.name)))
            << r.name << '.' << f.name;
  }

 private:
  static std::span<const Register> table_of(std::string_view reg) {
    for (std::span<const Register> table :
         {std::span<const Register>(kSlotRegisters), std::span<const Register>(kRegisters),
          std::span<const Register>(kShiftRegister)})
      for (const Register& r : table)
        if (r.name == reg) return table;
    return kTraceWords;
  }
  const Field& take(const char* reg, const char* name) {
    taken.insert(std::string(reg) + '.' + name);
    return at(table_of(reg), reg).field(name);
  }
  std::set<std::string> taken;
};

#define OFFSET(reg) offset(#reg, SURF_##reg)
#define FLAG(reg, name) flag(#reg, #name, SURF_##reg##_##name)
#define WIDE(reg, name) wide(#reg, #name, SURF_##reg##_##name##_MASK, SURF_##reg##_##name##_SHIFT)
// The shift register's fields are named after ACDR, which moves it.
#define SHIFT_FLAG(name) flag("SHIFT", #name, SURF_ACDR_##name)
#define SHIFT_WIDE(name) wide("SHIFT", #name, SURF_ACDR_##name##_MASK, SURF_ACDR_##name##_SHIFT)

TEST_F(GuestHeader, SlotRegisters) {
  OFFSET(EPIR);
  OFFSET(EBCR);
  WIDE(EBCR, RBASE);
  WIDE(EBCR, MBASE);
  WIDE(EBCR, IRLEV);
  FLAG(EBCR, ENABLE);
  EXPECT_EQ(SURF_PRODUCT_ID & SURF_PRODUCT_ID_MASK, kSlotRegisters[0].reset() & SURF_PRODUCT_ID_MASK);
  EXPECT_EQ(~SURF_PRODUCT_ID_MASK, bits("EPIR.REV"));
}

TEST_F(GuestHeader, Registers) {
  OFFSET(FCCR);
  OFFSET(FCDR);
  OFFSET(ACDR);
  OFFSET(TTCR);
  OFFSET(ECDR);
  OFFSET(PCLR);
  OFFSET(ISCR);
  OFFSET(IEMR);
  OFFSET(HTCR);
  OFFSET(WCDR);
  OFFSET(HFCR);
  OFFSET(HFDR);
  OFFSET(TICR);
  OFFSET(TECR);
  OFFSET(TPIR);
  FLAG(FCCR, DONE);
  FLAG(FCCR, ERR);
  FLAG(FCCR, CFG);
  FLAG(FCCR, PROG);
  WIDE(FCCR, TSPD);
  WIDE(FCCR, HSPD);
  FLAG(FCDR, DATA);
  FLAG(ACDR, DATA);
  FLAG(TTCR, EIP);
  FLAG(TTCR, EOP);
  FLAG(TTCR, MEOD);
  FLAG(TTCR, MEI);
  FLAG(TTCR, MBV);
  WIDE(TTCR, MODE);
  WIDE(TTCR, QUAL);
  FLAG(ECDR, DATA);
  FLAG(PCLR, LED);
  WIDE(PCLR, CAT);
  FLAG(ISCR, PEND);
  FLAG(ISCR, RTV);
  FLAG(ISCR, LU);
  FLAG(ISCR, LV);
  FLAG(ISCR, PV);
  FLAG(ISCR, WCV);
  FLAG(ISCR, BV);
  FLAG(ISCR, FV);
  FLAG(ISCR, FF);
  FLAG(ISCR, FAF);
  FLAG(ISCR, FPF);
  FLAG(ISCR, FNE);
  FLAG(ISCR, EXT);
  FLAG(ISCR, TP);
  FLAG(ISCR, TC);
  FLAG(IEMR, RTV);
  FLAG(IEMR, LU);
  FLAG(IEMR, LV);
  FLAG(IEMR, PV);
  FLAG(IEMR, WCV);
  FLAG(IEMR, BV);
  FLAG(IEMR, FV);
  FLAG(IEMR, FF);
  FLAG(IEMR, FAF);
  FLAG(IEMR, FPF);
  FLAG(IEMR, FNE);
  FLAG(IEMR, EXT);
  FLAG(IEMR, TP);
  FLAG(IEMR, TC);
  FLAG(HTCR, PRS);
  FLAG(HTCR, FRS);
  FLAG(HTCR, TRG);
  FLAG(HTCR, WEN);
  FLAG(HTCR, HEN);
  FLAG(HTCR, TEN);
  WIDE(WCDR, DATA);
  WIDE(HFCR, DATA);
  FLAG(HFDR, LSB);
  WIDE(HFDR, DATA);
  WIDE(TICR, DATA);
  WIDE(TECR, DATA);
  WIDE(TPIR, DATA);
  all_taken(kRegisters);
  EXPECT_EQ(SURF_REG_BYTES, kRegisterBytes);
  EXPECT_EQ(SURF_ISCR_W1C, at(kRegisters, "ISCR").mask(w1c));
  EXPECT_EQ(SURF_ISCR_CONDITIONS, at(kRegisters, "IEMR").mask(rw));
}

TEST_F(GuestHeader, ShiftRegister) {
  SHIFT_FLAG(RDBK_A);
  SHIFT_FLAG(CATMUX);
  SHIFT_WIDE(SENDID);
  SHIFT_WIDE(RDBK_B);
  SHIFT_WIDE(LAT_S);
  SHIFT_WIDE(LAT_N);
  SHIFT_WIDE(RDBK_C);
  SHIFT_WIDE(TSIZE);
  SHIFT_WIDE(RDBK_D);
  SHIFT_WIDE(RDBK_F);
  all_taken(kShiftRegister);
}

TEST_F(GuestHeader, TraceWords) {
  WIDE(TRACE0, SENDER);
  FLAG(TRACE0, V);
  FLAG(TRACE0, U);
  WIDE(TRACE0, LATENCY);
  WIDE(TRACE1, CATEGORY);
  WIDE(TRACE1, SIZE);
  WIDE(TRACE1, COLOR);
  WIDE(TRACE1, RTIME);
  wide("TRACE2", "RTIME", 0xffffffff, 0);  // the whole word; the header has no name for it
  FLAG(TRACE3, I);
  WIDE(TRACE3, P);
  WIDE(TRACE3, ADDRESS);
  WIDE(TRACE3, BE);
  all_taken(kTraceWords);
  EXPECT_EQ(SURF_TRACE_BYTES, 4 * std::size(kTraceWords));
}

TEST_F(GuestHeader, Fifo) { EXPECT_EQ(SURF_FIFO_ENTRIES, SURF_FIFO_SLOTS / 3); }

}  // namespace
}  // namespace perfboard::surf
