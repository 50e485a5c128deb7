// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/shrimp/view.h"

#include <iterator>

#include "hw/shrimp/pipeline.h"

namespace perfboard::sni {
namespace {

constexpr WindowView kWindows[] = {
    {"slot", kSlotBytes, "slot I/O, zC80 to zC87: EPIR and SBCR"},
    {"registers", kWindowBytes, "1 MB at SBCR.BASE: registers, counters, latency terms, page tables"},
};

constexpr std::span<const Register> kTables[] = {kIoRegisters, kRegisters, kCounterRegisters, kTermRegisters,
                                                 kTableEntries};

constexpr Condition kConditions[] = {
    {"HW", "SISR.HW", "SIER.HW", "write SISR.HW=1", "the outgoing FIFO rose to its high-water mark",
     "paper 4.4.2"},
    {"LW", "SISR.LW", "SIER.LW", "write SISR.LW=1", "it came down to its low-water mark", "paper 4.4.2"},
    {"RXI", "SISR.RXI", "SIER.RXI", "write SISR.RXI=1", "a packet is in memory whose page has INT",
     "paper 3.2"},
    {"RXE", "SISR.RXE", "SIER.RXE", "write SISR.RXE=1", "a packet was dropped", kOurs},
    {"OVF", "SISR.OVF", "SIER.OVF", "write SISR.OVF=1", "a store was lost: the outgoing FIFO is full", kOurs},
    {"DUD", "SISR.DUD", "SIER.DUD", "write SISR.DUD=1", "the deliberate update's last word left", kOurs},
    {"DUE", "SISR.DUE", "SIER.DUE", "write SISR.DUE=1", "the deliberate update was refused", kOurs},
    {"CKV", "SISR.CKV", "SIER.CKV", "write SISR.CKV=1", "the 45-bit clock has wrapped", "paper 3.2"},
};

constexpr std::string_view kSetUp[] = {"SBCR.ENABLE=1", "write SIER", "SCR.EN=1"};
constexpr std::string_view kReceive[] = {"IPT.VALID=1", "irq=1", "read SISR.RXI=1", "SISR.RXI=1"};
constexpr std::string_view kSend[] = {"write OPT1", "OPT0.AU=1"};
constexpr std::string_view kTakeBack[] = {"OPT0.AU=1", "OPT0.AU=0"};
constexpr std::string_view kThrottle[] = {"irq=1", "read SISR.HW=1", "SISR.HW=1", "read SSR.BLW=1",
                                          "SISR.LW=1"};
constexpr std::string_view kDeliberate[] = {"write DUSA", "write DUDA",      "write DUDN",
                                            "write DUWC", "read SISR.DUD=1", "SISR.DUD=1"};
constexpr std::string_view kReadCounter[] = {"read TXP[0]", "read TXP[1]"};
constexpr std::string_view kReadClock[] = {"read CLKL", "read CLKH"};
constexpr std::string_view kResetClocks[] = {"SCR.GRST=1", "effect clock-reset"};
constexpr std::string_view kClearCounters[] = {"SCR.CRST=1", "read TXP[0]=0"};
constexpr std::string_view kFlush[] = {"SCR.FLUSH=1", "read SSR.EMPTY=1"};

constexpr Sequence kSequences[] = {
    {"set-up", kSetUp, "window, interrupt and network, in this order", kOurs},
    {"send", kSend, "maps a page for automatic update: OPT1 first", kOurs},
    {"take-back", kTakeBack, "a mapped page is no longer observed; its open packet is closed", kOurs},
    {"receive", kReceive, "a page takes packets, and the driver learns of one", "paper 3.2"},
    {"throttle", kThrottle, "the driver waits in a loop until the FIFO has emptied", "paper 4.4.2"},
    {"deliberate-update", kDeliberate, "sends up to a page from memory", "paper 4.4.1"},
    {"flush", kFlush, "closes the open packet, and waits until all has left", kOurs},
    {"read-counter", kReadCounter, "the low word latches the high one", kOurs},
    {"read-clock", kReadClock, "CLKL latches CLKH", "paper 3.2"},
    {"reset-clocks", kResetClocks, "sets this node's clocks to 0", "paper A.2"},
    {"clear-counters", kClearCounters, "all counters and latency terms", kOurs},
};

constexpr uint32_t kLevels[] = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr uint32_t kBoundaries[] = {0, 1, 2, 3, 4};
constexpr Values kValues[] = {{"SBCR.IRLEV", kLevels}, {"OPT1.BOUND", kBoundaries}};

// ---- registers ----------------------------------------------------------------------------------

Place place(const void*, unsigned window, uint64_t offset) { return place_at(window, offset); }

uint32_t entries(const Register& r) {
  if (among(kCounterRegisters, &r)) return 2;
  if (among(kTermRegisters, &r)) return 4;
  if (&r == &kTableEntries[0] || &r == &kTableEntries[1]) return (kInTable - kOutTable) / 8;
  return &r == &kTableEntries[2] || &r == &kTableEntries[3] ? SNI_PAGES : 0;
}

std::optional<uint32_t> peek(const void* model, uint64_t now, const Place& place) {
  const SniBoard* b = static_cast<const SniBoard*>(model);
  if (!place.reg) return std::nullopt;
  return value_at(kBehaviours, b, b->state, Part{.place = place, .now = now});
}

constexpr BoardView kView = {
    .board = "shrimp",
    .windows = kWindows,
    .tables = kTables,
    .conditions = kConditions,
    .sequences = kSequences,
    .mistakes = kMistakes,
    .effects = kEffects,
    .injections = kInjections,
    .values = kValues,
    .place = place,
    .peek = peek,
    .injected = injected_by<sni_injected>,
    .inject = inject_by<sni_inject>,
    .entries = entries,
};

}  // namespace

const BoardView& sni_view() { return kView; }

}  // namespace perfboard::sni

const void* sni_board_view(void) { return &perfboard::sni::sni_view(); }
