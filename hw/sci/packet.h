/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SciPacket - a packet as it passes on the B-Link of one node's PCI-SCI adapter (smile.txt, Sec. III, Fig. 2).
 *
 * The B-Link is 64 bits wide. bframe falls with the packet's first word, BD1; the next word is BD2; the payload
 * follows. Bit positions are the paper's. What the paper leaves open is marked INFERRED: these positions are ours.
 *
 * BD1   0-15  Source_ID    node that sends the packet
 *      16-22  Command      the codes below
 *      23-31  0            INFERRED
 *      32-47  Dest_ID      node that the packet goes to
 *      48-53  trans_ID     a response carries that of its request
 *      54-63  0            INFERRED
 * BD2   0-1   0            the address is one of a 4-byte word
 *       2-11  Page offset
 *      12-27  Page number
 *      28-31  0            the paper's footnote 2: not implemented in the adapter
 *      32-39  byte enables of the aligned 8 bytes that hold the address; INFERRED
 *      40-63  0            INFERRED
 *
 * Command (INFERRED; the codes of IEEE 1596 and of the LC-1 were not found):
 *       1-0   what: 0 read, 1 write, 2 lock, 3 unlock
 *       2     response
 *       3     the payload is 64 bytes, else up to 8
 *       5-4   0
 *       6     echo; echoes are on the link, never on a B-Link
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SCI_PACKET_H
#define PERFBOARD_SCI_PACKET_H

#include <stdint.h>

#define SCI_MAX_NODES 32u

enum sci_what { SCI_READ, SCI_WRITE, SCI_LOCK, SCI_UNLOCK };

#define SCI_COMMAND_WHAT 0x03u
#define SCI_COMMAND_RESPONSE 0x04u
#define SCI_COMMAND_64 0x08u
#define SCI_COMMAND_ECHO 0x40u

#define SCI_BD1_SOURCE_SHIFT 0
#define SCI_BD1_COMMAND_SHIFT 16
#define SCI_BD1_COMMAND_BITS 7
#define SCI_BD1_DEST_SHIFT 32
#define SCI_BD1_TRANS_SHIFT 48
#define SCI_BD1_TRANS_BITS 6
#define SCI_BD2_OFFSET_SHIFT 2
#define SCI_BD2_OFFSET_BITS 10
#define SCI_BD2_PAGE_SHIFT 12
#define SCI_BD2_PAGE_BITS 16
#define SCI_BD2_ENABLES_SHIFT 32

#define SCI_BLINK_CLOCK_NS 20u /* 50 MHz: 400 MB/s on 64 bits; INFERRED */

typedef struct SciPacket {
    uint64_t ns;    /* virtual time of BD1; a multiple of SCI_BLINK_CLOCK_NS */
    uint64_t known; /* virtual time at which it is told; latency=off: BD1 may lie ahead */
    uint64_t bd1;
    uint64_t bd2;
    uint64_t payload[8]; /* valid: words - 2 of them; only filled in if somebody asked for it (waveforms) */
    uint8_t words;  /* 64-bit words on the B-Link, 2 to 10 */
    uint8_t node;   /* whose B-Link */
} SciPacket;

#endif
