/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "system/runstate.h"

#include "hw/qemu/core/stop.h"

/* Not vm_stop(): if the calling vCPU stopped itself here, the machine would count as running with all its processors
 * idle until the main loop learnt of it, and under icount time would jump to the next timer. */
static void stop(RunState state)
{
    qemu_system_vmstop_request_prepare();
    qemu_system_vmstop_request(state);
}

void pb_stop(void)
{
    stop(RUN_STATE_IO_ERROR);
}

void pb_pause(void)
{
    stop(RUN_STATE_PAUSED);
}

void pb_go_on(void)
{
    if (runstate_check(RUN_STATE_IO_ERROR)) {
        vm_start();
    }
}
