// SPDX-License-Identifier: GPL-2.0-or-later
//
// PERFBOARD_TOOL(NAME) { ... } is the main() of a tool, in a program that has many (guest/tools).
//
// The linker puts the rows of all tools in one section and names its ends: the program needs no list of them.
#pragma once

namespace perfboard {

struct ToolMain {
  const char* name;
  int (*main)(int argc, char** argv);
};

}  // namespace perfboard

// The alignment is what the type needs, and no compiler's larger one: there are no gaps between rows.
#define PERFBOARD_TOOL(tool)                                                                            \
  static int main_of_##tool(int argc, char** argv);                                                     \
  alignas(perfboard::ToolMain)                                                                          \
      [[gnu::section("perfboard_tools"), gnu::used]] static const perfboard::ToolMain row_of_##tool = { \
          #tool, main_of_##tool};                                                                       \
  static int main_of_##tool(int argc, char** argv)
