// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smile.ko: designs. Two images are in the card's RAM cache ("Two designs can be held within the
 * RAM Cache and then loaded dynamically at run-time"). The driver remembers which, so that a design
 * that is in a slot is not copied again.
 *
 * While the configuration cache manager loads the FPGA, the card is not on the bus: its PCI core is
 * in the FPGA, too. Afterwards the core has its reset values, so the driver writes base addresses,
 * interrupt line and command again.
 *
 * A card whose design is on a daughter board stays on the bus, and the driver has no way to load
 * one: it comes over the board's cable.
 */
#include <linux/delay.h>
#include <linux/firmware.h>
#include <linux/jiffies.h>

#include "smile.h"
#include "smile_trace.h"

#define SM_LOAD_TIMEOUT (10 * HZ)
#define SM_NO_CARD 0xffffffffu

/* --- designs on a daughter board --- */

static const char *const sm_design_names[] = {
	[SMILE_DESIGN_NONE] = "no design",
	[SMILE_DESIGN_STATIC] = "the static design",
	[SMILE_DESIGN_DYNAMIC] = "the dynamic design",
};

bool sm_has_target(const struct sm_card *card)
{
	return card->daughter || card->design != SMILE_DESIGN_NONE;
}

static u32 sm_entries(struct sm_card *card)
{
	return card->design == SMILE_DESIGN_DYNAMIC
		       ? SMR_GET(MSR_ENTRIES, sm_get(card, SMR_MSR))
		       : 0;
}

/* Plugged into an adapter, which may come after the driver, and another one in its place. */
static void sm_look_at_cable(struct sm_card *card)
{
	const u32 cable = sm_has_target(card) ? sm_get(card, SMR_CABLE) : 0;
	const u32 node = cable & SMR_CABLE_PLUGGED ? SMR_GET(CABLE_NODE, cable) : SMILE_NO_NODE;

	if (node == card->node || cable == U32_MAX)
		return; /* or the card does not answer */
	card->node = node;
	if (node != SMILE_NO_NODE)
		sm_put(card, SMR_NODE, node);
}

/*
 * It comes over the board's cable, whatever the driver does. The settings in PCI_Target are what
 * they were, and a monitor that ran runs on; the design's own are as after power-on.
 */
static void sm_look_at_daughter(struct sm_card *card)
{
	u32 msr;

	if (!card->daughter)
		return;
	msr = sm_get(card, SMR_MSR);
	if (!(msr & SMR_MSR_EXCHANGED) || SMR_GET(MSR_DESIGN, msr) > SMILE_DESIGN_DYNAMIC)
		return; /* or all ones: the card does not answer */
	sm_put(card, SMR_MSR, SMR_MSR_EXCHANGED);
	card->design = SMR_GET(MSR_DESIGN, sm_get(card, SMR_MSR)) % SMR_DESIGN_TARGET;
	card->entries = sm_entries(card);
	spin_lock_irq(&card->lock);
	sm_clear_totals(card, U32_MAX);
	spin_unlock_irq(&card->lock);
	dev_info(card->pci.misc.this_device, "%s is on the daughter board now\n",
		 sm_design_names[card->design]);
}

void sm_look(struct sm_card *card)
{
	sm_look_at_daughter(card);
	sm_look_at_cable(card);
}

/*
 * What a card needs that comes out of reset: its node's ID, its interrupts. PCI_Target is gone with
 * no design in the FPGA; the configuration cache manager is not.
 */
int sm_start(struct sm_card *card)
{
	const u32 design = sm_get(card, SMR_CCM_DESIGN);

	card->design = SMILE_DESIGN_NONE;
	if (design > SMR_DESIGN_TARGET)
		return -EIO; /* all ones: the card does not answer */
	card->daughter = design == SMR_DESIGN_TARGET;
	card->design = design;
	if (card->daughter)
		card->design =
			SMR_GET(MSR_DESIGN, sm_get(card, SMR_MSR)) % SMR_DESIGN_TARGET;
	card->node = SMILE_NO_NODE;
	card->entries = sm_entries(card);
	spin_lock_irq(&card->lock);
	card->mcr = 0;
	card->blocked = false;
	card->done = false;
	card->away = false;
	sm_clear_totals(card, U32_MAX);
	sm_look_at_cable(card);
	if (sm_has_target(card)) {
		sm_put(card, SMR_CCM_CLEAR, 0);
		sm_set_mcr(card, SMR_MCR_IEF | SMR_MCR_IED, 0, 0);
		sm_put(card, SMR_INTCSR, SMR_INTCSR_PCI | SMR_INTCSR_LOCAL);
	}
	spin_unlock_irq(&card->lock);
	return 0;
}

/* --- designs on the card --- */

