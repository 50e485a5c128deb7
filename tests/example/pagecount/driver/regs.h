/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PageCount's registers for drivers and programs, transcribed from its manual page (README.md). */
#ifndef PERFBOARD_EXAMPLE_PAGECOUNT_REGS_H
#define PERFBOARD_EXAMPLE_PAGECOUNT_REGS_H

#define PAGECOUNTR_VENDOR 0x1234
#define PAGECOUNTR_DEVICE 0x4558
#define PAGECOUNTR_BAR_BYTES 0x1000

#define PAGECOUNTR_WATCH 0x00
#define PAGECOUNTR_WATCH_STORES 0x00000fff
#define PAGECOUNTR_WATCH_PAGE 0xfffff000
#define PAGECOUNTR_CTRL 0x04
#define PAGECOUNTR_CTRL_IEN 0x00000001

#endif
