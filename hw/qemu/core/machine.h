/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Machine - QEMU as observation is handed it (plugins/machine.h): each function there is one here, and hw/qemu calls it by its name.
 *
 *   pb_machine_start();     the entry point hands it over, before anything of plugins/ is called
 *   pb_retranslate();       is PbMachine::retranslate; and so are all in the list below
 *
 * Files of tcg implement them; of core alone.c (stop_vcpu), bus.c (bus_*) and time.c (event_time).
 */
#ifndef PB_MACHINE_H
#define PB_MACHINE_H

#include "plugins/machine.h"

#define PB_MACHINE_FUNCTIONS(F) \
    /* vCPUs */ \
    F(cpu_view) F(running_state) F(cpu_state) F(access_pc) F(cpu_registers) F(cpu_float) F(address_space) F(peek) F(own_thread) \
    F(cpu_isa) F(cpu_hook) F(cpu_tell_others) F(cpu_keep_mark) F(cpu_again) F(prepare_vcpu) F(stop_vcpu) F(cpu_gone) \
    /* time */ \
    F(event_time) F(devices_alone) \
    /* memory */ \
    F(ram_map) F(ram_watch) F(release_later) F(tlb_phys) F(memory_type) F(memory_types) F(in_processor) F(code_addr) \
    F(bus_open) F(bus_watch) F(models_saved) \
    /* blocks */ \
    F(retranslate) F(no_blocks_yet) F(see_blocks) F(drop_values) \
    F(filter_start) F(filter_changed) F(filter_block) F(passed_block) F(passed) F(passed_none) F(still_block) F(still_table) F(still_lines) \
    F(fetched_start) F(fetched) F(fetch_page) \
    F(block_slots) F(block_count) F(block_count_accesses) F(block_again)

/* Of the type that it has in the table. */
#define PB_MACHINE_DECLARE(name) __typeof__(*((PbMachine *)0)->name) pb_##name;
PB_MACHINE_FUNCTIONS(PB_MACHINE_DECLARE)

void pb_machine_start(void);

/* What hw/qemu alone asks of its files in tcg. */

/* The vCPU (CPUState) whose execution loop the calling thread is in; NULL: none. */
void *pb_running_cpu(void);
/* When the machine is complete, and no vCPU has run: nothing that the guest can read depends on how often QEMU begins and ends vCPUs' turns. */
void pb_cpu_hide_turns(void);
/* Whether the word that tells of an access has the bits that plugins/access.h takes for MMU mode and size. For the load guard. */
bool pb_info_word_ok(void);

#endif
