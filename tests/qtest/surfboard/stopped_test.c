/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Boards whose timer comes while the machine is stopped (hw/qemu/core/time/time.c). QEMU
 * runs timers of a stopped machine only in a race that nobody can order, so QEMU is a fake here: a
 * clock, a run state, a timer. What the shims refer to besides is not called. Prints TAP. */
#include "hw/qemu/surfboard/surfboard.c"

#include "system/cpu-timers.h"
#include "system/runstate.h"

#include "guest/surfboard/regs.h"
#include "hw/qemu/core/load/load.h"
#include "hw/qemu/shrimp/sni.h"

/* The object's lists, which this program has none of. */
const PbBoard pb_boards[1];
const size_t pb_board_count;
const PbEmulator pb_emulators[1];
const size_t pb_emulator_count;

static RunState run_state = RUN_STATE_RUNNING;
static int64_t now = 1000;

bool runstate_is_running(void)
{
    return run_state == RUN_STATE_RUNNING;
}

bool runstate_check(RunState state)
{
    return run_state == state;
}

int64_t qemu_clock_get_ns(QEMUClockType type)
{
    return now;
}

void timer_init_full(QEMUTimer *t, QEMUTimerListGroup *group, QEMUClockType type, int scale, int attributes,
                     QEMUTimerCB *cb, void *opaque)
{
    *t = (QEMUTimer){ .cb = cb, .opaque = opaque, .expire_time = -1 };
}

void timer_mod_ns(QEMUTimer *t, int64_t at)
{
    t->expire_time = at;
}

void timer_del(QEMUTimer *t)
{
    t->expire_time = -1;
}

static struct {
    VMChangeStateHandler *changed;
    void *opaque;
} handler[8];
static unsigned handlers;

VMChangeStateEntry *qemu_add_vm_change_state_handler(VMChangeStateHandler *changed, void *opaque)
{
    handler[handlers].changed = changed;
    handler[handlers++].opaque = opaque;
    return (VMChangeStateEntry *)&handler[handlers - 1];
}

Object *object_dynamic_cast_assert(Object *obj, const char *name, const char *file, int line, const char *func)
{
    return obj;
}

/* What a board's errors on purpose refer to (hw/qemu/core/faults/fault.c). */
Object *object_dynamic_cast(Object *obj, const char *name)
{
    return NULL;
}

void qemu_add_machine_init_done_notifier(Notifier *notifier)
{
}

int vmstate_register_with_alias_id(VMStateIf *obj, uint32_t instance, const VMStateDescription *vmsd, void *base, int alias_id,
                                   int required_for_version, Error **errp)
{
    return 0;
}

int qemu_loglevel;     /* it logs nothing */
ICountMode use_icount; /* nor does it count instructions */

static unsigned counts_taken; /* the first thing that an SNI does when it comes to the present */

PbBusCounts pb_tap_take(PbTap *tap)
{
    counts_taken++;
    return (PbBusCounts){ 0 };
}

/* --- a SurfBoard with a packet in its pipeline -------------------------------------- */

static SurfBoardDevice surf;
static SniDevice sni;
static const PbGlueOps sni_glue = { .expired = sni_run };
static uint8_t trace[4 * MiB], hist[4 * MiB];
static unsigned stores;
static int number, failed;

static void wrote(void *opaque, enum surf_memory which, uint32_t offset, uint32_t bytes)
{
    stores++;
}

static void nothing_to_map(void *opaque)
{
}

static void nothing_to_watch(void *opaque, bool on)
{
}

static void no_wire(void *opaque, bool low)
{
}

static void ok(bool good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
    failed += !good;
}

static void power_on(void)
{
    const uint32_t acdr = SURF_PUT(ACDR_LAT_N, 12u) | SURF_PUT(ACDR_TSIZE, (uint32_t)SURF_TSIZE_4MB);

    pb_glue_init(&surf.glue, &surf, &surfboard_board.ops);
    surf_init(&surf.board, &(SurfConfig){
        .trace_bytes = sizeof(trace), .hist_bytes = sizeof(hist), .trace = trace, .hist = hist,
        .opaque = &surf, .wrote = wrote, .watch_memory = nothing_to_watch, .remap = nothing_to_map, .ext_drive = no_wire,
    }, &surf.glue.host);
    surf_io_write(&surf.board, SURF_EBCR, 0xc0000000 | SURF_EBCR_ENABLE, 4);
    for (int i = 0; i < SURF_ACDR_BITS; i++) {
        surf_reg_write(&surf.board, SURF_ACDR, acdr >> i & 1, 4);
    }
    surf_reg_write(&surf.board, SURF_TTCR, SURF_TTCR_MBV, 4); /* the wire waits for packets, so a timer does */
    surf_reg_write(&surf.board, SURF_HTCR, SURF_HTCR_HEN | SURF_HTCR_TEN, 4);
}

static void packet(void)
{
    const ShrimpPacket p = { .start_ns = now, .end_ns = now, .eod = true, .byte_enables = 15, .words = 1 };
    stores = 0;
    surf_packet(&surf.board, &p);
}

static void run_timers(void)
{
    QEMUTimer *t = &surf.glue.timer.timer;
    if (t->expire_time >= 0 && t->expire_time <= now) {
        t->expire_time = -1;
        t->cb(t->opaque);
    }
}

static void change(RunState state)
{
    run_state = state;
    for (unsigned i = 0; i < handlers; i++) {
        handler[i].changed(handler[i].opaque, runstate_is_running(), state);
    }
}

int main(void)
{
    static const RunState stopped[] = { RUN_STATE_PAUSED, RUN_STATE_SAVE_VM, RUN_STATE_RESTORE_VM, RUN_STATE_INMIGRATE,
                                        RUN_STATE_FINISH_MIGRATE, RUN_STATE_PRELAUNCH, RUN_STATE_DEBUG };
    int64_t due;

    power_on();
    pb_glue_init(&sni.glue, &sni, &sni_glue);
    packet();
    now += 100000;
    run_timers();
    ok(stores == 2, "a running machine: the packet is in both memories");

    for (unsigned i = 0; i < ARRAY_SIZE(stopped); i++) {
        packet();
        due = surf.glue.timer.timer.expire_time;
        now += 100000;
        change(stopped[i]);
        run_timers();
        ok(stores == 0 && surf.board.state.pipe_count == 1, "a stopped machine: it stays in the pipeline");
        change(RUN_STATE_RUNNING);
        ok(stores == 0 && surf.glue.timer.timer.expire_time == due, "the machine goes on: the timer is due as before");
        run_timers();
        ok(stores == 2 && surf.board.state.pipe_count == 0, "and does its work");
        change(RUN_STATE_PAUSED);
        change(RUN_STATE_RUNNING);
        ok(surf.glue.timer.timer.expire_time == -1, "once");
    }
    packet();
    now += 100000;
    run_state = RUN_STATE_SUSPENDED;
    run_timers();
    ok(stores == 2, "a guest that sleeps (ACPI S3) is no stopped machine");

    for (unsigned i = 0; i < ARRAY_SIZE(stopped); i++) {
        run_state = stopped[i];
        sni.glue.timer.timer.cb(sni.glue.timer.timer.opaque);
        ok(counts_taken == 0, "an SNI delivers nothing in a stopped machine");
    }
    printf("1..%d\n", number);
    return failed != 0;
}
