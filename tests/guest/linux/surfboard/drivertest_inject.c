/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest inject: each error on purpose reaches driver, library and tool as the condition that the paper names.
 * inject.scenario says at which virtual time each comes, from the moment that the user LED goes on. The SNI's clock counts virtual time in
 * 100 ns, so a phase waits for its line there, and must be done before the next.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define SCENARIO "/tests/inject.scenario"
#define BITSTREAM "/firmware/size-latency.bit"

static struct ring ring;
static uint64_t next_line; /* 100 ns; 0: there is none */
static uint64_t start;     /* of the scenario, or a little later */

static uint64_t scenario_time(void)
{
	uint32_t low, high;

	must(!sni_get_reg(sni, SNI_CLKL, &low) && !sni_get_reg(sni, SNI_CLKH, &high), "clock");
	return ((uint64_t)high << 32 | low) - start;
}

/* Until the scenario has done this line. */
static void phase(const char *wanted)
{
	static FILE *file;
	char line[160];

	if (!file)
		file = fopen(SCENARIO, "r");
	must(file, SCENARIO);
	check(!next_line || scenario_time() < next_line, "in time for: %s", wanted);
	while (fgets(line, sizeof(line), file)) {
		unsigned long ms;
		int at;

		if (sscanf(line, "%lums %n", &ms, &at) != 1 || strncmp(line + at, wanted, strlen(wanted)))
			continue;
		while (scenario_time() <= ms * 10000)
			usleep(1000);
		next_line = 0;
		while (!next_line && fgets(line, sizeof(line), file))
			if (sscanf(line, "%lums", &ms) == 1)
				next_line = ms * 10000;
		fseek(file, -(long)strlen(line), SEEK_CUR);
		return;
	}
	printf("FAILED: %s has no line: %s\n", SCENARIO, wanted);
	exit(1);
}

static void store(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		ring.send[0] = i;
		usleep(10);
	}
	usleep(200);
}

/* The driver's interrupt came with this condition, and the tool names it. */
static void excepted(uint32_t condition, const char *name)
{
	struct surf_exception e = { .timeout_ms = 100 };
	char shown[512], field[16];
	FILE *tool;
	bool named = false, came = !ioctl(surf, SURF_IOC_WAIT, &e);

	check(came && e.iscr & condition && e.iscr & SURF_ISCR_PEND, "%s: the driver's interrupt, ISCR %08x", name, e.iscr);
	tool = popen("surf -c SHOW", "r");
	must(tool, "surf");
	snprintf(field, sizeof(field), " %s", name);
	while (fgets(shown, sizeof(shown), tool))
		named |= !strncmp(shown, "ISCR", 4) && strstr(shown, field);
	check(!pclose(tool) && named, "%s: surf SHOW names it", name);
}

static void collect(uint32_t iemr)
{
	begin(0, iemr, SURF_HTCR_TEN | SURF_HTCR_WEN);
}

/* --- the SurfBoard ------------------------------------------------------------ */

static void packets(void)
{
	uint64_t base = counter(SNI_RXP);

	phase("surfboard inject-drop");
	collect(0);
	store(5);
	check(counter(SNI_RXP) - base == 5 && get(SURF_TECR) == 2, "drop: five in memory, %u traced", get(SURF_TECR));
	phase("surfboard inject-late");
	collect(SURF_IEMR_LV);
	store(1);
	excepted(SURF_ISCR_LV, "LV");
	phase("surfboard inject-late 0");
	phase("surfboard inject-damage");
	collect(SURF_IEMR_LU);
	store(1);
	excepted(SURF_ISCR_LU, "LU");
	phase("surfboard inject-no-eod");
	collect(0);
	store(2);
	check(get(SURF_TECR) == 1, "no-eod: two packets, %u record", get(SURF_TECR));
	check(get(SURF_WCDR) == 6, "no-eod: and header and timestamp are words, %u", get(SURF_WCDR));
	phase("surfboard inject-overrun");
	collect(SURF_IEMR_PV);
	store(2);
	excepted(SURF_ISCR_PV, "PV");
	check(get(SURF_TECR) == 1, "overrun: one was dropped");
	phase("surfboard inject-skew");
	collect(SURF_IEMR_LU);
	store(1);
	excepted(SURF_ISCR_LU, "LU");
	phase("surfboard inject-skew 0");
}

