/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void *vmmc_pages(const struct vmmc *v, size_t count)
{
	return sni_pages(v->fd, count);
}

static char *page_of(const void *pages, size_t i)
{
	return (char *)pages + i * VMMC_PAGE;
}

int vmmc_export(const struct vmmc *v, void *pages, size_t count, uint32_t to, unsigned int flags, struct sni_grant *grants)
{
	for (size_t i = 0; i < count; i++)
		if (sni_export_to(v->fd, page_of(pages, i), flags / VMMC_COLOR(1), flags & VMMC_INTERRUPT, to, geteuid(), &grants[i]))
			return -1;
	return 0;
}

int vmmc_bind(const struct vmmc *v, void *pages, size_t count, const struct sni_grant *grants, bool combine)
{
	const uint32_t flags = SNI_IMPORT_AU | (combine ? SNI_IMPORT_COMBINE : 0);

	for (size_t i = 0; i < count; i++)
		if (sni_import_from(v->fd, page_of(pages, i), &grants[i], flags, VMMC_PAGE))
			return -1;
	return 0;
}

int vmmc_import(const struct vmmc *v, struct vmmc_target *to, size_t count, const struct sni_grant *grants)
{
	void *pages = vmmc_pages(v, count);

	if (!pages)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (sni_import_from(v->fd, page_of(pages, i), &grants[i], SNI_IMPORT_DU, 0))
			return -1;
	to->count = count;
	to->proxies = sni_proxies(v->fd, pages, count);
	return to->proxies ? 0 : -1;
}

int vmmc_source(const struct vmmc *v, struct vmmc_source *from, const void *pages, size_t count)
{
	from->count = count;
	from->proxies = sni_proxies(v->fd, pages, count);
	return from->proxies ? 0 : -1;
}

int vmmc_send(const struct vmmc_target *to, size_t to_offset, const struct vmmc_source *from, size_t from_offset, size_t bytes)
{
	if (to_offset + bytes > to->count * VMMC_PAGE || from_offset + bytes > from->count * VMMC_PAGE || (to_offset | from_offset | bytes) % 4) {
		errno = EINVAL;
		return -1;
	}
	while (bytes) { /* a transfer stays within a page on both sides */
		const size_t to_left = VMMC_PAGE - to_offset % VMMC_PAGE, from_left = VMMC_PAGE - from_offset % VMMC_PAGE;
		const size_t most = to_left < from_left ? to_left : from_left, part = bytes < most ? bytes : most;
		volatile uint32_t *source = from->proxies + from_offset / 4;

		if (sni_user_send(to->proxies + to_offset / 4, source, part)) {
			errno = EIO;
			return -1;
		}
		while (!sni_user_done(source))
			continue;
		to_offset += part;
		from_offset += part;
		bytes -= part;
	}
	return 0;
}
