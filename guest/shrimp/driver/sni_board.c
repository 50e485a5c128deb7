// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sni.ko - the SHRIMP network interface (hw/shrimp/README.md is its manual).
 *
 * The boards become /dev/sni0, /dev/sni1 and so on, in slot order; what each offers is in
 * guest/shrimp/uapi.h.
 *
 * Parameter irq=N,...: each board's interrupt (5, 9, 10, 12, 14, 15); 0 chooses.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "../../linux/eisa_slot.h"
#include "sni_driver.h"

#define SNI_DMA_MASK ((u64)SNI_PAGES * PAGE_SIZE - 1)
#define SNI_THROTTLE_MAX_NS (100 * NSEC_PER_MSEC)
#define SNI_QUIET_US 100000 /* a full FIFO empties in a few milliseconds */
#define SNI_INTERRUPTS (SNI_SIER_HW | SNI_SIER_RXI | SNI_SIER_RXE | SNI_SIER_OVF | SNI_SIER_DUD | \
			SNI_SIER_DUE | SNI_SIER_CKV)

static int irq[EISA_SLOT_LAST];
static int irqs;
module_param_array(irq, int, &irqs, 0444);
MODULE_PARM_DESC(irq, "interrupt of each board: 5, 9, 10, 12, 14 or 15; 0 chooses");

static const int sni_irq_choices[] = { 10, 5, 9, 0 };

/* --- interrupts --- */

/*
 * 4.4.2: when the FIFO fills, the driver holds the processor in a busy loop until it has emptied to
 * the low-water mark. The interrupt's thread does so: no program runs there meanwhile, but
 * interrupts do. Who has switched the network off cannot make it wait.
 */
static irqreturn_t sni_throttle(int number, void *board)
{
	struct sni *s = board;
	u64 start = ktime_get_ns();
	u64 now = start, loops = 0;
	bool low, on = sni_get(s, SNI_SCR) & SNI_SCR_EN;

	do {
		low = sni_get(s, SNI_SSR) & SNI_SSR_BLW;
		loops++;
		cpu_relax();
		now = ktime_get_ns();
	} while (!low && on && now - start < SNI_THROTTLE_MAX_NS);
	if (!low && on)
		pr_warn_ratelimited("the network takes nothing: %u words wait\n",
				    sni_get(s, SNI_FCNT));
	spin_lock_irq(&s->lock);
	s->stats.throttle_ns += now - start;
	s->stats.throttle_loops += loops;
	s->stats.low_water += low;
	sni_put(s, SNI_SISR, SNI_SISR_LW);
	spin_unlock_irq(&s->lock);
	return IRQ_HANDLED;
}

