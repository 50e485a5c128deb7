/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Processor models: caches and TLBs that each vCPU's accesses run through while somebody wants to know.
 *
 *   PbModel *d = pb_model_caches(&geometry);      opened by devices that come; who names the same geometry gets the same
 *   PbModel *i = pb_model_fetches(&geometry);     the same for instruction fetches
 *   PbModel *t = pb_model_tlb(&geometry);
 *   PbModel *f = pb_model_fetch_tlb(&geometry);   the TLB for instruction fetches
 *   pb_model_use(d, true);                        from now on accesses run through it (big lock held)
 *   uint64_t n = pb_model_misses(d, vcpu, privileged);   ever
 *   pb_model_close(d);                            as often as it was opened
 *
 * A model is not reset when it comes into use: it holds what it held when it was last used. The machine's reset empties all.
 * A snapshot holds them as one object of its own (hw/qemu/tcg/models_vmstate.c). Miss counts are the process's own.
 *
 * What runs through:
 *   caches   loads and stores to the machine's own memory; not devices, not a board's memory. A store that misses brings its
 *            line if the geometry says so. An access that misses two lines is one miss
 *   fetches  the lines that a block's instructions lie in, in order; what follows in the same line is not looked up again
 *   TLB      the pages of loads and stores while paging is on. The architecture says what empties it (plugins/isa)
 *   fetch TLB   the pages of instructions while paging is on: at the beginning of each block of instructions, and where one
 *            begins in another page than that before it, or reaches into it
 */
#ifndef PERFBOARD_PLUGINS_MODELS_H
#define PERFBOARD_PLUGINS_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/memory/cache.h"
#include "hw/memory/tlb.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PB_MOST_MODELS = 8 }; /* of each of the four kinds */
#define PB_MODELS_MOST (UINT32_C(1) << 30) /* bytes of them all, for all vCPUs */

typedef struct PbModel PbModel;

/* NULL, and one line in `why`: the geometry is not legal, or there are too many different ones or too large ones. Big lock held. */
PbModel *pb_model_caches(const CacheGeometry *geometry, char *why, size_t why_size);
PbModel *pb_model_fetches(const CacheGeometry *geometry, char *why, size_t why_size); /* one level: l2_size is 0 */
PbModel *pb_model_tlb(const TlbGeometry *geometry, char *why, size_t why_size);
PbModel *pb_model_fetch_tlb(const TlbGeometry *geometry, char *why, size_t why_size);

PbModel *pb_model_hold(PbModel *model);    /* opened once more */
void pb_model_close(PbModel *model);       /* the last time: it is in no snapshot any more, and free when no vCPU is in a block */
void pb_models_tidy(void);                 /* for the port: no vCPU is in a block, and blocks are translated anew. Big lock held */

void pb_model_use(PbModel *model, bool on); /* counted: as many users as have said so */
uint64_t pb_model_misses(const PbModel *model, unsigned vcpu, bool privileged);

/* Another master wrote to memory: all caches drop these lines. Big lock held. Free-running, a vCPU's caches do so before its
 * next access that does not simply hit. */
void pb_models_written(uint64_t addr, uint32_t bytes);

/* For the snapshot object: one flat image of all models; the size depends on the models and the number of vCPUs. */
size_t pb_models_bytes(void);
void pb_models_save(void *image);
bool pb_models_ok(const void *image, char *why, size_t why_size);
void pb_models_load(const void *image); /* an image that is ok */
void pb_models_reset(void);

#ifdef __cplusplus
}
#endif
#endif
