/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SurfBoard's own errors on purpose: hw/surfboard/README.md says what each does. */
#include "qemu/osdep.h"

#include "hw/qemu/surfboard/surfboard.h"

static uint64_t injected(Object *board, unsigned which)
{
    SurfBoardDevice *s = SURFBOARD(board);
    pb_cable_catch_up(&s->cable);
    return surf_injected(&s->board, which);
}

static void inject(Object *board, unsigned which, uint64_t value)
{
    SurfBoardDevice *s = SURFBOARD(board);
    pb_cable_catch_up(&s->cable);
    surf_inject(&s->board, which, value);
}

static const char *const selectors[] = {
    [SURF_SELECTOR_GOOD] = "good", [SURF_SELECTOR_NEVER_DONE] = "never-done", [SURF_SELECTOR_INIT_LOW] = "init-low", NULL
};
static const char *const simms[] = {
    [SURF_SIMM_WHOLE] = "whole", [SURF_SIMM_ABSENT] = "absent", [SURF_SIMM_HALF] = "half", NULL
};

#define NUMBER(what, name, meaning) \
    { .property = name, .text = meaning, .most = UINT32_MAX, .which = what, .get = injected, .set = inject }
#define WORD(what, name, meaning, of) \
    { .property = name, .text = meaning, .words = of, .which = what, .get = injected, .set = inject }

const PbInjection surfboard_injections[] = {
    NUMBER(SURF_INJECT_DROP, "inject-drop", "next packets that do not come over the cable"),
    NUMBER(SURF_INJECT_LATE, "inject-late", "ns that packets have been under way for longer"),
    NUMBER(SURF_INJECT_DAMAGE, "inject-damage", "next packets whose sender and transmit time are inverted"),
    NUMBER(SURF_INJECT_NO_END, "inject-no-eod", "next packets without end of data"),
    NUMBER(SURF_INJECT_OVERRUN, "inject-overrun", "next packets that find Stage 1 busy (ISCR.PV)"),
    NUMBER(SURF_INJECT_SKEW, "inject-skew", "100 ns that the senders' clocks are ahead (ISCR.LU)"),
    NUMBER(SURF_INJECT_CLOCK_WRAP, "inject-clock-wrap", "ns after which the receive clock wraps (ISCR.RTV)"),
    NUMBER(SURF_INJECT_FIFO_OVERFLOW, "inject-fifo-overflow", "next bin addresses that find the FIFO full (ISCR.FV)"),
    WORD(SURF_INJECT_SELECTOR, "inject-selector", "how the selector's FPGA fails (FCCR)", selectors),
    WORD(SURF_INJECT_TRACE_SIMM, "inject-trace-simm", "what is in the trace socket", simms),
    WORD(SURF_INJECT_HIST_SIMM, "inject-hist-simm", "what is in the histogram socket", simms),
    { .property = NULL },
};
