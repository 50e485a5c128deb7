// SPDX-License-Identifier: GPL-2.0-or-later
//
// The memory-mapped registers: reads, writes, and what each does besides (A.6).
//
// The bank (hw/core/bank.h) applies the tables; here are the side effects. Each access to FCDR, ACDR, HFCR
// and HFDR moves something. INFERRED: only an access that touches the register's lowest byte, where DATA
// is; the paper does not say what an access to the other bytes does.
#include <algorithm>
#include <iterator>

#include "hw/core/bank.h"
#include "hw/fpga/load.h"
#include "hw/surfboard/fifo.h"
#include "hw/surfboard/has.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr int kShiftBits = 28;
constexpr uint32_t kEntryBytes = 16;  // of a trace entry (A.7)

constexpr uint32_t offset_of(std::string_view name) { return at(kRegisters, name).offset; }
constexpr uint32_t kFCCR = offset_of("FCCR"), kFCDR = offset_of("FCDR"), kACDR = offset_of("ACDR"),
                   kTTCR = offset_of("TTCR"), kECDR = offset_of("ECDR"), kPCLR = offset_of("PCLR"),
                   kISCR = offset_of("ISCR"), kIEMR = offset_of("IEMR"), kHTCR = offset_of("HTCR"),
                   kWCDR = offset_of("WCDR"), kHFCR = offset_of("HFCR"), kHFDR = offset_of("HFDR"),
                   kTICR = offset_of("TICR"), kTECR = offset_of("TECR");

// A part of an access that lies in one register.
struct Part {
  uint32_t offset;  // of the register
  Lanes lanes;
  bool data() const { return lanes.mask & 1; }
};

// JEDEC presence detect, PRD4..PRD1 (p. 52). 64 MB INFERRED: see the table in registers.h.
uint32_t presence(uint32_t simm_bytes) {
  switch (simm_bytes >> 20) {
    case 0:
      return 0xF;
    case 16:
      return 0xE;
    default:
      return 0xC;
  }
}

uint32_t fccr(const SurfBoard* b) {
  const HasState& h = b->state.has;
  constexpr const Field& tspd = field("FCCR.TSPD");
  constexpr const Field& hspd = field("FCCR.HSPD");
  const SurfInjected& i = b->state.injected;
  const bool error = has_error(&h) || i.selector == SURF_SELECTOR_INIT_LOW;
  return presence(i.trace_simm == SURF_SIMM_ABSENT ? 0 : b->config.trace_bytes) << tspd.lsb |
         presence(i.hist_simm == SURF_SIMM_ABSENT ? 0 : b->config.hist_bytes) << hspd.lsb |
         (has_done(&h) ? bits("FCCR.DONE") : 0) | (error ? bits("FCCR.ERR") : 0) |
         (has_hdc(&h) ? bits("FCCR.CFG") : 0) | (h.prog ? bits("FCCR.PROG") : 0);
}

}  // namespace

uint32_t peek_register(const SurfBoard* b, uint32_t offset) {
  const SurfState& s = b->state;
  switch (offset) {
    case kFCCR:
      return fccr(b);
    case kFCDR:
      return has_read_data(&s.has);
    case kACDR:
      return s.acdr & 1;
    case kTTCR:
      return s.ttcr;
    case kECDR:
      return s.ecdr;
    case kPCLR:
      return s.pclr;
    case kISCR:
      return iscr_conditions(s) | (irq_wanted(s) ? bits("ISCR.PEND") : 0);
    case kIEMR:
      return s.iemr;
    case kHTCR:
      return s.htcr;
    case kWCDR:
      return s.wcdr;
    case kHFCR:
      return fifo_offset(s.fifo);
    case kHFDR:
      return fifo_front(s.fifo);
    case kTICR:
      return s.ticr & (trace_entries(s) - 1);
    case kTECR:
      return s.tecr;
    default:
      return s.tpir;
  }
}

