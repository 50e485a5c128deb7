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

/* Of the instruction that this vCPU (CPUState) has under way, in an access to a device. */
typedef struct PbUnderWay {
    bool locked;                    /* it locks the bus */
    bool hides_loads, hides_stores; /* QEMU's loads, or stores, are not the processor's */
} PbUnderWay;
PbUnderWay pb_instrument_under_way(void *cpu);

#ifdef __cplusplus
}
#endif
#endif
