/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The PCI-SCI adapters of all nodes of a machine - C entry points of the model (smile.txt; hw/sci/README.md).
 * Node k is vCPU k. Each node has a B-Link of its own.
 *
 *   sci_init(&a, &config, &host)     once, before anything else; then it is as after sci_reset()
 *   sci_reset                        the bus's reset
 *   sci_enabled                      whether accesses are to be told at all; a register write may change it
 *   sci_access                       a load or store of a vCPU to the window; its packets pass before this returns
 *   sci_register_read / _write       an access to BAR 0
 *   sci_load                         a snapshot's state in place of the adapter's, if the adapter can be in it
 *
 * Every packet on every B-Link is told to config.packet(), in the order in which the B-Link carries them.
 * All times are virtual ns. The shim serialises calls. Usable from C and C++.
 */
#ifndef PERFBOARD_SCI_SCI_H
#define PERFBOARD_SCI_SCI_H

#include <stddef.h>

#include "hw/core/host.h"
#include "hw/sci/packet.h"
#include "hw/sci/sci_state.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCI_PAGE_BYTES 4096u
#define SCI_LEAST_SIZE SCI_PAGE_BYTES
#define SCI_MOST_SIZE (SCI_MAX_PAGES * (uint64_t)SCI_PAGE_BYTES)
#define SCI_DEFAULT_SIZE (UINT64_C(16) << 20)
#define SCI_REGISTER_BYTES 0x80000u
#define SCI_NO_VCPU UINT32_MAX /* nobody's instruction makes the access */

typedef struct SciConfig {
    uint32_t nodes; /* 1..SCI_MAX_NODES */
    uint64_t size;  /* of the window, bytes: a power of two, SCI_LEAST_SIZE..SCI_MOST_SIZE */

    void *opaque; /* for the functions below */
    void (*packet)(void *opaque, const SciPacket *packet);
} SciConfig;

typedef struct SciAdapter {
    SciState state; /* everything that a snapshot holds */
    SciConfig config;
    PbHost host;
    bool strange_vcpu; /* a vCPU that is no node has been logged */
} SciAdapter;

typedef struct SciAccess {
    uint64_t ns;
    uint64_t offset; /* in the window; the access lies within a page */
    uint32_t bytes;  /* 1..16 */
    uint32_t vcpu;
    bool store;
    bool locked; /* the instruction locks the bus: its load and its store are lock and unlock */
} SciAccess;

void sci_init(SciAdapter *a, const SciConfig *config, const PbHost *host);
void sci_reset(SciAdapter *a);
bool sci_enabled(const SciAdapter *a);
void sci_access(SciAdapter *a, const SciAccess *access);

/* size: 1, 2, 4 or 8 bytes, aligned. vcpu: who accesses; SCI_NO_VCPU: no vCPU. */
uint64_t sci_register_read(SciAdapter *a, uint32_t offset, uint32_t size, uint32_t vcpu);
void sci_register_write(SciAdapter *a, uint32_t offset, uint64_t value, uint32_t size, uint32_t vcpu);

/* A snapshot. False: the adapter cannot be in this state; `why` gets a line that names the member, its value and
 * what is legal, and sci_load() leaves an adapter that was reset. */
bool sci_load(SciAdapter *a, const SciState *image, char *why, uint32_t why_size);
bool sci_state_ok(const SciAdapter *a, const SciState *image, char *why, uint32_t why_size);

/* False, and one line: option (nodes, size), value, legal range. */
bool sci_config_ok(const SciConfig *config, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif
