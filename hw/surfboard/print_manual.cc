// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surfboard/view.h"

int main(int argc, char** argv) {
  using namespace perfboard;
  return manual_main(argc, argv, manual_tables(surf::kManual), surf::surf_view());
}