static void fifo(void)
{
	uint32_t bin = 0xFFFFFF % (info.hist_size / 4), full = 0xFFFFFFFF;

	phase("surfboard inject-fifo-overflow");
	put(SURF_FCCR, SURF_FCCR_PROG); /* a selector that is not configured knows one bin */
	must(pwrite(surf, &full, 4, SURF_MAP_HIST + 4 * (off_t)bin) == 4, "pwrite");
	begin(0, SURF_IEMR_FV, SURF_HTCR_HEN);
	store(1);
	excepted(SURF_ISCR_FV, "FV");
	check(!(get(SURF_ISCR) & SURF_ISCR_FNE), "fifo-overflow: nothing is in the FIFO");
}

/* The driver's answer, 0 or errno, to a good bitstream. */
static int configure(void)
{
	static uint8_t bits[8192];
	FILE *file = fopen(BITSTREAM, "r");
	struct surf_has has = { .bits = (uintptr_t)bits };

	must(file, BITSTREAM);
	has.bytes = fread(bits, 1, sizeof(bits), file);
	fclose(file);
	return ioctl(surf, SURF_IOC_CONFIG, &has) ? errno : 0;
}

static void selector(void)
{
	phase("surfboard inject-selector init-low");
	check(configure() == EIO && get(SURF_FCCR) & SURF_FCCR_ERR, "init-low: EIO, ERR");
	phase("surfboard inject-selector never-done");
	check(configure() == EIO && !(get(SURF_FCCR) & (SURF_FCCR_DONE | SURF_FCCR_ERR)),
	      "never-done: EIO, neither DONE nor ERR");
	phase("surfboard inject-selector good");
	check(configure() == 0 && get(SURF_FCCR) & SURF_FCCR_DONE, "good again: DONE");
}

static unsigned long spurious(void)
{
	char line[256];
	unsigned long count = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/irq/%u/spurious", info.irq);
	file = fopen(path, "r");
	must(file, path);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "unhandled %lu", &count);
	fclose(file);
	return count;
}

static void bus(void)
{
	unsigned long before;

	phase("surfboard inject-gone on");
	check(get(SURF_IEMR) == 0xFFFFFFFF && get(SURF_WCDR) == 0xFFFFFFFF, "gone: all ones");
	phase("surfboard inject-gone off");
	check(get(SURF_IEMR) != 0xFFFFFFFF, "back: IEMR %08x", get(SURF_IEMR));
	before = spurious();
	phase("surfboard inject-irq pulse");
	usleep(1000);
	check(spurious() > before, "pulse: %lu spurious interrupts", spurious() - before);
}

/* --- the SNI ------------------------------------------------------------------ */

static struct sni_stats stats(void)
{
	struct sni_stats s;

	must(!sni_get_stats(sni, &s), "stats");
	return s;
}

/* While the driver waits for the FIFO the processor's clock ticks: no interrupt is held up. */
static void check_ticks(const struct sni_stats *before, const char *name)
{
	const struct sni_stats now = stats();
	const unsigned held_ms = (now.throttle_ns - before->throttle_ns) / 1000000;
	const unsigned ticks = now.timer_ticks - before->timer_ticks;

	check(held_ms && ticks >= held_ms / 10, "%s: %u ms, %u ticks of the processor's clock", name, held_ms, ticks);
}

/* Anybody who has the device can switch the network off with words in the FIFO, and move the marks: nobody waits for that. */
static void moved_marks(void)
{
	const struct sni_stats before = stats();
	uint32_t high, low, scr, waiting;
	struct sni_stats after;
	int status;
	pid_t user;

	must(!sni_get_reg(sni, SNI_FHWM, &high) && !sni_get_reg(sni, SNI_FLWM, &low) && !sni_get_reg(sni, SNI_SCR, &scr), "marks");
	user = fork();
	must(user >= 0, "fork");
	if (!user) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		for (uint32_t i = 0; i < 300; i++) /* three words each, faster than they go */
			ring.send[0] = i;
		if (sni_set_reg(sni, SNI_SCR, scr & ~SNI_SCR_EN) || sni_get_reg(sni, SNI_FCNT, &waiting) || !waiting)
			_exit(2);
		_exit(sni_set_reg(sni, SNI_FLWM, 0) || sni_set_reg(sni, SNI_FHWM, 1) || sni_set_reg(sni, SNI_FHWM, high) ||
		      sni_set_reg(sni, SNI_FLWM, low) || sni_set_reg(sni, SNI_SCR, scr));
	}
	must(waitpid(user, &status, 0) == user, "waitpid");
	after = stats();
	check(!status && after.high_water == before.high_water + 1, "moved marks: nobody reaches the high-water mark");
	check(after.throttle_ns - before.throttle_ns < 50000000, "moved marks: and the driver waits %llu us for a network that is off",
	      (unsigned long long)(after.throttle_ns - before.throttle_ns) / 1000);
	usleep(50000);
}

