// SPDX-License-Identifier: GPL-2.0-or-later
//
// Table 1: what MMCR leaves to be counted. Each bit takes contexts away, so its contradictory rows count
// nothing.
#include "hw/power2/model.h"

namespace perfboard::p2 {
namespace {

struct Disables {
  uint32_t bit;
  unsigned contexts;
};
constexpr Disables kDisables[] = {
    {bits("MMCR.DIS"), P2_ANY_CONTEXT},          {bits("MMCR.DP"), P2_KERNEL | P2_KERNEL_MARKED},
    {bits("MMCR.DU"), P2_USER | P2_USER_MARKED}, {bits("MMCR.DMS"), P2_USER_MARKED | P2_KERNEL_MARKED},
    {bits("MMCR.DMR"), P2_USER | P2_KERNEL},
};

}  // namespace

unsigned counting(uint32_t mmcr) {
  unsigned contexts = P2_ANY_CONTEXT;
  for (const Disables& d : kDisables)
    if (mmcr & d.bit) contexts &= ~d.contexts;
  return contexts;
}

}  // namespace perfboard::p2
