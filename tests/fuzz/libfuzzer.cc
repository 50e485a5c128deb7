// SPDX-License-Identifier: GPL-2.0-or-later
//
// Beside a target that libFuzzer runs, in driver.cc's place: at the end, a line like libFuzzer's own with
// -print_final_stats=1.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerInitialize(int*, char***);

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  GTEST_FLAG_SET(throw_on_failure, true);  // as in driver.cc
  return std::atexit([] {
    std::fprintf(stderr, "stat::operations: %llu\n",
                 static_cast<unsigned long long>(perfboard::fuzz::operations));
  });
}
