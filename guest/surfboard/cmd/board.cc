// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "guest/surfboard/regs.h"

namespace perfboard::prompt {
namespace {

constexpr auto ro = FieldAccess::ro;
constexpr auto rw = FieldAccess::rw;
constexpr auto w1c = FieldAccess::w1c;

constexpr FieldInfo kFccr[] = {{"TSPD", SURF_FCCR_TSPD_MASK, ro}, {"HSPD", SURF_FCCR_HSPD_MASK, ro},
                               {"DONE", SURF_FCCR_DONE, ro},      {"ERR", SURF_FCCR_ERR, ro},
                               {"CFG", SURF_FCCR_CFG, ro},        {"PROG", SURF_FCCR_PROG}};
constexpr FieldInfo kAcdr[] = {
    {"SENDID", SURF_ACDR_SENDID_MASK},
    {"RDBK_A", SURF_ACDR_RDBK_A, rw, false},
    {"CATMUX", SURF_ACDR_CATMUX},
    {"RDBK_B", SURF_ACDR_RDBK_B_MASK, rw, false},
    {"LAT_S", SURF_ACDR_LAT_S_MASK},
    {"LAT_N", SURF_ACDR_LAT_N_MASK},
    {"RDBK_C", SURF_ACDR_RDBK_C_MASK, rw, false},
    {"TSIZE", SURF_ACDR_TSIZE_MASK},
    {"RDBK_D", SURF_ACDR_RDBK_D_MASK, rw, false},
    {"RDBK_F", SURF_ACDR_RDBK_F_MASK, rw, false},
};
constexpr FieldInfo kTtcr[] = {
    {"EIP", SURF_TTCR_EIP},        {"EOP", SURF_TTCR_EOP}, {"MEOD", SURF_TTCR_MEOD},
    {"MEI", SURF_TTCR_MEI},        {"MBV", SURF_TTCR_MBV}, {"MODE", SURF_TTCR_MODE_MASK},
    {"QUAL", SURF_TTCR_QUAL_MASK},
};
constexpr FieldInfo kEcdr[] = {{"DATA", SURF_ECDR_DATA}};
constexpr FieldInfo kPclr[] = {{"LED", SURF_PCLR_LED}, {"CAT", SURF_PCLR_CAT_MASK}};
constexpr FieldInfo kIscr[] = {
    {"PEND", SURF_ISCR_PEND, ro}, {"RTV", SURF_ISCR_RTV, ro}, {"LU", SURF_ISCR_LU, w1c},
    {"LV", SURF_ISCR_LV, w1c},    {"PV", SURF_ISCR_PV, w1c},  {"WCV", SURF_ISCR_WCV, w1c},
    {"BV", SURF_ISCR_BV, w1c},    {"FV", SURF_ISCR_FV, w1c},  {"FF", SURF_ISCR_FF, ro},
    {"FAF", SURF_ISCR_FAF, ro},   {"FPF", SURF_ISCR_FPF, ro}, {"FNE", SURF_ISCR_FNE, ro},
    {"EXT", SURF_ISCR_EXT, w1c},  {"TP", SURF_ISCR_TP, w1c},  {"TC", SURF_ISCR_TC, w1c}};
constexpr FieldInfo kIemr[] = {
    {"RTV", SURF_IEMR_RTV}, {"LU", SURF_IEMR_LU},   {"LV", SURF_IEMR_LV},   {"PV", SURF_IEMR_PV},
    {"WCV", SURF_IEMR_WCV}, {"BV", SURF_IEMR_BV},   {"FV", SURF_IEMR_FV},   {"FF", SURF_IEMR_FF},
    {"FAF", SURF_IEMR_FAF}, {"FPF", SURF_IEMR_FPF}, {"FNE", SURF_IEMR_FNE}, {"EXT", SURF_IEMR_EXT},
    {"TP", SURF_IEMR_TP},   {"TC", SURF_IEMR_TC},
};
constexpr FieldInfo kHtcr[] = {{"PRS", SURF_HTCR_PRS}, {"FRS", SURF_HTCR_FRS}, {"TRG", SURF_HTCR_TRG},
                               {"WEN", SURF_HTCR_WEN}, {"HEN", SURF_HTCR_HEN}, {"TEN", SURF_HTCR_TEN}};
// As read_offsets() packs them: the offsets of a FIFO of 4096 words have 12 bits.
constexpr FieldInfo kHfcr[] = {{"EMPTY", 0x00000FFFu}, {"FULL", 0x0FFF0000u}};
constexpr FieldInfo kHfdr[] = {{"LSB", SURF_HFDR_LSB}, {"DATA", SURF_HFDR_DATA_MASK}};
constexpr FieldInfo kTpir[] = {{"DATA", SURF_TPIR_DATA_MASK}};
constexpr FieldInfo kTicr[] = {{"DATA", SURF_TICR_DATA_MASK}};
constexpr FieldInfo kTecr[] = {{"DATA", SURF_TECR_DATA_MASK}};
constexpr FieldInfo kWcdr[] = {{"DATA", SURF_WCDR_DATA_MASK}};
constexpr FieldInfo kFcdr[] = {{"DATA", SURF_FCDR_DATA}};

constexpr RegisterInfo kRegisters[] = {
    {"FCCR", {}, SURF_FCCR, RegisterKind::plain, kFccr},
    {"ACDR", {}, SURF_ACDR, RegisterKind::shift, kAcdr},
    {"TTCR", {}, SURF_TTCR, RegisterKind::plain, kTtcr},
    {"ECDR", {"ECCR"}, SURF_ECDR, RegisterKind::plain, kEcdr},
    {"PCLR", {}, SURF_PCLR, RegisterKind::plain, kPclr},
    {"ISCR", {}, SURF_ISCR, RegisterKind::plain, kIscr},
    {"IEMR", {}, SURF_IEMR, RegisterKind::plain, kIemr},
    {"HTCR", {}, SURF_HTCR, RegisterKind::plain, kHtcr},
    {"HFCDR", {"HFCR", "HFCCR"}, SURF_HFCR, RegisterKind::fifo_offset, kHfcr},
    {"TPIR", {}, SURF_TPIR, RegisterKind::plain, kTpir},
    {"TICR", {}, SURF_TICR, RegisterKind::plain, kTicr},
    {"TECR", {}, SURF_TECR, RegisterKind::plain, kTecr},
    {"WCDR", {}, SURF_WCDR, RegisterKind::plain, kWcdr},
    {"HFDR", {}, SURF_HFDR, RegisterKind::fifo_data, kHfdr},
    {"FCDR", {}, SURF_FCDR, RegisterKind::clocked, kFcdr},
};

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

unsigned FieldInfo::shift() const { return static_cast<unsigned>(std::countr_zero(mask)); }
unsigned FieldInfo::bits() const { return static_cast<unsigned>(std::popcount(mask)); }

uint32_t RegisterInfo::mask() const {
  uint32_t all = 0;
  for (const FieldInfo& field : fields) all |= field.mask;
  return all;
}

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

Undisturbed::Undisturbed() {
  sigset_t block;
  sigemptyset(&block);
  for (int signal : kHeldSignals) sigaddset(&block, signal);
  sigprocmask(SIG_BLOCK, &block, &saved_);
}

Undisturbed::~Undisturbed() { sigprocmask(SIG_SETMASK, &saved_, nullptr); }

uint32_t read_acdr(Board& board) {
  const Undisturbed turn;
  uint32_t value = 0;
  for (unsigned i = 0; i < SURF_ACDR_BITS; i++) {
    const uint32_t bit = board.get(SURF_ACDR) & SURF_ACDR_DATA;
    value |= bit << i;
    board.put(SURF_ACDR, bit);
  }
  return value;
}

void write_acdr(Board& board, uint32_t value) {
  const Undisturbed turn;
  for (unsigned i = 0; i < SURF_ACDR_BITS; i++) board.put(SURF_ACDR, value >> i & SURF_ACDR_DATA);
}

uint32_t read_offsets(Board& board) {
  const Undisturbed turn;
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; i++) value |= (board.get(SURF_HFCR) & SURF_HFCR_DATA_MASK) << 8 * i;
  return value & 0x0FFF0FFFu;
}

void write_offsets(Board& board, uint32_t value) {
  const Undisturbed turn;
  for (unsigned i = 0; i < 4; i++) board.put(SURF_HFCR, value >> 8 * i & SURF_HFCR_DATA_MASK);
}

std::vector<uint32_t> read_slots(Board& board) {
  const Undisturbed turn;
  std::vector<uint32_t> slots;
  while (board.get(SURF_ISCR) & SURF_ISCR_FNE && slots.size() < kFifoSlots)
    slots.push_back(board.get(SURF_HFDR));
  write_slots(board, slots);
  return slots;
}

void write_slots(Board& board, std::span<const uint32_t> slots) {
  const Undisturbed turn;
  for (const uint32_t slot : slots) board.put(SURF_HFDR, slot);
}

bool take_address(Board& board, uint32_t& address) {
  const Undisturbed turn;
  unsigned bytes = 0;
  while (bytes < 3 && board.get(SURF_ISCR) & SURF_ISCR_FNE) {
    const uint32_t slot = board.get(SURF_HFDR);
    if (slot & SURF_HFDR_LSB)
      bytes = address = 0;
    else if (bytes == 0)
      continue;
    address |= (slot & SURF_HFDR_DATA_MASK) << 8 * bytes++;
  }
  return bytes == 3;
}

uint32_t read_register(Board& board, const RegisterInfo& reg) {
  switch (reg.kind) {
    case RegisterKind::shift:
      return read_acdr(board);
    case RegisterKind::fifo_offset:
      return read_offsets(board);
    default:
      return board.get(reg.offset);
  }
}

void write_register(Board& board, const RegisterInfo& reg, uint32_t value) {
  switch (reg.kind) {
    case RegisterKind::shift:
      return write_acdr(board, value);
    case RegisterKind::fifo_offset:
      return write_offsets(board, value);
    default:
      return board.put(reg.offset, value);
  }
}

const std::string_view kHelp = R"(Available Commands:
  QUIT          - Quit Program
  EXIT          - Quit Program
  HELP          - Show this message
  SHOW          - Display Registers
  DO <filename> - Execute Commands in file
  CLEAR <memtype> - Clear Memory
  FPGA <filename> - Load FPGA configuration
  LOAD <memtype> <filename> - Load Memory from file
  SAVE <memtype> <filename> - Save Memory to file
  <register> = <value> - Modify Register

Where:
  <memtype> - TRACE, HISTOGRAM, or FIFO
  <register> - A register or register.field
  <value>    - An unsigned integer. Hex by default.
              End with decimal point to specify decimal.

)";

