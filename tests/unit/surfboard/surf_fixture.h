// SPDX-License-Identifier: GPL-2.0-or-later
//
// A surf prompt whose board is the SurfBoard model.
//
//   Prompt p;                          // 16 MB SIMMs, enabled, power-on state
//   p("HTCR.TEN = 1")                  // executes; EXPECTs success, returns what was printed
//   p.fails("HTCR.TEN = 2")            // executes; EXPECTs an error, returns it
#pragma once

#include <fmt/format.h>

#include <functional>
#include <sstream>

#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/cmd/session.h"
#include "guest/surfboard/regs.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::prompt {

inline constexpr surf::SurfBench::Sizes kSmall = {4 * surf::kMiB, 4 * surf::kMiB};

class ModelBoard : public Board {
 public:
  explicit ModelBoard(surf::SurfBench::Sizes sizes) : bench(sizes) {}
  uint32_t get(uint32_t offset) override {
    reads++;
    return bench.read_at(offset, 4);
  }
  void put(uint32_t offset, uint32_t value) override {
    writes++;
    bench.write_at(offset, value, 4);
  }
  std::span<uint32_t> trace() override { return words(bench.trace_memory); }
  std::span<uint32_t> histogram() override { return words(bench.hist_memory); }
  // As the driver does it: A.6, FCCR and FCDR.
  void configure(std::span<const uint8_t> bytes) override {
    put(SURF_FCCR, 1);
    put(SURF_FCCR, 0);
    for (uint8_t byte : bytes)
      for (int bit = 7; bit >= 0; bit--) put(SURF_FCDR, byte >> bit & 1);
    if ((get(SURF_FCCR) & (SURF_FCCR_DONE | SURF_FCCR_ERR)) != SURF_FCCR_DONE)
      throw BoardError("not configured");
  }
  // Packets come until one interrupts.
  Woken wait(int) override {
    while (!(get(SURF_ISCR) & SURF_ISCR_PEND))
      if (!traffic || !traffic()) return Woken::time;
    return Woken::exception;
  }
  void clear_exception() override {}

  surf::SurfBench bench;
  std::function<bool()> traffic;  // sends what comes next; false: nothing is left
  unsigned reads = 0, writes = 0;

 private:
  static std::span<uint32_t> words(BlankMemory& bytes) {
    return {reinterpret_cast<uint32_t*>(bytes.data()), bytes.size() / 4};
  }
};

class Prompt {
 public:
  explicit Prompt(surf::SurfBench::Sizes sizes = {16 * surf::kMiB, 16 * surf::kMiB})
      : board(sizes), session(board, out, err) {}

  std::string operator()(const std::string& line) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome, Outcome::done) << line << ": " << err.str();
    return out.str();
  }
  void all(std::initializer_list<const char*> lines) {
    for (const char* line : lines) (*this)(line);
  }
  std::string fails(const std::string& line) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome, Outcome::failed) << line;
    EXPECT_EQ(out.str(), "") << line;
    return err.str();
  }
  Outcome run(const std::string& line) {
    out.str("");
    err.str("");
    return session.execute(line);
  }
  // The line of SHOW that begins with name.
  std::string shown(const std::string& name) {
    std::istringstream lines((*this)("show"));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name + " ")) return line;
    return "no line " + name;
  }

  ModelBoard board;
  surf::SurfBench& bench = board.bench;
  std::ostringstream out, err;
  Session session;
};

// A good bitstream: histogram address bit 0 follows input bit `input`, the others are low.
inline std::vector<bool> make_bitstream(unsigned input) { return has::stream({uint64_t{1} << input}); }

inline std::string pack(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (size_t i = 0; i < bits.size(); i++)
    if (bits[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 0x80 >> i % 8);
  return bytes;
}

// The state behind the paper's session (B.2.1), reached through the prompt and the board's own events.
inline void prepare_paper_state(Prompt& p, const Folder& folder) {
  p("FPGA " + folder.write("has.bit", pack(make_bitstream(0))));
  p.all({"ACDR = 02006080", "CLEAR FIFO", "HTCR.TEN = 1", "HTCR.TRG = 1", "HTCR = 0", "TPIR = 0",
         "TICR = 519.", "TECR = 207", "WCDR = 525."});
}

// Lines 1504 to 1545 of the paper's text, without the shell's prompts, as one transcript.
inline const std::string kPaperSession =
    R"(> help
Available Commands:
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

> show
FCCR 00000EE8  TSPD E  HSPD E  DONE 1  ERR 0  CFG 0  PROG 0
ACDR 02006080 SENDID 1 CATMUX 0 LAT_S 00 LAT_N C TSIZE 2
TTCR 00000000 EIP 0 EOP 0 MEOD 0 MEI 0 MBV 0 MODE 0 QUAL 0
ECDR 00000000 DATA 0
PCLR 00000000 LED 0 CAT 0
ISCR 00000002 TP
IEMR 00000000
HTCR 00000000 PRS 0 FRS 0 TRG 0 WEN 0 HEN 0 TEN 0
HFCDR ----- EMPTY 007 FULL 007
TPIR 00000000
TICR 00000207
TECR 00000207 ( 519.)
WCDR 0000020D ( 525.)
> quit
)";

}  // namespace perfboard::prompt
