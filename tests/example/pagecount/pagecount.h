/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PageCount - a board that counts the stores to one page: the model of "A fifth board" (hw/README.md).
 * Its register takes the page, and gives it with the count. The first store raises the interrupt, a write takes it back. */
#ifndef PERFBOARD_EXAMPLE_PAGECOUNT_H
#define PERFBOARD_EXAMPLE_PAGECOUNT_H

#include "hw/core/host.h"

typedef struct PageCount {
    uint32_t page, stores;
    PbHost host;
} PageCount;

#ifdef __cplusplus
extern "C" {
#endif
uint32_t pagecount_read(const PageCount *b, uint32_t byte, uint32_t size);
void pagecount_write(PageCount *b, uint32_t byte, uint32_t size, uint32_t value);
void pagecount_stored(PageCount *b, uint64_t now); /* in a vCPU's thread: a deadline is set, no interrupt line */
void pagecount_timer(PageCount *b);
const void *pagecount_view(void); /* for who looks (hw/core/view.h) */
#ifdef __cplusplus
}
#endif
#endif
