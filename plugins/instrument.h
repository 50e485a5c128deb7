/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instrumentation: the plugin's own callbacks, which put into each block what taps, models and event sources want. */
#ifndef PERFBOARD_PLUGINS_INSTRUMENT_H
#define PERFBOARD_PLUGINS_INSTRUMENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the plugin's entry point. */
void pb_instrument_install(uint64_t plugin_id, unsigned max_vcpus);

#ifdef __cplusplus
}
#endif
#endif
