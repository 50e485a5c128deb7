// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/manual.h"
#include "hw/sci/view.h"

int main(int argc, char** argv) {
  return perfboard::manual_main(argc, argv, perfboard::sci::manual_text(), perfboard::sci::sci_view());
}
