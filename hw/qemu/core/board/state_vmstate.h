/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For each struct of a list (hw/model/state_struct.h): QEMU's description, vmstate_NAME, and how many bytes of it a snapshot
 * holds, NAME_bytes. Whoever checks that number beside a version does not forget to count the version up. */

#include "hw/qemu/series/qemu.h"

#define STATE_VMSTATE(state) STATE_VMSTATE_(state)
#define STATE_VMSTATE_(state) vmstate_##state
#define STATE_INFO(type) STATE_INFO_##type
#define STATE_INFO_int64_t vmstate_info_int64
#define STATE_INFO_uint8_t vmstate_info_uint8
#define STATE_INFO_uint16_t vmstate_info_uint16
#define STATE_INFO_uint32_t vmstate_info_uint32
#define STATE_INFO_uint64_t vmstate_info_uint64

#define BEGIN \
    static const VMStateDescription STATE_VMSTATE(STATE) = { \
        .name = stringify(STATE), .version_id = 1, .minimum_version_id = 1, .fields = (const VMStateField[]) {
#define MEMBER(type, name, legal) VMSTATE_SINGLE(name, STATE, 0, STATE_INFO(type), type),
#define ARRAY(type, name, n, legal) VMSTATE_ARRAY(name, STATE, n, 0, STATE_INFO(type), type),
#define ARRAY2(type, name, n, m, legal) VMSTATE_2DARRAY(name, STATE, n, m, 0, STATE_INFO(type), type),
#define PART(type, name) VMSTATE_STRUCT(name, STATE, 1, STATE_VMSTATE(type), type),
#define PARTS(type, name, n, which) VMSTATE_STRUCT_ARRAY(name, STATE, n, 1, STATE_VMSTATE(type), type),
#define UNSAVED(type, name)
#define UNSAVED_ARRAY(type, name, n)
#define END VMSTATE_END_OF_LIST() } };
#include STATE_LIST
#include "hw/model/state_end.h"

#define STATE_BYTES(state) STATE_BYTES_(state)
#define STATE_BYTES_(state) state##_bytes
#define BEGIN enum { STATE_BYTES(STATE) = 0
#define MEMBER(type, name, legal) + sizeof(type)
#define ARRAY(type, name, n, legal) + sizeof(type) * (n)
#define ARRAY2(type, name, n, m, legal) + sizeof(type) * (n) * (m)
#define PART(type, name) + STATE_BYTES(type)
#define PARTS(type, name, n, which) + STATE_BYTES(type) * (n)
#define UNSAVED(type, name)
#define UNSAVED_ARRAY(type, name, n)
#define END };
#include STATE_LIST
#include "hw/model/state_end.h"
#undef STATE_LIST
