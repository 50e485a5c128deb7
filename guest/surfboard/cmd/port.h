// SPDX-License-Identifier: GPL-2.0-or-later
//
// Values behind one-bit and one-byte ports: ACDR's shift register, the FIFO and its offset registers.
//
// Every function leaves the port as it found it: 28 bits of ACDR make one full turn, and so do the
// four bytes of HFCDR (Empty LSB, Empty MSB, Full LSB, Full MSB), whether the part has one rotation
// pointer or one each for reading and writing. SIGINT and the like wait until the turn is complete.
// A packet that arrives meanwhile meets a half-turned configuration: stop the collection first.
#pragma once

#include <csignal>
#include <cstdint>
#include <span>
#include <vector>

#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

// The 28 bits; SENDID is uppermost.
uint32_t read_acdr(Board& board);
void write_acdr(Board& board, uint32_t value);

// EMPTY in 11..0, FULL in 27..16.
inline constexpr uint32_t kResetOffsets = 0x00070007u;  // after HTCR.FRS
uint32_t read_offsets(Board& board);
void write_offsets(Board& board, uint32_t value);

inline constexpr uint32_t kFifoSlots = 3 * SURF_FIFO_ENTRIES + 1;
// The FIFO's slots, oldest first: bit 8 is LSB. Reading empties it and puts everything back.
std::vector<uint32_t> read_slots(Board& board);
void write_slots(Board& board, std::span<const uint32_t> slots);
// The oldest bin's address, taken out; false if there is none. Bytes of no whole address are lost.
bool take_address(Board& board, uint32_t& address);

// A register's value, whatever stands behind its port.
struct RegisterInfo;
uint32_t read_register(Board& board, const RegisterInfo& reg);
void write_register(Board& board, const RegisterInfo& reg, uint32_t value);

// Signals that would end the program wait while one of these lives.
inline constexpr int kHeldSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
class Undisturbed {
 public:
  Undisturbed();
  ~Undisturbed();
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  unsigned long saved_[16];
};

}  // namespace perfboard::prompt
