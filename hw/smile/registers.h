// SPDX-License-Identifier: GPL-2.0-or-later
//
// The PCI_Target's registers, bit by bit, and the records in the ring. smile.txt names what is there; it
// gives no register map, so all offsets and bit positions are INFERRED: ours. The source of a register or
// field says where the paper has the thing itself.
//
//   kRegisters         offsets from SMILE_TARGET_BASE. Of a table only entry 0 stands here, and kArrays says how many there are
//   kRecord            the two words of a record, as if they were registers
//   field("MCR.RUN")   a field, for code; bits() is its mask. A name that no table has does not compile
//
// hw/smile/README.md prints these tables.
#pragma once

#include "hw/model/register.h"
#include "hw/smile/smile.h"

namespace perfboard::smile {

using enum Access;

inline constexpr std::string_view kOurs = "INFERRED: ours";

inline constexpr Field kMcrFields[] = {
    {"IED", 4, 4, rw, 0, "interrupt when a demanded SWAP_OUT is done", kOurs},
    {"IEF", 3, 3, rw, 0, "interrupt when the ring is full", "Sec. V.A: \"raises an interrupt\""},
    {"SWAP", 2, 2, wo, 0, "write 1: SWAP_OUT on demand", "Sec. V.A: \"SWAP_OUT by user demand\""},
    {"RESET", 1, 1, wo, 0,
     "write 1: monitor_reset, before the rest of this write: all but NODE, MAXR, MASK, TIMER, PAGE, EVENT "
     "and START, STOP, COUNT",
     "Sec. III"},
    {"RUN", 0, 0, rw, 0, "packets are decoded, the timer runs; 0: nothing passes", kOurs},
};
inline constexpr Field kMsrFields[] = {
    {"ENTRIES", 22, 16, ro, SMILE_DEFAULT_ENTRIES, "entries of the range table: entries=", "Sec. IV.B: 16"},
    {"EXCHANGED", 15, 15, w1c, 0,
     "the daughter board's FPGA was configured, or lost its configuration; never without one", kOurs},
    {"DONE", 14, 14, w1c, 0, "all records of a demanded SWAP_OUT are in ring or queue", kOurs},
    {"LOST", 13, 13, w1c, 0, "records were lost", kOurs},
    {"FULL", 12, 12, ro, 0, "ring full: AUX = RDP, or a record waits that does not fit", "Sec. V.A"},
    {"DECODE", 9, 8, ro, 0, "decoder: 0 IDLE, 1 BD1, 2 BD2", "Fig. 3"},
    {"STATE", 6, 4, ro, 0, "F.R.L.: 0 Idle, 1 Forward, 2 Busy, 3 Swap, 4 Swap_All", "Fig. 9"},
    {"DESIGN", 1, 0, ro, 2, "1 static part, 2 dynamic part; 0 neither: the daughter board is unconfigured",
     "Sec. V.B"},
};
inline constexpr Field kNodeFields[] = {
    {"NODE", 4, 0, rw, 0, "own node ID: a packet with this Source_ID is outbound, any other inbound",
     "Sec. V.A; 5 bits: Sec. III, IV.B"},
};
inline constexpr Field kMaxrFields[] = {
    {"MAX_RANGE", 25, 0, rw, 0, "how far the addresses of similar events may lie apart, in 4-byte words",
     "Sec. IV.B, V.A"},
};
inline constexpr std::string_view kFilterText = "Sec. IV, V.A: \"transaction type (READ, WRITE, LOCK etc.)\"";
inline constexpr Field kMaskFields[] = {
    {"OUTBOUND", 7, 7, rw, 0, "packets that this node sends", "Sec. V.A: \"inbound and outbound packets\""},
    {"INBOUND", 6, 6, rw, 0, "packets of other nodes", "Sec. V.A: \"inbound and outbound packets\""},
    {"RESPONSE", 5, 5, rw, 0, "responses", kFilterText},
    {"REQUEST", 4, 4, rw, 0, "requests", kFilterText},
    {"UNLOCK", 3, 3, rw, 0, "type unlock", kFilterText},
    {"LOCK", 2, 2, rw, 0, "type lock", kFilterText},
    {"WRITE", 1, 1, rw, 0, "type write", kFilterText},
    {"READ", 0, 0, rw, 0, "type read", kFilterText},
};
inline constexpr Field kRdpFields[] = {
    {"RDP", 11, 0, rw, 0xfff, "the host's: ring word read last", "Sec. V.A: read pointer"},
};
inline constexpr Field kWrpFields[] = {
    {"WRP", 11, 0, ro, 0xfff, "ring word written last; WRP = RDP: the ring is empty",
     "Sec. V.A: write pointer"},
};
inline constexpr Field kAuxFields[] = {
    {"AUX", 11, 0, ro, 0, "WRP + 1; AUX = RDP: the ring is full", "Sec. V.A: auxiliary pointer"},
};
inline constexpr Field kLostFields[] = {
    {"LOST", 31, 0, ro, 0, "records lost since RESET; sticks at FFFFFFFF", kOurs},
};
inline constexpr Field kQueueFields[] = {
    {"RECORDS", 31, 0, ro, 0, "records in the swap queue", kOurs},
};
inline constexpr Field kPacketsFields[] = {
    {"PACKETS", 31, 0, ro, 0, "packets decoded; wraps", kOurs},
};
inline constexpr Field kOrphansFields[] = {
    {"ORPHANS", 31, 0, ro, 0, "responses without an address in the transaction table; wraps", kOurs},
};
inline constexpr Field kClashesFields[] = {
    {"CLASHES", 31, 0, ro, 0, "requests that overwrote an address whose response was still to come; wraps",
     kOurs},
};
inline constexpr Field kCrstFields[] = {
    {"COUNTERS", 15, 0, wo, 0, "bit n: VALUE of static counter n to 0",
     "Sec. IV.A: \"reading or resetting\""},
};
inline constexpr Field kGeventFields[] = {
    {"EVENT", 3, 0, wo, 0, "event 16 + this number happens now; 0 is the timer's and ignored",
     "Sec. IV.A: \"driven by the monitoring software\""},
};
inline constexpr Field kTimerFields[] = {
    {"PERIOD", 31, 0, rw, 0,
     "B-Link clocks (20 ns) from one timer event, 16, to the next; 0: off. The first period begins at the "
     "write, and at RUN",
     "Sec. IV.A: \"a clock timer\""},
};
inline constexpr Field kOvfFields[] = {
    {"VALID", 4, 4, ro, 0, "a static counter has overflowed since RESET", kOurs},
    {"INDEX", 3, 0, ro, 0, "the one that overflowed last; of several at once the highest",
     "Sec. IV.A: overflow index signal"},
};
inline constexpr Field kCableFields[] = {
    {"PLUGGED", 31, 31, ro, 0, "a cable is plugged in",
     "INFERRED: the paper's 50-pin connectors cannot be asked"},
    {"NODE", 4, 0, ro, 0, "node whose B-Link this is",
     "INFERRED: the paper's 50-pin connectors cannot be asked"},
};
inline constexpr Field kPageFields[] = {
    {"VALID", 31, 31, rw, 0, "the entry is in use", kOurs},
    {"NODE", 24, 20, rw, 0, "home node: Dest_ID of a request, Source_ID of a response",
     "Sec. IV.A: 4 bits; INFERRED: 32 nodes (Sec. III) need 5"},
    {"PAGE", 19, 0, rw, 0,
     "page; the decoder delivers 16 bits (Sec. III, footnote 2), so with one of bits 19-16 set it never "
     "matches",
     "Sec. IV.A: 20 bits"},
};
inline constexpr Field kEventFields[] = {
    {"VALID", 31, 31, rw, 0, "the entry is in use", kOurs},
    {"FILTER", 15, 8, rw, 0, "types, kinds and directions that pass, as MASK",
     "Sec. IV.A: \"flags to filter\""},
    {"PAGE", 4, 0, rw, 0, "entry of the page table", "Sec. IV.A: \"pointer to one entry of the page table\""},
};
inline constexpr Field kEventRangeFields[] = {
    {"TOP", 25, 16, rw, 0, "highest 4-byte word of the page that counts", "Sec. IV.A: 10 bit page offset"},
    {"BOTTOM", 9, 0, rw, 0, "lowest 4-byte word of the page that counts", "Sec. IV.A: 10 bit page offset"},
};
inline constexpr Field kCounterEventFields[] = {
    {"VALID", 31, 31, rw, 0, "there is such an event", kOurs},
    {"EVENT", 4, 0, rw, 0, "0-15: entry of the event table; 16: the timer; 17-31: GEVENT",
     "Sec. IV.A: \"registers holding event IDs\""},
};
inline constexpr Field kCounterValueFields[] = {
    {"ACTIVE", 31, 31, rw, 0, "it counts", kOurs},
    {"VALUE", 15, 0, rw, 0, "events counted; FFFF + 1 is 0 and a record", "Sec. IV.A: 16 bit"},
};
inline constexpr Field kRangePairFields[] = {
    {"VALID", 31, 31, ro, 0, "the entry is filled", "Fig. 8"},
    {"DESTINATION", 12, 8, ro, 0, "Destination_ID", "Fig. 8"},
    {"SOURCE", 4, 0, ro, 0, "Source_ID", "Fig. 8"},
};
inline constexpr Field kRangeAddressFields[] = {
    {"ADDRESS", 25, 0, ro, 0, "SCI-Address of its first event: page in bits 25-10, 4-byte word in bits 9-0",
     "Fig. 8"},
};
inline constexpr Field kRangeCountFields[] = {
    {"COUNT", 15, 0, ro, 0, "Counter", "Fig. 8"},
};
inline constexpr Field kRangeUsedFields[] = {
    {"USED", 0, 0, ro, 0, "used since the USED bits were cleared last",
     "INFERRED: \"simplified LRU\" is all the paper says"},
};

inline constexpr std::string_view kTarget = "Sec. V.A; INFERRED: offset and bits are ours";
inline constexpr std::string_view kStatic = "Sec. IV.A, Fig. 7; INFERRED: offset and bits are ours";
inline constexpr std::string_view kDynamic = "Sec. IV.B, Fig. 8; INFERRED: offset and bits are ours";
inline constexpr std::string_view kDecoder = "Sec. III, Fig. 4; INFERRED: offset and bits are ours";

inline constexpr Register kRegisters[] = {
    {"MCR", 0x000, 4, kMcrFields, "Monitor Control", kTarget},
    {"MSR", 0x004, 4, kMsrFields, "Monitor Status", kTarget},
    {"NODE", 0x008, 4, kNodeFields, "Own Node ID", kTarget},
    {"MAXR", 0x00c, 4, kMaxrFields, "Max_Range (dynamic part)", kDynamic},
    {"MASK", 0x010, 4, kMaskFields,
     "Transaction Mask (dynamic part): an event passes if the bits of its type, kind and direction are set",
     kDynamic},
    {"RDP", 0x014, 4, kRdpFields, "Read Pointer", kTarget},
    {"WRP", 0x018, 4, kWrpFields, "Write Pointer", kTarget},
    {"AUX", 0x01c, 4, kAuxFields, "Auxiliary Pointer", kTarget},
    {"LOSTN", 0x020, 4, kLostFields, "Records Lost", kTarget},
    {"QUEUE", 0x024, 4, kQueueFields, "Swap Queue", kTarget},
    {"PACKETS", 0x028, 4, kPacketsFields, "Packets", kDecoder},
    {"ORPHANS", 0x02c, 4, kOrphansFields, "Orphans", kDecoder},
    {"CLASHES", 0x030, 4, kClashesFields, "Clashes", kDecoder},
    {"CRST", 0x034, 4, kCrstFields, "Counter Reset (static part)", kStatic},
    {"GEVENT", 0x038, 4, kGeventFields, "Global Event (static part)", kStatic},
    {"TIMER", 0x03c, 4, kTimerFields, "Timer Event (static part)", kStatic},
    {"OVF", 0x040, 4, kOvfFields, "Overflow Index (static part)", kStatic},
    {"CABLE", 0x044, 4, kCableFields, "Cable", kTarget},
    {"PAGE0", 0x200, 4, kPageFields, "Page Table (static part), entry 0; entry i of 32 at 200 + 4 i",
     kStatic},
    {"EVENT0", 0x300, 4, kEventFields, "Event Table (static part), entry 0; entry i of 16 at 300 + 8 i",
     kStatic},
    {"EVENT0_RANGE", 0x304, 4, kEventRangeFields, "its range in the page, both ends inclusive", kStatic},
    {"COUNTER0_START", 0x400, 4, kCounterEventFields,
     "Static Counter 0: the event that starts it; counter i of 16 at 400 + 10 i", kStatic},
    {"COUNTER0_STOP", 0x404, 4, kCounterEventFields, "the event that stops it", kStatic},
    {"COUNTER0_COUNT", 0x408, 4, kCounterEventFields, "the event that it counts", kStatic},
    {"COUNTER0_VALUE", 0x40c, 4, kCounterValueFields, "its value", kStatic},
    {"RANGE0", 0x600, 4, kRangePairFields, "Range Table (dynamic part), entry 0; entry i at 600 + 10 i",
     kDynamic},
    {"RANGE0_ADDRESS", 0x604, 4, kRangeAddressFields, "its address", kDynamic},
    {"RANGE0_COUNT", 0x608, 4, kRangeCountFields, "its counter", kDynamic},
    {"RANGE0_USED", 0x60c, 4, kRangeUsedFields, "its LRU bit", kDynamic},
};
static_assert(table_ok(kRegisters));

// Tables of entries; kRegisters has the rows of entry 0.
struct Array {
  uint32_t base, stride, count;
};
inline constexpr uint32_t kRangeTable = 0x600;  // has so many as config.entries says
inline constexpr Array kArrays[] = {
    {0x200, 4, SMILE_TABLE_PAGES},
    {0x300, 8, SMILE_TABLE_EVENTS},
    {0x400, 16, SMILE_STATIC_COUNTERS},
    {kRangeTable, 16, SMILE_MAX_ENTRIES},
};

inline constexpr Field kRecordFields0[] = {
    {"KIND", 31, 29, ro, 0, "1 range table entry, 2 static counter, 3 loss", kOurs},
    {"OVF", 28, 28, ro, 0, "counter overflow: the value is 65536 + COUNT",
     "Sec. V.A: \"overflow identifier\""},
    {"WHY", 27, 26, ro, 0, "0 replaced, 1 overflow, 2 demand", kOurs},
    {"ADDRESS", 25, 0, ro, 0, "kind 1: SCI-Address; kind 2: number of the counter; kind 3: 0",
     "Sec. V.A: \"identifier\""},
};
inline constexpr Field kRecordFields1[] = {
    {"ENTRY", 31, 26, ro, 0, "kind 1: entry of the range table", kOurs},
    {"DESTINATION", 25, 21, ro, 0, "kind 1: Destination_ID", "Fig. 8"},
    {"SOURCE", 20, 16, ro, 0, "kind 1: Source_ID", "Fig. 8"},
    {"COUNT", 15, 0, ro, 0,
     "kinds 1, 2: value of the counter. Kind 3: the whole word is the number of records lost", "Sec. V.A"},
};
inline constexpr Register kRecord[] = {
    {"RECORD0", 0, 4, kRecordFields0, "first word", "Sec. V.A; INFERRED: bits are ours"},
    {"RECORD1", 4, 4, kRecordFields1, "second word", "Sec. V.A; INFERRED: bits are ours"},
};
static_assert(table_ok(kRecord));

enum class Kind : uint32_t { kRange = 1, kCounter = 2, kLoss = 3 };
enum class Why : uint32_t { kReplaced = 0, kOverflow = 1, kDemand = 2 };

// "MCR.RUN": the field of that name in any of the tables.
consteval const Field& field(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string_view reg = name.substr(0, dot), bit = name.substr(dot + 1);
  return reg.starts_with("RECORD") ? at(kRecord, reg).field(bit) : at(kRegisters, reg).field(bit);
}
consteval uint32_t bits(std::string_view name) { return field(name).mask(); }

}  // namespace perfboard::smile
