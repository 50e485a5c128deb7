// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which register is where, what it holds, and what reading and writing it do besides (A.6).
//
// Each access to FCDR, ACDR, HFCR and HFDR moves something. INFERRED: only an access that touches the
// register's lowest byte, where DATA is; the paper does not say what an access to the other bytes does.
#include <iterator>

#include "hw/fpga/load.h"
#include "hw/surfboard/has.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr int kShiftBits = 28;

uint32_t epir(const SurfBoard* b, const Part&) { return b->config.product_id; }

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

uint32_t fccr(const SurfBoard* b, const Part&) {
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

uint32_t fcdr(const SurfBoard* b, const Part&) { return has_read_data(&b->state.has); }
uint32_t acdr(const SurfBoard* b, const Part&) { return b->state.acdr & 1; }
uint32_t iscr(const SurfBoard* b, const Part&) {
  return iscr_conditions(b->state) | (irq_wanted(b->state) ? bits("ISCR.PEND") : 0);
}
uint32_t hfcr(const SurfBoard* b, const Part&) { return fifo_offset(b->state.fifo); }
uint32_t hfdr(const SurfBoard* b, const Part&) { return fifo_front(b->state.fifo); }
uint32_t ticr(const SurfBoard* b, const Part&) { return b->state.ticr & (trace_entries(b->state) - 1); }

// The disabled state (p. 50): interrupts, monitoring, registers and the external output are off;
// registers, memories and the FIFO keep their contents. INFERRED: packets in the pipeline are lost.
void disable(SurfState& s) {
  s.iemr = 0;
  pipeline_reset(s);
}

void ebcr_written(SurfBoard* b, const Part& p, uint32_t value) { set_ebcr(b, value, p.now); }

void warn_settings(const SurfBoard* b) {
  const SurfState& s = b->state;
  constexpr const Field& send_id = field("SHIFT.SENDID");
  constexpr const Field& lat_s = field("SHIFT.LAT_S");
  constexpr const Field& lat_n = field("SHIFT.LAT_N");
  constexpr const Field& mode = field("TTCR.MODE");
  if (send_id.get(s.acdr) > 4)
    log_mistake(b, mistake("undefined-sendid"), "ACDR: SENDID %u is undefined", send_id.get(s.acdr));
  if (lat_s.get(s.acdr) > 20)
    log_mistake(b, mistake("lat-s-range"), "ACDR: LAT_S %u is not 0 to 20", lat_s.get(s.acdr));
  if (lat_n.get(s.acdr) < 1 || lat_n.get(s.acdr) > 12)
    log_mistake(b, mistake("lat-n-range"), "ACDR: LAT_N %u is not 1 to 12", lat_n.get(s.acdr));
  if (s.htcr & bits("HTCR.HEN") && !has_done(&s.has))
    log_mistake(b, mistake("no-selector"), "HTCR: HEN without a configured selector (FCCR.DONE is 0)");
  if (!(s.htcr & bits("HTCR.TEN"))) return;
  if (mode.get(s.ttcr) == 3) log_mistake(b, mistake("reserved-mode"), "TTCR: MODE 3 is reserved");
  const uint32_t entries = surf_memory_bytes(b, SURF_MEM_TRACE) / kEntryBytes;
  if (trace_entries(s) > entries)
    log_mistake(b, mistake("trace-too-large"), "ACDR: TSIZE is for %u entries, the trace SIMM has %u",
                trace_entries(s), entries);
}

void htcr_written(SurfBoard* b, const Part& p, uint32_t value) {
  SurfState& s = b->state;
  constexpr uint32_t collect = bits("HTCR.WEN") | bits("HTCR.HEN") | bits("HTCR.TEN");
  if (value & bits("HTCR.FRS")) fifo_reset(s.fifo);
  if (value & ~p.old & bits("HTCR.FRS")) tell_effect(b, effect("fifo-reset"));
  if (value & bits("HTCR.PRS")) pipeline_reset(s);
  if (p.old & ~value & bits("HTCR.PRS")) s.ready_ns = p.now;
  // INFERRED: "HTCR.TEN was a 1" means before this write, so that restoring HTCR sets no TP.
  if (value & ~p.old & bits("HTCR.TRG")) trace_set_triggered(s, p.old & bits("HTCR.TEN"));
  trace_latch_complete(b);
  if (value & ~p.old & collect) warn_settings(b);
}

void fccr_written(SurfBoard* b, const Part& p, uint32_t value) {
  HasState& h = b->state.has;
  const bool prog = value & bits("FCCR.PROG");
  if (!p.data()) return;
  if (prog && !h.prog) tell_effect(b, effect("selector-cleared"));
  has_prog(&h, prog);
}

// A part that fails on purpose: it takes no clock that would start it, or none at all.
bool selector_fails(const SurfState& s) {
  return s.injected.selector == SURF_SELECTOR_INIT_LOW ||
         (s.injected.selector == SURF_SELECTOR_NEVER_DONE && s.has.phase == xc4000::kStartup);
}

void fcdr_written(SurfBoard* b, const Part& p, uint32_t value) {
  HasState& h = b->state.has;
  if (!p.data()) return;
  if (h.prog) log_mistake(b, mistake("bit-lost"), "FCDR written while FCCR.PROG is 1");
  if (selector_fails(b->state)) return;
  const bool done = has_done(&h), error = has_error(&h);
  has_clock(&h, value & 1);
  if (!done && has_done(&h)) tell_effect(b, effect("selector-configured"));
  if (!error && has_error(&h)) tell_effect(b, effect("selector-error"));
}

void acdr_written(SurfBoard* b, const Part& p, uint32_t value) {
  SurfState& s = b->state;
  if (!p.data()) return;
  if (s.htcr & (bits("HTCR.HEN") | bits("HTCR.TEN")))
    log_mistake(b, mistake("shift-while-collecting"), "ACDR written while HTCR.HEN or TEN is 1");
  s.acdr = s.acdr >> 1 | (value & 1) << (kShiftBits - 1);
  tell_effect(b, effect("shifted"), s.acdr);
}

void ttcr_written(SurfBoard* b, const Part& p, uint32_t value) {
  ext_write_ttcr(b, value, p.now);
  trace_latch_complete(b);
}

void pclr_written(SurfBoard* b, const Part& p, uint32_t) { category_changed(b->state, p.now, p.old); }

// TC's latch stays set while its cause lasts, whatever TEN (p. 58).
void iscr_written(SurfBoard* b, const Part&, uint32_t value) {
  SurfState& s = b->state;
  if (s.iscr & ~value & bits("ISCR.TC") && trace_complete(s))
    log_mistake(b, mistake("cause-lasts"), "ISCR: TC cleared while its cause lasts (TECR, or HTCR.TRG)");
  s.iscr &= value | (trace_complete(s) ? bits("ISCR.TC") : 0);
}

void iemr_written(SurfBoard* b, const Part& p, uint32_t value) {
  if (value & ~p.old && surf_irq_number(b) < 0)
    log_mistake(b, mistake("no-line"), "IEMR: an interrupt enabled while EBCR.IRLEV names no line");
}

// Whether the access reaches the FIFO.
bool moves_fifo(const SurfBoard* b, const Part& p) {
  if (!p.data()) return false;
  if (!(b->state.htcr & bits("HTCR.FRS"))) return true;
  log_mistake(b, mistake("fifo-held"), "%s accessed while HTCR.FRS holds the FIFO in reset",
              p.place.reg->name.data());
  return false;
}

void step_offset(SurfBoard* b) {
  fifo_step(b->state.fifo);
  tell_effect(b, effect("offset-moved"), b->state.fifo.pointer);
}

uint32_t hfcr_read(SurfBoard* b, const Part& p) {
  const uint32_t byte = hfcr(b, p);
  if (moves_fifo(b, p)) step_offset(b);
  return byte;
}

void hfcr_written(SurfBoard* b, const Part& p, uint32_t value) {
  if (!moves_fifo(b, p)) return;
  fifo_set_offset(b->state.fifo, static_cast<uint8_t>(value));
  step_offset(b);
}

uint32_t hfdr_read(SurfBoard* b, const Part& p) {
  const uint32_t front = hfdr(b, p);
  if (!moves_fifo(b, p)) return front;
  if (b->state.fifo.count == 0)
    log_mistake(b, mistake("fifo-empty"), "HFDR read from an empty FIFO");
  else
    tell_effect(b, effect("fifo-popped"), fifo_pop(b->state.fifo));
  return front;
}

// INFERRED: the unknown LSB flag that an 8-bit write stores is 0.
void hfdr_written(SurfBoard* b, const Part& p, uint32_t value) {
  if (!moves_fifo(b, p)) return;
  if (p.lanes.bytes == 1)
    log_mistake(b, mistake("narrow-fifo-write"), "HFDR written with 8 bits: its LSB flag is unknown");
  const auto slot = static_cast<uint16_t>(value & p.lanes.mask & (kFifoLsb | 0xff));
  if (fifo_push(b->state.fifo, slot))
    tell_effect(b, effect("fifo-pushed"), slot);
  else
    log_mistake(b, mistake("fifo-full"), "HFDR written to a full FIFO");
}

void ticr_written(SurfBoard* b, const Part&, uint32_t value) {
  const uint32_t mask = trace_entries(b->state) - 1;
  b->state.ticr = (b->state.ticr & ~mask) | (value & mask);
}

void tecr_written(SurfBoard* b, const Part&, uint32_t) { trace_latch_complete(b); }

constexpr Row kSlotRows[] = {{"EPIR", epir}, {"EBCR", shown<&SurfState::ebcr>, nullptr, ebcr_written}};
constexpr Row kRows[] = {
    {"FCCR", fccr, nullptr, fccr_written},
    {"FCDR", fcdr, nullptr, fcdr_written},
    {"ACDR", acdr, nullptr, acdr_written},
    {"TTCR", shown<&SurfState::ttcr>, nullptr, ttcr_written},
    {"ECDR", kept<&SurfState::ecdr>},
    {"PCLR", kept<&SurfState::pclr>, nullptr, pclr_written},
    {"ISCR", iscr, nullptr, iscr_written},
    {"IEMR", kept<&SurfState::iemr>, nullptr, iemr_written},
    {"HTCR", kept<&SurfState::htcr>, nullptr, htcr_written},
    {"WCDR", kept<&SurfState::wcdr>},
    {"HFCR", hfcr, hfcr_read, hfcr_written},
    {"HFDR", hfdr, hfdr_read, hfdr_written},
    {"TICR", ticr, nullptr, ticr_written},
    {"TECR", kept<&SurfState::tecr>, nullptr, tecr_written},
    {"TPIR", kept<&SurfState::tpir>},
};

}  // namespace

constexpr Behaviours<Row> kBehaviours[2] = {behaviours<kSlotRegisters, kSlotRows>,
                                            behaviours<kRegisters, kRows>};

void set_ebcr(SurfBoard* b, uint32_t value, uint64_t now) {
  SurfState& s = b->state;
  if (value == s.ebcr) return;
  irq_release(b);  // EBCR names the line: before it changes
  const bool was_enabled = enabled(s);
  s.ebcr = value;
  if (was_enabled && !enabled(s)) disable(s);
  if (!was_enabled && enabled(s)) s.ready_ns = now;
  b->config.remap(b->config.opaque);
}

Place place_at(unsigned window, uint64_t offset) {
  Place p = {.byte = static_cast<uint32_t>(offset & 3)};
  if (window == kSlotWindow && offset < kSlotBytes)
    p.reg = find(kSlotRegisters, static_cast<uint32_t>(offset) & ~3u);
  else if (window == kRegisterWindow && offset < kWindowBytes &&
           offset % kRegisterBytes / 4 < std::size(kRegisters))
    p.reg = &kRegisters[offset % kRegisterBytes / 4];
  return p;
}

}  // namespace perfboard::surf
