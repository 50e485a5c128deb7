// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/smile/view.h"

int main(int argc, char** argv) {
  return perfboard::manual_main(argc, argv, perfboard::manual_tables(perfboard::smile::kManual),
                                perfboard::smile::smile_view());
}
