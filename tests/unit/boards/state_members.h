// SPDX-License-Identifier: GPL-2.0-or-later
//
// The members that a board's snapshot has, by name, out of the list that the state is made of
// (hw/model/state_struct.h).
//
//   #define STATE_LIST "hw/x/state.def"
//   #include "tests/unit/boards/member_list.h"
//   members_of<XState>()
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfboard::boards {

struct Member {
  std::string name;   // "node[3].held[0].since"
  std::string plain;  // without the indices
  size_t at;
  size_t bytes;  // of one
  size_t count;
  bool edge;  // of the first or the last part of each list
  bool any;   // every value is legal where it is in use
};
using Members = std::vector<Member>;

struct Prefix {
  std::string name, plain;
  size_t at = 0;
  bool edge = true;
  Prefix part(const char* member, size_t offset) const {
    return {name + member + ".", plain + member + ".", at + offset, edge};
  }
  Prefix part(const char* member, size_t offset, size_t index, size_t count) const {
    return {name + member + "[" + std::to_string(index) + "].", plain + member + ".", at + offset,
            edge && (index == 0 || index == count - 1)};
  }
};

template <typename State>
void add_members(Members& all, const Prefix& prefix);

template <typename State>
Members members_of() {
  Members all;
  add_members<State>(all, {});
  return all;
}

}  // namespace perfboard::boards
