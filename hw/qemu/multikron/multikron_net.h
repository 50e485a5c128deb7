/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MkNet - the data collection network on QEMU's side: words of hw/multikron/stream.h to a chardev.
 *
 * What the reader does not take at once is kept. When more than `limit` bytes are kept the machine is
 * stopped, as QEMU stops it when a disk is full (run state io-error), and goes on by itself when the
 * reader has caught up: a slow reader never changes what the guest sees. A socket that nobody has
 * opened yet is a slow reader; one that comes after another begins with a whole word. Without a chardev
 * the words are dropped. A file gets `most` bytes at most: what comes then is dropped, and counted.
 */
#ifndef PERFBOARD_QEMU_MULTIKRON_NET_H
#define PERFBOARD_QEMU_MULTIKRON_NET_H

#include "chardev/char-fe.h"

#define MK_NET_MOST_LIMIT (UINT64_C(1) << 30)

typedef struct MkNet {
    CharBackend chr;
    uint64_t limit; /* bytes, at most MK_NET_MOST_LIMIT */
    uint64_t most;  /* bytes of a file; 0: any number */
    uint64_t taken, dropped; /* bytes */
    bool full;
    GByteArray *kept;
    guint sent;  /* of the kept bytes, how many the reader has taken */
    guint watch;   /* GLib source that waits for the reader; 0: none */
    guint goes_on; /* that lets the machine go on */
    bool failed;   /* the last attempt to write */
    bool paused;   /* we asked for the machine to be stopped, and it has not run anew since */
} MkNet;

void mk_net_init(MkNet *n);
/* For MkConfig.network; opaque is the MkNet. Any thread that holds the big lock. */
void mk_net_words(void *opaque, const uint16_t *words, size_t count);
/* Hand over what the reader takes now; with `last`, wait a while for a reader that is slow. */
void mk_net_flush(MkNet *n, bool last);
/* The card is unplugged: what it has sent is handed over, and a machine that waits for the reader goes on. Also of one that was never begun. */
void mk_net_end(MkNet *n);

#endif
