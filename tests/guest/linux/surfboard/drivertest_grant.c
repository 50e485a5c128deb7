/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest offer, drivertest accept: a grant that goes from one machine to another as text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define WORD 0x600D600Du

void offer(const char *name)
{
	volatile uint32_t *page = sni_pages(sni, 1);
	struct sni_grant g;
	const uint8_t *byte = (const uint8_t *)&g;
	FILE *f = fopen(name, "w");

	must(page && f && !sni_export_to(sni, page, 1, false, SNI_ANY, SNI_ANY, &g), "export");
	for (size_t i = 0; i < sizeof(g); i++)
		fprintf(f, "%02x", byte[i]);
	must(!fclose(f), name);
	while (!page[0])
		usleep(1000);
	check(page[0] == WORD, "what comes by the grant is %08x", page[0]);
}

void accept_grant(const char *text)
{
	volatile uint32_t *page = sni_pages(sni, 1);
	struct sni_grant g;
	uint8_t *byte = (uint8_t *)&g;
	unsigned int value;

	must(page && strlen(text) == 2 * sizeof(g), "a grant");
	for (size_t i = 0; i < sizeof(g); i++) {
		must(sscanf(text + 2 * i, "%2x", &value) == 1, "a grant");
		byte[i] = value;
	}
	if (sni_import_from(sni, page, &g, SNI_IMPORT_AU, 0)) {
		printf("the grant is refused: %s\n", strerror(errno));
		return;
	}
	page[0] = WORD;
	while (!counter(SNI_TXP)) /* until it has left */
		usleep(100);
	printf("the grant is taken\n");
}
