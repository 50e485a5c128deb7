/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * vcd=FILE: the waveforms' file (hw/smile/vcd.h). A file that cannot be written costs one line and the rest of the dump, never the
 * machine. It is whole when QEMU has ended, or the card is unplugged; whatever has been recorded is in it whenever the machine stands still. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/smile/smile.h"

static GPtrArray *dumping; /* every SmileDevice with a file */

/* error: an errno; 0: none. */
static void close_file(SmileDevice *s, int error)
{
    if (fclose(s->vcd_out) && !error) {
        error = errno;
    }
    s->vcd_out = NULL;
    s->hwm.config.wave = NULL;
    if (error) {
        warn_report("smile-hwm: vcd=%s: %s: the waveforms end here", s->vcd_file, strerror(error));
    } else if (s->vcd->full) {
        warn_report("smile-hwm: vcd=%s: vcd-size=%" PRIu64 ": the waveforms end here", s->vcd_file, s->vcd_most);
    }
}

static bool write_bytes(void *opaque, const char *bytes, size_t n)
{
    SmileDevice *s = opaque;
    bool ok = fwrite(bytes, 1, n, s->vcd_out) == n;
    s->vcd_error = ok ? 0 : errno;
    return ok;
}

/* What was pending is written anew, as it is now. */
static bool drop_rest(SmileDevice *s)
{
    off_t end = s->vcd_rest;
    bool ok = end < 0 || (!fseeko(s->vcd_out, end, SEEK_SET) && !ftruncate(fileno(s->vcd_out), end));

    s->vcd_rest = -1;
    s->vcd_error = ok ? 0 : errno;
    return ok;
}

/* Called by the model, under its lock. */
static bool vcd_write(void *opaque, const char *bytes, size_t n)
{
    return drop_rest(opaque) && write_bytes(opaque, bytes, n);
}

/* A pipe cannot take back what may still change: it gets that later. */
static bool write_rest(SmileDevice *s)
{
    if (!s->vcd_seeks || !drop_rest(s)) {
        return !s->vcd_error;
    }
    s->vcd_rest = ftello(s->vcd_out);
    return smile_vcd_rest(s->vcd, &(SmileVcdConfig){ .opaque = s, .write = write_bytes });
}

static void vcd_wave(void *opaque, const SciPacket *packet, const SmileWave *what)
{
    SmileDevice *s = opaque;

    smile_vcd_wave(s->vcd, packet, what);
    if (s->vcd->done) {
        close_file(s, s->vcd_error);
    }
}

void smile_flush_vcd(SmileDevice *s)
{
    pb_spin_lock(&s->glue.spin);
    if (s->vcd_out) {
        smile_vcd_flush(s->vcd);
        if (s->vcd_error || !write_rest(s) || fflush(s->vcd_out)) {
            close_file(s, s->vcd_error ? s->vcd_error : errno);
        }
    }
    qemu_spin_unlock(&s->glue.spin);
}

void smile_vcd_ends(void *dev)
{
    SmileDevice *s = dev;

    pb_spin_lock(&s->glue.spin);
    if (s->vcd_out) {
        smile_vcd_end(s->vcd);
        close_file(s, s->vcd_error);
    }
    qemu_spin_unlock(&s->glue.spin);
}

void smile_end_vcd(SmileDevice *s)
{
    smile_vcd_ends(s);
    if (dumping) {
        g_ptr_array_remove(dumping, s);
    }
}

/* Another card's dump goes to this file. A device or a pipe may have several writers. */
static bool taken(FILE *file)
{
    struct stat ours, other;

    if (fstat(fileno(file), &ours) || !S_ISREG(ours.st_mode)) {
        return false;
    }
    for (guint i = 0; i < dumping->len; i++) {
        SmileDevice *s = g_ptr_array_index(dumping, i);
        if (s->vcd_out && !fstat(fileno(s->vcd_out), &other) && ours.st_dev == other.st_dev && ours.st_ino == other.st_ino) {
            return true;
        }
    }
    return false;
}

static bool open_file(SmileDevice *s, Error **errp)
{
    struct stat file_is;
    FILE *file = fopen(s->vcd_file, "a"); /* as long as it may be another's it keeps what it holds */

    if (!file) {
        error_setg(errp, "smile-hwm: vcd=%s: %s", s->vcd_file, strerror(errno));
        return false;
    }
    if (taken(file)) {
        error_setg(errp, "smile-hwm: vcd=%s: another smile-hwm writes to this file", s->vcd_file);
        fclose(file);
        return false;
    }
    s->vcd_out = freopen(s->vcd_file, "w", file);
    if (!s->vcd_out) {
        error_setg(errp, "smile-hwm: vcd=%s: %s", s->vcd_file, strerror(errno));
        return false;
    }
    setvbuf(s->vcd_out, NULL, _IOFBF, 1 * MiB);
    s->vcd_seeks = !fstat(fileno(s->vcd_out), &file_is) && S_ISREG(file_is.st_mode);
    s->vcd_rest = -1;
    return true;
}

bool smile_realize_vcd(SmileDevice *s, SmileConfig *config, Error **errp)
{
    if (!s->vcd_file) {
        if (s->vcd_start || s->vcd_stop != UINT64_MAX || s->vcd_most != PB_INSPECT_LOG_SIZE) {
            error_setg(errp, "smile-hwm: %s=%" PRIu64 ": legal only with vcd=FILE",
                       s->vcd_start ? "vcd-start" : s->vcd_stop != UINT64_MAX ? "vcd-stop" : "vcd-size",
                       s->vcd_start ? s->vcd_start : s->vcd_stop != UINT64_MAX ? s->vcd_stop : s->vcd_most);
            return false;
        }
        return true;
    }
    if (s->vcd_start >= s->vcd_stop) {
        error_setg(errp, "smile-hwm: vcd-stop=%" PRIu64 ": legal are values above vcd-start=%" PRIu64, s->vcd_stop, s->vcd_start);
        return false;
    }
    if (!pb_file_size("vcd-size", s->vcd_most, DEVICE(s), errp)) {
        return false;
    }
    if (!dumping) {
        dumping = g_ptr_array_new();
    }
    if (!open_file(s, errp)) {
        return false;
    }
    s->vcd = g_new(SmileVcd, 1);
    smile_vcd_init(s->vcd, &(SmileVcdConfig){
        .start = s->vcd_start, .stop = s->vcd_stop, .most = s->vcd_seeks ? s->vcd_most : 0, .node = s->node, .opaque = s, .write = vcd_write,
    });
    config->wave = vcd_wave;
    s->cable.payload = true;
    g_ptr_array_add(dumping, s);
    return true;
}
