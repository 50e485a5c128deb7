// SPDX-License-Identifier: GPL-2.0-or-later
/* surf.ko: the two memories and their sizes (A.7, A.8, A.9.1). */
#include <linux/bits.h>
#include <linux/sizes.h>

#include "surf_driver.h"

/*
 * The size of a SIMM: the lowest distance at which addresses come back to its beginning. Asking the
 * memory is surer than presence detect, which has no code for 64 MB, and none for a module of which
 * half does not answer. What the memory held is there afterwards.
 */
static u32 surf_simm_size(phys_addr_t start)
{
	static const u32 sizes[] = { SZ_2M, SZ_4M, SZ_8M, SZ_16M, SZ_32M };
	const u32 pattern = 0x5A17C3E8;
	u32 size = 0, first, second;
	void __iomem *base;
	size_t i;

	base = ioremap(start, PAGE_SIZE);
	if (!base)
		return 0;
	first = readl(base);
	second = readl(base + 4);
	/*
	 * An empty socket's lines hold what was last written: with the second write that is not the
	 * pattern.
	 */
	writel(pattern, base);
	writel(~pattern, base + 4);
	if (readl(base) != pattern || readl(base + 4) != ~pattern)
		goto out;
	size = SZ_64M;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		void __iomem *beyond = ioremap(start + sizes[i], PAGE_SIZE);
		bool distinct;
		u32 keep;

		if (!beyond) {
			size = sizes[i];
			break;
		}
		keep = readl(beyond);
		writel(~pattern, beyond);
		distinct = readl(base) == pattern && readl(beyond) == ~pattern;
		if (distinct)
			writel(keep, beyond);
		else
			size = sizes[i];
		iounmap(beyond);
		if (!distinct)
			break;
	}
out:
	writel(first, base);
	writel(second, base + 4);
	iounmap(base);
	return size;
}

/* The largest buffer that fits: a larger one would overwrite its own beginning (p. 55). */
static u32 surf_tsize(u32 bytes)
{
	if (bytes >= SZ_64M)
		return SURF_TSIZE_64MB;
	if (bytes >= SZ_16M)
		return SURF_TSIZE_16MB;
	return bytes >= SZ_4M ? SURF_TSIZE_4MB : SURF_TSIZE_256B;
}

u32 surf_shift(struct surf *s, u32 value)
{
	u32 i, was = 0;

	for (i = 0; i < SURF_ACDR_BITS; i++) {
		was |= (surf_get(s, SURF_ACDR) & SURF_ACDR_DATA) << i;
		surf_put(s, SURF_ACDR, value >> i & SURF_ACDR_DATA);
	}
	return was;
}

/* A.9.1: what is left to the driver. Collection stands still while the memories are looked at. */
int surf_initialize(struct surf *s)
{
	static const u32 offsets[] = { SURF_MEM_TRACE_OFFSET, SURF_MEM_HIST_OFFSET };
	u32 presence[SURF_MEMORIES];
	u32 htcr, fccr;
	int i;

	surf_put(s, SURF_IEMR, 0);
	htcr = surf_get(s, SURF_HTCR);
	surf_put(s, SURF_HTCR, htcr & ~(SURF_HTCR_TEN | SURF_HTCR_HEN | SURF_HTCR_WEN));
	fccr = surf_get(s, SURF_FCCR);
	presence[SURF_TRACE] = SURF_GET(FCCR_TSPD, fccr);
	presence[SURF_HIST] = SURF_GET(FCCR_HSPD, fccr);
	for (i = 0; i < SURF_MEMORIES; i++) {
		if (presence[i] == SURF_PD_EMPTY)
			continue;
		s->size[i] = surf_simm_size(s->mem_window.start + offsets[i]);
		if (!s->size[i])
			continue;
		s->memory[i] = devm_ioremap(s->board.dev, s->mem_window.start + offsets[i],
					    s->size[i]);
		if (!s->memory[i])
			return -ENOMEM;
	}
	if (s->board.ours) {
		u32 acdr = surf_shift(s, 0) & ~SURF_ACDR_TSIZE_MASK;

		surf_shift(s, acdr | SURF_PUT(ACDR_TSIZE, surf_tsize(s->size[SURF_TRACE])));
		htcr &= ~SURF_HTCR_FRS; /* p. 59: set at power on */
	}
	surf_put(s, SURF_HTCR, htcr);
	return 0;
}
