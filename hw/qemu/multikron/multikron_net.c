/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/time/time.h"
#include "hw/qemu/multikron/multikron.h"

enum { LAST_TRY_MS = 5000, RETRY_MS = 100 };

static guint waiting(const MkNet *n)
{
    return n->kept->len - n->sent;
}

/* The main loop stops the machine. If the calling vCPU stopped itself here, the machine would count as running with all
 * its processors idle, and under icount time would jump to the next timer. What the guest sends until the main
 * loop has stopped it is kept, too. */
static void pause_machine(MkNet *n)
{
    if (n->paused || !runstate_is_running()) {
        return;
    }
    n->paused = true;
    warn_report("multikron: the network's reader is %u bytes behind (buffer-limit=%" PRIu64 "): "
                "the machine waits for it", waiting(n), n->limit);
    pb_stop();
}

static gboolean go_on(void *opaque)
{
    MkNet *n = opaque;
    n->goes_on = 0;
    if (n->paused && waiting(n) <= n->limit / 2) {
        pb_go_on();
    }
    return G_SOURCE_REMOVE;
}

/* The main loop lets the machine go on: the caller may be a vCPU, or in the middle of stopping the machine. If the
 * machine is only about to stop, go_on() does nothing, and when it has stopped multikron_stopped() comes here again. */
static void resume_machine(MkNet *n)
{
    if (n->paused && waiting(n) <= n->limit / 2 && !n->goes_on) {
        n->goes_on = g_idle_add_full(G_PRIORITY_DEFAULT, go_on, n, NULL);
    }
}

static gboolean try_again(void *opaque)
{
    MkNet *n = opaque;
    n->watch = 0;
    mk_net_flush(n, false);
    return G_SOURCE_REMOVE;
}

static gboolean reader_ready(void *unused, GIOCondition condition, void *opaque)
{
    return try_again(opaque);
}

/* A chardev that fails (a full disk, a pipe that nobody reads any more) counts as ready, so a watch would try it without
 * end. It is tried every RETRY_MS instead. */
static void wait_for_reader(MkNet *n)
{
    if (n->watch || !qemu_chr_fe_backend_open(&n->chr)) {
        return;
    }
    if (!n->failed) {
        n->watch = qemu_chr_fe_add_watch(&n->chr, G_IO_OUT | G_IO_HUP, reader_ready, n);
    }
    if (!n->watch) {
        n->watch = g_timeout_add(RETRY_MS, try_again, n);
    }
}

/* False: the reader takes no more now. */
static bool hand_over(MkNet *n)
{
    while (waiting(n)) {
        int done = qemu_chr_fe_write(&n->chr, n->kept->data + n->sent, waiting(n));
        n->failed = done < 0 && errno != EAGAIN;
        if (done <= 0) {
            if (n->failed) {
                warn_report_once("multikron: the network's reader: %s; %u bytes wait for it",
                                 g_strerror(errno), waiting(n));
            }
            return false;
        }
        n->sent += done;
    }
    g_byte_array_set_size(n->kept, 0);
    n->sent = 0;
    return true;
}

void mk_net_flush(MkNet *n, bool last)
{
    if (!qemu_chr_fe_backend_connected(&n->chr)) {
        return;
    }
    for (int ms = 0; waiting(n); ms++) {
        if (qemu_chr_fe_backend_open(&n->chr) && hand_over(n)) {
            break;
        }
        if (!last || ms == LAST_TRY_MS) {
            wait_for_reader(n);
            break;
        }
        g_usleep(1000);
    }
    if (last && n->dropped) {
        error_report("multikron: chardev-size=%" PRIu64 ": %" PRIu64 " bytes of the network are lost: its file was full", n->most, n->dropped);
        n->dropped = 0;
    }
    if (last && waiting(n)) {
        error_report("multikron: %u bytes of the network are lost: their reader did not take them", waiting(n));
    }
    if (n->sent > n->kept->len / 2) {
        g_byte_array_remove_range(n->kept, 0, n->sent & ~1u); /* whole words: see reader_event */
        n->sent &= 1;
    }
    if (waiting(n) > n->limit) {
        pause_machine(n);
    } else {
        resume_machine(n);
    }
}

/* A file with mux=on is behind another chardev, which may be any. */
static bool is_file(const MkNet *n)
{
    return object_dynamic_cast(OBJECT(n->chr.chr), TYPE_CHARDEV_FILE) || object_dynamic_cast(OBJECT(n->chr.chr), TYPE_CHARDEV_MUX);
}

/* As where a disk is full, the last sample in the file may lack its end. */
static bool has_room(MkNet *n, size_t bytes)
{
    if (!n->full && n->most && n->taken + bytes > n->most && is_file(n)) {
        n->full = true;
        warn_report("multikron: chardev=%s: chardev-size=%" PRIu64 ": the samples end here", n->chr.chr->label, n->most);
    }
    *(n->full ? &n->dropped : &n->taken) += bytes;
    return !n->full;
}

void mk_net_words(void *opaque, const uint16_t *words, size_t count)
{
    MkNet *n = opaque;

    if (!qemu_chr_fe_backend_connected(&n->chr) || !has_room(n, count * sizeof(*words))) {
        return;
    }
#if HOST_BIG_ENDIAN
    for (size_t i = 0; i < count; i++) {
        uint16_t le = cpu_to_le16(words[i]);
        g_byte_array_append(n->kept, (const guint8 *)&le, sizeof(le));
    }
#else
    g_byte_array_append(n->kept, (const guint8 *)words, count * sizeof(*words));
#endif
    if (!n->watch) {
        mk_net_flush(n, false);
    } else if (waiting(n) > n->limit) {
        pause_machine(n);
    }
}

static void reader_event(void *opaque, QEMUChrEvent event)
{
    MkNet *n = opaque;
    if (event == CHR_EVENT_CLOSED) {
        g_clear_handle_id(&n->watch, g_source_remove);
    } else if (event == CHR_EVENT_OPENED) {
        n->sent &= ~1u; /* a new reader begins with a whole word */
        mk_net_flush(n, false);
    }
}

void mk_net_init(MkNet *n)
{
    n->kept = g_byte_array_new();
    qemu_chr_fe_set_handlers(&n->chr, NULL, NULL, reader_event, NULL, n, NULL, true);
}

static gboolean without_it(void *unused)
{
    pb_go_on();
    return G_SOURCE_REMOVE;
}

void mk_net_end(MkNet *n)
{
    if (!n->kept) {
        return;
    }
    mk_net_flush(n, true);
    g_clear_handle_id(&n->watch, g_source_remove);
    g_clear_handle_id(&n->goes_on, g_source_remove);
    if (n->paused) {
        g_idle_add_full(G_PRIORITY_DEFAULT, without_it, NULL, NULL);
    }
    qemu_chr_fe_deinit(&n->chr, false);
    g_byte_array_free(n->kept, true);
    n->kept = NULL;
}
