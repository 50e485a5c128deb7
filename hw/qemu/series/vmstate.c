/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Descriptions of snapshots, as the running QEMU reads them. Their fields' layout is looked at in two of QEMU's own. QEMU 11.1.3 has another one than
 * 11.1.1, whose headers there are: a field says of the numbers that it needs how wide they are, too. There, descriptions are made anew. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/series/insides.h"

/* vmstate_fifo8: a buffer whose size is a number of 32 bits. vmstate_hid_keyboard_device: an array. */

static bool as_headers(void)
{
    const VMStateField *buffer = vmstate_fifo8.fields, *array = vmstate_hid_keyboard_device.fields;

    return buffer->size_offset == offsetof(Fifo8, capacity) && (buffer->flags & VMS_VBUFFER) && buffer->info == &vmstate_info_buffer &&
           array->num == QUEUE_LENGTH && (array->flags & VMS_ARRAY) && array->info == &vmstate_info_uint32;
}

#ifdef PB_FIELDS_WITH_WIDTHS
typedef struct Number {
    uint32_t offset;
    uint8_t bytes;
} Number;

typedef struct Field {
    const char *name;
    size_t offset, size;
    Number size_offset, num_offset;
    size_t start;
    int num;
    const VMStateInfo *info;
    enum VMStateFlags flags;
    const VMStateDescription *vmsd;
    int version_id, struct_version_id;
    bool (*field_exists)(void *opaque, int version_id);
} Field;

QEMU_BUILD_BUG_ON(sizeof(Field) != sizeof(VMStateField) || offsetof(Field, info) != offsetof(VMStateField, info));

static bool with_widths(void)
{
    const Field *buffer = (const Field *)vmstate_fifo8.fields, *array = (const Field *)vmstate_hid_keyboard_device.fields;

    return buffer->size_offset.offset == offsetof(Fifo8, capacity) && buffer->size_offset.bytes == sizeof(uint32_t) &&
           array->num == QUEUE_LENGTH && array->num_offset.bytes == 0;
}

static Number number(size_t offset, unsigned bytes)
{
    return (Number) { .offset = bytes ? offset : 0, .bytes = bytes };
}

static unsigned bytes_of_num(const VMStateField *f)
{
    return f->flags & (VMS_VARRAY_INT32 | VMS_VARRAY_UINT32) ? 4 : f->flags & VMS_VARRAY_UINT16 ? 2 : f->flags & VMS_VARRAY_UINT8 ? 1 : 0;
}

static const VMStateDescription *made_anew(const VMStateDescription *d)
{
    VMStateDescription *copy = g_memdup2(d, sizeof(*d));
    GArray *fields = g_array_new(false, false, sizeof(Field));

    for (const VMStateField *f = d->fields;; f++) {
        Field field = { f->name, f->offset, f->size, number(f->size_offset, f->flags & VMS_VBUFFER ? 4 : 0),
                        number(f->num_offset, bytes_of_num(f)), f->start, f->num, f->info, f->flags, f->vmsd ? pb_vmstate(f->vmsd) : NULL,
                        f->version_id, f->struct_version_id, f->field_exists };

        g_array_append_val(fields, field);
        if (f->flags & VMS_END) {
            break;
        }
    }
    copy->fields = (const VMStateField *)g_array_free(fields, false);
    return copy;
}
#else
static bool with_widths(void)
{
    return false;
}

static const VMStateDescription *made_anew(const VMStateDescription *d)
{
    return d;
}
#endif

const VMStateDescription *pb_vmstate(const VMStateDescription *d)
{
    static GHashTable *known; /* ours: QEMU's */
    const VMStateDescription *made;

    if (!known) {
        known = g_hash_table_new(NULL, NULL);
        pb_inside_needed("snapshots", as_headers() || with_widths());
    }
    if (d == &vmstate_pci_device || d->unmigratable || !with_widths()) {
        return d;
    }
    made = g_hash_table_lookup(known, d);
    if (!made) {
        made = made_anew(d);
        g_hash_table_insert(known, (void *)d, (void *)made);
    }
    return made;
}
