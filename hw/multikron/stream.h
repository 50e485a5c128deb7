/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The data collection network on a chardev: what arrives, as 16-bit little-endian words.
 *
 *   element  bits 0-7 data, 8 odd parity of the data, 9 end of sample (EOM, high active), 10-15 zero:
 *            the ten output pins at one network clock (NISTIR 4737, "Network Output", appendix B)
 *   event    bit 15 set, bits 0-7 one of MK_EVENT_*: what a collector sees besides the data. A sample under way
 *            ends there, without its last elements. Samples that were in the FIFO do not come.
 *   node     bits 15 and 7 set; the others, 8-14 and then 0-6, are the number of a node: what follows, up to the next such
 *            word, is of that node. In a stream of several nodes (collect.h) each sample and each reset has one in front.
 *
 * A sample is 16 elements (trace) or 80 (resource); fields come in the order of Tables 6 and 7.
 * INFERRED: the most significant byte of a field comes first, since the header is "sent first" and stands at the left.
 * INFERRED: the header's bits are in Table 5's order: CPU ID 7-5, sample type 4-3, FIFO overrun 2, resource overrun 1,
 * read error 0.
 * A stream that was not read from its start can begin within a sample, as can one that follows a loaded snapshot.
 */
#ifndef PERFBOARD_MULTIKRON_STREAM_H
#define PERFBOARD_MULTIKRON_STREAM_H

#include <stdint.h>

#define MK_STREAM_PARITY 0x0100u
#define MK_STREAM_END 0x0200u
#define MK_STREAM_EVENT 0x8000u

#define MK_EVENT_SOFTWARE_RESET 1u /* address 0 was written; the Timestamp goes on */
#define MK_EVENT_HARDWARE_RESET 2u /* the pin: the Timestamp is 0 */

#define MK_STREAM_NODES 0x4000u /* that have a word */
#define MK_STREAM_NODE(node) (0x8080u | ((unsigned)(node) & 0x3f80u) << 1 | ((unsigned)(node) & 0x7fu))
#define MK_STREAM_IS_NODE(word) (((word) & 0x8080u) == 0x8080u)
#define MK_STREAM_NODE_OF(word) (((word) >> 1 & 0x3f80u) | ((word) & 0x7fu))

#define MK_TRACE_BYTES 16u
#define MK_RESOURCE_BYTES 80u

/* Header (Table 5). */
#define MK_HEADER_CPU(h) ((h) >> 5 & 7)
#define MK_HEADER_TYPE(h) ((h) >> 3 & 3) /* MK_TYPE_* */
#define MK_TYPE_TRACE 2u
#define MK_TYPE_RESOURCE 3u
#define MK_HEADER_FIFO_OVERRUN 0x04u
#define MK_HEADER_RSRC_OVERRUN 0x02u
#define MK_HEADER_RSRC_READ_ERROR 0x01u

#ifdef __cplusplus
constexpr
#endif
static inline uint16_t mk_stream_element(uint8_t data, int end)
{
    const unsigned nibble = (data ^ data >> 4) & 15;
    const unsigned odd = 0x6996 >> nibble & 1; /* whether the data have an odd number of ones */
    return (uint16_t)(data | (odd ? 0 : MK_STREAM_PARITY) | (end ? MK_STREAM_END : 0));
}

#endif
