// SPDX-License-Identifier: GPL-2.0-or-later
//
// EISA configuration files (README.md): what a board asks for, and which bits of its registers tell it what
// it got.
//
//   const CfgFile f = read_cfg(name, text);       throws CfgError: "name:12: ..." or "name: ..."
//   for (const CfgGroup& g : f.groups) ...        alternative n of a group goes with alternative n of each of its lists
//   cfg_value(f, g, n)                            what the registers' bytes are then
//
// Read is what the boards' files have: BOARD with its statements, IOPORT blocks of a byte each, and functions
// of LINK and FREE groups with memories, interrupts and INITs. Whatever else stands in a file is an error, as
// nobody here would carry it out.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfboard::eisa {

struct CfgError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CfgInit {
  uint32_t port;                    // i of IOPORT(i)
  std::vector<uint32_t> bits;       // LOC, in its order, which falls
  std::vector<std::string> values;  // of each alternative: 0 and 1, in the order of LOC
};

using CfgSays = std::map<std::string, std::string>;  // a block's other statements

struct CfgMemory {
  uint64_t bytes;
  std::vector<uint32_t> addresses;  // of each alternative
  CfgSays says;
};

struct CfgGroup {
  std::string function, choice;
  bool link;                   // or FREE: it needs nothing of the machine
  bool disables;               // the choice is to do without
  std::vector<uint32_t> irqs;  // of each alternative
  CfgSays irq_says;
  std::vector<CfgMemory> memories;
  std::vector<CfgInit> inits;

  size_t alternatives() const { return inits.empty() ? 0 : inits[0].values.size(); }
};

struct CfgFile {
  std::vector<std::pair<std::string, std::string>> board;  // in their order, without quotes
  std::map<uint32_t, uint32_t> ports;  // i of IOPORT(i): offset in the slot; written in this order
  std::vector<std::string> functions;
  std::vector<CfgGroup> groups;

  const std::string& says(const std::string& key) const;  // of the board; empty: nothing
  uint32_t product_id() const;                            // as at nC80 (hw/eisa/eisa_id.h)
};

CfgFile read_cfg(std::string_view name, std::string_view text);

// The offset of a register's byte in the slot, and the byte; and which of its bits are the group's.
using CfgBytes = std::map<uint32_t, uint8_t>;
CfgBytes cfg_value(const CfgFile& f, const CfgGroup& g, size_t alternative);
CfgBytes cfg_mask(const CfgFile& f, const CfgGroup& g);

}  // namespace perfboard::eisa
