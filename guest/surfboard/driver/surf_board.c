// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * surf.ko - the SurfBoard, an EISA performance monitor for SHRIMP (TR-596-99, B.1).
 *
 * Boards in slots 1 to 15 become /dev/surf0, /dev/surf1, ... in slot order; what the device
 * offers is in guest/surfboard/uapi.h. A board that firmware has enabled keeps its windows and its
 * interrupt. Another gets free ones, and is disabled again when the module goes.
 *
 * Parameter irq=N[,N...]: the interrupt of each board (5, 9, 10, 12, 14, 15), -1 for none.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "../../linux/eisa_slot.h"
#include "surf_driver.h"

static int irq[EISA_SLOT_LAST];
static int irqs;
module_param_array(irq, int, &irqs, 0444);
MODULE_PARM_DESC(irq, "interrupt of each board: 5, 9, 10, 12, 14 or 15; 0 chooses, -1 none");

/* The firmware's tables declare these as level-triggered, so boards can share them. */
static const int surf_irq_choices[] = { 5, 10, 9, 0 };

/*
 * The interrupt is a level: it lasts as long as its condition. Only the program can end the
 * condition (by taking the FIFO's entries, say). So the handler masks the condition until the
 * program has.
 */
static irqreturn_t surf_interrupt(int number, void *board)
{
	struct surf *s = board;
	u32 iscr, active;

	spin_lock(&s->lock);
	/*
	 * The line can be another board's. One that has no power, or has gone, answers with ones.
	 */
	iscr = s->asleep ? 0 : surf_get(s, SURF_ISCR);
	if (!(iscr & SURF_ISCR_PEND) || iscr == ~0u) {
		spin_unlock(&s->lock);
		return IRQ_NONE;
	}
	active = surf_get(s, SURF_IEMR);
	s->masked |= iscr & active;
	surf_put(s, SURF_IEMR, active & ~iscr);
	surf_get(s, SURF_IEMR); /* the line is down before the interrupt is acknowledged */
	s->iscr = iscr;
	s->count++;
	spin_unlock(&s->lock);
	wake_up_interruptible(&s->wait);
	return IRQ_HANDLED;
}

/* --- setting a board up --- */

static int surf_windows(struct surf *s)
{
	struct eisa_board *b = &s->board;
	int err;

	err = eisa_board_window(b, &s->mem_window, b->name,
				SURF_GET(EBCR_MBASE, b->config) << 27, SURF_MEM_WINDOW);
	if (!err)
		err = eisa_board_window(b, &s->reg_window, b->name,
					b->config & SURF_EBCR_RBASE_MASK, SURF_REG_WINDOW);
	return err;
}

static u32 surf_ebcr(struct surf *s)
{
	const int level = s->board.irq ? eisa_level_of_irq(s->board.irq) : SURF_IRLEV_DISABLED;

	return (s->reg_window.start & SURF_EBCR_RBASE_MASK) |
	       SURF_PUT(EBCR_MBASE, (u32)(s->mem_window.start >> 27)) |
	       SURF_PUT(EBCR_IRLEV, level) | SURF_EBCR_ENABLE;
}

static int surf_request_irq(struct surf *s)
{
	int wanted = s->board.index < irqs ? irq[s->board.index] : 0;

	if (!s->board.ours) {
		wanted = eisa_irq_of_level[SURF_GET(EBCR_IRLEV, s->board.config)];
		if (!wanted)
			wanted = -1;
	}
	if (wanted < 0)
		return 0;
	return eisa_board_irq(&s->board, wanted, surf_irq_choices, surf_interrupt, NULL,
			      s->board.name, s);
}

static void surf_silence(void *board)
{
	surf_put(board, SURF_IEMR, 0);
}

static int surf_start(struct eisa_board *b, struct device *dev)
{
	struct surf *s = surf_of(b);
	int err;

	mutex_init(&s->has_mutex);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->wait);
	err = eisa_board_init(b, dev);
	if (!err)
		err = surf_windows(s);
	if (!err)
		err = eisa_board_map(b, &s->reg_window);
	if (!err)
		err = eisa_board_enable(b, surf_ebcr(s)); /* no interrupt yet */
	if (!err)
		err = surf_initialize(s);
	if (!err)
		err = surf_request_irq(s);
	if (!err)
		err = devm_add_action_or_reset(b->dev, surf_silence, s);
	if (!err)
		err = eisa_board_enable(b, surf_ebcr(s));
	if (!err)
		err = devm_add_action_or_reset(b->dev, surf_has_free, s);
	if (!err)
		err = surf_file_register(s);
	return err;
}

static void surf_ready(struct eisa_board *b)
{
	struct surf *s = surf_of(b);

	dev_info(b->dev,
		 "%s, registers %pR, memories %pR, irq %d, trace %u MB, histogram %u MB%s\n",
		 b->name, &s->reg_window, &s->mem_window, b->irq, s->size[SURF_TRACE] >> 20,
		 s->size[SURF_HIST] >> 20, b->ours ? "" : ", configured by firmware");
}

/*
 * No condition is left that would interrupt the next kernel. Programs run still, and could allow it
 * again: a board that is disabled does not hear them.
 */
static void surf_quiesce(struct device *dev)
{
	struct surf *s = surf_of(dev_get_drvdata(dev));

	spin_lock_irq(&s->lock);
	surf_silence(s);
	s->asleep = true;
	spin_unlock_irq(&s->lock);
	eisa_board_disable(&s->board);
}

static struct eisa_slot_driver surf_slots = {
	.bytes = sizeof(struct surf),
	.name = "surf%d",
	.what = "SurfBoard",
	.product_mask = SURF_PRODUCT_ID_MASK,
	.start = surf_start,
	.ready = surf_ready,
};

EISA_SLOT_DRIVER(surf, SURF_PRODUCT_ID, 0, surf_power, surf_quiesce);

MODULE_DESCRIPTION("SurfBoard, a hardware performance monitor for SHRIMP");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
