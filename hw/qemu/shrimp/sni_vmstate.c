/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the SNI: its state, member by member. Its node's caches are the observation layer's.
 * What sni_post_load() works out again is left out. The properties that the state depends on must
 * be those of the machine that saved it.
 *
 * A snapshot is read into `image`, and only a whole one that sni_load() accepts gets into
 * the board. The board is powered on anew before the reading begins, and stays so if that or the check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/shrimp/sni.h"
#include "plugins/port.h"

static const VMStateDescription vmstate_flight = {
    .name = "SniFlight",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(header, SniFlight),
        VMSTATE_UINT64(timestamp, SniFlight),
        VMSTATE_UINT64(first, SniFlight),
        VMSTATE_UINT64(close, SniFlight),
        VMSTATE_UINT64(ready, SniFlight),
        VMSTATE_UINT64(leave, SniFlight),
        VMSTATE_UINT64(arrive, SniFlight),
        VMSTATE_UINT64(tail, SniFlight),
        VMSTATE_UINT64(start, SniFlight),
        VMSTATE_UINT64(end, SniFlight),
        VMSTATE_UINT64(landed, SniFlight),
        VMSTATE_UINT16(sender, SniFlight),
        VMSTATE_UINT16(entry, SniFlight),
        VMSTATE_UINT32_ARRAY(payload, SniFlight, SHRIMP_MAX_WORDS),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_latency = {
    .name = "SniLatency",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(sum, SniLatency),
        VMSTATE_UINT32(min, SniLatency),
        VMSTATE_UINT32(max, SniLatency),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_state = {
    .name = "SniState",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(sbcr, SniState),
        VMSTATE_UINT32(scr, SniState),
        VMSTATE_UINT32(sisr, SniState),
        VMSTATE_UINT32(sier, SniState),
        VMSTATE_UINT32(fhwm, SniState),
        VMSTATE_UINT32(flwm, SniState),
        VMSTATE_UINT32(ctor, SniState),
        VMSTATE_UINT32(dusa, SniState),
        VMSTATE_UINT32(duda, SniState),
        VMSTATE_UINT32(dudn, SniState),
        VMSTATE_UINT32(duwc, SniState),
        VMSTATE_UINT32(rxpg, SniState),
        VMSTATE_UINT32(rxep, SniState),
        VMSTATE_UINT32(clkh, SniState),
        VMSTATE_UINT32(latch, SniState),
        VMSTATE_UINT32(latch_offset, SniState),
        VMSTATE_UINT64(now, SniState),
        VMSTATE_UINT64(clock_base, SniState),
        VMSTATE_UINT64(clock_start, SniState),
        VMSTATE_UINT64_ARRAY(counter, SniState, SNI_COUNTERS),
        VMSTATE_STRUCT_ARRAY(latency, SniState, SNI_TERMS, 1, vmstate_latency, SniLatency),
        VMSTATE_UINT32(fifo_head, SniState),
        VMSTATE_UINT32(fifo_count, SniState),
        VMSTATE_UINT32(fifo_packets, SniState),
        VMSTATE_UINT8(fifo_was_high, SniState),
        VMSTATE_UINT8(open, SniState),
        VMSTATE_UINT8(open_timed, SniState),
        VMSTATE_UINT32(open_at, SniState),
        VMSTATE_UINT32(open_words, SniState),
        VMSTATE_UINT64(open_next, SniState),
        VMSTATE_UINT64(open_limit, SniState),
        VMSTATE_UINT64(open_last, SniState),
        VMSTATE_UINT8(sending, SniState),
        VMSTATE_UINT8(credits_used, SniState),
        VMSTATE_UINT8(irq, SniState),
        VMSTATE_UINT32(sending_words, SniState),
        VMSTATE_UINT64(sent_at, SniState),
        VMSTATE_UINT64(link_free, SniState),
        VMSTATE_UINT64(credit_at, SniState),
        VMSTATE_UINT8(du_busy, SniState),
        VMSTATE_UINT32(du_words, SniState),
        VMSTATE_UINT64(du_header, SniState),
        VMSTATE_UINT64(du_timestamp, SniState),
        VMSTATE_UINT64(du_first, SniState),
        VMSTATE_UINT64(du_last, SniState),
        VMSTATE_UINT32(popped, SniState),
        VMSTATE_UINT32(done, SniState),
        VMSTATE_UINT32(granted, SniState),
        VMSTATE_UINT32(arrived, SniState),
        VMSTATE_UINT8(any_before, SniState),
        VMSTATE_UINT64(last_start, SniState),
        VMSTATE_UINT64(last_end, SniState),
        VMSTATE_UINT64(last_landed, SniState),
        VMSTATE_UINT64(grant_late, SniState),
        VMSTATE_UINT64(cpu_from, SniState),
        VMSTATE_UINT64(cpu_until, SniState),
        VMSTATE_UINT32_2DARRAY(out_table, SniState, SNI_PAGES, 2),
        VMSTATE_UINT16_ARRAY(in_table, SniState, SNI_PAGES),
        VMSTATE_UINT64_ARRAY(fifo, SniState, SNI_FIFO_MAX),
        VMSTATE_UINT64_ARRAY(fifo_time, SniState, SNI_FIFO_MAX),
        VMSTATE_UINT32_ARRAY(du_data, SniState, SHRIMP_MAX_WORDS),
        VMSTATE_STRUCT_ARRAY(flight, SniState, SNI_FLIGHTS, 1, vmstate_flight, SniFlight),
        VMSTATE_END_OF_LIST()
    }
};

static int sni_pre_save(void *opaque)
{
    SniDevice *s = opaque;
    sni_take_counts(s);
    s->image = &s->board.state;
    return 0;
}

/* The state has been replaced: which pages and how much are observed, and code translated for that. */
static void observe_anew(SniDevice *s)
{
    pb_tap_take(s->tap); /* the snapshot has its own */
    sni_observe(s, 0, SNI_PAGES);
    sni_update_observation(s);
    pb_retranslate();
}

static int sni_pre_load(void *opaque)
{
    SniDevice *s = opaque;

    qemu_mutex_lock(&s->lock);
    sni_power_on(&s->board);
    qemu_mutex_unlock(&s->lock);
    observe_anew(s);
    g_free(s->loaded);
    s->image = s->loaded = g_new0(SniState, 1);
    return 0;
}

static int sni_device_post_load(void *opaque, int version)
{
    SniDevice *s = opaque;
    char why[PB_WHY_BYTES];
    bool ok;

    qemu_mutex_lock(&s->lock);
    ok = sni_load(&s->board, s->image, why, sizeof(why));
    qemu_mutex_unlock(&s->lock);
    if (!ok) {
        error_report("shrimp-sni: the snapshot is damaged, and the board was reset instead: %s", why);
    }
    observe_anew(s);
    g_clear_pointer(&s->loaded, g_free);
    return ok ? 0 : -EINVAL;
}

const VMStateDescription vmstate_sni = {
    .name = TYPE_SHRIMP_SNI,
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_save = sni_pre_save,
    .pre_load = sni_pre_load,
    .post_load = sni_device_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_EQUAL(node, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(nodes, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(mesh_width, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(fifo_words, SniDevice, NULL),
        VMSTATE_STRUCT_POINTER(image, SniDevice, vmstate_state, SniState),
        VMSTATE_END_OF_LIST()
    }
};
