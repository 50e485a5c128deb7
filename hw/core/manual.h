// SPDX-License-Identifier: GPL-2.0-or-later
//
// Manual pages - the register tables of a README.md, printed from the tables that the model runs.
//
//   constexpr ManualPart kManual[] = {{"Registers", kRegisters}};
//   manual_tables(kManual)                      the Markdown text
//   manual_update(page, manual_tables(...))     page with the text between its markers
//   int main(int argc, char** argv) { return manual_main(argc, argv, kManual); }
//
// The markers are lines of their own:
//   <!-- registers:begin -->
//   <!-- registers:end -->
// manual_main prints the tables, or with a file name rewrites that file's. A unit test compares the
// page with manual_update() of itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/core/register.h"

namespace perfboard {

enum class Resets : bool { kNone, kShown };  // what is no register has no value after power-on

struct ManualPart {
  std::string_view title;
  std::span<const Register> registers;
  Resets resets = Resets::kShown;
};

std::string manual_tables(std::span<const ManualPart> parts);
// Nothing if the page lacks the markers.
std::optional<std::string> manual_update(std::string_view page, std::string_view tables);
std::string read_text_file(const std::string& path);
int manual_main(int argc, char** argv, std::span<const ManualPart> parts);
// If there is more than register tables.
int manual_main(int argc, char** argv, const std::string& tables);

}  // namespace perfboard
