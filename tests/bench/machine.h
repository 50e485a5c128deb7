// SPDX-License-Identifier: GPL-2.0-or-later
//
// Machine - time and a timer for a model that is measured. Nothing else happens in it.
#pragma once

#include <cstdint>

#include "hw/model/host.h"

namespace perfboard::bench {

struct Machine {
  uint64_t now = 1'000'000, armed = PB_NEVER;

  PbHost host() {
    return {
        .opaque = this,
        .now = [](void* o) { return static_cast<Machine*>(o)->now; },
        .set_irq = [](void*, bool) {},
        .arm = [](void* o, uint64_t t) { static_cast<Machine*>(o)->armed = t; },
        .dma_read = [](void*, uint64_t, void*, uint32_t) { return true; },
        .dma_write = [](void*, uint64_t, const void*, uint32_t) { return true; },
        .log = [](void*, pb_log_kind, const char*) {},
    };
  }
};

}  // namespace perfboard::bench
