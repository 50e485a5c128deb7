/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * events.h - the events of the POWER2 performance monitor. Printed by power2-events from hw/power2/events.def and groups.def.
 *
 *   P2_EVENTS(P2_EVENT)              P2_EVENT(name, unit, group, counter, "what it counts") of each
 *
 * unit 0 FPU, 1 FXU, 2 ICU, 3 SCU: counter 0 to 4 of that unit, with its field of MMCR set to group. unit 4: MMCR(SGA) set, counter
 * 0 to 19 of all. unit 5: the dedicated counters, 20 and 21 of all. One event may be in several places, by the same name.
 *
 *   P2_GROUP_TITLES(P2_TITLE)        P2_TITLE(unit, group, "title")
 *   P2_EVENT_ALIASES(P2_ALIAS)       P2_ALIAS(other, name): what the literature on the SP2 calls it
 */
#ifndef PERFBOARD_GUEST_POWER2_EVENTS_H
#define PERFBOARD_GUEST_POWER2_EVENTS_H

#define P2_TEXT_instructions "instructions executed"
#define P2_TEXT_instructions_fetched "instruction words fetched"
#define P2_TEXT_instructions_dispatched "instructions dispatched, to each unit that they go to: a floating-point load or store counts twice"
#define P2_TEXT_dispatched_fxu "instructions dispatched to the FXU"
#define P2_TEXT_dispatched_fpu "instructions dispatched to the FPU; a floating-point load or store goes to both"
#define P2_TEXT_icu_instructions "instructions that the ICU executes itself"
#define P2_TEXT_imr "executed instructions that IMR names"
#define P2_TEXT_fxu_instructions "instructions executed by the FXU"
#define P2_TEXT_fxu0_instructions "instructions executed by FXU0"
#define P2_TEXT_fxu1_instructions "instructions executed by FXU1"
#define P2_TEXT_load_instructions "instructions that load, of any kind"
#define P2_TEXT_store_instructions "instructions that store, of any kind"
#define P2_TEXT_storage_instructions "instructions that load or store"
#define P2_TEXT_fx_arith "integer arithmetic, logic, shifts and moves"
#define P2_TEXT_fx_compare "integer compares and record forms"
#define P2_TEXT_fx_mul "integer multiplies"
#define P2_TEXT_fx_div "integer divides"
#define P2_TEXT_fx_special "moves between general and special registers"
#define P2_TEXT_fx_load "integer load instructions"
#define P2_TEXT_fx_store "integer store instructions"
#define P2_TEXT_fx_load_store "instructions that load and store: atomic ones, x86's arithmetic in memory"
#define P2_TEXT_fx_update "loads and stores with update"
#define P2_TEXT_fx_multiple "words moved by multiple and string instructions"
#define P2_TEXT_cache_ops "cache control instructions"
#define P2_TEXT_fxu0_busy "cycles in which FXU0 is busy"
#define P2_TEXT_fxu1_busy "cycles in which FXU1 is busy"
#define P2_TEXT_fxu_pairs "cycles in which both FXUs begin an instruction"
#define P2_TEXT_fxu_empty "cycles in which FXU0 begins nothing since nothing waits for it"
#define P2_TEXT_fxu_held "cycles in which FXU0 begins nothing although an instruction waits"
#define P2_TEXT_fxu_held_load "cycles in which FXU0 begins nothing since a load has not yet brought its operand"
#define P2_TEXT_fxu_held_result "cycles in which FXU0 begins nothing since another result is not yet there"
#define P2_TEXT_fxu_held_multi "cycles in which FXU0 begins nothing since a multi-cycle instruction holds it"
#define P2_TEXT_fxu_held_fpu "cycles in which FXU0 begins nothing since it waits for the FPU (data of stores, full store queue)"
#define P2_TEXT_lost "cycles in which FXU1 begins nothing although an instruction waits for it: opportunities lost to scheduling"
#define P2_TEXT_lost_pair "cycles in which FXU1 begins nothing since its instruction needs the result of FXU0's of the same cycle"
#define P2_TEXT_lost_load "cycles in which FXU1 begins nothing since a load has not yet brought its operand"
#define P2_TEXT_lost_multi "cycles in which FXU1 begins nothing since only FXU0 executes the instruction (multiply, divide ...)"
#define P2_TEXT_lost_other "cycles in which FXU1 begins nothing for another reason although an instruction waits"
#define P2_TEXT_spe_cycles "processor cycles (as the event cycles) while SPE is 1: the software-programmable event"
#define P2_TEXT_branches "branches"
#define P2_TEXT_br_unconditional "unconditional branches"
#define P2_TEXT_br_conditional "conditional branches"
#define P2_TEXT_br_link_register "branches to the link register"
#define P2_TEXT_br_count_register "branches to the count register"
#define P2_TEXT_br_count "branches that decrement the count register (x86: LOOP)"
#define P2_TEXT_br_call "branches that set the link register (x86: CALL)"
#define P2_TEXT_br_return "returns from interrupts and system calls (rfid, IRET, SYSRET ...)"
#define P2_TEXT_condition_ops "condition register logic"
#define P2_TEXT_system_calls "system call instructions"
#define P2_TEXT_traps "trap instructions"
#define P2_TEXT_syncs "synchronising instructions"
#define P2_TEXT_system "other privileged and system instructions"
#define P2_TEXT_interrupts "hardware interrupts delivered"
#define P2_TEXT_exceptions "faults, traps and software interrupts delivered"
#define P2_TEXT_dispatch_0 "cycles in which nothing is dispatched"
#define P2_TEXT_dispatch_1 "cycles in which 1 instruction is dispatched"
#define P2_TEXT_dispatch_2 "cycles in which 2 instructions are dispatched"
#define P2_TEXT_dispatch_3 "cycles in which 3 instructions are dispatched"
#define P2_TEXT_dispatch_4 "cycles in which 4 to 6 instructions are dispatched"
#define P2_TEXT_held_branch "cycles in which nothing is dispatched since a branch waits"
#define P2_TEXT_held_branch_fxu "nothing dispatched: a branch waits for a condition that the FXU computes"
#define P2_TEXT_held_branch_fpu "nothing dispatched: a branch waits for a condition that the FPU computes"
#define P2_TEXT_held_branch_icu "nothing dispatched: a branch waits for the link or count register, or for condition register logic"
#define P2_TEXT_held_fxu_queue "nothing dispatched: the FXU's queue is full"
#define P2_TEXT_held_fpu_queue "nothing dispatched: the FPU's queue is full"
#define P2_TEXT_held_rename "nothing dispatched: no free floating-point register to rename to"
#define P2_TEXT_held_sync "nothing dispatched: a synchronising instruction waits for all before it"
#define P2_TEXT_machine_cycles "cycles of the machine model: without what misses cost"
#define P2_TEXT_fpu_instructions "instructions executed by the FPU"
#define P2_TEXT_fpu0_instructions "instructions executed by FPU0"
#define P2_TEXT_fpu1_instructions "instructions executed by FPU1"
#define P2_TEXT_fp_add "floating-point additions and subtractions"
#define P2_TEXT_fp_mul "floating-point multiplies"
#define P2_TEXT_fp_fma "floating-point multiply-adds"
#define P2_TEXT_fp_div "floating-point divides"
#define P2_TEXT_fp_sqrt "floating-point square roots"
#define P2_TEXT_fp_compare "floating-point compares"
#define P2_TEXT_fp_convert "floating-point conversions and roundings"
#define P2_TEXT_fp_move "floating-point moves, and all else that the FPU executes"
#define P2_TEXT_fp_single "floating-point arithmetic in single precision"
#define P2_TEXT_fp_load "floating-point and vector load instructions"
#define P2_TEXT_fp_store "floating-point and vector store instructions"
#define P2_TEXT_fp_arith "floating-point arithmetic instructions"
#define P2_TEXT_flops "floating-point operations: a multiply-add is two"
#define P2_TEXT_vector "vector instructions (POWER2 has none; they take an FPU as a multiply-add does)"
#define P2_TEXT_fpu0_busy "cycles in which FPU0 is busy"
#define P2_TEXT_fpu1_busy "cycles in which FPU1 is busy"
#define P2_TEXT_fpu_pairs "cycles in which both FPUs begin an instruction"
#define P2_TEXT_fpu_empty "cycles in which FPU0 begins nothing since nothing waits for it"
#define P2_TEXT_fpu_held "cycles in which FPU0 begins nothing although an instruction waits"
#define P2_TEXT_fpu_held_load "cycles in which FPU0 begins nothing since a load has not yet brought its operand"
#define P2_TEXT_fpu_held_result "cycles in which FPU0 begins nothing since an arithmetic result is not yet there (interlock)"
#define P2_TEXT_fpu_held_divide "cycles in which FPU0 begins nothing since a divide or square root holds it"
#define P2_TEXT_special_numbers "floating-point instructions with a denormal, infinite or not-a-number operand"
#define P2_TEXT_special_delay "cycles that special numbers cost, 4 each (INFERRED); the event cycles does not have them"
#define P2_TEXT_loads "loads, of devices too: accesses, not instructions"
#define P2_TEXT_stores "stores, to devices too: accesses, not instructions"
#define P2_TEXT_accesses "loads and stores, devices' too"
#define P2_TEXT_dcache_mis "accesses that miss the data cache"
#define P2_TEXT_dcache_load_mis "loads that miss the data cache"
#define P2_TEXT_dcache_store_mis "stores that miss the data cache"
#define P2_TEXT_dcache_castouts "modified lines that the data cache writes back to memory"
#define P2_TEXT_dcache_held "cycles that misses of the data cache cost"
#define P2_TEXT_icache_mis "lines that miss the instruction cache"
#define P2_TEXT_icache_held "cycles that misses of the instruction cache cost"
#define P2_TEXT_tlb_mis "TLB reloads, of both TLBs"
#define P2_TEXT_dtlb_mis "data accesses that miss the TLB"
#define P2_TEXT_itlb_mis "instruction fetches that miss the instruction TLB"
#define P2_TEXT_tlb_held "cycles that TLB reloads cost"
#define P2_TEXT_dtlb_held "cycles that reloads of the data TLB cost"
#define P2_TEXT_itlb_held "cycles that reloads of the instruction TLB cost"
#define P2_TEXT_scu_requests "requests of the processor to the SCU: reloads, castouts, TLB reloads, programmed I/O"
#define P2_TEXT_scu_latency "latency of all reloads together, cycles"
#define P2_TEXT_io_loads "programmed I/O: loads from devices, at memory addresses"
#define P2_TEXT_io_stores "programmed I/O: stores to devices, at memory addresses"
#define P2_TEXT_io_requests "programmed I/O, both ways"
#define P2_TEXT_dma_rd "DMA: memory lines that devices read"
#define P2_TEXT_dma_wr "DMA: memory lines that devices write"
#define P2_TEXT_dma_lines "DMA: lines, both ways"
#define P2_TEXT_sio_requests "what passes the I/O bus: programmed I/O, lines of DMA"
#define P2_TEXT_mem_reads "lines read from memory"
#define P2_TEXT_mem_writes "lines written to memory"
#define P2_TEXT_mem_lines "lines that pass the memory bus"
#define P2_TEXT_mem_bus_busy "cycles in which the memory bus moves data: lines by their bus cycles"
#define P2_TEXT_cycles "processor cycles, with what misses cost"
#define P2_TEXT_errors "correctable memory errors"

