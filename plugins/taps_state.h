// SPDX-License-Identifier: GPL-2.0-or-later
//
// The taps themselves, for taps.cc, which makes them, and pass.cc, which tells them.
#ifndef PERFBOARD_PLUGINS_TAPS_STATE_H
#define PERFBOARD_PLUGINS_TAPS_STATE_H

#include "plugins/layer.h"

struct PbTap {
  PbTapOps ops;
  void* opaque;
  unsigned number;  // its bit in Pages
  PbTapLevel level;
  PbModel* caches;
  // What the fast paths had counted for taps without caches when this one began to listen; of that, what came
  // in earlier times that it listened; and what it has taken of all.
  PbBusCounts begun, kept, taken;
};

namespace perfboard {

struct Taps {
  PbTap* tap[PB_MOST_TAPS];  // nullptr: a free place
  // A bit for each tap: at PB_TAP_STORES or above; at PB_TAP_PAGES.
  std::atomic<uint32_t> stores, loads;
  std::atomic<uint32_t> types;  // asked for memory types
  // By model of caches: the taps whose pages are write-through there.
  std::atomic<uint32_t> write_through[PB_MOST_MODELS];
};

extern Taps g_taps;

}  // namespace perfboard
#endif
