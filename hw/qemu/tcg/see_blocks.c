/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/ops.h"
#include "plugins/models.h"

extern struct qemu_plugin_state plugin;

static struct {
    uint64_t id;
    void (*on_block)(struct qemu_plugin_tb *tb);
    bool (*wanted)(void);
    bool on;
} seeing;

static bool has_run; /* vCPUs have run since QEMU began, or are about to */

/* QEMU lets vCPUs run in a moment, for the first time or again. */
static void machine_changed(void *opaque, bool running, RunState state)
{
    has_run |= running;
}

/* At a block's translation the processor stands at its first instruction: at the first block it is looked whether that is where the emulator's
 * headers have it (PbCpuKind). */
static void on_block PB_PLUGIN_CALLBACK(struct qemu_plugin_tb *tb)
{
    static bool tried;
    PbCpuState state;

    if (!qatomic_read(&tried) && pb_cpu_isa() && pb_running_state(&state)) {
        qatomic_set(&tried, true);
        pb_inside_needed("processor", state.pc == qemu_plugin_tb_vaddr(tb));
    }
    seeing.on_block(tb);
}

void pb_see_blocks(uint64_t plugin_id, void (*sees)(struct qemu_plugin_tb *), bool (*wanted)(void))
{
    seeing.id = plugin_id;
    seeing.on_block = sees;
    seeing.wanted = wanted;
    seeing.on = true;
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(plugin_id, on_block));
    qemu_add_vm_change_state_handler(machine_changed, NULL);
}

/* Whether QEMU keeps in each vCPU which plugins' callbacks there are, as its headers say. It may not yet have seen to the last of them. */
static bool masks_ok(void)
{
    const unsigned long all = *plugin.mask;
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (*cpu->plugin_state->event_mask & ~all) {
            return false;
        }
    }
    return all & BIT(QEMU_PLUGIN_EV_VCPU_TB_TRANS);
}

/* QEMU can be told at once that nobody sees blocks. */
static bool may_look_away(void)
{
    static bool tried, ok;

    if (!tried) {
        tried = true;
        ok = pb_inside_faster("event-mask", masks_ok(), "blocks are seen even while nobody observes");
    }
    return ok && pb_translator_known(); /* pb_ops_forget() */
}

/* No vCPU runs meanwhile. QEMU would tell each vCPU of the change a moment later; by then another one, which knows of it,
 * might run a block that the first has translated without. One that waits to be alone for an atomic access would translate one more block in the
 * old way: behind pb_ops_forget(). */
static void see_blocks(void)
{
    /* Who comes back is called first: beside another plugin that would change the order of their callbacks. */
    bool wanted = seeing.wanted && seeing.wanted(), on = !pb_ops_alone() || !may_look_away() || wanted;
    CPUState *cpu;

    if (on == seeing.on) {
        return;
    }
    seeing.on = on;
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(seeing.id, on ? on_block : NULL));
    CPU_FOREACH(cpu) {
        if (on) {
            set_bit(QEMU_PLUGIN_EV_VCPU_TB_TRANS, cpu->plugin_state->event_mask);
        } else {
            clear_bit(QEMU_PLUGIN_EV_VCPU_TB_TRANS, cpu->plugin_state->event_mask);
        }
    }
}

static void retranslate(CPUState *cpu)
{
    see_blocks();
    pb_ops_forget();
    PB_FLUSH_BLOCKS(cpu);
    bql_lock();
    pb_models_tidy();
    bql_unlock();
}

/* The flush is safe work, not done at once. The caller may be a register access in the middle of a block: a flush
 * would free that block, and the plugin's data for it, while the block runs.
 *
 * Before the machine runs for the first time there are no blocks, and no safe work either. Under icount QEMU would at times
 * never start: its vCPU thread lets go of the big lock around safe work, and then waits for a signal without another look
 * at the work that the main thread may have queued meanwhile (rr_cpu_thread_fn). */
void pb_retranslate(void)
{
    static PbStopVcpus all = { .work = retranslate, .does = PB_VCPU_WORK_RETRANSLATE, .waits = PB_VCPU_WORK_RETRANSLATE_WAIT, .each = true };

    if (has_run) {
        pb_stop_vcpus_for(&all);
    } else {
        see_blocks();
    }
}

bool pb_no_blocks_yet(void)
{
    return !has_run;
}
