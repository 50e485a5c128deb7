/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The daughter board: what daughter= names, its configuration memory, and the cable on a chardev. hw/smile/daughter.h has its commands. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/smile/smile.h"

enum { STREAM_STATIC = SMILE_TARGET + 1, STREAM_DYNAMIC }; /* in smile_images */

/* --- what it holds ------------------------------------------------------------------ */

static bool read_stream_file(SmileDevice *s, SmileConfig *c, Error **errp)
{
    uint8_t *data = s->stream = g_malloc(SMILE_SLOT_BYTES + 1); /* the model's as long as the card is there */
    ssize_t bytes = smile_read_file(s->daughter, data, SMILE_SLOT_BYTES + 1);
    uint32_t clocks;

    if (bytes < 0) {
        error_setg(errp, "smile-hwm: daughter=%s: %s; legal are none, static, dynamic and a file", s->daughter, strerror(errno));
    } else if (bytes > SMILE_SLOT_BYTES) {
        error_setg(errp, "smile-hwm: daughter=%s: it has more than %u bytes", s->daughter, SMILE_SLOT_BYTES);
    } else if (!smile_image_ok(data, bytes, SMILE_FPGA_DAUGHTER, &clocks)) {
        error_setg(errp, "smile-hwm: daughter=%s: no configuration for the daughter board is at its start (wrong after %u bits); "
                   "hot2d says more", s->daughter, clocks);
    } else {
        c->stream = data;
        c->stream_bytes = bytes;
        return true;
    }
    return false;
}

bool smile_realize_daughter(SmileDevice *s, SmileConfig *c, Error **errp)
{
    s->boards = s->daughter ? 2 : 1;
    if (!s->xchecker_rate) { /* which is a bench's default */
        error_setg(errp, "smile-hwm: xchecker-rate=0: legal are %u to %u", SMILE_MIN_XCHECKER_RATE, SMILE_MAX_XCHECKER_RATE);
        return false;
    }
    if (!s->daughter) {
        if (qemu_chr_fe_backend_connected(&s->xchecker)) {
            error_setg(errp, "smile-hwm: xchecker=%s: legal only with daughter=", s->xchecker.chr->label);
            return false;
        }
        return true;
    }
    if (!pb_record_reads("smile-hwm", "xchecker", &s->xchecker, "daughter=, or a scenario's inject-daughter", errp) ||
        !memory_region_init_ram(&s->daughter_memory, OBJECT(s), "smile-daughter", SMILE_DAUGHTER_BYTES, errp)) {
        return false;
    }
    c->two = true;
    c->daughter_memory = memory_region_get_ram_ptr(&s->daughter_memory);
    for (unsigned design = SMILE_STATIC; design <= SMILE_DYNAMIC; design++) {
        unsigned image = design == SMILE_STATIC ? STREAM_STATIC : STREAM_DYNAMIC;
        c->streams[design] = smile_images[image];
        c->streams_bytes[design] = smile_images_bytes[image];
        if (!strcmp(s->daughter, smile_design_names[design])) {
            c->stream = smile_images[image];
            c->stream_bytes = smile_images_bytes[image];
        }
    }
    return c->stream || !strcmp(s->daughter, smile_design_names[SMILE_NONE]) || read_stream_file(s, c, errp);
}

/* --- the cable ------------------------------------------------------------------------ */

static int cable_takes(void *opaque)
{
    SmileDevice *s = opaque;
    uint32_t bytes;

    if (s->answer_bytes) {
        return 0; /* its reader is slow */
    }
    pb_spin_lock(&s->glue.spin);
    bytes = smile_xchecker_takes(&s->hwm);
    qemu_spin_unlock(&s->glue.spin);
    return bytes;
}

static void cable_bytes(void *opaque, const uint8_t *bytes, int count)
{
    SmileDevice *s = opaque;

    pb_cable_catch_up(&s->cable);
    pb_spin_lock(&s->glue.spin);
    smile_xchecker(&s->hwm, bytes, count);
    qemu_spin_unlock(&s->glue.spin);
}

static gboolean reader_ready(void *unused, GIOCondition condition, void *opaque)
{
    SmileDevice *s = opaque;

    s->answer_watch = 0;
    smile_send_answer(s);
    return G_SOURCE_REMOVE;
}

/* One command at a time: as long as its answer is not taken, no other one is. */
void smile_send_answer(SmileDevice *s)
{
    int done = qemu_chr_fe_write(&s->xchecker, s->answer + s->answer_sent, s->answer_bytes - s->answer_sent);

    if (done > 0) {
        s->answer_sent += done;
    }
    if (s->answer_sent < s->answer_bytes && (done >= 0 || errno == EAGAIN)) {
        s->answer_watch = qemu_chr_fe_add_watch(&s->xchecker, G_IO_OUT | G_IO_HUP, reader_ready, s);
        if (s->answer_watch) {
            return;
        }
    }
    s->answer_bytes = s->answer_sent = 0; /* taken, or nobody is there any more */
    qemu_chr_fe_accept_input(&s->xchecker);
}

void smile_take_answer(SmileDevice *s)
{
    uint32_t bytes;

    if (!qemu_chr_fe_backend_connected(&s->xchecker)) {
        return;
    }
    pb_spin_lock(&s->glue.spin);
    bytes = smile_xchecker_answer(&s->hwm, s->answer);
    qemu_spin_unlock(&s->glue.spin);
    if (bytes) {
        s->answer_bytes = bytes;
        s->answer_sent = 0;
        smile_send_answer(s);
    }
}

static void cable_event(void *opaque, QEMUChrEvent event)
{
    SmileDevice *s = opaque;

    if (event != CHR_EVENT_OPENED && event != CHR_EVENT_CLOSED) {
        return;
    }
    if (s->answer_watch) {
        g_source_remove(s->answer_watch);
        s->answer_watch = 0;
    }
    s->answer_bytes = s->answer_sent = 0;
    pb_spin_lock(&s->glue.spin);
    smile_xchecker_hangup(&s->hwm);
    qemu_spin_unlock(&s->glue.spin);
}

void smile_plug_xchecker(SmileDevice *s)
{
    if (qemu_chr_fe_backend_connected(&s->xchecker)) {
        qemu_chr_fe_set_handlers(&s->xchecker, cable_takes, cable_bytes, cable_event, NULL, s, NULL, true);
    }
}

void smile_unplug_xchecker(SmileDevice *s)
{
    g_clear_handle_id(&s->answer_watch, g_source_remove);
    qemu_chr_fe_deinit(&s->xchecker, false);
}
