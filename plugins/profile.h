/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Profile - what each instruction of a guest's command was worth: how often it was executed, the cycles of the pipelines that it took
 * and what it missed; by program, and in the kernel by the program that it worked for.
 *
 *   PbProfile wanted = { .kernel = k, .marker = "perfboard-mark", .insns = 0, .cycles = 41, .models = &models };
 *   pb_profile_open(&wanted);        behind pb_blocks_open(), before the vCPUs run; big lock held
 *   pb_profile_write(file);          while the vCPUs do not run; as often as you like
 *   pb_profile_close();
 *
 * Exact, as blocks.h is: from how often blocks were executed. The cycles of a block are each instruction's share of them: a cycle goes
 * to the instruction that is dispatched when it ends. Misses are noticed one by one. The region is the command's life: guest_linux.h.
 *
 * The file: words with blanks between, a line each.
 *
 *   perfboard-profile 1 ARCHITECTURE REGION       REGION: whole, or begun, marked or none (the command has not ended, or never began)
 *   machine TEXT                                  PbProfile's
 *   counts NAME...                                of a row, in order
 *   program NUMBER PID PARENT NAME                NAME, PATH: %XX for what is no letter, digit or sign
 *   image NUMBER BIAS PATH                        BIAS: address - offset in the file, hex
 *   call NUMBER ABOVE KIND PROGRAM IMAGE ADDRESS CALLS INSTRUCTIONS     a node of call_tree.h, f: with u|k behind its KIND
 *   row PROGRAM u|k IMAGE ADDRESS BYTES COUNT...  ADDRESS: virtual, hex. IMAGE 0: the kernel, or no file
 */
#ifndef PERFBOARD_PLUGINS_PROFILE_H
#define PERFBOARD_PLUGINS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plugins/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the guest's kernel: virtual addresses of its functions, at an instruction that each call executes; offsets in its structures, bytes. */
#define PB_GUEST_KERNEL(X) \
    X(at_switch) X(at_fork) X(at_exec) X(at_map) X(at_exit) /* __switch_to(), wake_up_new_task(), perf_event_exec(), perf_event_mmap(), do_exit() */ \
    X(task_pid) X(task_tgid) X(task_comm) X(task_mm) X(mm_vdso) \
    X(vma_start) X(vma_end) X(vma_mm) X(vma_flags) X(vma_pgoff) X(vma_file) \
    X(file_mount) X(file_dentry) X(dentry_parent) X(dentry_name) X(mount_root) \
    X(page_bits) /* log2 of a page's bytes */

typedef struct PbGuestKernel {
#define X(name) uint64_t name;
    PB_GUEST_KERNEL(X)
#undef X
} PbGuestKernel;

typedef struct PbProfile {
    PbGuestKernel kernel;        /* all 0: no Linux that is known; the region is the machine's life, and all is one program's */
    const char *marker;          /* the name of the program that executes the command */
    const char *machine;         /* what the counts are of, for the file; kept */
    unsigned insns, cycles;      /* of the block model's counts: which are these */
    const PbEventModels *models; /* whose misses are noticed; NULL: none */
    bool marked;                 /* only while the vCPU has its mark (events.h); not together with calls */
    bool events;                 /* only from one event (pb_profile_event()) to another; not together with calls */
    uint64_t from, to;
    bool calls;                  /* who calls whom (call_tree.h) */
    /* The region is near, or over: blocks are to be counted, and misses; or no more. In the vCPU's thread, without the big lock. */
    void (*near)(bool is);
} PbProfile;

void pb_profile_open(const PbProfile *profile);
void pb_profile_write(FILE *to);
/* A program has said so, by a board that takes its events: from the instruction behind this one on. In the vCPU's thread, in its access. */
void pb_profile_event(uint64_t event);
void pb_profile_close(void);

#ifdef __cplusplus
}

struct qemu_plugin_tb;
struct PbCpuState;

// What observation tells it.
namespace perfboard {

struct BlockStep;
struct CountedBlock;

bool profile_wanted();  // whether there is anything for profile_translate() to do
void profile_translate(qemu_plugin_tb* tb, const PbCpuState& state);
uint32_t profile_image(const PbCpuState& state, uint64_t address);  // of a block that begins there
void profile_told(unsigned vcpu, uint32_t owner, bool marked, const BlockStep& step, bool iteration, size_t from,
                  size_t to, uint64_t times);
void profile_calls(qemu_plugin_tb* tb, const CountedBlock& block);
void profile_entered(unsigned vcpu, bool was_privileged, bool interrupt);  // a delivered exception's handler
bool profile_has_calls();
void profile_iterated(unsigned vcpu, bool privileged);  // once more, in a block that repeats an instruction
void profile_flushed();  // no block is left, and no vCPU runs
void profile_settle();  // the book's blocks are about to go; no vCPU runs

}  // namespace perfboard
#endif
#endif