#define P2_EVERY_GROUP(P2_GROUP, X) \
	P2_GROUP(X, 0, 0, "operations", fpu_instructions, fp_add, fp_mul, fp_fma, flops) \
	P2_GROUP(X, 0, 1, "elements", fpu_instructions, fpu0_instructions, fpu1_instructions, fp_div, fp_sqrt) \
	P2_GROUP(X, 0, 2, "other classes", fp_compare, fp_convert, fp_move, fp_single, vector) \
	P2_GROUP(X, 0, 3, "loads and stores", fp_load, fp_store, fp_arith, flops, fpu_instructions) \
	P2_GROUP(X, 0, 4, "utilisation", fpu0_busy, fpu1_busy, fpu_pairs, fpu_empty, machine_cycles) \
	P2_GROUP(X, 0, 5, "delays", fpu_held, fpu_held_load, fpu_held_result, fpu_held_divide, fpu_empty) \
	P2_GROUP(X, 0, 6, "queues and renaming", held_rename, held_fpu_queue, held_fxu_queue, fxu_held_fpu, dispatch_0) \
	P2_GROUP(X, 0, 7, "special numbers", special_numbers, special_delay, fp_arith, fpu_instructions, flops) \
	P2_GROUP(X, 0, 8, "compares and branches", fp_compare, held_branch_fpu, held_branch, br_conditional, fpu_instructions) \
	P2_GROUP(X, 0, 9, "divide and square root", fp_div, fp_sqrt, fpu_held_divide, fpu0_busy, fpu1_busy) \
	P2_GROUP(X, 0, 10, "multiply-add", fp_fma, fp_arith, flops, fpu_pairs, machine_cycles) \
	P2_GROUP(X, 0, 11, "precision", fp_single, fp_arith, fp_convert, fp_move, flops) \
	P2_GROUP(X, 0, 12, "dispatch", dispatched_fpu, fpu_instructions, held_fpu_queue, held_rename, fpu_empty) \
	P2_GROUP(X, 0, 13, "loads behind", fp_load, fpu_held_load, dcache_load_mis, dcache_held, flops) \
	P2_GROUP(X, 0, 14, "interlocks", fpu_held_result, fpu_held_load, fpu_pairs, fp_fma, machine_cycles) \
	P2_GROUP(X, 0, 15, "summary", flops, fpu_instructions, fpu_held, fpu0_instructions, fpu1_instructions) \
	P2_GROUP(X, 1, 0, "instructions", fxu_instructions, fxu0_instructions, fxu1_instructions, load_instructions, store_instructions) \
	P2_GROUP(X, 1, 1, "integer classes", fx_arith, fx_compare, fx_mul, fx_div, fx_special) \
	P2_GROUP(X, 1, 2, "storage classes", fx_load, fx_store, fp_load, fp_store, fx_load_store) \
	P2_GROUP(X, 1, 3, "storage forms", storage_instructions, fx_update, fx_multiple, cache_ops, fxu_instructions) \
	P2_GROUP(X, 1, 4, "utilisation", fxu0_busy, fxu1_busy, fxu_pairs, fxu_empty, machine_cycles) \
	P2_GROUP(X, 1, 5, "delays", fxu_held_load, fxu_held_result, fxu_held_multi, fxu_held_fpu, held_branch) \
	P2_GROUP(X, 1, 6, "delays by storage", dcache_held, tlb_held, dcache_mis, tlb_mis, fxu_held) \
	P2_GROUP(X, 1, 7, "data cache", dcache_mis, dcache_load_mis, dcache_store_mis, dcache_castouts, accesses) \
	P2_GROUP(X, 1, 8, "data cache by kind", loads, stores, dcache_load_mis, dcache_store_mis, storage_instructions) \
	P2_GROUP(X, 1, 9, "TLB reloads", tlb_mis, dtlb_mis, itlb_mis, tlb_held, accesses) \
	P2_GROUP(X, 1, 10, "scheduling opportunities", lost, lost_pair, lost_load, lost_multi, lost_other) \
	P2_GROUP(X, 1, 11, "pairing", fxu_pairs, lost, fxu0_instructions, fxu1_instructions, machine_cycles) \
	P2_GROUP(X, 1, 12, "multi-cycle operations", fx_mul, fx_div, fx_multiple, fxu_held_multi, lost_multi) \
	P2_GROUP(X, 1, 13, "instruction match and software event", imr, spe_cycles, fxu_instructions, instructions, machine_cycles) \
	P2_GROUP(X, 1, 14, "floating-point interactions", fxu_held_fpu, fp_load, fp_store, held_fpu_queue, fxu_instructions) \
	P2_GROUP(X, 1, 15, "summary", fxu_instructions, fxu_held, lost, dcache_mis, tlb_mis) \
	P2_GROUP(X, 2, 0, "instructions", instructions, branches, br_conditional, br_unconditional, icu_instructions) \
	P2_GROUP(X, 2, 1, "branch classes", br_link_register, br_count_register, br_count, br_call, br_return) \
	P2_GROUP(X, 2, 2, "other classes", condition_ops, system_calls, traps, syncs, system) \
	P2_GROUP(X, 2, 3, "fetch and dispatch", instructions_fetched, instructions_dispatched, dispatched_fxu, dispatched_fpu, icu_instructions) \
	P2_GROUP(X, 2, 4, "dispatch", dispatch_0, dispatch_1, dispatch_2, dispatch_3, dispatch_4) \
	P2_GROUP(X, 2, 5, "branch delays", held_branch, held_branch_fxu, held_branch_fpu, held_branch_icu, branches) \
	P2_GROUP(X, 2, 6, "dispatch delays", held_fxu_queue, held_fpu_queue, held_rename, held_sync, dispatch_0) \
	P2_GROUP(X, 2, 7, "instruction cache and TLB", icache_mis, itlb_mis, icache_held, itlb_held, instructions_fetched) \
	P2_GROUP(X, 2, 8, "interrupts", interrupts, exceptions, system_calls, br_return, traps) \
	P2_GROUP(X, 2, 9, "instructions per cycle", instructions, machine_cycles, dispatch_0, held_branch, branches) \
	P2_GROUP(X, 2, 10, "conditional branches", br_conditional, br_count, condition_ops, held_branch_fxu, held_branch_icu) \
	P2_GROUP(X, 2, 11, "TLBs", tlb_mis, itlb_mis, dtlb_mis, icache_mis, instructions) \
	P2_GROUP(X, 2, 12, "units", instructions, dispatched_fxu, dispatched_fpu, icu_instructions, machine_cycles) \
	P2_GROUP(X, 2, 13, "flow", br_call, br_link_register, system_calls, interrupts, instructions) \
	P2_GROUP(X, 2, 14, "delays", dispatch_0, held_branch, held_sync, icache_held, itlb_held) \
	P2_GROUP(X, 2, 15, "summary", instructions, branches, held_branch, icache_mis, interrupts) \
	P2_GROUP(X, 3, 0, "storage instructions", storage_instructions, load_instructions, store_instructions, cache_ops, syncs) \
	P2_GROUP(X, 3, 1, "requests", scu_requests, dcache_mis, dcache_castouts, icache_mis, tlb_mis) \
	P2_GROUP(X, 3, 2, "I/O bus", sio_requests, io_loads, io_stores, dma_rd, dma_wr) \
	P2_GROUP(X, 3, 3, "DMA", dma_rd, dma_wr, dma_lines, mem_lines, interrupts) \
	P2_GROUP(X, 3, 4, "latency", scu_latency, dcache_held, icache_held, tlb_held, scu_requests) \
	P2_GROUP(X, 3, 5, "memory bus", mem_bus_busy, mem_reads, mem_writes, mem_lines, dma_lines) \
	P2_GROUP(X, 3, 6, "reloads by kind", dcache_load_mis, dcache_store_mis, icache_mis, dtlb_mis, itlb_mis) \
	P2_GROUP(X, 3, 7, "castouts", dcache_castouts, dcache_store_mis, stores, mem_writes, dma_wr) \
	P2_GROUP(X, 3, 8, "data", accesses, loads, stores, dcache_mis, dcache_castouts) \
	P2_GROUP(X, 3, 9, "programmed I/O", io_requests, io_loads, io_stores, interrupts, exceptions) \
	P2_GROUP(X, 3, 10, "TLB reloads", tlb_mis, dtlb_mis, itlb_mis, tlb_held, accesses) \
	P2_GROUP(X, 3, 11, "instruction side", icache_mis, icache_held, itlb_mis, itlb_held, instructions_fetched) \
	P2_GROUP(X, 3, 12, "loads", loads, dcache_load_mis, dcache_held, dtlb_mis, dtlb_held) \
	P2_GROUP(X, 3, 13, "cache control", cache_ops, syncs, dcache_castouts, mem_writes, store_instructions) \
	P2_GROUP(X, 3, 14, "processor and devices", mem_lines, dma_lines, mem_bus_busy, scu_requests, sio_requests) \
	P2_GROUP(X, 3, 15, "summary", scu_requests, scu_latency, mem_bus_busy, dma_lines, io_requests)

