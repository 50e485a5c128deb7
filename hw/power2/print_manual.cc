// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/manual.h"
#include "hw/power2/manual_text.h"

int main(int argc, char** argv) { return perfboard::manual_main(argc, argv, perfboard::p2::manual_text()); }
