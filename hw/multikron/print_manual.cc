// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/multikron/manual_parts.h"

int main(int argc, char** argv) { return perfboard::manual_main(argc, argv, perfboard::mk::kManual); }
