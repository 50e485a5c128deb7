// SPDX-License-Identifier: GPL-2.0-or-later
/* surf.ko: the histogram address selector's bitstream, in slave serial mode (p. 52). */
#include <linux/iopoll.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "surf_driver.h"

#define SURF_BITSTREAM_MAX SZ_1M

static bool surf_configured(u32 fccr)
{
	return (fccr & (SURF_FCCR_DONE | SURF_FCCR_ERR)) == SURF_FCCR_DONE;
}

/* PROG down, INIT* up, then a bit per write to FCDR. */
static int surf_send_bits(struct surf *s, const u8 *bits, u32 bytes, bool interruptible)
{
	u32 i, bit, fccr;
	int err;

	surf_put(s, SURF_FCCR, SURF_FCCR_PROG);
	surf_put(s, SURF_FCCR, 0);
	err = readl_poll_timeout(s->board.regs + SURF_FCCR, fccr,
				 (fccr & (SURF_FCCR_CFG | SURF_FCCR_ERR)) == SURF_FCCR_CFG,
				 10, 100000);
	if (err)
		return -EIO;
	for (i = 0; i < bytes; i++) {
		for (bit = 0x80; bit; bit >>= 1)
			surf_put(s, SURF_FCDR, bits[i] & bit ? SURF_FCDR_DATA : 0);
		if (i % 512 == 511) {
			cond_resched();
			if (interruptible && signal_pending(current))
				return -EINTR;
		}
	}
	return surf_configured(surf_get(s, SURF_FCCR)) ? 0 : -EIO;
}

int surf_configure(struct surf *s, struct surf_has *has)
{
	u8 *bits;
	int err;

	if (!has->bytes || has->bytes > SURF_BITSTREAM_MAX)
		return -EINVAL;
	bits = vmemdup_user(u64_to_user_ptr(has->bits), has->bytes);
	if (IS_ERR(bits))
		return PTR_ERR(bits);
	err = mutex_lock_interruptible(&s->has_mutex);
	if (err) {
		kvfree(bits);
		return err;
	}
	err = surf_send_bits(s, bits, has->bytes, true);
	has->fccr = surf_get(s, SURF_FCCR);
	if (!err) {
		swap(s->has, bits);
		s->has_bytes = has->bytes;
	}
	mutex_unlock(&s->has_mutex);
	kvfree(bits);
	return err;
}

/* After a sleep: a selector that has kept its configuration is left alone. */
int surf_reconfigure(struct surf *s)
{
	int err = 0;

	mutex_lock(&s->has_mutex);
	if (s->has && !surf_configured(surf_get(s, SURF_FCCR)))
		err = surf_send_bits(s, s->has, s->has_bytes, false);
	mutex_unlock(&s->has_mutex);
	return err;
}

void surf_has_free(void *board)
{
	struct surf *s = board;

	kvfree(s->has);
}
