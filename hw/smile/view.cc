// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/smile/view.h"

#include <cstdio>
#include <iterator>

#include "hw/smile/bridge.h"
#include "hw/smile/ccm.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

enum Window : unsigned { kBar0, kBar1 };
constexpr WindowView kWindows[] = {
    {"bar0", SMILE_BAR_BYTES,
     "bridge at 000000, PCI_Target at 100000, configuration cache manager at 800000; its memories are no "
     "registers"},
    {"bar1", SMILE_BRIDGE_BYTES, "the bridge once more, in I/O space"},
};

constexpr std::span<const Register> kTables[] = {kRegisters, kBridgeRegisters, kCcmRegisters};

constexpr std::string_view kFull = "Sec. V.A: \"raises an interrupt\"";
constexpr Condition kConditions[] = {
    {"FULL", "MSR.FULL", "MCR.IEF", "write RDP", "the ring has no room for the next record", kFull},
    {"DONE", "MSR.DONE", "MCR.IED", "write MSR.DONE=1", "a demanded SWAP_OUT is done", kOurs},
    {"LOCAL_INT", "INTCSR.LOCAL_INT", "INTCSR.LOCAL_EN", "write CCM_CLEAR",
     "the CCM's latch, which either of the others sets", kHot2},
};

// ---- programming sequences ------------------------------------------------------------------

constexpr std::string_view kDynamicStart[] = {"MCR.RESET=1", "write NODE", "write MAXR", "write MASK",
                                              "MCR.RUN=1"};
constexpr std::string_view kStaticStart[] = {"MCR.RESET=1",  "write NODE",           "write PAGE0",
                                             "write EVENT0", "write COUNTER0_COUNT", "MCR.RUN=1"};
constexpr std::string_view kSwapOut[] = {"MCR.RUN=0", "MCR.SWAP=1", "read MSR.DONE=1", "MSR.DONE=1"};
constexpr std::string_view kTake[] = {"read WRP", "read RDP", "write RDP", "read WRP"};
constexpr std::string_view kInterrupt[] = {"irq=1", "read CCM_INTERRUPT.NONE=0", "write CCM_CLEAR"};
constexpr std::string_view kLoad[] = {"INTCSR=0", "write CCM_COMMAND", "read CCM_STATUS.BUSY=0",
                                      "read CCM_DESIGN"};

constexpr std::string_view kPage = "INFERRED: the paper says what is programmed, not in which order";
constexpr Sequence kSequences[] = {
    {"dynamic", kDynamicStart, "the dynamic part: from a reset to packets that are counted", kPage},
    {"static", kStaticStart, "the static part: from a reset to packets that are counted", kPage},
    {"swap-out", kSwapOut, "at the end: stops, demands all records, waits for them",
     "Sec. V.A: \"SWAP_OUT by user demand\""},
    {"take-records", kTake, "takes what is between the pointers, until they are equal", "Sec. V.A"},
    {"interrupt", kInterrupt, "finds whose interrupt it is, and clears the latch", "FACTS: H.O.T. II"},
    {"load", kLoad, "a configuration: no interrupts meanwhile, the card leaves the bus and comes back",
     "Sec. V.B; INFERRED: order"},
};

// ---- mistakes, effects, errors on purpose ------------------------------------------------------

constexpr uint32_t kStates[] = {SMILE_IDLE, SMILE_FORWARD, SMILE_BUSY, SMILE_SWAP, SMILE_SWAP_ALL};
constexpr uint32_t kDecodes[] = {SMILE_DECODE_IDLE, SMILE_DECODE_BD1, SMILE_DECODE_BD2};
constexpr uint32_t kDesigns[] = {SMILE_NONE, SMILE_STATIC, SMILE_DYNAMIC},
                   kAnyDesign[] = {SMILE_NONE, SMILE_STATIC, SMILE_DYNAMIC, SMILE_TARGET};
constexpr uint32_t kSources[] = {0, 1, 2};
constexpr Values kValues[] = {
    {"MSR.STATE", kStates},         {"MSR.DECODE", kDecodes},
    {"MSR.DESIGN", kDesigns},       {"CCM_DESIGN.DESIGN", kAnyDesign},
    {"CCM_COMMAND.LOAD", kSources}, {"CCM_STATUS.SOURCE", kSources},
};

// ---- registers ----------------------------------------------------------------------------------

uint32_t entries(const Register& r) {
  if (find(kRegisters, r.offset) != &r) return 0;  // of another table
  for (const Array& a : kArrays)
    if (r.offset >= a.base && r.offset < a.base + a.stride) return a.count;
  return 0;
}

// BAR 1 is the bridge once more.
Place place(const void* model, unsigned window, uint64_t offset) {
  const bool there = window == kBar0 || (window == kBar1 && offset < SMILE_BRIDGE_BYTES);
  if (!there) return {.byte = static_cast<uint32_t>(offset & 3)};
  return place_at(static_cast<const SmileHwm*>(model)->config, offset);
}

std::optional<uint32_t> peek(const void* model, uint64_t now, const Place& place) {
  if (!place.reg || !place.reg->readable()) return std::nullopt;
  return word_at(static_cast<const SmileHwm*>(model), place, now);
}

constexpr BoardView kView = {
    .board = "smile",
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
    .injected = injected_by<smile_injected>,
    .inject = inject_by<smile_inject>,
    .entries = entries,
};

}  // namespace

const BoardView& smile_view() { return kView; }

Name name_of(const Place& place) {
  Name out;
  const std::string_view name = place.reg->name;
  const size_t zero = name.find('0');  // stands for the entry's number
  if (place.index < 0)
    std::snprintf(out.text, sizeof out.text, "%.*s", int(name.size()), name.data());
  else
    std::snprintf(out.text, sizeof out.text, "%.*s%d%.*s", int(zero), name.data(), place.index,
                  int(name.size() - zero - 1), name.data() + zero + 1);
  return out;
}

}  // namespace perfboard::smile

const void* smile_board_view(void) { return &perfboard::smile::smile_view(); }
