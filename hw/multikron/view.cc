// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/multikron/view.h"

#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

constexpr WindowView kWindowViews[] = {
    {"bar0", MK_WINDOW_BYTES, "address n at byte 4 n"},
    {"bar2", MK_WINDOW_BYTES, "address n at byte 8 n; the card's information"},
    {"bar4", MK_WINDOW_BYTES, "address n at byte 8 n; sample addresses only"},
};
static_assert(MK_WINDOW_4 == 0 && MK_WINDOW_8 == 1 && MK_WINDOW_SAMPLE == 2);

constexpr std::span<const Register> kTables[] = {kRegisters, kUpper, kCard};

constexpr std::string_view kTracing[] = {"write RESET",         "write FILTER",      "write CSR.SE=1",
                                         "effect trace-sample", "write CSR.SEOFF=1", "read OVERRUN"};
constexpr std::string_view kCounting[] = {"write DISABLE", "write MUXSEL", "write RRESET", "write ENABLE",
                                          "effect counters-copied"};
constexpr std::string_view kSoftware[] = {"write DISABLE", "write MUXSEL_H", "write RRESET",
                                          "write ENABLE",  "effect counted", "effect counters-copied"};
constexpr std::string_view kResourceSteps[] = {"write MUXSEL", "write ENABLE", "write CSR.SE=1",
                                               "effect resource-sample", "effect shadow-freed"};
constexpr std::string_view kSwitch[] = {"write SRC0", "effect trace-sample", "write SRC0",
                                        "effect trace-sample"};
constexpr std::string_view kOverrunSteps[] = {"write CSR.WWAITOFF=1", "effect overrun", "read OVERRUN",
                                              "write OVERRUN"};
constexpr std::string_view kWaiting[] = {"write CSR.WWAIT=1", "effect delay-over", "read WAIT", "write WAIT"};
constexpr std::string_view kReadWait[] = {"write CSR.RWAIT=1", "effect resource-sample", "effect delay-over"};
constexpr std::string_view kTestSet[] = {"write TEST_H.SET=3", "write TEST_H.INC=3",
                                         "effect counters-copied"};
constexpr std::string_view kTestFifo[] = {"write TEST_H.NETOFF=1", "effect test-loaded", "read FIFO",
                                          "effect test-shifted", "write TEST_H.NETOFF=0"};

constexpr std::string_view kManualSource =
    "INFERRED: the paper lists the registers' use, not its order; Programming";
constexpr Sequence kSequences[] = {
    {"trace", kTracing, "from software reset to the look at what was lost", kManualSource},
    {"count", kCounting, "counters are set up, run and are read",
     "Counter Sources; Resource Counter Control Registers (p. 10)"},
    {"software-count", kSoftware, "a counter that counts a program's stores",
     "Processor Incrementing of a Resource Counter (p. 10)"},
    {"resource", kResourceSteps, "a sample with all counters, until the shadow registers are free",
     "Resource Counters and their Shadow Registers (p. 8)"},
    {"switch", kSwitch, "CPU ID line 0's source address at each context switch",
     "Source Address Registers (p. 8)"},
    {"overrun", kOverrunSteps, "samples are lost, and counted", "Table 3B; Overrun Counter (p. 12)"},
    {"write-wait", kWaiting, "a store waits instead of losing its sample", "Table 3B; Wait Counter"},
    {"read-wait", kReadWait, "a counter read waits for the shadow registers", "Table 3A"},
    {"test-counters", kTestSet, "test mode: the counters are set, incremented and read", "Table C-1"},
    {"test-fifo", kTestFifo, "test mode: data through the FIFO, read and shifted out", "Table C-1"},
};

constexpr uint32_t kFour[] = {0, 1, 2, 3};
constexpr Values kValues[] = {
    {"TEST_H.SET", kFour},
    {"TEST_H.INC", kFour},
    {"TEST_H.GROUP", kFour},
};

// The upper 32 bits of an address: a row of its own, or nothing.
const Register* upper_half(unsigned address) {
  return has_upper_half(address) ? &kRegisters[address + 1] : find(kUpper, 8 * address + 4);
}

// Of a 64-bit access, which is how BAR 2 is used, bits that its register does not have are no mistake (p. 5:
// they are ignored).
Place place_asked(const void*, unsigned window, uint64_t offset, const AccessRequest& asked) {
  if (window > MK_WINDOW_SAMPLE || offset >= MK_WINDOW_BYTES) return {};
  const Target at = target_of(window, offset, asked.first, asked.bytes);
  Place p = {.byte = static_cast<uint32_t>(offset % 4)};
  if (at.card) {
    p.reg = find(kCard, static_cast<uint32_t>(offset & ~3u));
  } else if (at.address >= kAddresses) {
    return {};
  } else if (at.byte >= 4) {
    p.reg = upper_half(at.address);
    p.filler = !p.reg && asked.bytes == 8 && asked.first % 8 == 0;
  } else if (!at.address || !has_upper_half(at.address - 1)) {
    p.reg = &kRegisters[at.address];
  }
  return p;
}

Place place(const void* model, unsigned window, uint64_t offset) {
  return place_asked(model, window, offset, {.first = offset, .bytes = 1, .vcpu = -1});
}

std::optional<uint32_t> peek(const void* model, uint64_t now, const Place& place) {
  const auto* m = static_cast<const MultiKron*>(model);
  if (!place.reg) return std::nullopt;
  if (among(kCard, place.reg)) return card_word(m, place.reg);
  const bool added = among(kUpper, place.reg);
  const unsigned address = place.reg->offset / (added ? 8 : 4);
  const bool second = !added && address && has_upper_half(address - 1);
  const std::optional<uint64_t> value = value_at(m, moment_at(m, now), second ? address - 1 : address);
  if (!value) return std::nullopt;
  return static_cast<uint32_t>(added || second ? *value >> 32 : *value);
}

constexpr BoardView kView = {
    .board = "multikron",
    .windows = kWindowViews,
    .tables = kTables,
    .conditions = {},
    .sequences = kSequences,
    .mistakes = kMistakes,
    .effects = kEffects,
    .injections = kInjections,
    .values = kValues,
    .place = place,
    .peek = peek,
    .place_asked = place_asked,
    .injected = injected_by<mk_injected>,
    .inject = inject_by<mk_inject>,
};

}  // namespace

const BoardView& mk_view() { return kView; }

}  // namespace perfboard::mk

const void* mk_board_view(void) { return &perfboard::mk::mk_view(); }
