// SPDX-License-Identifier: GPL-2.0-or-later
//
// One program for many tools, as busybox is for its applets: the name that it is called by says which. A
// static C++ program is 3 MB, nearly all of it libraries, and the guest has 23.
#include <cstdio>
#include <string_view>

#include "guest/common/tool_main.h"

// The linker's names for the ends of the section (PERFBOARD_TOOL).
extern const perfboard::ToolMain __start_perfboard_tools[], __stop_perfboard_tools[];

int main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const perfboard::ToolMain* tool = __start_perfboard_tools; tool != __stop_perfboard_tools; tool++)
    if (name == tool->name) return tool->main(argc, argv);
  std::fprintf(stderr, "%.*s: no tool has this name; legal names of links to this program are",
               static_cast<int>(name.size()), name.data());
  for (const perfboard::ToolMain* tool = __start_perfboard_tools; tool != __stop_perfboard_tools; tool++)
    std::fprintf(stderr, "%s %s", tool == __start_perfboard_tools ? "" : ",", tool->name);
  std::fputs("\n", stderr);
  return 2;
}