static int sm_check_name(const char *name)
{
	size_t n = strnlen(name, SMILE_NAME_BYTES);

	if (n == SMILE_NAME_BYTES)
		return -EINVAL;
	for (; *name; name++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_", *name))
			return -EINVAL;
	return 0;
}

/* Copies an image into the slot that was used least recently. */
static int sm_copy(struct sm_card *card, const char *name)
{
	const u32 slot = card->slot[0].used <= card->slot[1].used ? 0 : 1;
	void __iomem *to = card->pci.regs + SMR_SLOT(slot);
	const struct firmware *image;
	char path[SMILE_NAME_BYTES + 16];
	int err;

	snprintf(path, sizeof(path), "smile/%s.bit", name);
	err = request_firmware_direct(&image, path, &card->pci.dev->dev);
	if (err)
		return err;
	if (image->size > SMR_SLOT_BYTES) {
		release_firmware(image);
		return -EFBIG;
	}
	card->slot[slot].name[0] = 0;
	memcpy_toio(to, image->data, image->size);
	memset_io(to + image->size, 0xff, SMR_SLOT_BYTES - image->size);
	release_firmware(image);
	strscpy(card->slot[slot].name, name, SMILE_NAME_BYTES);
	card->copies++;
	return slot;
}

/* The slot with the design, or an error. */
static int sm_slot_of(struct sm_card *card, struct smile_load *load)
{
	int slot;

	load->copied = 0;
	for (slot = 0; slot < SMR_SLOTS; slot++) {
		if (strcmp(card->slot[slot].name, load->name))
			continue;
		if (!(load->flags & SMILE_LOAD_COPY))
			return slot;
		card->slot[slot].name[0] = 0;
		card->slot[slot].used = 0; /* takes the new image */
	}
	slot = sm_copy(card, load->name);
	load->copied = slot >= 0;
	return slot;
}

/* The interrupt handler and readers leave the card alone from now on. */
static void sm_leave(struct sm_card *card)
{
	spin_lock_irq(&card->lock);
	sm_put(card, SMR_INTCSR, 0);
	card->away = true;
	spin_unlock_irq(&card->lock);
}

static bool sm_is_back(struct sm_card *card)
{
	u32 id;

	return !pci_read_config_dword(card->pci.dev, PCI_VENDOR_ID, &id) &&
	       id == (SMR_DEVICE << 16 | SMR_VENDOR);
}

/* Programs must not read configuration space while nothing answers there. */
static int sm_reconfigure(struct sm_card *card, u32 command)
{
	const unsigned long end = jiffies + SM_LOAD_TIMEOUT;
	u32 status;
	int err = 0;

	pci_cfg_access_lock(card->pci.dev);
	pci_save_state(card->pci.dev);
	sm_put(card, SMR_CCM_COMMAND, command);
	do
		msleep(5);
	while (!sm_is_back(card) && time_before(jiffies, end));
	if (sm_is_back(card))
		pci_restore_state(card->pci.dev);
	else
		err = -ENODEV;
	pci_cfg_access_unlock(card->pci.dev);
	if (err)
		return err;
	do {
		status = sm_get(card, SMR_CCM_STATUS);
		if (status == SM_NO_CARD)
			return -ENODEV;
		if (!(status & SMR_CCM_STATUS_BUSY))
			return status & SMR_CCM_STATUS_DONE && !(status & SMR_CCM_STATUS_ERROR)
				       ? 0
				       : -EIO;
		msleep(5);
	} while (time_before(jiffies, end));
	return -EIO;
}

/* What the old design has counted comes into the buffer first. */
static void sm_rescue(struct sm_card *card)
{
	if (card->design == SMILE_DESIGN_NONE)
		return;
	spin_lock_irq(&card->lock);
	sm_set_mcr(card, 0, SMR_MCR_RUN, 0);
	spin_unlock_irq(&card->lock);
	if (sm_swap(card))
		dev_warn(card->pci.misc.this_device,
			 "what the old design has counted is not saved\n");
}

/* What is on the daughter board is as if it had just come: nothing is set, nothing runs. */
static int sm_begin_anew(struct sm_card *card, struct smile_load *load)
{
	static const char *const names[] = { "", "static", "dynamic" };
	u32 i;

	load->copied = 0;
	load->design = card->design;
	if (card->design == SMILE_DESIGN_NONE || strcmp(load->name, names[card->design])) {
		dev_info(card->pci.misc.this_device,
			 "the design is on the daughter board: load it over the board's cable\n");
		return -EOPNOTSUPP;
	}
	sm_rescue(card);
	spin_lock_irq(&card->lock);
	sm_set_mcr(card, 0, 0, SMR_MCR_RESET);
	spin_unlock_irq(&card->lock);
	sm_put(card, SMR_MAXR, 0);
	sm_put(card, SMR_MASK, 0);
	if (card->design == SMILE_DESIGN_STATIC) {
		sm_put(card, SMR_TIMER, 0);
		for (i = 0; i < SMR_PAGES; i++)
			sm_put(card, SMR_PAGE(i), 0);
		for (i = 0; i < SMR_EVENTS; i++) {
			sm_put(card, SMR_EVENT(i), 0);
			sm_put(card, SMR_EVENT_RANGE(i), 0);
		}
		for (i = 0; i < SMR_COUNTERS; i++) {
			sm_put(card, SMR_COUNTER_START(i), 0);
			sm_put(card, SMR_COUNTER_STOP(i), 0);
			sm_put(card, SMR_COUNTER_COUNT(i), 0);
		}
	}
	card->loads++;
	return sm_start(card);
}

int sm_load(struct sm_card *card, struct smile_load *load)
{
	u32 command = SMR_CCM_LOAD_FLASH;
	int slot, err, back;

	if (load->flags & ~SMILE_LOAD_COPY || load->reserved || sm_check_name(load->name))
		return -EINVAL;
	if (card->daughter)
		return sm_begin_anew(card, load);
	if (load->name[0]) {
		slot = sm_slot_of(card, load);
		if (slot < 0)
			return slot;
		card->slot[slot].used = card->loads + 1;
		command = SMR_CCM_LOAD_SLOT(slot);
	}
	sm_rescue(card);
	sm_leave(card);
	err = sm_reconfigure(card, command);
	if (err != -ENODEV) {
		card->loads++;
		back = sm_start(card);
		err = err ? err : back;
	} else {
		dev_err(card->pci.misc.this_device, "the card did not come back\n");
		card->gone = true;
		wake_up_all(&card->wait);
	}
	if (err == -EIO && load->name[0])
		card->slot[command - SMR_CCM_LOAD_SLOT(0)].name[0] = 0; /* copied again next time */
	load->design = card->design;
	trace_smile_load(card->pci.index, card->design);
	return err;
}
