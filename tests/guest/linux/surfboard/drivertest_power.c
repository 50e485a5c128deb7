/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest: the machine sleeps (ACPI S3, which resets the boards) and wakes up; another kernel takes it over. */
#define _GNU_SOURCE
#include <linux/kexec.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/syscall.h>

#include "tests/guest/linux/surfboard/drivertest.h"

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

void power(char **words)
{
	static const struct {
		uint32_t offset;
		const char *name;
	} registers[] = {
		{ SURF_FCCR, "FCCR" }, { SURF_TTCR, "TTCR" }, { SURF_ECDR, "ECDR" }, { SURF_PCLR, "PCLR" }, { SURF_IEMR, "IEMR" },
		{ SURF_HTCR, "HTCR" }, { SURF_WCDR, "WCDR" }, { SURF_TICR, "TICR" }, { SURF_TECR, "TECR" },
	};
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
		before[i] = get(registers[i].offset);
	value = acdr();

	write_file("/sys/power/state", "mem"); /* power-test wakes the machine up */

	for (int i = 0; i < n; i++) {
		const uint32_t now = get(registers[i].offset);

		check(now == before[i], "%s is %08x after the sleep, %08x before", registers[i].name, now, before[i]);
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

/* --- another kernel takes the machine over (kexec), as it is or because this one has crashed --- */

#define BUSY 64

/* Pages that are sent and received, exceptions that interrupt, and a program that switches the network on whatever others do. */
static void busy(void)
{
	volatile uint32_t *out = sni_pages(sni, BUSY), *in = sni_pages(sni, BUSY);
	struct sni_info network;

	must(out && in && !sni_get_info(sni, &network), "pages");
	for (size_t i = 0; i < BUSY; i++) {
		volatile uint32_t *const to = in + i * (SNI_PAGE_BYTES / 4);

		must(!sni_export(sni, to, 1, true), "export");
		must(!sni_import(sni, out + i * (SNI_PAGE_BYTES / 4), network.node, (uint32_t)sni_pfn(sni, to), SNI_IMPORT_AU, 0), "import");
	}
	begin(0, SURF_IEMR_WCV, SURF_HTCR_WEN);
	for (uint32_t n = 0;; n++) {
		for (size_t i = 0; i < BUSY; i++)
			out[i * (SNI_PAGE_BYTES / 4) + n % 1024] = n;
		put(SURF_WCDR, 0xFFFFFFFF);
		ioctl(surf, SURF_IOC_CLEAR);
		sni_set_reg(sni, SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE);
	}
}

void next_kernel(char **words)
{
	const bool crash = !strcmp(words[0], "crash");
	const char *const kernel = words[1], *const initrd = words[2], *const line = words[3];
	const int k = open(kernel, O_RDONLY), i = open(initrd, O_RDONLY), trigger = open("/proc/sysrq-trigger", O_WRONLY);

	must(!syscall(SYS_kexec_file_load, k, i, strlen(line) + 1, line, crash ? KEXEC_FILE_ON_CRASH : 0ul), "kexec_file_load");
	if (!fork())
		busy();
	usleep(100000);
	pin(0);
	must(crash ? write(trigger, "c", 1) == 1 : !reboot(RB_KEXEC), "the next kernel");
}
