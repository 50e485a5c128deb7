// SPDX-License-Identifier: GPL-2.0-or-later
//
// Card: the MULTIKRON that mk's commands are about, as mklib opens it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "guest/common/failure.h"
#include "guest/multikron/lib/mklib.h"

namespace perfboard::mk {

class Card {
 public:
  explicit Card(const std::string& device) {
    if (mk_open(device.c_str())) throw system_failure(device);
  }
  ~Card() { mk_close(); }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  const mk_info& info() const { return mk_main.info; }
  uint64_t get(unsigned address) const { return mk_read(&mk_main, address); }
  void set(unsigned address, uint64_t value, const std::string& what) {
    if (mk_set(&mk_main, address, value)) throw system_failure(what);
  }
};

// A set as a user writes it: "0,3-5", "12-", "all", "none", or a mask 0x...; numbers below 16.
uint16_t parse_set(const std::string& text);
std::string set_text(uint16_t set);  // "0,3-5", "all", "none"
// Decimal, or hexadecimal after 0x; at most `most`.
uint64_t legal_number(const std::string& text, uint64_t most);

std::string csr_text(uint32_t csr);
// A word of `mk csr`: a command by name, or a number.
uint32_t parse_csr(const std::string& word);
std::string_view input_name(unsigned input);    // of a counter
unsigned parse_input(const std::string& name);  // or the paper's word
std::string input_words();                      // all of them

void show_status(const Card& card, bool csv);
void show_counters(const Card& card, uint16_t set, bool csv);
void show_sources(const Card& card, bool csv);
void show_time(const Card& card, bool csv);

}  // namespace perfboard::mk