static void network(void)
{
	struct sni_counters c;
	struct sni_stats before;
	uint64_t sent = counter(SNI_TXP), received = counter(SNI_RXP), lost;
	uint32_t waiting;

	phase("shrimp inject-drop");
	store(3);
	check(counter(SNI_TXP) - sent == 3 && counter(SNI_RXP) - received == 1, "drop: three sent, one received");
	phase("shrimp inject-late");
	store(1);
	usleep(10000);
	must(!sni_get_counters(sni, &c), "counters");
	check(c.term_max[2] >= 5000000, "late: %u ns in the backplane", c.term_max[2]);
	phase("shrimp inject-late 0");
	before = stats();
	phase("shrimp inject-damage");
	store(1);
	check(stats().receive_error == before.receive_error + 1, "damage: the driver's receive_error");
	lost = counter(SNI_OVFC);
	phase("shrimp inject-fifo-overflow");
	store(3);
	check(counter(SNI_OVFC) - lost == 2, "fifo-overflow: two stores lost");
	check(stats().overflow > before.overflow, "fifo-overflow: the driver's overflow");

	phase("shrimp inject-network-stop on");
	received = counter(SNI_RXP);
	before = stats();
	for (uint32_t i = 0; i < 1200; i++) /* three words each: up to the high-water mark */
		ring.send[0] = i;
	must(!sni_get_reg(sni, SNI_FCNT, &waiting), "FCNT");
	check(waiting >= 3584 && counter(SNI_RXP) == received, "network-stop: %u words wait", waiting);
	check(stats().high_water == before.high_water + 1, "network-stop: the driver throttles");
	check_ticks(&before, "network-stop");
	check(!system("dmesg | grep -q 'the network takes nothing'"), "network-stop: and says that nothing leaves");
	phase("shrimp inject-network-stop off");
	usleep(50000);
	check(counter(SNI_RXP) - received == 1200, "the network goes on: all 1200 arrive");
}

/* An update that the network does not take: its caller gives up, and so does the next one. The third, of another user, is not the worse for it. */
static void late_update(void)
{
	volatile uint32_t *other = sni_pages(sni, 2);
	uint32_t node;
	int status;
	pid_t third;

	must(other, "pages");
	must(!sni_export(sni, other, 1, false), "export");
	must(!sni_get_reg(sni, SNI_NODE, &node), "NODE");
	node = SNI_GET(NODE_NUMBER, node);
	other[1024] = 0x0DD0DD01;
	phase("shrimp inject-network-stop on");
	check(sni_send(sni, ring.send, node, ring.pfn, 0, 16) < 0 && errno == ETIMEDOUT, "update: nothing takes it");
	check(sni_send(sni, ring.send, node, ring.pfn, 0, 16) < 0 && errno == EBUSY, "update: the next one's turn does not come");
	third = fork();
	must(third >= 0, "fork");
	if (!third) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		_exit(sni_send(sni, other + 1024, node, sni_pfn(sni, other), 0, 1) ? errno : 0);
	}
	phase("shrimp inject-network-stop off");
	must(waitpid(third, &status, 0) == third, "waitpid");
	check(WIFEXITED(status) && !WEXITSTATUS(status), "update: the third is done (%s)", strerror(WEXITSTATUS(status)));
	usleep(1000);
	check(other[0] == 0x0DD0DD01, "update: and there");
	sni_unmap((void *)other, 2);
}

static void clocks(void)
{
	struct sni_stats before = stats();
	uint32_t scr;

	put(SURF_HTCR, 0);
	phase("surfboard inject-clock-wrap");
	collect(SURF_IEMR_RTV);
	excepted(SURF_ISCR_RTV, "RTV");
	put(SURF_IEMR, 0);
	phase("shrimp inject-clock-wrap");
	usleep(10000);
	check(stats().clock_wraps == before.clock_wraps + 1, "clock-wrap: the driver's clock_wraps");
	must(!sni_get_reg(sni, SNI_SCR, &scr) && !sni_set_reg(sni, SNI_SCR, scr | SNI_SCR_GRST), "GRST");
	check(!(get(SURF_ISCR) & SURF_ISCR_RTV), "a global reset ends RTV");
}

void injected(void)
{
	ring = open_ring(false);
	put(SURF_PCLR, get(SURF_PCLR) | SURF_PCLR_LED);
	start = scenario_time();
	packets();
	fifo();
	selector();
	bus();
	network();
	late_update();
	moved_marks();
	clocks();
	collect(0);
	send(&ring, 3);
	check(get(SURF_TECR) == 3, "and all is as it was");
	put(SURF_HTCR, 0);
}
