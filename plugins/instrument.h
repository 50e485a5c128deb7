/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instrumentation: the plugin's own callbacks, which put into each block what taps, models and event sources want. */
#ifndef PERFBOARD_PLUGINS_INSTRUMENT_H
#define PERFBOARD_PLUGINS_INSTRUMENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the plugin's entry point. */
void pb_instrument_install(uint64_t plugin_id, unsigned max_vcpus);

/* In an access to a device: whether the instruction that this vCPU (CPUState) has under way locks the bus. */
bool pb_instrument_locked(void *cpu);

#ifdef __cplusplus
}
#endif
#endif