namespace {

bool fifo_held(const SurfBoard* b, const char* name) {
  if (!(b->state.htcr & bits("HTCR.FRS"))) return false;
  log_mistake(b, kFifoHeld, "%s accessed while HTCR.FRS holds the FIFO in reset", name);
  return true;
}

void step_offset(SurfBoard* b) {
  fifo_step(b->state.fifo);
  tell_effect(b, kOffsetMoved, b->state.fifo.pointer);
}

uint32_t read_part(SurfBoard* b, const Register& reg, Part p) {
  SurfState& s = b->state;
  const uint32_t value = bank_read(reg, peek_register(b, p.offset), p.lanes);
  if (!p.data()) return value;
  if (p.offset == kHFCR && !fifo_held(b, "HFCR")) step_offset(b);
  if (p.offset == kHFDR && !fifo_held(b, "HFDR")) {
    if (s.fifo.count == 0)
      log_mistake(b, kFifoEmpty, "HFDR read from an empty FIFO");
    else
      tell_effect(b, kFifoPopped, fifo_pop(s.fifo));
  }
  return value;
}

void warn_settings(const SurfBoard* b) {
  const SurfState& s = b->state;
  constexpr const Field& send_id = field("SHIFT.SENDID");
  constexpr const Field& lat_s = field("SHIFT.LAT_S");
  constexpr const Field& lat_n = field("SHIFT.LAT_N");
  constexpr const Field& mode = field("TTCR.MODE");
  if (send_id.get(s.acdr) > 4)
    log_mistake(b, kBadSendId, "ACDR: SENDID %u is undefined", send_id.get(s.acdr));
  if (lat_s.get(s.acdr) > 20) log_mistake(b, kBadLatS, "ACDR: LAT_S %u is not 0 to 20", lat_s.get(s.acdr));
  if (lat_n.get(s.acdr) < 1 || lat_n.get(s.acdr) > 12)
    log_mistake(b, kBadLatN, "ACDR: LAT_N %u is not 1 to 12", lat_n.get(s.acdr));
  if (s.htcr & bits("HTCR.HEN") && !has_done(&s.has))
    log_mistake(b, kNoSelector, "HTCR: HEN without a configured selector (FCCR.DONE is 0)");
  if (!(s.htcr & bits("HTCR.TEN"))) return;
  if (mode.get(s.ttcr) == 3) log_mistake(b, kReservedMode, "TTCR: MODE 3 is reserved");
  const uint32_t entries = surf_memory_bytes(b, SURF_MEM_TRACE) / kEntryBytes;
  if (trace_entries(s) > entries)
    log_mistake(b, kTraceTooLarge, "ACDR: TSIZE is for %u entries, the trace SIMM has %u", trace_entries(s),
                entries);
}

void write_htcr(SurfBoard* b, uint32_t value, uint64_t now) {
  SurfState& s = b->state;
  constexpr uint32_t collect = bits("HTCR.WEN") | bits("HTCR.HEN") | bits("HTCR.TEN");
  const uint32_t old = s.htcr;
  s.htcr = value;
  if (value & bits("HTCR.FRS")) fifo_reset(s.fifo);
  if (value & ~old & bits("HTCR.FRS")) tell_effect(b, kFifoReset);
  if (value & bits("HTCR.PRS")) pipeline_reset(s);
  if (old & ~value & bits("HTCR.PRS")) s.ready_ns = now;
  // INFERRED: "HTCR.TEN was a 1" means before this write, so that restoring HTCR sets no TP.
  if (value & ~old & bits("HTCR.TRG")) trace_set_triggered(s, old & bits("HTCR.TEN"));
  trace_latch_complete(b);
  if (value & ~old & collect) warn_settings(b);
}

void write_prog(SurfBoard* b, bool prog) {
  HasState& h = b->state.has;
  if (prog && !h.prog) tell_effect(b, kSelectorCleared);
  has_prog(&h, prog);
}

// A part that fails on purpose: it takes no clock that would start it, or none at all.
bool selector_fails(const SurfState& s) {
  return s.injected.selector == SURF_SELECTOR_INIT_LOW ||
         (s.injected.selector == SURF_SELECTOR_NEVER_DONE && s.has.phase == xc4000::kStartup);
}

void write_bit(SurfBoard* b, bool bit) {
  HasState& h = b->state.has;
  if (h.prog) log_mistake(b, kBitLost, "FCDR written while FCCR.PROG is 1");
  if (selector_fails(b->state)) return;
  const bool done = has_done(&h), error = has_error(&h);
  has_clock(&h, bit);
  if (!done && has_done(&h)) tell_effect(b, kSelectorConfigured);
  if (!error && has_error(&h)) tell_effect(b, kSelectorError);
}

void shift_in(SurfBoard* b, uint32_t bit) {
  SurfState& s = b->state;
  if (s.htcr & (bits("HTCR.HEN") | bits("HTCR.TEN")))
    log_mistake(b, kShiftWhileCollecting, "ACDR written while HTCR.HEN or TEN is 1");
  s.acdr = s.acdr >> 1 | bit << (kShiftBits - 1);
  tell_effect(b, kShifted, s.acdr);
}

void push_slot(SurfBoard* b, uint16_t slot) {
  if (fifo_push(b->state.fifo, slot))
    tell_effect(b, kFifoPushed, slot & (kFifoLsb | 0xff));
  else
    log_mistake(b, kFifoFull, "HFDR written to a full FIFO");
}

void write_part(SurfBoard* b, const Register& reg, Part p, uint32_t data, uint64_t now) {
  SurfState& s = b->state;
  if (p.lanes.bytes < reg.min_write_bytes) {
    log_mistake(b, kNarrowWrite, "%.*s ignores %u-byte writes", static_cast<int>(reg.name.size()),
                reg.name.data(), p.lanes.bytes);
    return;
  }
  const uint32_t old = peek_register(b, p.offset);
  const uint32_t value = bank_write(reg, old, p.lanes, data);
  switch (p.offset) {
    case kFCCR:
      if (p.data()) write_prog(b, value & bits("FCCR.PROG"));
      break;
    case kFCDR:
      if (p.data()) write_bit(b, value & 1);
      break;
    case kACDR:
      if (p.data()) shift_in(b, value & 1);
      break;
    case kTTCR:
      ext_write_ttcr(b, value, now);
      trace_latch_complete(b);
      break;
    case kECDR:
      s.ecdr = value;
      break;
    case kPCLR:
      s.pclr = value;
      category_changed(s, now, old);
      break;
    case kISCR:
      // TC's latch stays set while its cause lasts, whatever TEN (p. 58).
      if (s.iscr & ~value & bits("ISCR.TC") && trace_complete(s))
        log_mistake(b, kCauseLasts, "ISCR: TC cleared while its cause lasts (TECR, or HTCR.TRG)");
      s.iscr &= value | (trace_complete(s) ? bits("ISCR.TC") : 0);
      break;
    case kIEMR:
      s.iemr = value;
      if (value & ~old && surf_irq_number(b) < 0)
        log_mistake(b, kNoLine, "IEMR: an interrupt enabled while EBCR.IRLEV names no line");
      break;
    case kHTCR:
      write_htcr(b, value, now);
      break;
    case kWCDR:
      s.wcdr = value;
      break;
    case kHFCR:
      if (!p.data() || fifo_held(b, "HFCR")) break;
      fifo_set_offset(s.fifo, static_cast<uint8_t>(value));
      step_offset(b);
      break;
    case kHFDR:
      if (!p.data() || fifo_held(b, "HFDR")) break;
      // INFERRED: the unknown LSB flag that an 8-bit write stores is 0.
      if (p.lanes.bytes == 1)
        log_mistake(b, kNarrowFifoWrite, "HFDR written with 8 bits: its LSB flag is unknown");
      push_slot(b, static_cast<uint16_t>(data & p.lanes.mask));
      break;
    case kTICR: {
      const uint32_t mask = trace_entries(s) - 1;
      s.ticr = (s.ticr & ~mask) | (value & mask);
      break;
    }
    case kTECR:
      s.tecr = value;
      trace_latch_complete(b);
      break;
    default:
      s.tpir = value;
      break;
  }
}

constexpr uint32_t all_ones(uint32_t bytes) { return bytes >= 4 ? 0xffffffffu : (1u << 8 * bytes) - 1; }

// The EISA bus splits an access that crosses a doubleword. Calls visit(part, shift) for each part; the
// part's lowest bit is bit `shift` of the access's value.
template <typename Visit>
void split(uint32_t offset, uint32_t size, Visit visit) {
  for (uint32_t done = 0; done < size;) {
    const uint32_t byte = (offset + done) & 3;
    const uint32_t bytes = std::min(size - done, 4 - byte);
    visit(Part{((offset + done) & (kRegisterBytes - 1)) - byte, Lanes::of(byte, bytes)}, 8 * done);
    done += bytes;
  }
}

bool answers(SurfBoard* b, uint32_t offset, const char* what) {
  if (enabled(b->state)) return true;
  log_mistake(b, kDisabled, "%s of register offset 0x%x while EBCR.ENABLE is 0", what, offset);
  return false;
}

const Register* known(const SurfBoard* b, uint32_t offset, const char* what) {
  if (offset / 4 < std::size(kRegisters)) return &kRegisters[offset / 4];
  log_mistake(b, kUnusedOffset, "%s of unused register offset 0x%x", what, offset);
  return nullptr;
}

}  // namespace
}  // namespace perfboard::surf

using namespace perfboard::surf;

uint32_t surf_reg_read(SurfBoard* b, uint32_t offset, uint32_t size) {
  size = std::min(size, 4u);
  if (!answers(b, offset, "read")) return all_ones(size);
  const uint64_t now = present(b);
  flash_access(b->state, now);
  uint32_t value = 0;
  split(offset, size, [&](Part p, uint32_t shift) {
    const perfboard::Register* reg = known(b, p.offset, "read");
    value |= (reg ? read_part(b, *reg, p) : all_ones(p.lanes.bytes)) << shift;
  });
  settle(b, now);
  return value;
}

void surf_reg_write(SurfBoard* b, uint32_t offset, uint32_t value, uint32_t size) {
  size = std::min(size, 4u);
  if (!answers(b, offset, "write")) return;
  const uint64_t now = present(b);
  flash_access(b->state, now);
  split(offset, size, [&](Part p, uint32_t shift) {
    if (const perfboard::Register* reg = known(b, p.offset, "write"))
      write_part(b, *reg, p, value >> shift & all_ones(p.lanes.bytes), now);
    settle(b, now);
  });
}
