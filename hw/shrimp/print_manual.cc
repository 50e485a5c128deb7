// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/manual.h"
#include "hw/shrimp/view.h"

int main(int argc, char** argv) {
  using namespace perfboard;
  return manual_main(argc, argv, sni::manual_text(), sni::sni_view());
}
