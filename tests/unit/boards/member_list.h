// SPDX-License-Identifier: GPL-2.0-or-later
//
// add_members() for each struct of STATE_LIST: see state_members.h. No include guard: this file is included
// once for each list.
#define ROW(type, member_, n, legal)                                                                    \
  all.push_back({prefix.name + #member_, prefix.plain + #member_, prefix.at + offsetof(STATE, member_), \
                 sizeof(type), n, prefix.edge, std::string_view(#legal) == "any"});
#define BEGIN \
  template <> \
  inline void add_members<STATE>(Members & all, const Prefix& prefix) {
#define MEMBER(type, member_, legal) ROW(type, member_, 1, legal)
#define ARRAY(type, member_, n, legal) ROW(type, member_, n, legal)
#define ARRAY2(type, member_, n, m, legal) ROW(type, member_, n* m, legal)
#define PART(type, member_) add_members<type>(all, prefix.part(#member_, offsetof(STATE, member_)));
#define PARTS(type, member_, n, which) \
  for (size_t i = 0; i < n; ++i)       \
    add_members<type>(all, prefix.part(#member_, offsetof(STATE, member_) + i * sizeof(type), i, n));
#define UNSAVED(type, member_)
#define UNSAVED_ARRAY(type, member_, n)
#define END }
namespace perfboard::boards {
#include STATE_LIST
}
#include "hw/model/state_end.h"
#undef ROW
#undef STATE_LIST
