// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/manual.h"
#include "tests/example/pagecount/pagecount.h"
#include "tests/example/pagecount/registers.h"

int main(int argc, char** argv) {
  constexpr perfboard::ManualPart kParts[] = {{"Registers", perfboard::pagecount::kRegisters}};
  return perfboard::manual_main(argc, argv, perfboard::manual_tables(kParts),
                                *static_cast<const perfboard::BoardView*>(pagecount_view()));
}
