// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of static storage, and never destroyed: exit() runs destructors while threads of vCPUs may still work, or
// do what was queued for them.
//
//   extern Forever<Models> g_models_forever;                        in a header
//   inline constexpr Models& g_models = g_models_forever.object;    an address, known when it is linked
#ifndef PERFBOARD_PLUGINS_FOREVER_H
#define PERFBOARD_PLUGINS_FOREVER_H

namespace perfboard {

template <typename T>
union Forever {
  T object;
  constexpr Forever() : object() {}
  ~Forever() {}  // not its object's
};

}  // namespace perfboard

#endif
