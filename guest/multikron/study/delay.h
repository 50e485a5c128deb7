/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delay - a loop, and how long something takes by MULTIKRON's timestamp: what time dilation needs. mklib.h first.
 */
#ifndef PERFBOARD_DELAY_H
#define PERFBOARD_DELAY_H

#define TURNS 10000ul /* of the loop when its time is read */

static inline void loop(unsigned long turns)
{
	if (turns)
		__asm__ volatile("1: dec %0\njnz 1b" : "+r"(turns) : : "cc");
}

/* The least of three: an interrupt makes it more. */
#define TICKS_OF(action)                                                  \
	({                                                                \
		uint64_t least = UINT64_MAX;                              \
									  \
		for (int round = 0; round < 3; round++) {                 \
			const uint64_t start = mk_timestamp();            \
			uint64_t ticks;                                   \
									  \
			action;                                           \
			ticks = mk_timestamp() - start;                   \
			least = ticks < least ? ticks : least;            \
		}                                                         \
		least;                                                    \
	})

#endif