static irqreturn_t sni_interrupt(int number, void *board)
{
	struct sni *s = board;
	u32 status, dropped = 0;

	spin_lock(&s->lock);
	/*
	 * The line can be another board's. One that has no power, or has gone, answers with ones.
	 */
	status = s->asleep ? 0 : sni_get(s, SNI_SISR);
	if (!(status & SNI_SISR_PEND) || status == ~0u) {
		spin_unlock(&s->lock);
		return IRQ_NONE;
	}
	s->stats.irqs++;
	if (status & SNI_SISR_HW)
		s->stats.high_water++;
	if (status & SNI_SISR_RXI) {
		s->stats.receive++;
		WRITE_ONCE(s->received, s->received + 1);
	}
	if (status & SNI_SISR_RXE) {
		s->stats.receive_error++;
		dropped = sni_get(s, SNI_RXEP);
	}
	if (status & SNI_SISR_OVF)
		s->stats.overflow++;
	if (status & SNI_SISR_CKV)
		s->stats.clock_wraps++;
	status &= SNI_INTERRUPTS;
	/*
	 * HW before its thread's loop: another processor may fill the FIFO again, which sets it
	 * again.
	 */
	sni_put(s, SNI_SISR, status);
	sni_get(s, SNI_SISR); /* the line is down before the interrupt is acknowledged */
	/* A packet that comes from here on interrupts again. */
	if (status & SNI_SISR_RXI)
		sni_look(s);
	spin_unlock(&s->lock);

	if (status & SNI_SISR_RXE)
		pr_warn_ratelimited("a packet of the node at %03x for page %05x was dropped\n",
				    SNI_GET(RX_SENDER, dropped), SNI_GET(RX_PAGE, dropped));
	if (status & (SNI_SISR_DUD | SNI_SISR_DUE))
		sni_update_done(s, status);
	if (status & SNI_SISR_RXI)
		wake_up_interruptible(&s->wait);
	return status & SNI_SISR_HW ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

/* --- setting the board up --- */

static u32 sni_sbcr(struct sni *s)
{
	const int level = s->board.irq ? eisa_level_of_irq(s->board.irq) : 0;

	return (s->window.start & SNI_SBCR_BASE_MASK) | SNI_PUT(SBCR_IRLEV, level) |
	       SNI_SBCR_ENABLE;
}

/* An interface whose FIFO nobody watches loses stores, so the driver insists on an interrupt. */
static int sni_request_irq(struct sni *s)
{
	int wanted = s->board.index < irqs ? irq[s->board.index] : 0;

	if (!s->board.ours) {
		wanted = eisa_irq_of_level[SNI_GET(SBCR_IRLEV, s->board.config)];
		if (!wanted)
			return -ENXIO;
	}
	return eisa_board_irq(&s->board, wanted, sni_irq_choices, sni_interrupt, sni_throttle,
			      s->board.name, s);
}

static int sni_read_network(struct sni *s)
{
	u32 mesh = sni_get(s, SNI_MESH);

	s->node = SNI_GET(NODE_NUMBER, sni_get(s, SNI_NODE));
	s->nodes = SNI_GET(MESH_NODES, mesh);
	s->width = SNI_GET(MESH_WIDTH, mesh);
	s->height = SNI_GET(MESH_HEIGHT, mesh);
	s->fifo_words = sni_get(s, SNI_FSIZE);
	if (s->nodes && s->width)
		return 0;
	dev_err(s->board.dev, "the board knows no network (MESH %08x)\n", mesh);
	return -ENODEV;
}

/* Without the window there are no user-level updates: nothing else needs it. */
static void sni_place_proxies(struct sni *s)
{
	snprintf(s->proxies_name, sizeof(s->proxies_name), "%s proxies", s->board.name);
	s->proxies.name = s->proxies_name;
	s->proxies.flags = IORESOURCE_MEM;
	if (eisa_window_find(&s->proxies, SNI_PROXY_BYTES)) {
		s->proxies.start = 0;
		return;
	}
	s->proxies.flags |= IORESOURCE_BUSY;
	if (devm_add_action_or_reset(s->board.dev, eisa_window_release, &s->proxies))
		s->proxies.start = 0;
	else
		s->udcr = s->proxies.start | SNI_UDCR_ENABLE;
}

static void sni_go(struct sni *s, u32 scr)
{
	sni_put(s, SNI_SISR, SNI_SISR_CONDITIONS);
	sni_put(s, SNI_SIER, SNI_INTERRUPTS);
	sni_put(s, SNI_UDCR, s->udcr);
	sni_put(s, SNI_SCR, scr);
}

static void sni_silence(void *board)
{
	sni_put(board, SNI_SIER, 0);
	sni_put(board, SNI_SCR, 0);
	sni_put(board, SNI_UDCR, 0);
}

static int sni_start(struct eisa_board *b, struct device *dev)
{
	struct sni *s = sni_of(b);
	int err;

	sni_update_init(s);
	mutex_init(&s->entries_mutex);
	mutex_init(&s->areas_mutex);
	INIT_LIST_HEAD(&s->areas);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->wait);
	INIT_LIST_HEAD(&s->notices);
	err = eisa_board_init(b, dev);
	if (!err)
		err = eisa_board_window(b, &s->window, b->name, b->config & SNI_SBCR_BASE_MASK,
					SNI_WINDOW);
	if (!err)
		err = eisa_board_map(b, &s->window);
	if (!err)
		err = eisa_board_enable(b, sni_sbcr(s)); /* no interrupt yet */
	if (err)
		return err;
	/* Of a kernel that crashed, or a driver that did not give it back. */
	sni_put(s, SNI_SIER, 0);
	sni_put(s, SNI_SCR, 0);
	sni_put(s, SNI_UDCR, 0);
	err = devm_add_action_or_reset(b->dev, sni_update_end, s);
	if (!err)
		err = sni_request_irq(s);
	if (!err)
		err = devm_add_action_or_reset(b->dev, sni_silence, s);
	if (!err)
		err = eisa_board_enable(b, sni_sbcr(s));
	if (!err)
		err = sni_read_network(s);
	if (err)
		return err;
	err = sni_tables_init(s);
	if (err)
		return err;
	sni_fill_stock(s);
	sni_place_proxies(s);
	sni_go(s, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE);
	return sni_file_register(s);
}

