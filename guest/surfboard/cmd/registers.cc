// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/registers.h"

#include <algorithm>
#include <bit>

#include "guest/surfboard/regs.h"

namespace perfboard::prompt {
namespace {

constexpr auto ro = FieldAccess::ro;
constexpr auto rw = FieldAccess::rw;
constexpr auto w1c = FieldAccess::w1c;

constexpr FieldInfo kFccr[] = {{"TSPD", SURF_FCCR_TSPD_MASK, ro}, {"HSPD", SURF_FCCR_HSPD_MASK, ro},
                               {"DONE", SURF_FCCR_DONE, ro},      {"ERR", SURF_FCCR_ERR, ro},
                               {"CFG", SURF_FCCR_CFG, ro},        {"PROG", SURF_FCCR_PROG}};
constexpr FieldInfo kAcdr[] = {{"SENDID", SURF_ACDR_SENDID_MASK},
                               {"RDBK_A", SURF_ACDR_RDBK_A, rw, false},
                               {"CATMUX", SURF_ACDR_CATMUX},
                               {"RDBK_B", SURF_ACDR_RDBK_B_MASK, rw, false},
                               {"LAT_S", SURF_ACDR_LAT_S_MASK},
                               {"LAT_N", SURF_ACDR_LAT_N_MASK},
                               {"RDBK_C", SURF_ACDR_RDBK_C_MASK, rw, false},
                               {"TSIZE", SURF_ACDR_TSIZE_MASK},
                               {"RDBK_D", SURF_ACDR_RDBK_D_MASK, rw, false},
                               {"RDBK_F", SURF_ACDR_RDBK_F_MASK, rw, false}};
constexpr FieldInfo kTtcr[] = {{"EIP", SURF_TTCR_EIP},       {"EOP", SURF_TTCR_EOP},
                               {"MEOD", SURF_TTCR_MEOD},     {"MEI", SURF_TTCR_MEI},
                               {"MBV", SURF_TTCR_MBV},       {"MODE", SURF_TTCR_MODE_MASK},
                               {"QUAL", SURF_TTCR_QUAL_MASK}};
constexpr FieldInfo kEcdr[] = {{"DATA", SURF_ECDR_DATA}};
constexpr FieldInfo kPclr[] = {{"LED", SURF_PCLR_LED}, {"CAT", SURF_PCLR_CAT_MASK}};
constexpr FieldInfo kIscr[] = {
    {"PEND", SURF_ISCR_PEND, ro}, {"RTV", SURF_ISCR_RTV, ro}, {"LU", SURF_ISCR_LU, w1c},
    {"LV", SURF_ISCR_LV, w1c},    {"PV", SURF_ISCR_PV, w1c},  {"WCV", SURF_ISCR_WCV, w1c},
    {"BV", SURF_ISCR_BV, w1c},    {"FV", SURF_ISCR_FV, w1c},  {"FF", SURF_ISCR_FF, ro},
    {"FAF", SURF_ISCR_FAF, ro},   {"FPF", SURF_ISCR_FPF, ro}, {"FNE", SURF_ISCR_FNE, ro},
    {"EXT", SURF_ISCR_EXT, w1c},  {"TP", SURF_ISCR_TP, w1c},  {"TC", SURF_ISCR_TC, w1c}};
constexpr FieldInfo kIemr[] = {{"RTV", SURF_IEMR_RTV}, {"LU", SURF_IEMR_LU},   {"LV", SURF_IEMR_LV},
                               {"PV", SURF_IEMR_PV},   {"WCV", SURF_IEMR_WCV}, {"BV", SURF_IEMR_BV},
                               {"FV", SURF_IEMR_FV},   {"FF", SURF_IEMR_FF},   {"FAF", SURF_IEMR_FAF},
                               {"FPF", SURF_IEMR_FPF}, {"FNE", SURF_IEMR_FNE}, {"EXT", SURF_IEMR_EXT},
                               {"TP", SURF_IEMR_TP},   {"TC", SURF_IEMR_TC}};
constexpr FieldInfo kHtcr[] = {{"PRS", SURF_HTCR_PRS}, {"FRS", SURF_HTCR_FRS}, {"TRG", SURF_HTCR_TRG},
                               {"WEN", SURF_HTCR_WEN}, {"HEN", SURF_HTCR_HEN}, {"TEN", SURF_HTCR_TEN}};
// As port.h packs them: the offsets of a FIFO of 4096 words have 12 bits.
constexpr FieldInfo kHfcr[] = {{"EMPTY", 0x00000FFFu}, {"FULL", 0x0FFF0000u}};
constexpr FieldInfo kHfdr[] = {{"LSB", SURF_HFDR_LSB}, {"DATA", SURF_HFDR_DATA_MASK}};
constexpr FieldInfo kTpir[] = {{"DATA", SURF_TPIR_DATA_MASK}};
constexpr FieldInfo kTicr[] = {{"DATA", SURF_TICR_DATA_MASK}};
constexpr FieldInfo kTecr[] = {{"DATA", SURF_TECR_DATA_MASK}};
constexpr FieldInfo kWcdr[] = {{"DATA", SURF_WCDR_DATA_MASK}};
constexpr FieldInfo kFcdr[] = {{"DATA", SURF_FCDR_DATA}};

constexpr RegisterInfo kRegisters[] = {
    {"FCCR", {}, SURF_FCCR, 0x00000FFFu, RegisterKind::plain, kFccr},
    {"ACDR", {}, SURF_ACDR, 0x0FFFFFFFu, RegisterKind::shift, kAcdr},
    {"TTCR", {}, SURF_TTCR, 0x000001FFu, RegisterKind::plain, kTtcr},
    {"ECDR", {"ECCR"}, SURF_ECDR, SURF_ECDR_DATA, RegisterKind::plain, kEcdr},
    {"PCLR", {}, SURF_PCLR, 0x0000001Fu, RegisterKind::plain, kPclr},
    {"ISCR", {}, SURF_ISCR, SURF_ISCR_PEND | SURF_ISCR_CONDITIONS, RegisterKind::plain, kIscr},
    {"IEMR", {}, SURF_IEMR, SURF_ISCR_CONDITIONS, RegisterKind::plain, kIemr},
    {"HTCR", {}, SURF_HTCR, 0x0000003Fu, RegisterKind::plain, kHtcr},
    {"HFCDR", {"HFCR", "HFCCR"}, SURF_HFCR, 0x0FFF0FFFu, RegisterKind::fifo_offset, kHfcr},
    {"TPIR", {}, SURF_TPIR, SURF_TPIR_DATA_MASK, RegisterKind::plain, kTpir},
    {"TICR", {}, SURF_TICR, SURF_TICR_DATA_MASK, RegisterKind::plain, kTicr},
    {"TECR", {}, SURF_TECR, SURF_TECR_DATA_MASK, RegisterKind::plain, kTecr},
    {"WCDR", {}, SURF_WCDR, SURF_WCDR_DATA_MASK, RegisterKind::plain, kWcdr},
    {"HFDR", {}, SURF_HFDR, SURF_HFDR_LSB | SURF_HFDR_DATA_MASK, RegisterKind::fifo_data, kHfdr},
    {"FCDR", {}, SURF_FCDR, SURF_FCDR_DATA, RegisterKind::clocked, kFcdr},
};

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

unsigned FieldInfo::shift() const { return static_cast<unsigned>(std::countr_zero(mask)); }
unsigned FieldInfo::bits() const { return static_cast<unsigned>(std::popcount(mask)); }

std::span<const RegisterInfo> all_registers() { return kRegisters; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return upper(x) == upper(y); });
}

const RegisterInfo* find_register(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const RegisterInfo& reg : kRegisters)
    if (same_word(name, reg.name) || same_word(name, reg.alias[0]) || same_word(name, reg.alias[1]))
      return &reg;
  return nullptr;
}

const FieldInfo* find_field(const RegisterInfo& reg, std::string_view name) {
  for (const FieldInfo& field : reg.fields)
    if (same_word(name, field.name)) return &field;
  return nullptr;
}

}  // namespace perfboard::prompt
