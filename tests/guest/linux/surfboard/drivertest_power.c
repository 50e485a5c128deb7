/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest: the machine sleeps (ACPI S3, which resets the boards) and wakes up. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/guest/linux/surfboard/drivertest.h"

/* power-test wakes the machine up. */
static void sleep_once(void)
{
	const int fd = open("/sys/power/state", O_WRONLY);

	must(fd >= 0 && write(fd, "mem", 3) == 3, "/sys/power/state");
	close(fd);
}

/* Once round the shift register, which is then as before. */
static uint32_t acdr(void)
{
	uint32_t value = 0;

	for (int i = 0; i < SURF_ACDR_BITS; i++) {
		const uint32_t bit = get(SURF_ACDR) & SURF_ACDR_DATA;

		value |= bit << i;
		put(SURF_ACDR, bit);
	}
	return value;
}

void power(void)
{
	static const uint32_t registers[] = {
		SURF_FCCR, SURF_TTCR, SURF_ECDR, SURF_PCLR, SURF_IEMR, SURF_HTCR, SURF_WCDR, SURF_TICR, SURF_TECR,
	};
	static const char *const names[] = { "FCCR", "TTCR", "ECDR", "PCLR", "IEMR", "HTCR", "WCDR", "TICR", "TECR" };
	enum { n = sizeof(registers) / sizeof(*registers) };
	const uint32_t fifo[] = { 0x156, 0x034, 0x012 };
	uint32_t before[n], offsets[4], value, timeout;
	struct surf_exception e = { .timeout_ms = 600000 };
	struct ring r = open_ring(true);

	begin(SURF_PUT(TTCR_MODE, SURF_MODE_END), SURF_IEMR_WCV, SURF_HTCR_WEN | SURF_HTCR_HEN);
	put(SURF_PCLR, SURF_PCLR_LED | 5);
	put(SURF_TICR, 0x1234);
	put(SURF_TECR, 0x567);
	for (size_t i = 0; i < 3; i++)
		put(SURF_HFDR, fifo[i]);
	for (int i = 0; i < 4; i++)
		offsets[i] = get(SURF_HFCR);
	send(&r, 3);
	must(!sni_get_reg(sni, SNI_CTOR, &value) && !sni_set_reg(sni, SNI_CTOR, value + 7), "CTOR");
	timeout = value + 7;
	while (!sni_wait_packet(sni, 0))
		;
	for (int i = 0; i < n; i++)
		before[i] = get(registers[i]);
	value = acdr();

	sleep_once();

	for (int i = 0; i < n; i++) {
		const uint32_t now = get(registers[i]);

		check(now == before[i], "%s is %08x after the sleep, %08x before", names[i], now, before[i]);
	}
	check(acdr() == value, "the shift register is %08x, %08x before", acdr(), value);
	for (int i = 0; i < 4; i++)
		check(get(SURF_HFCR) == offsets[i], "offset byte %d is %02x", i, offsets[i]);
	for (size_t i = 0; i < 3; i++) {
		const uint32_t entry = get(SURF_HFDR);

		check(entry == fifo[i], "FIFO entry %zu is %03x, %03x before", i, entry, fifo[i]);
	}
	must(!sni_get_reg(sni, SNI_CTOR, &value), "CTOR");
	check(value == timeout, "CTOR is %x", value);
	check(r.receive[0] == 2, "the receive page keeps its contents");
	put(SURF_WCDR, 0xFFFFFFFF);
	send(&r, 1); /* by the mappings of before */
	check(r.receive[0] == 0, "a store goes out and comes back");
	check(!ioctl(surf, SURF_IOC_WAIT, &e) && e.count == 1, "the SurfBoard counts it, and interrupts");
	check(!sni_wait_packet(sni, 600000), "the network interface interrupts");
	begin(0, 0, 0);
}
