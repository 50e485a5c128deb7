/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Record and replay (-icount rr=record, rr=replay): what no recording holds is refused, so that no replay is wrong.
 *
 *   pb_record_start();                       at load. When the machine is complete, a board's properties that somebody could set
 *                                            from outside (pins, wires, clocks) say so in one line, in a recording and in a replay; and
 *                                            no board is hotpluggable, for a monitor or for a guest
 *   pb_record_takes(board, chr, &error)      at realize, of a chardev whose reader the board waits for
 *   pb_record_reads(board, property, chr, instead, &error)      at realize, of a chardev that the board reads
 *
 * Without a recording nothing is changed. Properties of those who only look (break, recent, log-filter) may be set at any time. Errors on
 * purpose come from a scenario's file; inject.c refuses them itself. */
#ifndef PERFBOARD_QEMU_RECORD_H
#define PERFBOARD_QEMU_RECORD_H

#include <stdbool.h>

struct CharBackend;
struct Error;

void pb_record_start(void);
bool pb_record_takes(const char *board, struct CharBackend *chr, struct Error **errp);
bool pb_record_reads(const char *board, const char *property, struct CharBackend *chr, const char *instead, struct Error **errp);

#endif
