// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>

#include "hw/sci/fabric.h"
#include "hw/sci/timing.h"

namespace perfboard::sci {
namespace {

constexpr uint64_t kWord = 64;  // symbols
constexpr uint64_t kWords = SCI_CALENDAR / kWord;
constexpr uint64_t kLongest = kLongestQueue / kSymbol;

constexpr uint64_t lowest(uint64_t n) { return n >= kWord ? UINT64_MAX : (uint64_t{1} << n) - 1; }

// The calendar begins with the word that holds `now`. Words that were behind it are taken up to the tail.
void advance(SciLine& l, uint64_t now) {
  const uint64_t first = now / kWord;
  if (first <= l.first) return;
  for (uint64_t w = std::max(l.first + kWords, first); w < first + kWords; ++w)
    l.busy[w % kWords] = lowest(l.tail > w * kWord ? l.tail - w * kWord : 0);
  l.first = first;
}

// Which of n symbols from t on are taken, n < kWord.
uint64_t taken(const SciLine& l, uint64_t t, uint64_t n) {
  const uint64_t word = t / kWord, bit = t % kWord;
  uint64_t bits = l.busy[word % kWords] >> bit;
  if (bit) bits |= l.busy[(word + 1) % kWords] << (kWord - bit);
  return bits & lowest(n);
}

void mark(SciLine& l, uint64_t t, uint64_t n) {
  const uint64_t word = t / kWord, bit = t % kWord;
  l.busy[word % kWords] |= lowest(n) << bit;
  if (bit + n > kWord) l.busy[(word + 1) % kWords] |= lowest(bit + n - kWord);
}

}  // namespace

uint64_t take_line(SciLine& l, uint64_t now, uint64_t ns, uint64_t symbols, uint64_t step) {
  const auto aligned = [&](uint64_t t) { return (t + step - 1) / step * step; };
  advance(l, now / kSymbol);
  const uint64_t end = (l.first + kWords) * kWord;
  uint64_t t = aligned(std::max((ns + kSymbol - 1) / kSymbol, l.first * kWord));
  while (t + symbols <= end) {
    const uint64_t others = taken(l, t, symbols);
    if (!others) {
      mark(l, t, symbols);
      return t * kSymbol;
    }
    t = aligned(t + std::bit_width(others));
  }
  t = std::min(aligned(std::max({t, end, l.tail})), aligned(now / kSymbol + kLongest));
  l.tail = t + symbols;
  return t * kSymbol;
}

}  // namespace perfboard::sci
