/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bus that all SNIs of a machine are on (hw/shrimp/bus.cc). One board's grant follows from the others' cycles, so a call of one model may go on
 * in another: with contention they have one lock. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/shrimp/sni.h"

static SniBus bus;
static QemuMutex *lock; /* of the board that came first */

static int differs(Object *o, void *opaque)
{
    const SniDevice *s = opaque, *other = (SniDevice *)object_dynamic_cast(o, TYPE_SHRIMP_SNI);

    return other && (other->contention != s->contention || (s->contention && other->acquire_ns != s->acquire_ns));
}

bool sni_fits_bus(SniDevice *s, Error **errp)
{
    if (object_child_foreach_recursive(object_get_root(), differs, s)) {
        error_setg(errp, "contention=%s, acquire=%u: another shrimp-sni of this machine has other values; legal are the same for all that share its bus",
                   s->contention ? "on" : "off", s->acquire_ns);
        return false;
    }
    if (s->waits_for_bus && bus.boards) {
        error_setg(errp, "contention=on: this machine is a node in step, and has another shrimp-sni; legal is one");
        return false;
    }
    return true;
}

void sni_join_bus(SniDevice *s, SniConfig *config)
{
    if (!s->contention) {
        return;
    }
    if (!lock) {
        lock = s->glue.mutex;
    }
    s->glue.mutex = lock;
    config->bus = &bus;
    config->slot = EISA_DEVICE(s)->slot;
}

bool sni_shares_bus(void)
{
    return bus.boards > 1;
}

/* The SNI's processor in a node in step, with contention: what it has on its bus, and that it stands still meanwhile (hw/shrimp/bus_wait.cc). */

static void waits_behind(SniDevice *s, CPUState *cpu)
{
    if (sni_bus_waits_until(&s->board)) {
        pb_time_cut(cpu, 0);
    }
}

/* The clock shows the instruction's end, as it is alone in its block. */
void sni_observed_in_step(void *opaque, const PbTapAccess *a)
{
    SniDevice *s = opaque;
    const uint64_t ends = pb_time_now();

    qemu_mutex_lock(s->glue.mutex);
    if (!sni_begins_again(&s->board, ends)) {
        pb_glue_at(a->now);
        sni_cycle(&s->board, a->now, ends, a->addr, a->data, a->store ? a->bytes : 0);
        pb_glue_at(PB_NEVER);
    }
    sni_say_what_counts(s);
    waits_behind(s, pb_running_cpu());
    qemu_mutex_unlock(s->glue.mutex);
    s->accessed = a->store ? ends : s->accessed;
}

static uint64_t waits_until(void *dev)
{
    SniDevice *s = dev;
    uint64_t until;

    qemu_mutex_lock(s->glue.mutex);
    until = sni_bus_waits_until(&s->board);
    qemu_mutex_unlock(s->glue.mutex);
    return until;
}

static bool waited(void *dev, uint64_t now)
{
    SniDevice *s = dev;
    bool again;

    qemu_mutex_lock(s->glue.mutex);
    pb_glue_at(now);
    again = sni_bus_waited(&s->board, now);
    pb_glue_at(PB_NEVER);
    sni_say_what_counts(s);
    qemu_mutex_unlock(s->glue.mutex);
    return again;
}

void sni_access_in_step(SniDevice *s, CPUState *cpu)
{
    const uint64_t now = pb_time_now();
    bool waits;

    qemu_mutex_lock(s->glue.mutex);
    waits = sni_access_waits(&s->board, now, pb_time_of_instruction(), s->accessed == now);
    qemu_mutex_unlock(s->glue.mutex);
    if (waits) {
        pb_stall_begin_again(cpu);
    }
    s->accessed = now;
    waits_behind(s, cpu);
    sni_run(s);
}

void sni_open_bus_wait(SniDevice *s)
{
    s->bus_wait = (PbBusWait){ .until = waits_until, .come = waited, .dev = s };
    pb_time_grant_bus_wait(&s->bus_wait);
}

/* The SNI's proxy window: accesses of user programs (hw/shrimp/deliberate.cc). Nobody looks at them one by one: they are no registers, and
 * there are as many as memory has words. What they begin the log tells as effects. */

static MemTxResult proxy_read(void *opaque, hwaddr offset, uint64_t *status, unsigned size, MemTxAttrs attrs)
{
    SniDevice *s = opaque;

    sni_run(s); /* what has come due comes first */
    qemu_mutex_lock(s->glue.mutex);
    *status = sni_proxy_read(&s->board, offset, size);
    qemu_mutex_unlock(s->glue.mutex);
    return MEMTX_OK;
}

static MemTxResult proxy_write(void *opaque, hwaddr offset, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    SniDevice *s = opaque;

    sni_run(s);
    qemu_mutex_lock(s->glue.mutex);
    sni_proxy_write(&s->board, offset, value, size);
    qemu_mutex_unlock(s->glue.mutex);
    return MEMTX_OK;
}

static const MemoryRegionOps proxy_ops = {
    .read_with_attrs = proxy_read, .write_with_attrs = proxy_write, .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

void sni_open_proxies(SniDevice *s)
{
    pb_region_init_io(&s->proxy_region, &s->glue, &s->proxies, &proxy_ops, "shrimp-sni-proxies", SNI_PROXY_SPAN);
}
