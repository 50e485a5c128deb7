/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mktest: the machine sleeps (ACPI S3, which resets the card) and wakes up. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "tests/guest/linux/multikron/mktest.h"

/* power-test wakes the machine up. */
static void sleep_once(void)
{
	const int fd = open("/sys/power/state", O_WRONLY);

	must(fd >= 0 && write(fd, "mem", 3) == 3, "/sys/power/state");
	close(fd);
}

void power(char **words)
{
	static const unsigned registers[] = { MKR_FILTER, MKR_MUXSEL, MKR_ENABLE };
	const uint64_t csr = MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT | MKR_CSR_SLOW10US;
	enum { n = sizeof(registers) / sizeof(*registers) };
	uint64_t before[n], count;
	int64_t source;

	pin(mk_main.info.cpu[0]);
	fresh((uint32_t)csr);
	must(!mk_filter(0x8421) && !mk_mux(0, MKR_MUX_NODE) && !mk_mux(5, MKR_MUX_SOFTWARE) && !mk_enable(0x21), "settings");
	source = mk_trace_me(0, 0);
	must(source > 0, "trace");
	for (int i = 0; i < n; i++)
		before[i] = mk_read(&mk_main, registers[i]);

	sleep_once();

	for (int i = 0; i < n; i++) {
		const uint64_t now = mk_read(&mk_main, registers[i]);

		check(now == before[i], "address %u is %#llx after the sleep, %#llx before", registers[i],
		      (unsigned long long)now, (unsigned long long)before[i]);
	}
	check((mk_read(&mk_main, MKR_CSR) & csr) == csr, "CSR is %#llx", (unsigned long long)mk_read(&mk_main, MKR_CSR));
	check(source_now(mk_main.info.cpu[0]) == source, "who runs has his source");
	count = mk_counter(0);
	check(mk_counter(0) > count, "counter 0 counts");
	must(!MK_COUNT(5), "MK_COUNT");
	check(mk_counter(5) == 1, "counter 5 counts");
	MK_TRACE(15, (uint64_t)source << 16);
	stored_trace++;
	settle();
}
