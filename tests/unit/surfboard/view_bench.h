// SPDX-License-Identifier: GPL-2.0-or-later
//
// A SurfBoard on a bench that hears what the board tells of: mistakes and effects.
//
//   ViewBench bench;  bench.read("HFDR");  bench.mistakes.contains(kFifoEmpty)
//   bench.effects.at(kRecorded)            the value that was told last
#pragma once

#include <map>
#include <set>
#include <string>

#include "hw/surfboard/view.h"
#include "tests/unit/surfboard/fixture.h"
#include "tests/unit/surfboard/has_fixture.h"

namespace perfboard::surf {

struct ViewBench : SurfBench {
  ViewBench() {
    board.host.mistake = [](void* o, unsigned number, const char* line) {
      self(o).mistakes.insert(number);
      self(o).last_line = line;
    };
    board.host.effect = [](void* o, unsigned number, uint64_t value) { self(o).effects[number] = value; };
  }
  // The bitstream goes in as a driver sends it.
  void load(const has::Bits& bits) {
    write("FCCR", 1);
    write("FCCR", 0);
    for (const bool bit : bits) write("FCDR", bit);
  }

  std::set<unsigned> mistakes;
  std::map<unsigned, uint64_t> effects;
  std::string last_line;

 private:
  static ViewBench& self(void* opaque) {
    return static_cast<ViewBench&>(*static_cast<SurfBench*>(opaque));
  }
};

inline has::Bits good_stream() { return has::stream({}); }
inline has::Bits bad_stream() {
  has::Bits bits = good_stream();
  bits[has::kFrame0 + 3].flip();
  return bits;
}

}  // namespace perfboard::surf
