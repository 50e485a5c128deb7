// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bridge's runtime registers, after the PLX PCI 9060: its offsets and bits are those of the chip's public
// data. Which of them do something on this card is INFERRED, and so are the reset values: the paper only
// names the chip.
#pragma once

#include "hw/model/register.h"
#include "hw/smile/image.h"

namespace perfboard::smile {

inline constexpr std::string_view k9060 = "PCI 9060";
inline constexpr std::string_view kOurReset = "INFERRED: the card's reset value";
inline constexpr std::string_view kNoEeprom =
    "INFERRED: no EEPROM, since the bridge's values come with the FPGA's configuration";

inline constexpr Field kLas0rrFields[] = {
    {"RANGE", 31, 0, Access::rw, 0xff000000, "16 MB of memory; stored, without effect", kOurReset},
};
inline constexpr Field kLas0baFields[] = {
    {"BASE", 31, 4, Access::rw, 0, "stored, without effect", k9060},
    {"ENABLE", 0, 0, Access::rw, 1, "stored, without effect", kOurReset},
};
inline constexpr Field kStoredFields[] = {
    {"VALUE", 31, 0, Access::rw, 0, "stored, without effect", "INFERRED: nothing on this card needs it"},
};
inline constexpr Field kMailboxFields[] = {
    {"VALUE", 31, 0, Access::rw, 0, "for software's use", k9060},
};
inline constexpr Field kToLocalFields[] = {
    {"RING", 31, 0, Access::wa, 0,
     "writing 1 sets a bit. The local side clears it, and this card's never does: only a reset or a "
     "reconfiguration",
     "INFERRED: nothing on the local side listens"},
};
inline constexpr Field kToPciFields[] = {
    {"RING", 31, 0, Access::w1c, 0, "set by the local side; this card's never does",
     "INFERRED: the monitor has a line of its own"},
};
inline constexpr Field kIntcsrFields[] = {
    {"BIST_INT", 23, 23, Access::ro, 0, "built-in self test interrupt active; never", k9060},
    {"LOCAL_DOORBELL_INT", 20, 20, Access::ro, 0, "a bit of P2L_DOORBELL is set, and 17", k9060},
    {"LOCAL_DOORBELL_EN", 17, 17, Access::rw, 0, "local doorbell interrupt enable", k9060},
    {"LOCAL_OUTPUT_EN", 16, 16, Access::rw, 1, "local interrupt output enable; connected to nothing",
     "INFERRED: reset as the PCI 9080's"},
    {"LOCAL_INT", 15, 15, Access::ro, 0, "local interrupt active: the CCM's latch", k9060},
    {"ABORT_INT", 14, 14, Access::ro, 0, "abort interrupt active; never: the card is no bus master", k9060},
    {"DOORBELL_INT", 13, 13, Access::ro, 0, "a bit of L2P_DOORBELL is set", k9060},
    {"LOCAL_EN", 11, 11, Access::rw, 0, "PCI interrupt by the local input", k9060},
    {"ABORT_EN", 10, 10, Access::rw, 0, "PCI interrupt by an abort", k9060},
    {"DOORBELL_EN", 9, 9, Access::rw, 0, "PCI interrupt by the doorbell", k9060},
    {"PCI_EN", 8, 8, Access::rw, 1, "INTA# = 8 and (11 and 15, or 9 and 13, or 10 and 14)",
     "INFERRED: reset as the PCI 9080's"},
};
inline constexpr Field kControlFields[] = {
    {"LOCAL_INIT", 31, 31, Access::ro, 1, "local initialisation done",
     "INFERRED: the FPGA's configuration brings it"},
    {"SW_RESET", 30, 30, Access::rw, 0,
     "1 holds the local side, which is the monitor, in reset: nothing of PCI_Target answers, and no packet "
     "is heard",
     k9060},
    {"RELOAD", 29, 29, Access::rw, 0, "reload from the EEPROM; stored, without effect", kNoEeprom},
    {"EEPROM_PRESENT", 28, 28, Access::ro, 0, "an EEPROM is there", kNoEeprom},
    {"EEDI", 27, 27, Access::ro, 1, "from the EEPROM: pulled up", kNoEeprom},
    {"EEDO", 26, 26, Access::rw, 0, "to the EEPROM; without effect", kNoEeprom},
    {"EECS", 25, 25, Access::rw, 0, "EEPROM chip select; without effect", kNoEeprom},
    {"EESK", 24, 24, Access::rw, 0, "EEPROM clock; without effect", kNoEeprom},
    {"GPI", 17, 17, Access::ro, 1, "user input pin: pulled up", "INFERRED: connected to nothing"},
    {"GPO", 16, 16, Access::rw, 0, "user output pin", "INFERRED: connected to nothing"},
};
inline constexpr Field kPciIdFields[] = {
    {"DEVICE", 31, 16, Access::ro, kPciDevice, "PCI device ID", "FACTS: H.O.T. II"},
    {"VENDOR", 15, 0, Access::ro, kPciVendor, "PCI vendor ID", "FACTS: H.O.T. II"},
};

inline constexpr auto kBeforeMailboxes = std::to_array<Register>({
    {"LAS0RR", 0x00, 1, kLas0rrFields, "Local address space 0 range", k9060},
    {"LAS0BA", 0x04, 1, kLas0baFields, "Local address space 0 base", k9060},
    {"ARBITRATION", 0x08, 1, kStoredFields, "Local arbitration", k9060},
    {"ENDIAN", 0x0c, 1, kStoredFields, "Big or little endian", k9060},
    {"EROMRR", 0x10, 1, kStoredFields, "Expansion ROM range", k9060},
    {"EROMBA", 0x14, 1, kStoredFields, "Expansion ROM base", k9060},
    {"LBRD", 0x18, 1, kStoredFields, "Local bus region descriptor", k9060},
    {"DMRR", 0x1c, 1, kStoredFields, "Direct master range", k9060},
    {"DMLBAM", 0x20, 1, kStoredFields, "Direct master local base, memory", k9060},
    {"DMLBAI", 0x24, 1, kStoredFields, "Direct master local base, I/O", k9060},
    {"DMPBAM", 0x28, 1, kStoredFields, "Direct master PCI base, memory", k9060},
    {"DMPBAI", 0x2c, 1, kStoredFields, "Direct master PCI base, I/O", k9060},
});
inline constexpr Register kMailbox0 = {"MBOX0", 0x40, 1, kMailboxFields, "Mailbox 0", k9060};
inline constexpr auto kBehindMailboxes = std::to_array<Register>({
    {"P2L_DOORBELL", 0x60, 1, kToLocalFields, "Doorbell, PCI to local", k9060},
    {"L2P_DOORBELL", 0x64, 1, kToPciFields, "Doorbell, local to PCI", k9060},
    {"INTCSR", 0x68, 1, kIntcsrFields, "Interrupt control and status", k9060},
    {"CONTROL", 0x6c, 1, kControlFields, "EEPROM, user pins, initialisation", k9060},
    {"PCI_ID", 0x70, 1, kPciIdFields, "PCI configuration ID", k9060},
});
inline constexpr auto kBridgeRegisters =
    one_table(kBeforeMailboxes, numbered<kMailbox0, 8>, kBehindMailboxes);
static_assert(table_ok(kBridgeRegisters));

}  // namespace perfboard::smile
