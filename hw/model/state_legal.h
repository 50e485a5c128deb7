/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * members_ok() for each struct of a list (hw/model/state_struct.h): what the list says of each member (hw/model/state_check.h). It is
 * included in the board's namespace, behind the names that its limits have. No include guard: once for each list.
 *
 * config: limits may depend on it. used: false: all of the struct must be 0. */
#define BEGIN \
    template <typename Config = std::nullptr_t> \
    void members_ok(StateCheck& check, const STATE& state, const Config& config = {}, bool used = true) { \
        using namespace legal;
#define MEMBER(type, name, legal) check.member(#name, state.name, used ? Legal(legal) : zero);
#define ARRAY(type, name, n, legal) MEMBER(type, name, legal)
#define ARRAY2(type, name, n, m, legal) MEMBER(type, name, legal)
#define PART(type, name) \
    { \
        const StateCheck::Part part(check, #name); \
        members_ok(check, state.name, config, used); \
    }
#define PARTS(type, name, n, which) \
    for (int i = 0; (which || !used) && i < static_cast<int>(n); ++i) { \
        const StateCheck::Part part(check, #name, i); \
        members_ok(check, state.name[i], config, used); \
    }
#define UNSAVED(type, name)
#define UNSAVED_ARRAY(type, name, n)
#define END }
#include STATE_LIST
#include "hw/model/state_end.h"
#undef STATE_LIST
