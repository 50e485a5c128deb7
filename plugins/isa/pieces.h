// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pieces - where the accesses that TCG makes for an instruction are not the processor's, one by one. Which
// instructions, and why: the tables isa/x86/helped.def and isa/ppc/helped.def.
//
//   Pieced p;
//   p.begin(pieces, mask);                            the instruction begins; mask: the register that chooses, if one does
//   const Pieced::Step s = p.next(vaddr, bytes, store);   at each access of TCG's
#ifndef PERFBOARD_PLUGINS_ISA_PIECES_H
#define PERFBOARD_PLUGINS_ISA_PIECES_H

#include <bit>
#include <cstdint>

namespace perfboard {

struct Pieces {
  // Bit n: TCG's access number n, from 0 on, begins one of the processor's; the others are parts of the one
  // before. Those behind bit 15 begin one.
  uint16_t begins = 0xffff;
  // The elements of a vector register choose by their sign what is accessed: its number, bytes of an element,
  // halves of 16 bytes; 0: none does. TCG accesses each element that is chosen (stores), or each half, chosen
  // or not (loads); the processor each half of which an element is chosen.
  // reserved: what TCG stores to FXSAVE's opcode and its reserved bytes is none of the processor's
  // (QEMU 11.1.3 stores it, earlier ones do not).
  uint8_t mask = 0, element : 7 = 0, reserved : 1 = 0;
  uint8_t halves : 7 = 0, by_element : 1 = 0;
  // The processor loads so many more, of so many bytes, that begin so far behind TCG's third load of 2 bytes.
  uint8_t more = 0, more_bytes = 0, more_from = 0;

  bool operator==(const Pieces&) const = default;
  bool any() const { return *this != Pieces{}; }
  void* pack() const { return reinterpret_cast<void*>(std::bit_cast<uint64_t>(*this)); }
  static Pieces unpack(void* p) { return std::bit_cast<Pieces>(uint64_t{reinterpret_cast<uintptr_t>(p)}); }
};
static_assert(sizeof(Pieces) == sizeof(uint64_t));

class Pieced {
 public:
  struct Step {
    bool absent;    // the processor does not make it
    bool begins;    // an access of the processor's; else it goes on
    unsigned more;  // loads of Pieces::more_bytes that follow, from `from` on
    uint64_t from;

    unsigned count() const { return begins + more; }
  };

  // mask: four words, the lowest first.
  void begin(const Pieces& pieces, const uint64_t* mask) {
    pieces_ = pieces;
    number_ = words_ = 0;
    if (pieces.halves) pieces_.begins = chosen(mask);
  }

  // QEMU may begin an instruction again without telling (a device in its middle): the first access comes
  // again then.
  Step next(uint64_t vaddr, unsigned bytes, bool store) {
    if (vaddr == first_ || number_ == 0) number_ = words_ = 0, first_ = vaddr;
    const bool none = pieces_.reserved && reserved(vaddr - first_);
    const bool begins = !none && (number_ > 15 || (pieces_.begins >> number_ & 1));
    if (number_ <= 15) ++number_;
    const bool third = pieces_.more && !store && bytes == 2 && ++words_ == 3;
    return {none || (pieces_.halves && !pieces_.by_element && !begins), begins, third ? pieces_.more : 0u,
            vaddr + pieces_.more_from};
  }
  // A part of the newest access is still to come: a fault now is that access's, which the processor has not
  // made.
  bool torn() const { return number_ > 0 && number_ <= 15 && !(pieces_.begins >> number_ & 1); }
  unsigned more_bytes() const { return pieces_.more_bytes; }

 private:
  // Of FXSAVE's image: eight registers of ten bytes begin at 32, 16 apart.
  static bool reserved(uint64_t at) { return at == 6 || (at >= 32 && at < 160 && at % 16 >= 10); }
  uint16_t chosen(const uint64_t* mask) const {
    uint16_t begins = 0;
    unsigned made = 0;
    for (unsigned at = 0; at < 16u * pieces_.halves; at += 16) {
      bool first = true;
      for (unsigned last = at + pieces_.element - 1; last < at + 16; last += pieces_.element) {
        if (!(mask[last / 8] >> (8 * (last % 8) + 7) & 1)) continue;
        if (first) begins |= static_cast<uint16_t>(1u << (pieces_.by_element ? made : at / 16));
        first = false;
        ++made;
      }
    }
    return begins;
  }

  Pieces pieces_;
  unsigned number_ = 0, words_ = 0;
  uint64_t first_ = 0;
};

}  // namespace perfboard
#endif
