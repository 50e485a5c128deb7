/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside surf.ko: the board and its power (surf_board.c), its memories (surf_memory.c), the
 * character device and the attributes (surf_file.c), the selector's bitstream (surf_has.c).
 */
#ifndef PERFBOARD_SURF_DRIVER_H
#define PERFBOARD_SURF_DRIVER_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "../regs.h"
#include "../uapi.h"
#include "../../linux/eisa_board.h"

enum surf_memory { SURF_TRACE, SURF_HIST, SURF_MEMORIES };

struct surf {
	struct eisa_board board;
	struct resource reg_window, mem_window;
	void __iomem *memory[SURF_MEMORIES];
	u32 size[SURF_MEMORIES];

	struct mutex has_mutex; /* one bitstream at a time */
	u8 *has;                /* the last that was taken, for after a sleep */
	u32 has_bytes;

	spinlock_t lock; /* IEMR, PCLR and what follows */
	bool asleep;     /* the slot has no power: all reads are ones */
	u32 masked;      /* conditions that the handler took out of IEMR */
	u32 iscr;        /* at the last interrupt */
	u32 count;       /* interrupts since the last clear */
	wait_queue_head_t wait;

	struct surf_saved *saved; /* while the machine sleeps */
};

static inline struct surf *surf_of(struct eisa_board *board)
{
	return container_of(board, struct surf, board);
}

/* Ordered, not relaxed: guest/linux/README.md, "Accesses to registers". */
static inline u32 surf_get(struct surf *s, u32 offset)
{
	return readl(s->board.regs + offset);
}

static inline void surf_put(struct surf *s, u32 offset, u32 value)
{
	writel(value, s->board.regs + offset);
}

/* surf_memory.c */
/* Once round the shift register: in goes value, out comes what was there. */
u32 surf_shift(struct surf *s, u32 value);
int surf_initialize(struct surf *s);

/* surf_has.c */
int surf_configure(struct surf *s, struct surf_has *has);
int surf_reconfigure(struct surf *s);
void surf_has_free(void *board);

/* surf_file.c */
int surf_file_register(struct surf *s);

/* surf_power.c */
extern const struct dev_pm_ops surf_power;

#endif
