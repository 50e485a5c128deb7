/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * events.h - the events of the POWER2 performance monitor. Printed by power2-events from hw/power2/events.def and groups.def.
 *
 *   P2_EVENT(name, unit, group, counter, "what it counts")
 *
 * unit 0 FPU, 1 FXU, 2 ICU, 3 SCU: counter 0 to 4 of that unit, with its field of MMCR set to group. unit 4: MMCR(SGA) set, counter
 * 0 to 19 of all. unit 5: the dedicated counters, 20 and 21 of all. One event may be in several places, by the same name.
 *
 *   P2_GROUP_TITLE(unit, group, "title")
 *   P2_EVENT_ALIAS(other, name)      what the literature on the SP2 calls it
 */
#ifndef PERFBOARD_GUEST_POWER2_EVENTS_H
#define PERFBOARD_GUEST_POWER2_EVENTS_H

#define P2_EVENTS(P2_EVENT) \
	P2_EVENT(fpu_instructions, 0, 0, 0, "instructions executed by the FPU") \
	P2_EVENT(fp_add, 0, 0, 1, "floating-point additions and subtractions") \
	P2_EVENT(fp_mul, 0, 0, 2, "floating-point multiplies") \
	P2_EVENT(fp_fma, 0, 0, 3, "floating-point multiply-adds") \
	P2_EVENT(flops, 0, 0, 4, "floating-point operations: a multiply-add is two") \
	P2_EVENT(fpu_instructions, 0, 1, 0, "instructions executed by the FPU") \
	P2_EVENT(fpu0_instructions, 0, 1, 1, "instructions executed by FPU0") \
	P2_EVENT(fpu1_instructions, 0, 1, 2, "instructions executed by FPU1") \
	P2_EVENT(fp_div, 0, 1, 3, "floating-point divides") \
	P2_EVENT(fp_sqrt, 0, 1, 4, "floating-point square roots") \
	P2_EVENT(fp_compare, 0, 2, 0, "floating-point compares") \
	P2_EVENT(fp_convert, 0, 2, 1, "floating-point conversions and roundings") \
	P2_EVENT(fp_move, 0, 2, 2, "floating-point moves, and all else that the FPU executes") \
	P2_EVENT(fp_single, 0, 2, 3, "floating-point arithmetic in single precision") \
	P2_EVENT(vector, 0, 2, 4, "vector instructions (POWER2 has none; they take an FPU as a multiply-add does)") \
	P2_EVENT(fp_load, 0, 3, 0, "floating-point and vector load instructions") \
	P2_EVENT(fp_store, 0, 3, 1, "floating-point and vector store instructions") \
	P2_EVENT(fp_arith, 0, 3, 2, "floating-point arithmetic instructions") \
	P2_EVENT(flops, 0, 3, 3, "floating-point operations: a multiply-add is two") \
	P2_EVENT(fpu_instructions, 0, 3, 4, "instructions executed by the FPU") \
	P2_EVENT(fpu0_busy, 0, 4, 0, "cycles in which FPU0 is busy") \
	P2_EVENT(fpu1_busy, 0, 4, 1, "cycles in which FPU1 is busy") \
	P2_EVENT(fpu_pairs, 0, 4, 2, "cycles in which both FPUs begin an instruction") \
	P2_EVENT(fpu_empty, 0, 4, 3, "cycles in which FPU0 begins nothing since nothing waits for it") \
	P2_EVENT(machine_cycles, 0, 4, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(fpu_held, 0, 5, 0, "cycles in which FPU0 begins nothing although an instruction waits") \
	P2_EVENT(fpu_held_load, 0, 5, 1, "cycles in which FPU0 begins nothing since a load has not yet brought its operand") \
	P2_EVENT(fpu_held_result, 0, 5, 2, "cycles in which FPU0 begins nothing since an arithmetic result is not yet there (interlock)") \
	P2_EVENT(fpu_held_divide, 0, 5, 3, "cycles in which FPU0 begins nothing since a divide or square root holds it") \
	P2_EVENT(fpu_empty, 0, 5, 4, "cycles in which FPU0 begins nothing since nothing waits for it") \
	P2_EVENT(held_rename, 0, 6, 0, "nothing dispatched: no free floating-point register to rename to") \
	P2_EVENT(held_fpu_queue, 0, 6, 1, "nothing dispatched: the FPU's queue is full") \
	P2_EVENT(held_fxu_queue, 0, 6, 2, "nothing dispatched: the FXU's queue is full") \
	P2_EVENT(fxu_held_fpu, 0, 6, 3, "cycles in which FXU0 begins nothing since it waits for the FPU (data of stores, full store queue)") \
	P2_EVENT(dispatch_0, 0, 6, 4, "cycles in which nothing is dispatched") \
	P2_EVENT(special_numbers, 0, 7, 0, "floating-point instructions with a denormal, infinite or not-a-number operand") \
	P2_EVENT(special_delay, 0, 7, 1, "cycles that special numbers cost, 4 each (INFERRED); the event cycles does not have them") \
	P2_EVENT(fp_arith, 0, 7, 2, "floating-point arithmetic instructions") \
	P2_EVENT(fpu_instructions, 0, 7, 3, "instructions executed by the FPU") \
	P2_EVENT(flops, 0, 7, 4, "floating-point operations: a multiply-add is two") \
	P2_EVENT(fp_compare, 0, 8, 0, "floating-point compares") \
	P2_EVENT(held_branch_fpu, 0, 8, 1, "nothing dispatched: a branch waits for a condition that the FPU computes") \
	P2_EVENT(held_branch, 0, 8, 2, "cycles in which nothing is dispatched since a branch waits") \
	P2_EVENT(br_conditional, 0, 8, 3, "conditional branches") \
	P2_EVENT(fpu_instructions, 0, 8, 4, "instructions executed by the FPU") \
	P2_EVENT(fp_div, 0, 9, 0, "floating-point divides") \
	P2_EVENT(fp_sqrt, 0, 9, 1, "floating-point square roots") \
	P2_EVENT(fpu_held_divide, 0, 9, 2, "cycles in which FPU0 begins nothing since a divide or square root holds it") \
	P2_EVENT(fpu0_busy, 0, 9, 3, "cycles in which FPU0 is busy") \
	P2_EVENT(fpu1_busy, 0, 9, 4, "cycles in which FPU1 is busy") \
	P2_EVENT(fp_fma, 0, 10, 0, "floating-point multiply-adds") \
	P2_EVENT(fp_arith, 0, 10, 1, "floating-point arithmetic instructions") \
	P2_EVENT(flops, 0, 10, 2, "floating-point operations: a multiply-add is two") \
	P2_EVENT(fpu_pairs, 0, 10, 3, "cycles in which both FPUs begin an instruction") \
	P2_EVENT(machine_cycles, 0, 10, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(fp_single, 0, 11, 0, "floating-point arithmetic in single precision") \
	P2_EVENT(fp_arith, 0, 11, 1, "floating-point arithmetic instructions") \
	P2_EVENT(fp_convert, 0, 11, 2, "floating-point conversions and roundings") \
	P2_EVENT(fp_move, 0, 11, 3, "floating-point moves, and all else that the FPU executes") \
	P2_EVENT(flops, 0, 11, 4, "floating-point operations: a multiply-add is two") \
	P2_EVENT(dispatched_fpu, 0, 12, 0, "instructions dispatched to the FPU; a floating-point load or store goes to both") \
	P2_EVENT(fpu_instructions, 0, 12, 1, "instructions executed by the FPU") \
	P2_EVENT(held_fpu_queue, 0, 12, 2, "nothing dispatched: the FPU's queue is full") \
	P2_EVENT(held_rename, 0, 12, 3, "nothing dispatched: no free floating-point register to rename to") \
	P2_EVENT(fpu_empty, 0, 12, 4, "cycles in which FPU0 begins nothing since nothing waits for it") \
	P2_EVENT(fp_load, 0, 13, 0, "floating-point and vector load instructions") \
	P2_EVENT(fpu_held_load, 0, 13, 1, "cycles in which FPU0 begins nothing since a load has not yet brought its operand") \
	P2_EVENT(dcache_load_mis, 0, 13, 2, "loads that miss the data cache") \
	P2_EVENT(dcache_held, 0, 13, 3, "cycles that misses of the data cache cost") \
	P2_EVENT(flops, 0, 13, 4, "floating-point operations: a multiply-add is two") \
	P2_EVENT(fpu_held_result, 0, 14, 0, "cycles in which FPU0 begins nothing since an arithmetic result is not yet there (interlock)") \
	P2_EVENT(fpu_held_load, 0, 14, 1, "cycles in which FPU0 begins nothing since a load has not yet brought its operand") \
	P2_EVENT(fpu_pairs, 0, 14, 2, "cycles in which both FPUs begin an instruction") \
	P2_EVENT(fp_fma, 0, 14, 3, "floating-point multiply-adds") \
	P2_EVENT(machine_cycles, 0, 14, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(flops, 0, 15, 0, "floating-point operations: a multiply-add is two") \
	P2_EVENT(fpu_instructions, 0, 15, 1, "instructions executed by the FPU") \
	P2_EVENT(fpu_held, 0, 15, 2, "cycles in which FPU0 begins nothing although an instruction waits") \
	P2_EVENT(fpu0_instructions, 0, 15, 3, "instructions executed by FPU0") \
	P2_EVENT(fpu1_instructions, 0, 15, 4, "instructions executed by FPU1") \
	P2_EVENT(fxu_instructions, 1, 0, 0, "instructions executed by the FXU") \
	P2_EVENT(fxu0_instructions, 1, 0, 1, "instructions executed by FXU0") \
	P2_EVENT(fxu1_instructions, 1, 0, 2, "instructions executed by FXU1") \
	P2_EVENT(load_instructions, 1, 0, 3, "instructions that load, of any kind") \
	P2_EVENT(store_instructions, 1, 0, 4, "instructions that store, of any kind") \
	P2_EVENT(fx_arith, 1, 1, 0, "integer arithmetic, logic, shifts and moves") \
	P2_EVENT(fx_compare, 1, 1, 1, "integer compares and record forms") \
	P2_EVENT(fx_mul, 1, 1, 2, "integer multiplies") \
	P2_EVENT(fx_div, 1, 1, 3, "integer divides") \
	P2_EVENT(fx_special, 1, 1, 4, "moves between general and special registers") \
	P2_EVENT(fx_load, 1, 2, 0, "integer load instructions") \
	P2_EVENT(fx_store, 1, 2, 1, "integer store instructions") \
	P2_EVENT(fp_load, 1, 2, 2, "floating-point and vector load instructions") \
	P2_EVENT(fp_store, 1, 2, 3, "floating-point and vector store instructions") \
	P2_EVENT(fx_load_store, 1, 2, 4, "instructions that load and store: atomic ones, x86's arithmetic in memory") \
	P2_EVENT(storage_instructions, 1, 3, 0, "instructions that load or store") \
	P2_EVENT(fx_update, 1, 3, 1, "loads and stores with update") \
	P2_EVENT(fx_multiple, 1, 3, 2, "words moved by multiple and string instructions") \
	P2_EVENT(cache_ops, 1, 3, 3, "cache control instructions") \
	P2_EVENT(fxu_instructions, 1, 3, 4, "instructions executed by the FXU") \
	P2_EVENT(fxu0_busy, 1, 4, 0, "cycles in which FXU0 is busy") \
	P2_EVENT(fxu1_busy, 1, 4, 1, "cycles in which FXU1 is busy") \
	P2_EVENT(fxu_pairs, 1, 4, 2, "cycles in which both FXUs begin an instruction") \
	P2_EVENT(fxu_empty, 1, 4, 3, "cycles in which FXU0 begins nothing since nothing waits for it") \
	P2_EVENT(machine_cycles, 1, 4, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(fxu_held_load, 1, 5, 0, "cycles in which FXU0 begins nothing since a load has not yet brought its operand") \
	P2_EVENT(fxu_held_result, 1, 5, 1, "cycles in which FXU0 begins nothing since another result is not yet there") \
	P2_EVENT(fxu_held_multi, 1, 5, 2, "cycles in which FXU0 begins nothing since a multi-cycle instruction holds it") \
	P2_EVENT(fxu_held_fpu, 1, 5, 3, "cycles in which FXU0 begins nothing since it waits for the FPU (data of stores, full store queue)") \
	P2_EVENT(held_branch, 1, 5, 4, "cycles in which nothing is dispatched since a branch waits") \
	P2_EVENT(dcache_held, 1, 6, 0, "cycles that misses of the data cache cost") \
	P2_EVENT(tlb_held, 1, 6, 1, "cycles that TLB reloads cost") \
	P2_EVENT(dcache_mis, 1, 6, 2, "accesses that miss the data cache") \
	P2_EVENT(tlb_mis, 1, 6, 3, "TLB reloads, of both TLBs") \
	P2_EVENT(fxu_held, 1, 6, 4, "cycles in which FXU0 begins nothing although an instruction waits") \
	P2_EVENT(dcache_mis, 1, 7, 0, "accesses that miss the data cache") \
	P2_EVENT(dcache_load_mis, 1, 7, 1, "loads that miss the data cache") \
	P2_EVENT(dcache_store_mis, 1, 7, 2, "stores that miss the data cache") \
	P2_EVENT(dcache_castouts, 1, 7, 3, "modified lines that the data cache writes back to memory") \
	P2_EVENT(accesses, 1, 7, 4, "loads and stores, devices' too") \
	P2_EVENT(loads, 1, 8, 0, "loads, of devices too: accesses, not instructions") \
	P2_EVENT(stores, 1, 8, 1, "stores, to devices too: accesses, not instructions") \
	P2_EVENT(dcache_load_mis, 1, 8, 2, "loads that miss the data cache") \
	P2_EVENT(dcache_store_mis, 1, 8, 3, "stores that miss the data cache") \
	P2_EVENT(storage_instructions, 1, 8, 4, "instructions that load or store") \
	P2_EVENT(tlb_mis, 1, 9, 0, "TLB reloads, of both TLBs") \
	P2_EVENT(dtlb_mis, 1, 9, 1, "data accesses that miss the TLB") \
	P2_EVENT(itlb_mis, 1, 9, 2, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(tlb_held, 1, 9, 3, "cycles that TLB reloads cost") \
	P2_EVENT(accesses, 1, 9, 4, "loads and stores, devices' too") \
	P2_EVENT(lost, 1, 10, 0, "cycles in which FXU1 begins nothing although an instruction waits for it: opportunities lost to scheduling") \
	P2_EVENT(lost_pair, 1, 10, 1, "cycles in which FXU1 begins nothing since its instruction needs the result of FXU0's of the same cycle") \
	P2_EVENT(lost_load, 1, 10, 2, "cycles in which FXU1 begins nothing since a load has not yet brought its operand") \
	P2_EVENT(lost_multi, 1, 10, 3, "cycles in which FXU1 begins nothing since only FXU0 executes the instruction (multiply, divide ...)") \
	P2_EVENT(lost_other, 1, 10, 4, "cycles in which FXU1 begins nothing for another reason although an instruction waits") \
	P2_EVENT(fxu_pairs, 1, 11, 0, "cycles in which both FXUs begin an instruction") \
	P2_EVENT(lost, 1, 11, 1, "cycles in which FXU1 begins nothing although an instruction waits for it: opportunities lost to scheduling") \
	P2_EVENT(fxu0_instructions, 1, 11, 2, "instructions executed by FXU0") \
	P2_EVENT(fxu1_instructions, 1, 11, 3, "instructions executed by FXU1") \
	P2_EVENT(machine_cycles, 1, 11, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(fx_mul, 1, 12, 0, "integer multiplies") \
	P2_EVENT(fx_div, 1, 12, 1, "integer divides") \
	P2_EVENT(fx_multiple, 1, 12, 2, "words moved by multiple and string instructions") \
	P2_EVENT(fxu_held_multi, 1, 12, 3, "cycles in which FXU0 begins nothing since a multi-cycle instruction holds it") \
	P2_EVENT(lost_multi, 1, 12, 4, "cycles in which FXU1 begins nothing since only FXU0 executes the instruction (multiply, divide ...)") \
	P2_EVENT(imr, 1, 13, 0, "executed instructions that IMR names") \
	P2_EVENT(spe_cycles, 1, 13, 1, "processor cycles (as the event cycles) while SPE is 1: the software-programmable event") \
	P2_EVENT(fxu_instructions, 1, 13, 2, "instructions executed by the FXU") \
	P2_EVENT(instructions, 1, 13, 3, "instructions executed") \
	P2_EVENT(machine_cycles, 1, 13, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(fxu_held_fpu, 1, 14, 0, "cycles in which FXU0 begins nothing since it waits for the FPU (data of stores, full store queue)") \
	P2_EVENT(fp_load, 1, 14, 1, "floating-point and vector load instructions") \
	P2_EVENT(fp_store, 1, 14, 2, "floating-point and vector store instructions") \
	P2_EVENT(held_fpu_queue, 1, 14, 3, "nothing dispatched: the FPU's queue is full") \
	P2_EVENT(fxu_instructions, 1, 14, 4, "instructions executed by the FXU") \
	P2_EVENT(fxu_instructions, 1, 15, 0, "instructions executed by the FXU") \
	P2_EVENT(fxu_held, 1, 15, 1, "cycles in which FXU0 begins nothing although an instruction waits") \
	P2_EVENT(lost, 1, 15, 2, "cycles in which FXU1 begins nothing although an instruction waits for it: opportunities lost to scheduling") \
	P2_EVENT(dcache_mis, 1, 15, 3, "accesses that miss the data cache") \
	P2_EVENT(tlb_mis, 1, 15, 4, "TLB reloads, of both TLBs") \
	P2_EVENT(instructions, 2, 0, 0, "instructions executed") \
	P2_EVENT(branches, 2, 0, 1, "branches") \
	P2_EVENT(br_conditional, 2, 0, 2, "conditional branches") \
	P2_EVENT(br_unconditional, 2, 0, 3, "unconditional branches") \
	P2_EVENT(icu_instructions, 2, 0, 4, "instructions that the ICU executes itself") \
	P2_EVENT(br_link_register, 2, 1, 0, "branches to the link register") \
	P2_EVENT(br_count_register, 2, 1, 1, "branches to the count register") \
	P2_EVENT(br_count, 2, 1, 2, "branches that decrement the count register (x86: LOOP)") \
	P2_EVENT(br_call, 2, 1, 3, "branches that set the link register (x86: CALL)") \
	P2_EVENT(br_return, 2, 1, 4, "returns from interrupts and system calls (rfid, IRET, SYSRET ...)") \
	P2_EVENT(condition_ops, 2, 2, 0, "condition register logic") \
	P2_EVENT(system_calls, 2, 2, 1, "system call instructions") \
	P2_EVENT(traps, 2, 2, 2, "trap instructions") \
	P2_EVENT(syncs, 2, 2, 3, "synchronising instructions") \
	P2_EVENT(system, 2, 2, 4, "other privileged and system instructions") \
	P2_EVENT(instructions_fetched, 2, 3, 0, "instruction words fetched") \
	P2_EVENT(instructions_dispatched, 2, 3, 1, "instructions dispatched, to each unit that they go to: a floating-point load or store counts twice") \
	P2_EVENT(dispatched_fxu, 2, 3, 2, "instructions dispatched to the FXU") \
	P2_EVENT(dispatched_fpu, 2, 3, 3, "instructions dispatched to the FPU; a floating-point load or store goes to both") \
	P2_EVENT(icu_instructions, 2, 3, 4, "instructions that the ICU executes itself") \
	P2_EVENT(dispatch_0, 2, 4, 0, "cycles in which nothing is dispatched") \
	P2_EVENT(dispatch_1, 2, 4, 1, "cycles in which 1 instruction is dispatched") \
	P2_EVENT(dispatch_2, 2, 4, 2, "cycles in which 2 instructions are dispatched") \
	P2_EVENT(dispatch_3, 2, 4, 3, "cycles in which 3 instructions are dispatched") \
	P2_EVENT(dispatch_4, 2, 4, 4, "cycles in which 4 to 6 instructions are dispatched") \
	P2_EVENT(held_branch, 2, 5, 0, "cycles in which nothing is dispatched since a branch waits") \
	P2_EVENT(held_branch_fxu, 2, 5, 1, "nothing dispatched: a branch waits for a condition that the FXU computes") \
	P2_EVENT(held_branch_fpu, 2, 5, 2, "nothing dispatched: a branch waits for a condition that the FPU computes") \
	P2_EVENT(held_branch_icu, 2, 5, 3, "nothing dispatched: a branch waits for the link or count register, or for condition register logic") \
	P2_EVENT(branches, 2, 5, 4, "branches") \
	P2_EVENT(held_fxu_queue, 2, 6, 0, "nothing dispatched: the FXU's queue is full") \
	P2_EVENT(held_fpu_queue, 2, 6, 1, "nothing dispatched: the FPU's queue is full") \
	P2_EVENT(held_rename, 2, 6, 2, "nothing dispatched: no free floating-point register to rename to") \
	P2_EVENT(held_sync, 2, 6, 3, "nothing dispatched: a synchronising instruction waits for all before it") \
	P2_EVENT(dispatch_0, 2, 6, 4, "cycles in which nothing is dispatched") \
	P2_EVENT(icache_mis, 2, 7, 0, "lines that miss the instruction cache") \
	P2_EVENT(itlb_mis, 2, 7, 1, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(icache_held, 2, 7, 2, "cycles that misses of the instruction cache cost") \
	P2_EVENT(itlb_held, 2, 7, 3, "cycles that reloads of the instruction TLB cost") \
	P2_EVENT(instructions_fetched, 2, 7, 4, "instruction words fetched") \
	P2_EVENT(interrupts, 2, 8, 0, "hardware interrupts delivered") \
	P2_EVENT(exceptions, 2, 8, 1, "faults, traps and software interrupts delivered") \
	P2_EVENT(system_calls, 2, 8, 2, "system call instructions") \
	P2_EVENT(br_return, 2, 8, 3, "returns from interrupts and system calls (rfid, IRET, SYSRET ...)") \
	P2_EVENT(traps, 2, 8, 4, "trap instructions") \
	P2_EVENT(instructions, 2, 9, 0, "instructions executed") \
	P2_EVENT(machine_cycles, 2, 9, 1, "cycles of the machine model: without what misses cost") \
	P2_EVENT(dispatch_0, 2, 9, 2, "cycles in which nothing is dispatched") \
	P2_EVENT(held_branch, 2, 9, 3, "cycles in which nothing is dispatched since a branch waits") \
	P2_EVENT(branches, 2, 9, 4, "branches") \
	P2_EVENT(br_conditional, 2, 10, 0, "conditional branches") \
	P2_EVENT(br_count, 2, 10, 1, "branches that decrement the count register (x86: LOOP)") \
	P2_EVENT(condition_ops, 2, 10, 2, "condition register logic") \
	P2_EVENT(held_branch_fxu, 2, 10, 3, "nothing dispatched: a branch waits for a condition that the FXU computes") \
	P2_EVENT(held_branch_icu, 2, 10, 4, "nothing dispatched: a branch waits for the link or count register, or for condition register logic") \
	P2_EVENT(tlb_mis, 2, 11, 0, "TLB reloads, of both TLBs") \
	P2_EVENT(itlb_mis, 2, 11, 1, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(dtlb_mis, 2, 11, 2, "data accesses that miss the TLB") \
	P2_EVENT(icache_mis, 2, 11, 3, "lines that miss the instruction cache") \
	P2_EVENT(instructions, 2, 11, 4, "instructions executed") \
	P2_EVENT(instructions, 2, 12, 0, "instructions executed") \
	P2_EVENT(dispatched_fxu, 2, 12, 1, "instructions dispatched to the FXU") \
	P2_EVENT(dispatched_fpu, 2, 12, 2, "instructions dispatched to the FPU; a floating-point load or store goes to both") \
	P2_EVENT(icu_instructions, 2, 12, 3, "instructions that the ICU executes itself") \
	P2_EVENT(machine_cycles, 2, 12, 4, "cycles of the machine model: without what misses cost") \
	P2_EVENT(br_call, 2, 13, 0, "branches that set the link register (x86: CALL)") \
	P2_EVENT(br_link_register, 2, 13, 1, "branches to the link register") \
	P2_EVENT(system_calls, 2, 13, 2, "system call instructions") \
	P2_EVENT(interrupts, 2, 13, 3, "hardware interrupts delivered") \
	P2_EVENT(instructions, 2, 13, 4, "instructions executed") \
	P2_EVENT(dispatch_0, 2, 14, 0, "cycles in which nothing is dispatched") \
	P2_EVENT(held_branch, 2, 14, 1, "cycles in which nothing is dispatched since a branch waits") \
	P2_EVENT(held_sync, 2, 14, 2, "nothing dispatched: a synchronising instruction waits for all before it") \
	P2_EVENT(icache_held, 2, 14, 3, "cycles that misses of the instruction cache cost") \
	P2_EVENT(itlb_held, 2, 14, 4, "cycles that reloads of the instruction TLB cost") \
	P2_EVENT(instructions, 2, 15, 0, "instructions executed") \
	P2_EVENT(branches, 2, 15, 1, "branches") \
	P2_EVENT(held_branch, 2, 15, 2, "cycles in which nothing is dispatched since a branch waits") \
	P2_EVENT(icache_mis, 2, 15, 3, "lines that miss the instruction cache") \
	P2_EVENT(interrupts, 2, 15, 4, "hardware interrupts delivered") \
	P2_EVENT(storage_instructions, 3, 0, 0, "instructions that load or store") \
	P2_EVENT(load_instructions, 3, 0, 1, "instructions that load, of any kind") \
	P2_EVENT(store_instructions, 3, 0, 2, "instructions that store, of any kind") \
	P2_EVENT(cache_ops, 3, 0, 3, "cache control instructions") \
	P2_EVENT(syncs, 3, 0, 4, "synchronising instructions") \
	P2_EVENT(scu_requests, 3, 1, 0, "requests of the processor to the SCU: reloads, castouts, TLB reloads, programmed I/O") \
	P2_EVENT(dcache_mis, 3, 1, 1, "accesses that miss the data cache") \
	P2_EVENT(dcache_castouts, 3, 1, 2, "modified lines that the data cache writes back to memory") \
	P2_EVENT(icache_mis, 3, 1, 3, "lines that miss the instruction cache") \
	P2_EVENT(tlb_mis, 3, 1, 4, "TLB reloads, of both TLBs") \
	P2_EVENT(sio_requests, 3, 2, 0, "what passes the I/O bus: programmed I/O, lines of DMA") \
	P2_EVENT(io_loads, 3, 2, 1, "programmed I/O: loads from devices, at memory addresses") \
	P2_EVENT(io_stores, 3, 2, 2, "programmed I/O: stores to devices, at memory addresses") \
	P2_EVENT(dma_rd, 3, 2, 3, "DMA: memory lines that devices read") \
	P2_EVENT(dma_wr, 3, 2, 4, "DMA: memory lines that devices write") \
	P2_EVENT(dma_rd, 3, 3, 0, "DMA: memory lines that devices read") \
	P2_EVENT(dma_wr, 3, 3, 1, "DMA: memory lines that devices write") \
	P2_EVENT(dma_lines, 3, 3, 2, "DMA: lines, both ways") \
	P2_EVENT(mem_lines, 3, 3, 3, "lines that pass the memory bus") \
	P2_EVENT(interrupts, 3, 3, 4, "hardware interrupts delivered") \
	P2_EVENT(scu_latency, 3, 4, 0, "latency of all reloads together, cycles") \
	P2_EVENT(dcache_held, 3, 4, 1, "cycles that misses of the data cache cost") \
	P2_EVENT(icache_held, 3, 4, 2, "cycles that misses of the instruction cache cost") \
	P2_EVENT(tlb_held, 3, 4, 3, "cycles that TLB reloads cost") \
	P2_EVENT(scu_requests, 3, 4, 4, "requests of the processor to the SCU: reloads, castouts, TLB reloads, programmed I/O") \
	P2_EVENT(mem_bus_busy, 3, 5, 0, "cycles in which the memory bus moves data: lines by their bus cycles") \
	P2_EVENT(mem_reads, 3, 5, 1, "lines read from memory") \
	P2_EVENT(mem_writes, 3, 5, 2, "lines written to memory") \
	P2_EVENT(mem_lines, 3, 5, 3, "lines that pass the memory bus") \
	P2_EVENT(dma_lines, 3, 5, 4, "DMA: lines, both ways") \
	P2_EVENT(dcache_load_mis, 3, 6, 0, "loads that miss the data cache") \
	P2_EVENT(dcache_store_mis, 3, 6, 1, "stores that miss the data cache") \
	P2_EVENT(icache_mis, 3, 6, 2, "lines that miss the instruction cache") \
	P2_EVENT(dtlb_mis, 3, 6, 3, "data accesses that miss the TLB") \
	P2_EVENT(itlb_mis, 3, 6, 4, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(dcache_castouts, 3, 7, 0, "modified lines that the data cache writes back to memory") \
	P2_EVENT(dcache_store_mis, 3, 7, 1, "stores that miss the data cache") \
	P2_EVENT(stores, 3, 7, 2, "stores, to devices too: accesses, not instructions") \
	P2_EVENT(mem_writes, 3, 7, 3, "lines written to memory") \
	P2_EVENT(dma_wr, 3, 7, 4, "DMA: memory lines that devices write") \
	P2_EVENT(accesses, 3, 8, 0, "loads and stores, devices' too") \
	P2_EVENT(loads, 3, 8, 1, "loads, of devices too: accesses, not instructions") \
	P2_EVENT(stores, 3, 8, 2, "stores, to devices too: accesses, not instructions") \
	P2_EVENT(dcache_mis, 3, 8, 3, "accesses that miss the data cache") \
	P2_EVENT(dcache_castouts, 3, 8, 4, "modified lines that the data cache writes back to memory") \
	P2_EVENT(io_requests, 3, 9, 0, "programmed I/O, both ways") \
	P2_EVENT(io_loads, 3, 9, 1, "programmed I/O: loads from devices, at memory addresses") \
	P2_EVENT(io_stores, 3, 9, 2, "programmed I/O: stores to devices, at memory addresses") \
	P2_EVENT(interrupts, 3, 9, 3, "hardware interrupts delivered") \
	P2_EVENT(exceptions, 3, 9, 4, "faults, traps and software interrupts delivered") \
	P2_EVENT(tlb_mis, 3, 10, 0, "TLB reloads, of both TLBs") \
	P2_EVENT(dtlb_mis, 3, 10, 1, "data accesses that miss the TLB") \
	P2_EVENT(itlb_mis, 3, 10, 2, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(tlb_held, 3, 10, 3, "cycles that TLB reloads cost") \
	P2_EVENT(accesses, 3, 10, 4, "loads and stores, devices' too") \
	P2_EVENT(icache_mis, 3, 11, 0, "lines that miss the instruction cache") \
	P2_EVENT(icache_held, 3, 11, 1, "cycles that misses of the instruction cache cost") \
	P2_EVENT(itlb_mis, 3, 11, 2, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(itlb_held, 3, 11, 3, "cycles that reloads of the instruction TLB cost") \
	P2_EVENT(instructions_fetched, 3, 11, 4, "instruction words fetched") \
	P2_EVENT(loads, 3, 12, 0, "loads, of devices too: accesses, not instructions") \
	P2_EVENT(dcache_load_mis, 3, 12, 1, "loads that miss the data cache") \
	P2_EVENT(dcache_held, 3, 12, 2, "cycles that misses of the data cache cost") \
	P2_EVENT(dtlb_mis, 3, 12, 3, "data accesses that miss the TLB") \
	P2_EVENT(dtlb_held, 3, 12, 4, "cycles that reloads of the data TLB cost") \
	P2_EVENT(cache_ops, 3, 13, 0, "cache control instructions") \
	P2_EVENT(syncs, 3, 13, 1, "synchronising instructions") \
	P2_EVENT(dcache_castouts, 3, 13, 2, "modified lines that the data cache writes back to memory") \
	P2_EVENT(mem_writes, 3, 13, 3, "lines written to memory") \
	P2_EVENT(store_instructions, 3, 13, 4, "instructions that store, of any kind") \
	P2_EVENT(mem_lines, 3, 14, 0, "lines that pass the memory bus") \
	P2_EVENT(dma_lines, 3, 14, 1, "DMA: lines, both ways") \
	P2_EVENT(mem_bus_busy, 3, 14, 2, "cycles in which the memory bus moves data: lines by their bus cycles") \
	P2_EVENT(scu_requests, 3, 14, 3, "requests of the processor to the SCU: reloads, castouts, TLB reloads, programmed I/O") \
	P2_EVENT(sio_requests, 3, 14, 4, "what passes the I/O bus: programmed I/O, lines of DMA") \
	P2_EVENT(scu_requests, 3, 15, 0, "requests of the processor to the SCU: reloads, castouts, TLB reloads, programmed I/O") \
	P2_EVENT(scu_latency, 3, 15, 1, "latency of all reloads together, cycles") \
	P2_EVENT(mem_bus_busy, 3, 15, 2, "cycles in which the memory bus moves data: lines by their bus cycles") \
	P2_EVENT(dma_lines, 3, 15, 3, "DMA: lines, both ways") \
	P2_EVENT(io_requests, 3, 15, 4, "programmed I/O, both ways") \
	P2_EVENT(loads, 4, 0, 0, "loads, of devices too: accesses, not instructions") \
	P2_EVENT(stores, 4, 0, 1, "stores, to devices too: accesses, not instructions") \
	P2_EVENT(dcache_load_mis, 4, 0, 2, "loads that miss the data cache") \
	P2_EVENT(dcache_store_mis, 4, 0, 3, "stores that miss the data cache") \
	P2_EVENT(dcache_castouts, 4, 0, 4, "modified lines that the data cache writes back to memory") \
	P2_EVENT(icache_mis, 4, 0, 5, "lines that miss the instruction cache") \
	P2_EVENT(dtlb_mis, 4, 0, 6, "data accesses that miss the TLB") \
	P2_EVENT(itlb_mis, 4, 0, 7, "instruction fetches that miss the instruction TLB") \
	P2_EVENT(dcache_held, 4, 0, 8, "cycles that misses of the data cache cost") \
	P2_EVENT(icache_held, 4, 0, 9, "cycles that misses of the instruction cache cost") \
	P2_EVENT(tlb_held, 4, 0, 10, "cycles that TLB reloads cost") \
	P2_EVENT(scu_requests, 4, 0, 11, "requests of the processor to the SCU: reloads, castouts, TLB reloads, programmed I/O") \
	P2_EVENT(scu_latency, 4, 0, 12, "latency of all reloads together, cycles") \
	P2_EVENT(io_loads, 4, 0, 13, "programmed I/O: loads from devices, at memory addresses") \
	P2_EVENT(io_stores, 4, 0, 14, "programmed I/O: stores to devices, at memory addresses") \
	P2_EVENT(dma_rd, 4, 0, 15, "DMA: memory lines that devices read") \
	P2_EVENT(dma_wr, 4, 0, 16, "DMA: memory lines that devices write") \
	P2_EVENT(mem_reads, 4, 0, 17, "lines read from memory") \
	P2_EVENT(mem_writes, 4, 0, 18, "lines written to memory") \
	P2_EVENT(mem_bus_busy, 4, 0, 19, "cycles in which the memory bus moves data: lines by their bus cycles") \
	P2_EVENT(cycles, 5, 0, 20, "processor cycles, with what misses cost") \
	P2_EVENT(errors, 5, 0, 21, "correctable memory errors")

#define P2_GROUP_TITLES(P2_GROUP_TITLE) \
	P2_GROUP_TITLE(0, 0, "operations") \
	P2_GROUP_TITLE(0, 1, "elements") \
	P2_GROUP_TITLE(0, 2, "other classes") \
	P2_GROUP_TITLE(0, 3, "loads and stores") \
	P2_GROUP_TITLE(0, 4, "utilisation") \
	P2_GROUP_TITLE(0, 5, "delays") \
	P2_GROUP_TITLE(0, 6, "queues and renaming") \
	P2_GROUP_TITLE(0, 7, "special numbers") \
	P2_GROUP_TITLE(0, 8, "compares and branches") \
	P2_GROUP_TITLE(0, 9, "divide and square root") \
	P2_GROUP_TITLE(0, 10, "multiply-add") \
	P2_GROUP_TITLE(0, 11, "precision") \
	P2_GROUP_TITLE(0, 12, "dispatch") \
	P2_GROUP_TITLE(0, 13, "loads behind") \
	P2_GROUP_TITLE(0, 14, "interlocks") \
	P2_GROUP_TITLE(0, 15, "summary") \
	P2_GROUP_TITLE(1, 0, "instructions") \
	P2_GROUP_TITLE(1, 1, "integer classes") \
	P2_GROUP_TITLE(1, 2, "storage classes") \
	P2_GROUP_TITLE(1, 3, "storage forms") \
	P2_GROUP_TITLE(1, 4, "utilisation") \
	P2_GROUP_TITLE(1, 5, "delays") \
	P2_GROUP_TITLE(1, 6, "delays by storage") \
	P2_GROUP_TITLE(1, 7, "data cache") \
	P2_GROUP_TITLE(1, 8, "data cache by kind") \
	P2_GROUP_TITLE(1, 9, "TLB reloads") \
	P2_GROUP_TITLE(1, 10, "scheduling opportunities") \
	P2_GROUP_TITLE(1, 11, "pairing") \
	P2_GROUP_TITLE(1, 12, "multi-cycle operations") \
	P2_GROUP_TITLE(1, 13, "instruction match and software event") \
	P2_GROUP_TITLE(1, 14, "floating-point interactions") \
	P2_GROUP_TITLE(1, 15, "summary") \
	P2_GROUP_TITLE(2, 0, "instructions") \
	P2_GROUP_TITLE(2, 1, "branch classes") \
	P2_GROUP_TITLE(2, 2, "other classes") \
	P2_GROUP_TITLE(2, 3, "fetch and dispatch") \
	P2_GROUP_TITLE(2, 4, "dispatch") \
	P2_GROUP_TITLE(2, 5, "branch delays") \
	P2_GROUP_TITLE(2, 6, "dispatch delays") \
	P2_GROUP_TITLE(2, 7, "instruction cache and TLB") \
	P2_GROUP_TITLE(2, 8, "interrupts") \
	P2_GROUP_TITLE(2, 9, "instructions per cycle") \
	P2_GROUP_TITLE(2, 10, "conditional branches") \
	P2_GROUP_TITLE(2, 11, "TLBs") \
	P2_GROUP_TITLE(2, 12, "units") \
	P2_GROUP_TITLE(2, 13, "flow") \
	P2_GROUP_TITLE(2, 14, "delays") \
	P2_GROUP_TITLE(2, 15, "summary") \
	P2_GROUP_TITLE(3, 0, "storage instructions") \
	P2_GROUP_TITLE(3, 1, "requests") \
	P2_GROUP_TITLE(3, 2, "I/O bus") \
	P2_GROUP_TITLE(3, 3, "DMA") \
	P2_GROUP_TITLE(3, 4, "latency") \
	P2_GROUP_TITLE(3, 5, "memory bus") \
	P2_GROUP_TITLE(3, 6, "reloads by kind") \
	P2_GROUP_TITLE(3, 7, "castouts") \
	P2_GROUP_TITLE(3, 8, "data") \
	P2_GROUP_TITLE(3, 9, "programmed I/O") \
	P2_GROUP_TITLE(3, 10, "TLB reloads") \
	P2_GROUP_TITLE(3, 11, "instruction side") \
	P2_GROUP_TITLE(3, 12, "loads") \
	P2_GROUP_TITLE(3, 13, "cache control") \
	P2_GROUP_TITLE(3, 14, "processor and devices") \
	P2_GROUP_TITLE(3, 15, "summary")

#define P2_EVENT_ALIASES(P2_EVENT_ALIAS) \
	P2_EVENT_ALIAS(fxu0, fxu0_instructions) \
	P2_EVENT_ALIAS(fxu1, fxu1_instructions) \
	P2_EVENT_ALIAS(fpu0, fpu0_instructions) \
	P2_EVENT_ALIAS(fpu1, fpu1_instructions) \
	P2_EVENT_ALIAS(icu, icu_instructions)

#endif
