/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smile.ko's trace events (events/smile in tracefs): what it does with a card, and when. `smile
 * timeline` shows them beside the monitors, the library and the program.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM smile

#if !defined(PERFBOARD_SMILE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PERFBOARD_SMILE_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(smile_card,
	TP_PROTO(u32 card, u32 number),
	TP_ARGS(card, number),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, number)
	),
	TP_fast_assign(
		__entry->card = card;
		__entry->number = number;
	),
	TP_printk("card=%u records=%u", __entry->card, __entry->number)
);
#define SMILE_EVENT(event) \
	DEFINE_EVENT(smile_card, event, TP_PROTO(u32 card, u32 number), TP_ARGS(card, number))
#define SMILE_EVENT_PRINT(event, text) \
	DEFINE_EVENT_PRINT(smile_card, event, \
			   TP_PROTO(u32 card, u32 number), TP_ARGS(card, number), \
			   TP_printk("card=%u " text "=%u", __entry->card, __entry->number))

/*
 * A swap on demand begins: records that nobody has read yet. All of it is in the driver's memory:
 * records since then.
 */
SMILE_EVENT(smile_swap_begin);
SMILE_EVENT(smile_swap_end);
/* Records were saved from the ring. */
SMILE_EVENT(smile_save);
/* The monitor runs, or it stands. */
SMILE_EVENT_PRINT(smile_run, "on");
/* The card's interrupt, the first, second and so on. */
SMILE_EVENT_PRINT(smile_interrupt, "number");
/* The FPGA was loaded, and has this design now: SMILE_DESIGN_*. */
SMILE_EVENT_PRINT(smile_load, "design");

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE smile_trace
#include <trace/define_trace.h>
