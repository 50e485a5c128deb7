// SPDX-License-Identifier: GPL-2.0-or-later
// Precompiled for programs of several files.
#include <gtest/gtest.h>