std::string show_fields(const RegisterInfo& reg, uint32_t value) {
  std::string text;
  const auto end = std::back_inserter(text);
  switch (reg.offset) {
    case SURF_ISCR:
    case SURF_IEMR:
      for (const FieldInfo& field : reg.fields)
        if (value & field.mask) fmt::format_to(end, " {}", field.name);
      break;
    case SURF_TECR:
    case SURF_WCDR:
      fmt::format_to(end, " ( {}.)", value);
      break;
    case SURF_TPIR:
    case SURF_TICR:
      break;
    default: {
      const char* gap = reg.offset == SURF_FCCR ? "  " : " ";
      for (const FieldInfo& field : reg.fields)
        if (field.shown)
          fmt::format_to(end, "{}{} {:0{}X}", gap, field.name, field.get(value), field.hex_digits());
    }
  }
  return text;
}

std::string show(Board& board) {
  std::string text;
  const auto end = std::back_inserter(text);
  for (const RegisterInfo& reg : all_registers()) {
    if (!reg.shown()) continue;
    if (reg.kind == RegisterKind::fifo_offset && board.get(SURF_HTCR) & SURF_HTCR_FRS) {
      fmt::format_to(end, "{} ----- EMPTY --- FULL ---\n", reg.name);
      continue;
    }
    const uint32_t value = read_register(board, reg);
    if (reg.kind == RegisterKind::fifo_offset)
      fmt::format_to(end, "{} -----", reg.name);
    else
      fmt::format_to(end, "{} {:08X}", reg.name, value);
    text += show_fields(reg, value);
    text += '\n';
  }
  return text;
}

}  // namespace perfboard::prompt
