// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a BoardView (view.h) is one that the log, the coverage and the manual page can work with.
//
//   EXPECT_EQ(view_error(surf_view()), "");
//
// Checked: every list's names are unique, lower case and without spaces, or registers' names; every condition
// and enumerated field names a field of the tables, and its values fit; texts and sources are there; an
// injection's example names its property. What only the board knows (place, peek, whether a mistake is ever
// told of) its own tests check.
#pragma once

#include <string>

#include "hw/core/view.h"

namespace perfboard {

// The field "REG.FIELD" of the tables; none: null.
const Field* find_field(const BoardView& view, std::string_view dotted);

// Empty: nothing is wrong. Else one line that names the row.
std::string view_error(const BoardView& view);

}  // namespace perfboard