#define P2_OTHER_EVENTS(X) \
	X(loads, 4, 0, 0, P2_TEXT_loads) \
	X(stores, 4, 0, 1, P2_TEXT_stores) \
	X(dcache_load_mis, 4, 0, 2, P2_TEXT_dcache_load_mis) \
	X(dcache_store_mis, 4, 0, 3, P2_TEXT_dcache_store_mis) \
	X(dcache_castouts, 4, 0, 4, P2_TEXT_dcache_castouts) \
	X(icache_mis, 4, 0, 5, P2_TEXT_icache_mis) \
	X(dtlb_mis, 4, 0, 6, P2_TEXT_dtlb_mis) \
	X(itlb_mis, 4, 0, 7, P2_TEXT_itlb_mis) \
	X(dcache_held, 4, 0, 8, P2_TEXT_dcache_held) \
	X(icache_held, 4, 0, 9, P2_TEXT_icache_held) \
	X(tlb_held, 4, 0, 10, P2_TEXT_tlb_held) \
	X(scu_requests, 4, 0, 11, P2_TEXT_scu_requests) \
	X(scu_latency, 4, 0, 12, P2_TEXT_scu_latency) \
	X(io_loads, 4, 0, 13, P2_TEXT_io_loads) \
	X(io_stores, 4, 0, 14, P2_TEXT_io_stores) \
	X(dma_rd, 4, 0, 15, P2_TEXT_dma_rd) \
	X(dma_wr, 4, 0, 16, P2_TEXT_dma_wr) \
	X(mem_reads, 4, 0, 17, P2_TEXT_mem_reads) \
	X(mem_writes, 4, 0, 18, P2_TEXT_mem_writes) \
	X(mem_bus_busy, 4, 0, 19, P2_TEXT_mem_bus_busy) \
	X(cycles, 5, 0, 20, P2_TEXT_cycles) \
	X(errors, 5, 0, 21, P2_TEXT_errors)

#define P2_FIVE_EVENTS(X, unit, group, title, a, b, c, d, e) \
	X(a, unit, group, 0, P2_TEXT_##a) \
	X(b, unit, group, 1, P2_TEXT_##b) \
	X(c, unit, group, 2, P2_TEXT_##c) \
	X(d, unit, group, 3, P2_TEXT_##d) \
	X(e, unit, group, 4, P2_TEXT_##e)
#define P2_EVENTS(P2_EVENT) P2_EVERY_GROUP(P2_FIVE_EVENTS, P2_EVENT) P2_OTHER_EVENTS(P2_EVENT)

#define P2_ITS_TITLE(X, unit, group, title, a, b, c, d, e) X(unit, group, title)
#define P2_GROUP_TITLES(P2_TITLE) P2_EVERY_GROUP(P2_ITS_TITLE, P2_TITLE)

#define P2_EVENT_ALIASES(P2_ALIAS) \
	P2_ALIAS(fxu0, fxu0_instructions) \
	P2_ALIAS(fxu1, fxu1_instructions) \
	P2_ALIAS(fpu0, fpu0_instructions) \
	P2_ALIAS(fpu1, fpu1_instructions) \
	P2_ALIAS(icu, icu_instructions)

#endif
