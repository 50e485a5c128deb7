// SPDX-License-Identifier: GPL-2.0-or-later
//
// Manual pages - the register tables of a README.md, printed from the tables that the model runs.
//
//   constexpr ManualPart kManual[] = {{"Registers", kRegisters}};
//   manual_tables(kManual)                      the Markdown text
//   manual_update(page, manual_tables(...))     page with the text between its markers
//   manual_view(surf_view())                    sections: interrupts, sequences, mistakes, effects, errors on purpose
//   int main(int argc, char** argv) { return manual_main(argc, argv, manual_tables(kManual), surf_view()); }
//
// The markers are lines of their own:
//   <!-- registers:begin -->           <!-- view:begin -->
//   <!-- registers:end -->             <!-- view:end -->
// manual_main prints both, or with a file name rewrites that file's. A unit test compares the
// page with manual_update() of itself. With --names it prints what patterns of accesses may name, for
// `perfboard log`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/model/register.h"
#include "hw/model/view.h"

namespace perfboard {

enum class Resets : bool { kNone, kShown };  // what is no register has no value after power-on

struct ManualPart {
  std::string_view title;
  std::span<const Register> registers;
  Resets resets = Resets::kShown;
};

std::string cell(std::string_view text);  // text as it stands in a table: | ends a cell

std::string manual_tables(std::span<const ManualPart> parts);
// What a driver can do to the board and learn from it (view.h), as sections of level 2. A list that is empty
// has none.
std::string manual_view(const BoardView& view);
// JSON, one line: {"board", "registers": [{"name", "entries", "fields"}], "mistakes", "effects", "injected"};
// the names of the view.
std::string manual_names(const BoardView& view);
// Nothing if the page lacks the markers.
std::optional<std::string> manual_update(std::string_view page, std::string_view tables);
std::optional<std::string> manual_update(std::string_view page, std::string_view tables,
                                         std::string_view view);
std::string read_text_file(const std::string& path);
int manual_main(int argc, char** argv, std::span<const ManualPart> parts);
// If there is more than register tables.
int manual_main(int argc, char** argv, const std::string& tables);
int manual_main(int argc, char** argv, const std::string& tables, const BoardView& view);

}  // namespace perfboard
