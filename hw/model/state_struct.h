/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A board's state, described once: state.def lists the members of its structs, with type, legal values and meaning.
 *
 *   #define STATE XState
 *   BEGIN
 *     MEMBER(uint32_t, csr, any)      fixed width: intN_t, uintN_t; which values are legal: hw/model/state_check.h
 *     ARRAY(uint8_t, shift, 9, flag)
 *     ARRAY2(uint32_t, table, 512, 2, up_to(511))
 *     PART(XClock, clock)             a struct that stands before this one in a list
 *     PARTS(XPacket, packet, 4, all)
 *     UNSAVED(uint64_t, armed)        not in a snapshot: worked out again after loading, or unused
 *     UNSAVED_ARRAY(uint8_t, spare, 3)
 *   END
 *   #undef STATE
 *
 * Of the list are made
 *
 *   the structs, for C and C++       #define STATE_LIST "hw/x/state.def"
 *                                    #include "hw/model/state_struct.h"
 *   what QEMU saves, in its order    #define STATE_LIST "hw/x/state.def"
 *                                    #include "hw/qemu/core/board/state_vmstate.h"
 *
 *   what is legal of each member     #define STATE_LIST "hw/x/state.def"
 *                                    #include "hw/model/state_legal.h"
 *
 * and nothing else names all members. No include guard: this file is included once for each list. */
#define BEGIN typedef struct STATE {
#define MEMBER(type, name, legal) type name;
#define ARRAY(type, name, n, legal) type name[n];
#define ARRAY2(type, name, n, m, legal) type name[n][m];
#define PART(type, name) type name;
#define PARTS(type, name, n, which) type name[n];
#define UNSAVED(type, name) type name;
#define UNSAVED_ARRAY(type, name, n) type name[n];
/* In C++ two are equal if all members are. Bytes between members are nobody's. */
#ifdef __cplusplus
#define END bool operator==(const STATE&) const = default; } STATE;
#else
#define END } STATE;
#endif
#include STATE_LIST
#include "hw/model/state_end.h"
#undef STATE_LIST