static void sni_ready(struct eisa_board *b)
{
	struct sni *s = sni_of(b);

	dev_info(b->dev, "%s, registers %pR, irq %d, node %u of %u, FIFO %u words%s\n", b->name,
		 &s->window, b->irq, s->node, s->nodes, s->fifo_words,
		 b->ours ? "" : ", configured by firmware");
}

/* --- a sleep that takes the slots' power --- */

static const u32 sni_kept[] = { SNI_SCR, SNI_FHWM, SNI_FLWM, SNI_CTOR };
static_assert(ARRAY_SIZE(sni_kept) == ARRAY_SIZE(((struct sni *)0)->kept));

/*
 * What has been stored leaves, and what arrives is written. In a sleep programs are frozen, so
 * nothing new is stored.
 */
static int sni_suspend(struct device *dev)
{
	struct sni *s = sni_of(dev_get_drvdata(dev));
	size_t i;
	int us;

	for (i = 0; i < ARRAY_SIZE(sni_kept); i++)
		s->kept[i] = sni_get(s, sni_kept[i]);
	sni_put(s, SNI_SCR, s->kept[0] | SNI_SCR_FLUSH);
	for (us = 0; us < SNI_QUIET_US; us += 10) {
		const u32 ssr = sni_get(s, SNI_SSR);

		if (ssr & SNI_SSR_EMPTY && !(ssr & (SNI_SSR_DUB | SNI_SSR_RXB)))
			break;
		usleep_range(10, 20);
	}
	spin_lock_irq(&s->lock);
	sni_put(s, SNI_SCR, 0);
	sni_put(s, SNI_SIER, 0);
	sni_get(s, SNI_SIER);
	sni_look(s);
	s->asleep = true;
	spin_unlock_irq(&s->lock);
	synchronize_irq(s->board.irq); /* and its thread */
	return 0;
}

static int sni_resume(struct device *dev)
{
	struct sni *s = sni_of(dev_get_drvdata(dev));
	size_t i;

	eisa_board_restore(&s->board);
	sni_put(s, SNI_SIER, 0);
	sni_put(s, SNI_SCR, 0);
	sni_restore_tables(s);
	for (i = 1; i < ARRAY_SIZE(sni_kept); i++)
		sni_put(s, sni_kept[i], s->kept[i]);
	spin_lock_irq(&s->lock);
	s->asleep = false;
	sni_look_anew(s);
	sni_go(s, s->kept[0]);
	spin_unlock_irq(&s->lock);
	sni_update_done(s, SNI_SISR_DUE); /* one that ran has gone with the power */
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(sni_power, sni_suspend, sni_resume);

/*
 * The next kernel knows nothing of the pages that the tables name. Programs run still, and could
 * switch the network on again: a board that is disabled does not hear them.
 */
static void sni_quiesce(struct device *dev)
{
	struct sni *s = sni_of(dev_get_drvdata(dev));

	sni_suspend(dev);
	eisa_board_disable(&s->board);
}

static struct eisa_slot_driver sni_slots = {
	.bytes = sizeof(struct sni),
	.name = "sni%d",
	.what = "network interface",
	.product_mask = SNI_PRODUCT_ID_MASK,
	.start = sni_start,
	.ready = sni_ready,
	.end = sni_empty_stock,
};

EISA_SLOT_DRIVER(sni, SNI_PRODUCT_ID, SNI_DMA_MASK, sni_power, sni_quiesce);

MODULE_DESCRIPTION("SHRIMP network interface");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
