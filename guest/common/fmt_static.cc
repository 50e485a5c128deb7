// SPDX-License-Identifier: GPL-2.0-or-later
//
// fmt's functions for static programs. Debian has no static libfmt, and its headers can hold all of it; but
// then each file that formats anything compiles all of it, for three seconds. So one file does, with
// -fkeep-inline-functions and without inlining, and the others use fmt as if it were a library.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace perfboard {

// What this calls is emitted: the formatting of every type.
std::string emit_fmt(fmt::string_view text, fmt::format_args args) { return fmt::vformat(text, args); }

}  // namespace perfboard
