/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Boards whose timer comes while the machine is stopped (hw/qemu/core/time/time.c). QEMU
 * runs timers of a stopped machine only in a race that nobody can order, so QEMU is a fake here: a
 * clock, a run state, a timer. What the shims refer to besides is not called. Prints TAP. */
#include "qemu/osdep.h"
#include "hw/input/hid.h"
#include "migration/vmstate.h"
#include "qemu/fifo8.h"
#include "system/cpu-timers.h"
#include "system/runstate.h"
#include "system/system.h"

#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/load/load.h"

/* The object's lists, which this program has none of. */
const PbBoard pb_boards[1];
const size_t pb_board_count;
const PbEmulator pb_emulators[1];
const char pb_series_built[1];

/* What series/vmstate.c looks at. */
static const VMStateField buffer[] = {
    { .size_offset = offsetof(Fifo8, capacity), .info = &vmstate_info_buffer, .flags = VMS_VBUFFER },
};
static const VMStateField array[] = { { .num = QUEUE_LENGTH, .info = &vmstate_info_uint32, .flags = VMS_ARRAY } };
const VMStateDescription vmstate_fifo8 = { .fields = buffer };
const VMStateDescription vmstate_hid_keyboard_device = { .fields = array };
const size_t pb_emulator_count;
ReplayMode replay_mode; /* none */

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

typeof(qemu_loglevel) qemu_loglevel; /* it logs nothing */
ICountMode use_icount; /* nor does it count instructions */

/* --- a board whose timer is set ------------------------------------------------------ */

static Object device;
static PbGlue glue;
static unsigned expirations, calls;
static int number, failed;

static void expired(void *dev)
{
    expirations++;
}

static void call(void *dev)
{
    calls++;
}

static void ok(bool good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
    failed += !good;
}

static void set_timer(void)
{
    expirations = calls = 0;
    glue.host.arm(glue.host.opaque, now + 1000);
}

static void run_timers(void)
{
    QEMUTimer *t = &glue.timer.timer;
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
    static const PbGlueOps ops = { .expired = expired, .timer = call };
    static const RunState stopped[] = { RUN_STATE_PAUSED, RUN_STATE_SAVE_VM, RUN_STATE_RESTORE_VM, RUN_STATE_INMIGRATE,
                                        RUN_STATE_FINISH_MIGRATE, RUN_STATE_PRELAUNCH, RUN_STATE_DEBUG };
    int64_t due;

    pb_glue_init(&glue, &device, &ops);
    set_timer();
    now += 100000;
    run_timers();
    ok(expirations == 1 && calls == 1, "a running machine: the board is called");

    for (unsigned i = 0; i < ARRAY_SIZE(stopped); i++) {
        set_timer();
        due = glue.timer.timer.expire_time;
        now += 100000;
        change(stopped[i]);
        run_timers();
        ok(!expirations && !calls, "a stopped machine: it is not");
        change(RUN_STATE_RUNNING);
        ok(!expirations && !calls && glue.timer.timer.expire_time == due, "the machine goes on: the timer is due as before");
        run_timers();
        ok(expirations == 1 && calls == 1, "and does its work");
        change(RUN_STATE_PAUSED);
        change(RUN_STATE_RUNNING);
        ok(glue.timer.timer.expire_time == -1, "once");
    }
    set_timer();
    now += 100000;
    run_state = RUN_STATE_SUSPENDED;
    run_timers();
    ok(expirations == 1 && calls == 1, "a guest that sleeps (ACPI S3) is no stopped machine");
    printf("1..%d\n", number);
    return failed != 0;
}
