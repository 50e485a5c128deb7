// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/manual.h"
#include "hw/power2/manual_text.h"
#include "hw/power2/view.h"

int main(int argc, char** argv) {
  using namespace perfboard;
  return manual_main(argc, argv, p2::manual_text(), p2::p2_view());
}
