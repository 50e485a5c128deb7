/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Waveforms of the monitor's B-Link interface and F.R.L. as a value change dump (VCD, IEEE 1364), for a window of virtual time.
 *
 *   smile_vcd_init(&v, &config);             writes the declarations
 *   smile_vcd_wave(&v, packet, what);        what SmileConfig.wave is told
 *   smile_vcd_rewind(&v);                    time may go back now, as a snapshot is loaded: nothing is written until it has come
 *                                            as far again
 *   smile_vcd_flush(&v); smile_vcd_rest(&v, &config);   all so far, and, by the other config's write(), what is pending. That can still
 *                                            change, so the next bytes take its place
 *   smile_vcd_end(&v);                       what is still pending; then nothing more is written
 *
 * What is drawn when: hw/smile/CARD.md, Waveforms. The clock is shown only from two clocks before a packet until three behind what it causes:
 * a second of it would be 100 million lines. An event waits for the F.R.L. while that swaps.
 *
 * Only changes in [start, stop) are written; the window begins with the values of all signals. A dump of `most` bytes ends with a comment that says so.
 *
 * It keeps what it has yet to write. write() gets bytes in order; if it returns false, nothing more is written. Nothing here is state of the
 * machine. Usable from C and C++.
 */
#ifndef PERFBOARD_SMILE_VCD_H
#define PERFBOARD_SMILE_VCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/smile/smile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMILE_VCD_SIGNALS 15
#define SMILE_VCD_PENDING 256
#define SMILE_VCD_TEXT 8192

typedef struct SmileVcdConfig {
    uint64_t start, stop; /* ns; start < stop */
    uint64_t most;        /* bytes, 64 KiB and up; 0: no limit */
    uint32_t node;
    void *opaque;
    bool (*write)(void *opaque, const char *bytes, size_t n);
} SmileVcdConfig;

typedef struct SmileVcdValue {
    uint64_t bits;
    char other; /* 'x' or 'z'; 0: bits are the value */
} SmileVcdValue;

typedef struct SmileVcdChange {
    uint64_t ns;
    SmileVcdValue value;
    uint8_t signal;
} SmileVcdChange;

typedef struct SmileVcd {
    SmileVcdConfig config;
    SmileVcdValue now[SMILE_VCD_SIGNALS];
    SmileVcdChange pending[SMILE_VCD_PENDING]; /* in order of time */
    uint32_t pendings;
    uint64_t reached;  /* all before this time has been written */
    uint64_t clock_at, clock_end; /* b_clk's next edge; when it is shown no longer. Equal: it is not shown */
    uint64_t bus_free; /* when the bus can carry a packet */
    uint64_t frl_free; /* when the F.R.L. can take an event */
    uint64_t resume;   /* nothing up to this time is written: it has been there before */
    uint64_t stamp;    /* the time written last */
    bool begun;        /* the window */
    bool done;
    bool full;         /* done, as there is no room */
    uint64_t written;  /* bytes */
    uint32_t used;
    char text[SMILE_VCD_TEXT];
} SmileVcd;

void smile_vcd_init(SmileVcd *v, const SmileVcdConfig *config);
void smile_vcd_wave(SmileVcd *v, const SciPacket *packet, const SmileWave *what);
void smile_vcd_rewind(SmileVcd *v);
void smile_vcd_end(SmileVcd *v);
/* What has been handed in goes to write(), as far as it cannot change any more. */
void smile_vcd_flush(SmileVcd *v);
/* After smile_vcd_flush(). The dump as it would end here. False: write() has returned it. */
bool smile_vcd_rest(const SmileVcd *v, const SmileVcdConfig *to);

#ifdef __cplusplus
}
#endif
#endif
