/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside multikron.ko: a card and its power (multikron_card.c), registers and character device
 * (multikron_file.c), attributes (multikron_sysfs.c), and the Source Address registers of all cards
 * (multikron_source.c).
 */
#ifndef PERFBOARD_MULTIKRON_DRIVER_H
#define PERFBOARD_MULTIKRON_DRIVER_H

#include <linux/device.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/io.h>
#include <linux/list.h>

#include "../../linux/pci_card.h"
#include "../regs.h"
#include "../uapi.h"

struct mk_card {
	struct pci_card pci;
	struct list_head list; /* of all cards; read under RCU */
	struct mk_info info;
	u64 kept[4]; /* registers, while the machine sleeps */
};

static inline struct mk_card *mk_of(struct pci_card *pci)
{
	return container_of(pci, struct mk_card, pci);
}

extern const struct attribute_group *mk_groups[];

/*
 * The chip's 64 data bits (Table A-1), in one access if the kernel has 64-bit ones. In two halves
 * the low one goes first: the high half of TEST executes what the low half has loaded, that of MUX
 * SEL stands for itself, and the others ignore it. Ordered, not relaxed: guest/linux/README.md,
 * "Accesses to registers".
 */
static inline void mk_put(struct mk_card *card, u32 address, u64 value)
{
	writeq(value, card->pci.regs + MKR_AT8(address));
}

#ifdef CONFIG_64BIT
static inline u64 mk_get(struct mk_card *card, u32 address)
{
	return readq(card->pci.regs + MKR_AT8(address));
}
#else
u64 mk_get(struct mk_card *card, u32 address); /* in halves that belong together */
#endif

/* multikron_file.c */
extern const struct file_operations mk_operations;
int mk_map(struct pci_card *pci, struct vm_area_struct *vma);
vm_fault_t mk_fault(struct pci_card *pci, struct vm_fault *vmf);
int mk_set(struct mk_card *card, u32 address, u64 value); /* checked */

/* multikron_source.c */
void mk_source_add(struct mk_card *card);
void mk_source_remove(struct mk_card *card);
void mk_source_restore(struct mk_card *card); /* its registers have become 0 */
u32 mk_source_cards(void);
u32 mk_source_node(void);
unsigned int mk_source_traced(void);
bool mk_source_probes(void);
int mk_source_trace(struct mk_trace *trace);
int mk_source_untrace(u32 flags);
void mk_source_exit(void);

#endif
