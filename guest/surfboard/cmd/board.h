// SPDX-License-Identifier: GPL-2.0-or-later
//
// Board - a SurfBoard as surf sees it: registers, two memories, the FPGA.
//
// DeviceBoard (main.cc) is the one behind /dev/surfN; the unit tests put the board's model
// behind another. A board that fails throws BoardError, with the reason in words.
#pragma once

#include <csignal>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

struct BoardError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Woken { exception, time, signal };

class Board {
 public:
  virtual ~Board() = default;

  // One 32-bit access at an offset of guest/surfboard/regs.h.
  virtual uint32_t get(uint32_t offset) = 0;
  virtual void put(uint32_t offset, uint32_t value) = 0;

  // The memories, in place; empty if the SIMM socket is.
  virtual std::span<uint32_t> trace() = 0;
  virtual std::span<uint32_t> histogram() = 0;

  // Configure the Histogram Address Selector: first bit in bit 7 of the first byte.
  virtual void configure(std::span<const uint8_t> bits) = 0;

  // Sleep until there is an exception (interrupt) that has not been cleared, for so many milliseconds or
  // for ever. The signals that Undisturbed holds back end it, too, and are still held back then.
  static constexpr int kForever = -1;
  virtual Woken wait(int timeout_ms) = 0;
  virtual void clear_exception() = 0;
};

// The registers as the surf prompt names them: what SHOW prints and what an assignment may set.
//
// The offsets and bits are those of guest/surfboard/regs.h. Two "registers" are more than
// one 32-bit word: ACDR is the 28-bit shift register behind its port, HFCDR the FIFO's offset
// registers behind theirs (read_register() and write_register() do the accesses).

enum class FieldAccess : uint8_t { rw, ro, w1c };

struct FieldInfo {
  std::string_view name;
  uint32_t mask;
  FieldAccess access = FieldAccess::rw;
  bool shown = true;  // SHOW leaves the readback bits out, as the paper's does

  unsigned shift() const;
  unsigned bits() const;
  unsigned hex_digits() const { return (bits() + 3) / 4; }
  uint32_t get(uint32_t value) const { return (value & mask) >> shift(); }
  uint32_t put(uint32_t value, uint32_t field) const { return (value & ~mask) | field << shift(); }
};

enum class RegisterKind : uint8_t {
  plain,        // one word that reads without effect
  shift,        // ACDR
  fifo_offset,  // HFCDR
  fifo_data,    // HFDR: a read takes an entry
  clocked,      // FCDR: every write clocks a bit
};

struct RegisterInfo {
  std::string_view name;
  std::string_view alias[2];  // other names of the same register in the paper
  uint32_t offset;
  RegisterKind kind;
  std::span<const FieldInfo> fields;

  uint32_t mask() const;  // the bits that exist

  // SHOW has it: it can be read without effect.
  bool shown() const { return kind != RegisterKind::fifo_data && kind != RegisterKind::clocked; }
};

inline constexpr uint32_t kCollect = SURF_HTCR_TEN | SURF_HTCR_HEN | SURF_HTCR_WEN;

// In the order of SHOW, then those that SHOW leaves out.
std::span<const RegisterInfo> all_registers();

// By name or alias, whatever the case; nullptr if there is none.
const RegisterInfo* find_register(std::string_view name);
const FieldInfo* find_field(const RegisterInfo& reg, std::string_view name);

bool same_word(std::string_view a, std::string_view b);  // but for the case

// Values behind one-bit and one-byte ports: ACDR's shift register, the FIFO and its offset registers.
//
// Every function leaves the port as it found it: 28 bits of ACDR make one full turn, and so do the
// four bytes of HFCDR (Empty LSB, Empty MSB, Full LSB, Full MSB), whether the part has one rotation
// pointer or one each for reading and writing. SIGINT and the like wait until the turn is complete.
// A packet that arrives meanwhile meets a half-turned configuration: stop the collection first.

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
  sigset_t saved_;
};

// SHOW and HELP - the two texts that the paper prints (TR-596-99, B.2.1).
//
// The layout is the sample's, character for character; what it leaves open: README.md, SHOW's layout.

// Reads every register; ACDR and the FIFO's offsets are left as they were, the FIFO is not read.
std::string show(Board& board);

// What stands behind a register's value: " SENDID 1 CATMUX 0 ...".
std::string show_fields(const RegisterInfo& reg, uint32_t value);

extern const std::string_view kHelp;

}  // namespace perfboard::prompt
