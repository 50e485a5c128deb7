// SPDX-License-Identifier: GPL-2.0-or-later
//
// BOARD-manual, compiled for each board by hw/meson.build: BOARD_VIEW is the board's view.h, VIEW its view,
// and TEXT what stands between the page's markers.
#include "hw/model/manual.h"
#include BOARD_VIEW

int main(int argc, char** argv) {
  using namespace perfboard;
  return manual_main(argc, argv, TEXT, VIEW);
}
