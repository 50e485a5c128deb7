/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a SurfBoard: its state, member by member, and what somebody outside
 * does to its wire. The memories are RAM that QEMU saves itself.
 *
 * A snapshot is read into `image`, and only a whole one that surf_load() accepts gets into the board.
 * The board is powered on anew before the reading begins, and stays so if that or the check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/surfboard/surfboard.h"

static const VMStateDescription vmstate_has = {
    .name = "HasState",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_ARRAY(pip, HasState, HAS_OUTPUTS),
        VMSTATE_UINT32(count, HasState),
        VMSTATE_UINT32(length, HasState),
        VMSTATE_UINT16(frame, HasState),
        VMSTATE_UINT16(bit, HasState),
        VMSTATE_UINT16(crc, HasState),
        VMSTATE_UINT8(phase, HasState),
        VMSTATE_UINT8(prog, HasState),
        VMSTATE_UINT8(error, HasState),
        VMSTATE_UINT8(startup, HasState),
        VMSTATE_UINT8(shift, HasState),
        VMSTATE_UINT8(dout, HasState),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_packet = {
    .name = "SurfPipePacket",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(start_ns, SurfPipePacket),
        VMSTATE_UINT64(stage2_ns, SurfPipePacket),
        VMSTATE_UINT64(stage3_ns, SurfPipePacket),
        VMSTATE_UINT64(done_ns, SurfPipePacket),
        VMSTATE_UINT64(receive_time, SurfPipePacket),
        VMSTATE_UINT64(timestamp, SurfPipePacket),
        VMSTATE_UINT32(address, SurfPipePacket),
        VMSTATE_UINT16(sender, SurfPipePacket),
        VMSTATE_UINT16(words, SurfPipePacket),
        VMSTATE_UINT8(color, SurfPipePacket),
        VMSTATE_UINT8(interrupt, SurfPipePacket),
        VMSTATE_UINT8(byte_enables, SurfPipePacket),
        VMSTATE_UINT8(category, SurfPipePacket),
        VMSTATE_UINT8(remote_category, SurfPipePacket),
        VMSTATE_UINT8(ext_input, SurfPipePacket),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_fifo = {
    .name = "SurfFifo",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT16_ARRAY(slot, SurfFifo, SURF_FIFO_SLOTS),
        VMSTATE_UINT16(head, SurfFifo),
        VMSTATE_UINT16(count, SurfFifo),
        VMSTATE_UINT16(empty_offset, SurfFifo),
        VMSTATE_UINT16(full_offset, SurfFifo),
        VMSTATE_UINT8(pointer, SurfFifo),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_state = {
    .name = "SurfState",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(ebcr, SurfState),
        VMSTATE_UINT32(acdr, SurfState),
        VMSTATE_UINT32(ttcr, SurfState),
        VMSTATE_UINT32(ecdr, SurfState),
        VMSTATE_UINT32(pclr, SurfState),
        VMSTATE_UINT32(iscr, SurfState),
        VMSTATE_UINT32(iemr, SurfState),
        VMSTATE_UINT32(htcr, SurfState),
        VMSTATE_UINT32(wcdr, SurfState),
        VMSTATE_UINT32(ticr, SurfState),
        VMSTATE_UINT32(tecr, SurfState),
        VMSTATE_UINT32(tpir, SurfState),
        VMSTATE_STRUCT(has, SurfState, 1, vmstate_has, HasState),
        VMSTATE_STRUCT(fifo, SurfState, 1, vmstate_fifo, SurfFifo),
        VMSTATE_STRUCT_ARRAY(pipe, SurfState, SURF_PIPE_PACKETS, 1, vmstate_packet, SurfPipePacket),
        VMSTATE_STRUCT(open, SurfState, 1, vmstate_packet, SurfPipePacket),
        VMSTATE_UINT8(pipe_count, SurfState),
        VMSTATE_UINT8(open_valid, SurfState),
        VMSTATE_UINT64(ready_ns, SurfState),
        VMSTATE_UINT64(stage1_free_ns, SurfState),
        VMSTATE_UINT64(stage3_free_ns, SurfState),
        VMSTATE_UINT64_ARRAY(category_until_ns, SurfState, SURF_CATEGORY_HISTORY),
        VMSTATE_UINT8_ARRAY(category_before, SurfState, SURF_CATEGORY_HISTORY),
        VMSTATE_INT64(clock_base_ns, SurfState),
        VMSTATE_UINT8(ext_high, SurfState),
        VMSTATE_UINT64_ARRAY(ext_changed_ns, SurfState, SURF_EXT_HISTORY),
        VMSTATE_UINT64(led_reset_until_ns, SurfState),
        VMSTATE_UINT64(led_access_until_ns, SurfState),
        VMSTATE_UINT64(led_stage1_until_ns, SurfState),
        VMSTATE_UINT64(led_stage2_until_ns, SurfState),
        VMSTATE_END_OF_LIST()
    }
};

static int surfboard_pre_save(void *opaque)
{
    SurfBoardDevice *s = opaque;
    s->image = &s->board.state;
    s->image_pulls = s->outside.pulls;
    return 0;
}

static int surfboard_pre_load(void *opaque)
{
    SurfBoardDevice *s = opaque;
    s->loading = true;
    surf_power_on(&s->board);
    s->loading = false;
    g_free(s->loaded);
    s->image = s->loaded = g_new0(SurfState, 1);
    return 0;
}

static int surfboard_post_load(void *opaque, int version)
{
    SurfBoardDevice *s = opaque;
    g_autofree char *who = eisa_describe(EISA_DEVICE(s));
    char why[PB_WHY_BYTES];
    bool ok;

    s->loading = true;
    ok = surf_load(&s->board, s->image, why, sizeof(why));
    s->loading = false;
    g_clear_pointer(&s->loaded, g_free);
    if (!ok) {
        error_report("%sthe snapshot is damaged, and the board was reset instead: %s", who, why);
        return -EINVAL;
    }
    pb_wire_restore(s->wire, &s->outside, s->image_pulls);
    return 0;
}

const VMStateDescription vmstate_surfboard = {
    .name = TYPE_SURFBOARD,
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_save = surfboard_pre_save,
    .pre_load = surfboard_pre_load,
    .post_load = surfboard_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(image, SurfBoardDevice, vmstate_state, SurfState),
        VMSTATE_BOOL(image_pulls, SurfBoardDevice),
        VMSTATE_END_OF_LIST()
    }
};
