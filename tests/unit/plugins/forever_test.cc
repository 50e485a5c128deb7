// SPDX-License-Identifier: GPL-2.0-or-later
//
// What vCPUs' threads use is there while the process ends: exit() does not wait for them.
#include "plugins/forever.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "plugins/models_state.h"

namespace perfboard {
namespace {

constexpr int kThere = 7;
bool g_ending;

// As a thread that still works, when all that is destroyed has been.
void look() {
  if (!g_ending) return;
  unsigned holders = 0;
  for (const auto& model : g_models.caches.models)
    if (model) holders += model->handle.holders;
  _exit(holders == 1 ? kThere : 1);
}

// Before any object of static storage is made, so behind them at the end.
[[gnu::constructor(101)]] void first() { std::atexit(look); }

TEST(Forever, AModelIsThereWhileTheProcessEnds) {
  const auto end = [] {
    const CacheGeometry geometry{1024, 2, 0, 1, 32};
    char why[200] = "";
    if (!pb_model_caches(&geometry, why, sizeof why)) _exit(2);
    g_ending = true;
    std::exit(0);
  };
  EXPECT_EXIT(end(), ::testing::ExitedWithCode(kThere), "");
}

}  // namespace
}  // namespace perfboard
