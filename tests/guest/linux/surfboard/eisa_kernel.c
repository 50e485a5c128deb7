/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eisa_kernel - all programs of a guest whose kernel knows the EISA bus (eisa-kernel-test): its /init, of 32 bits.
 *
 *   bus=BUS list=STATE     on the kernel's command line, which makes them variables here
 *
 * BUS is where the drivers must find their boards: eisa or platform. STATE is what the kernel's own list says of them: enabled,
 * disabled, or absent. A driver of other cards is loaded while ours have their boards, and is to change nothing.
 */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>

#include "../check.h"
#include "../../../../guest/shrimp/lib/snilib.h"
#include "../../../../guest/surfboard/lib/surflib.h"

int failures;

static bool there(const char *format, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), format, name);
	return access(path, F_OK) == 0;
}

/* The first line of a file of the EISA bus; empty if it is not there. */
static const char *line_of(unsigned slot, const char *name)
{
	static char line[64];
	char path[128];
	FILE *f;

	line[0] = '\0';
	snprintf(path, sizeof(path), "/sys/bus/eisa/devices/00:%02X/%s", slot, name);
	f = fopen(path, "r");
	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		fclose(f);
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void load(const char *file)
{
	const int fd = open(file, O_RDONLY);

	check(fd >= 0 && syscall(SYS_finit_module, fd, "", 0) == 0, "%s is loaded", file);
	close(fd);
}

static void unload(const char *module)
{
	check(syscall(SYS_delete_module, module, O_NONBLOCK) == 0, "%s is unloaded", module);
}

/* --- what the kernel's own list has --- */

static void listed(unsigned slot, const char *product, const char *state)
{
	if (!strcmp(state, "absent")) {
		check(!*line_of(slot, "signature"), "slot %u is not in the kernel's list", slot);
		return;
	}
	check(!strcmp(line_of(slot, "signature"), product), "slot %u: %s", slot, product);
	check(!strcmp(line_of(slot, "enabled"), !strcmp(state, "enabled") ? "1" : "0"), "slot %u: %s", slot, state);
}

/* --- what our drivers have --- */

static void bound(const char *bus)
{
	const bool eisa = !strcmp(bus, "eisa");

	check(there("/sys/bus/eisa/drivers/%s/00:01", "sni") == eisa, "sni %s its board from the EISA bus", eisa ? "has" : "has not");
	check(there("/sys/bus/eisa/drivers/%s/00:02", "surf") == eisa, "surf %s its board from the EISA bus", eisa ? "has" : "has not");
	check(there("/sys/bus/platform/drivers/%s/sni.1", "sni") == !eisa, "sni %s found it", eisa ? "has not" : "has");
	check(there("/sys/bus/platform/drivers/%s/surf.2", "surf") == !eisa, "surf %s found it", eisa ? "has not" : "has");
}

/* A word goes out, round the network, and in again. */
static void network(void)
{
	const int fd = sni_open();
	volatile uint32_t *in, *out;
	struct sni_info info;

	must(fd >= 0, SNI_DEVICE);
	in = sni_pages(fd, 1);
	out = sni_pages(fd, 1);
	must(in && out, "pages of the network");
	must(sni_get_info(fd, &info) == 0 && sni_export(fd, in, 3, true) == 0, "export");
	must(sni_import(fd, out, info.node, (uint32_t)sni_pfn(fd, in), SNI_IMPORT_AU, 0) == 0, "import");
	out[0] = 0xE15A0000;
	check(sni_wait_packet(fd, 1000) == 0 && in[0] == 0xE15A0000, "a packet came, and its interrupt");
	check(sni_unmap((void *)in, 1) == 0 && sni_unmap((void *)out, 1) == 0, "the pages are given back");
	sni_close(fd);
}

static void monitor(void)
{
	const int board = surf_Open(NULL);
	uint32_t put = 0x5A17E15A, got = 0;

	must(board >= 0, "the monitor");
	check(surf_PutHMem(board, 4096, &put, sizeof(put)) == 0 && surf_GetHMem(board, 4096, &got, sizeof(got)) == 0, "its memory");
	same(got, put, "a word of histogram memory at", 4096);
	surf_Close(board);
}

static void work(const char *bus)
{
	bound(bus);
	network();
	monitor();
}

int main(void)
{
	const char *bus = getenv("bus"), *state = getenv("list");

	setvbuf(stdout, NULL, _IOLBF, 0);
	must(bus && state, "bus= and list=");
	must(mount("proc", "/proc", "proc", 0, NULL) == 0 && mount("sysfs", "/sys", "sysfs", 0, NULL) == 0 &&
		     mount("dev", "/dev", "devtmpfs", 0, NULL) == 0, "file systems");
	check(there("/sys/bus/eisa/drivers/%s", "3c579"), "3c509 has looked for its cards");
	listed(1, "PRU0020", state);
	listed(2, "PRU0010", state);
	for (int round = 0; round < 2; round++) {
		load("/surf.ko");
		load("/sni.ko");
		work(bus);
		load("/mii.ko");
		load("/3c59x.ko");
		check(there("/sys/bus/eisa/drivers/%s", "3c59x"), "3c59x looks for its cards");
		work(bus);
		listed(1, "PRU0020", state);
		listed(2, "PRU0010", state);
		unload("3c59x");
		unload("mii");
		unload("sni");
		unload("surf");
	}
	printf("eisa-kernel: %s\n", failures ? "FAILED" : "all is right");
	fflush(stdout);
	reboot(RB_POWER_OFF);
	return 1;
}
