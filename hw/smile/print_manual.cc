// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/smile/manual_parts.h"

int main(int argc, char** argv) { return perfboard::manual_main(argc, argv, perfboard::smile::kManual); }
