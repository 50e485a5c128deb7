// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * surf.ko: a sleep that takes the slots' power. What section 3.7 of the paper names is saved and
 * restored: the registers, the shift register, the FIFO's offsets and its contents, the bitstream.
 * The two memories are not: on a real board they lose their contents with the power.
 */
#include <linux/device.h>
#include <linux/pm.h>
#include <linux/slab.h>

#include "surf_driver.h"

#define SURF_OFFSET_BYTES 4 /* HFCR: two bytes for each of two offsets */
#define SURF_FIFO_SLOTS (3 * SURF_FIFO_ENTRIES + 1)

static const u32 surf_kept[] = { SURF_TTCR, SURF_ECDR, SURF_PCLR, SURF_TICR, SURF_TECR, SURF_WCDR };

struct surf_saved {
	u32 value[ARRAY_SIZE(surf_kept)];
	u32 acdr, htcr, iemr, iscr;
	u8 offset[SURF_OFFSET_BYTES];
	u32 slots;
	u16 fifo[SURF_FIFO_SLOTS];
};

/* Both stop collection first, so that nothing moves meanwhile. */
static int surf_suspend(struct device *dev)
{
	struct surf *s = surf_of(dev_get_drvdata(dev));
	struct surf_saved *save = kzalloc(sizeof(*save), GFP_KERNEL);
	size_t i;

	if (!save)
		return -ENOMEM;
	spin_lock_irq(&s->lock);
	save->iemr = surf_get(s, SURF_IEMR);
	surf_put(s, SURF_IEMR, 0);
	surf_get(s, SURF_IEMR);
	spin_unlock_irq(&s->lock);
	save->iscr = surf_get(s, SURF_ISCR);
	save->htcr = surf_get(s, SURF_HTCR);
	surf_put(s, SURF_HTCR, save->htcr & ~(SURF_HTCR_TEN | SURF_HTCR_HEN | SURF_HTCR_WEN));
	for (i = 0; i < ARRAY_SIZE(surf_kept); i++)
		save->value[i] = surf_get(s, surf_kept[i]);
	save->acdr = surf_shift(s, 0);
	surf_shift(s, save->acdr);
	if (!(save->htcr & SURF_HTCR_FRS)) {
		for (i = 0; i < SURF_OFFSET_BYTES; i++)
			save->offset[i] = surf_get(s, SURF_HFCR);
		while (save->slots < SURF_FIFO_SLOTS && surf_get(s, SURF_ISCR) & SURF_ISCR_FNE)
			save->fifo[save->slots++] = surf_get(s, SURF_HFDR);
	}
	s->saved = save;
	spin_lock_irq(&s->lock);
	s->asleep = true;
	spin_unlock_irq(&s->lock);
	return 0;
}

/*
 * Setting TRG sets ISCR.TP if TEN was 1 before (3.7). The pipeline's reset keeps packets out until
 * all is as it was.
 */
static void surf_restore_trigger(struct surf *s, const struct surf_saved *save)
{
	const u32 held = save->htcr | SURF_HTCR_PRS;

	surf_put(s, SURF_HTCR, held & ~(save->iscr & SURF_ISCR_TP ? SURF_HTCR_TRG : SURF_HTCR_TEN));
	surf_put(s, SURF_HTCR, held);
	surf_put(s, SURF_HTCR, save->htcr);
}

static int surf_resume(struct device *dev)
{
	struct surf *s = surf_of(dev_get_drvdata(dev));
	struct surf_saved *save = s->saved;
	size_t i;
	int err;

	eisa_board_restore(&s->board);
	surf_put(s, SURF_IEMR, 0);
	surf_put(s, SURF_HTCR, SURF_HTCR_FRS);
	err = surf_reconfigure(s);
	if (err)
		dev_warn(dev, "the selector does not take its bitstream again: error %d\n", err);
	surf_shift(s, save->acdr);
	for (i = 0; i < ARRAY_SIZE(surf_kept); i++)
		surf_put(s, surf_kept[i], save->value[i]);
	/* A FIFO that comes out of its reset takes the lowest offset byte first, and is empty. */
	surf_put(s, SURF_HTCR, save->htcr & (SURF_HTCR_FRS | SURF_HTCR_PRS));
	if (!(save->htcr & SURF_HTCR_FRS)) {
		for (i = 0; i < SURF_OFFSET_BYTES; i++)
			surf_put(s, SURF_HFCR, save->offset[i]);
		for (i = 0; i < save->slots; i++)
			surf_put(s, SURF_HFDR, save->fifo[i]);
	}
	surf_restore_trigger(s, save);
	spin_lock_irq(&s->lock);
	s->asleep = false;
	surf_put(s, SURF_IEMR, save->iemr);
	spin_unlock_irq(&s->lock);
	s->saved = NULL;
	kfree(save);
	return 0;
}

DEFINE_SIMPLE_DEV_PM_OPS(surf_power, surf_suspend, surf_resume);
