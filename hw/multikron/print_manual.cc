// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/multikron/view.h"

int main(int argc, char** argv) {
  using namespace perfboard;
  return manual_main(argc, argv, manual_tables(mk::kManual), mk::mk_view());
}
