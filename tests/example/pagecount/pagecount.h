/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PageCount - a board that counts the stores to one page: the model of "A fifth board" (hw/README.md). README.md is its manual page.
 *
 * pagecount_stored() comes in a vCPU's thread, where no interrupt line may be touched: it asks for the timer. Whoever calls locks. */
#ifndef PERFBOARD_EXAMPLE_PAGECOUNT_H
#define PERFBOARD_EXAMPLE_PAGECOUNT_H

#include "hw/model/host.h"

#define STATE_LIST "tests/example/pagecount/state.def"
#include "hw/model/state_struct.h"

#define PAGECOUNT_BYTES 4096 /* of its window */

typedef struct PageCount {
    PageCountState state;
    PbHost host;
} PageCount;

#ifdef __cplusplus
extern "C" {
#endif
uint32_t pagecount_read(const PageCount *b, uint32_t offset, uint32_t size);
void pagecount_write(PageCount *b, uint32_t offset, uint32_t size, uint32_t value);
void pagecount_stored(PageCount *b, uint64_t now);
void pagecount_timer(PageCount *b);
void pagecount_power_on(PageCount *b);
void pagecount_reset(PageCount *b);

/* A snapshot's state; why not, in one line. One that is refused leaves a board that is powered on anew. */
bool pagecount_state_ok(const PageCountState *image, char *why, uint32_t why_size);
bool pagecount_load(PageCount *b, const PageCountState *image, char *why, uint32_t why_size);

const void *pagecount_view(void); /* for who looks (hw/model/view.h) */
#ifdef __cplusplus
}
#endif
#endif
