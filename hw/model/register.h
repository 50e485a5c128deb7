// SPDX-License-Identifier: GPL-2.0-or-later
//
// Register tables - the paper's tables as constexpr data, and the rules they obey.
//
//   constexpr Field kIscrFields[] = {
//       {"PEND", 31, 31, Access::ro, 0, "Interrupt Pending", "p. 57"},
//       {"TC",    0,  0, Access::w1c, 0, "Trace Complete", "p. 57"},
//   };
//   constexpr Register kRegisters[] = {
//       {"ISCR", 0x18, 1, kIscrFields, "Interrupt Status / Control Register", "p. 57"},
//   };
//   static_assert(table_ok(kRegisters));
//
// Bits that no field names are unused: they read 0 and writes to them are ignored.
// Registers are 32 bits wide, little endian, at offsets that are multiples of 4.
// The bank (bank.h) applies the table to an access; hw/model/manual.h prints it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace perfboard {

// Reached in a constant expression it does not compile; at run time it is our own bug.
[[noreturn]] inline void no_such_name() { std::abort(); }

enum class Access : uint8_t {
  rw,        // read and write
  ro,        // read only; writes ignored
  wo,        // write only; reads 0
  w1c,       // read; writing 1 clears, writing 0 leaves alone
  wa,        // read; a write acts, whatever its data, as the text says (the board does it)
  reserved,  // the paper names it and keeps it for later; reads 0, writes ignored
};

struct Field {
  std::string_view name;
  uint8_t msb;  // 31..0
  uint8_t lsb;  // <= msb
  Access access;
  uint32_t reset;           // value of the field (not shifted) after power-on
  std::string_view text;    // what it means; the manual page prints it
  std::string_view source;  // "p. 57" or "INFERRED: why"

  constexpr uint32_t mask() const { return (0xffffffffu >> (31 - (msb - lsb))) << lsb; }
  constexpr uint32_t get(uint32_t value) const { return (value & mask()) >> lsb; }
  constexpr uint32_t set(uint32_t value, uint32_t field) const {
    return (value & ~mask()) | ((field << lsb) & mask());
  }
};

struct Register {
  std::string_view name;
  uint32_t offset;          // bytes from the board's register base
  uint8_t min_write_bytes;  // narrower writes are ignored (1, 2 or 4)
  std::span<const Field> fields;
  std::string_view title;
  std::string_view source;

  constexpr uint32_t mask(Access access) const {
    uint32_t m = 0;
    for (const Field& f : fields)
      if (f.access == access) m |= f.mask();
    return m;
  }
  constexpr uint32_t readable() const {
    uint32_t m = 0;
    for (const Field& f : fields)
      if (f.access != Access::wo && f.access != Access::reserved) m |= f.mask();
    return m;
  }
  constexpr uint32_t reset() const {
    uint32_t v = 0;
    for (const Field& f : fields) v = f.set(v, f.reset);
    return v;
  }
  // The field of that name; a name that the table lacks does not compile (constexpr use).
  constexpr const Field& field(std::string_view name_wanted) const {
    for (const Field& f : fields)
      if (f.name == name_wanted) return f;
    no_such_name();
  }
};

// The rules every table obeys; use in a static_assert beside the table.
constexpr bool table_ok(std::span<const Register> table) {
  uint32_t last = 0;
  bool first = true;
  for (const Register& r : table) {
    if (r.offset % 4 != 0) return false;
    if (!first && r.offset <= last) return false;  // ascending: no overlap
    first = false;
    last = r.offset;
    if (r.min_write_bytes != 1 && r.min_write_bytes != 2 && r.min_write_bytes != 4) return false;
    if (r.name.empty() || r.title.empty() || r.source.empty()) return false;
    uint32_t seen = 0;
    for (const Field& f : r.fields) {
      if (f.msb > 31 || f.lsb > f.msb) return false;
      if (seen & f.mask()) return false;
      seen |= f.mask();
      if (f.get(f.set(0, f.reset)) != f.reset) return false;  // the reset value fits
      if (f.reset && (f.access == Access::wo || f.access == Access::reserved)) return false;
      if (f.name.empty() || f.text.empty() || f.source.empty()) return false;
    }
  }
  return true;
}

// Words in a table's form that are no registers: nobody writes them, and none has a reset value.
constexpr bool words_ok(std::span<const Register> table) {
  for (const Register& r : table)
    for (const Field& f : r.fields)
      if (f.access != Access::ro || f.reset) return false;
  return table_ok(table);
}

constexpr const Register* find(std::span<const Register> table, uint32_t offset) {
  for (const Register& r : table)
    if (r.offset == offset) return &r;
  return nullptr;
}

constexpr bool among(std::span<const Register> table, const Register* reg) {
  return reg >= table.data() && reg < table.data() + table.size();
}

constexpr const Register& at(std::span<const Register> table, std::string_view name) {
  for (const Register& r : table)
    if (r.name == name) return r;
  no_such_name();
}

// Registers that are alike but for a number: n of them, `step` bytes apart, and the number in the first one's
// name and title counts up. All tables' rows, one after another, are a table.
//
//   inline constexpr Register kSource0 = {"SRC0", 0x40, 4, kSourceFields, "Source Address Register 0", "p. 8"};
//   inline constexpr auto kRegisters = one_table(kFirst, numbered<kSource0, 8>, ...);
using NumberedText = std::array<char, 48>;  // ends with a zero: names go to C as well
constexpr NumberedText counted_up(std::string_view text, size_t by) {
  NumberedText out{};
  size_t to = 0, i = 0, number = by;
  const auto digit = [&] { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  while (i < text.size() && !digit()) out[to++] = text[i++];
  if (i == text.size()) return out;
  for (size_t first = 0; digit(); number = first + by) first = 10 * first + size_t(text[i++] - '0');
  if (number >= 10) out[to++] = char('0' + number / 10);
  out[to++] = char('0' + number % 10);
  while (i < text.size()) out[to++] = text[i++];
  return out;
}
template <const Register& first, size_t n>
inline constexpr auto kNumberedTexts = [] {
  std::array<std::array<NumberedText, 2>, n> all{};
  for (size_t i = 0; i < n; ++i) all[i] = {counted_up(first.name, i), counted_up(first.title, i)};
  return all;
}();
template <const Register& first, size_t n, uint32_t step = 4>
inline constexpr auto numbered = [] {
  std::array<Register, n> all{};
  for (size_t i = 0; i < n; ++i) {
    all[i] = first;
    all[i].name = kNumberedTexts<first, n>[i][0].data();
    all[i].title = kNumberedTexts<first, n>[i][1].data();
    all[i].offset += step * static_cast<uint32_t>(i);
  }
  return all;
}();

template <size_t... n>
constexpr auto one_table(const std::array<Register, n>&... parts) {
  std::array<Register, (n + ...)> all{};
  size_t i = 0;
  const auto add = [&](const auto& part) {
    for (const Register& r : part) all[i++] = r;
  };
  (add(parts), ...);
  return all;
}

}  // namespace perfboard
