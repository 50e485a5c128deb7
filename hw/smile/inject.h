// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose, as the monitor's other parts ask for them (smile.h: smile_inject).
#pragma once

#include "hw/smile/model.h"

namespace perfboard::smile {

// Whether heard() is to be asked.
inline bool hears_badly(const SmileHwm* m) { return m->state.inject.drop | m->state.inject.damage; }
// False: the packet is not heard at all. It may be damaged.
bool heard(SmileHwm* m, SciPacket& packet);

}  // namespace perfboard::smile
