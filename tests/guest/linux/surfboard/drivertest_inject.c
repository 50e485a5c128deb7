/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest inject: what driver, library and tool make of errors on purpose. The conditions that each sets are unit-surfboard's
 * SurfInject and unit-sni's SniInject.
 * inject.scenario says at which virtual time each comes, from the moment that the user LED goes on. The SNI's clock counts virtual time in
 * 100 ns, so a phase waits for its line there, and must be done before the next.
 */
#define _GNU_SOURCE
#include <sys/ioctl.h>

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

static void collect(uint32_t iemr)
{
	begin(0, iemr, SURF_HTCR_TEN | SURF_HTCR_WEN);
}

/* --- the SurfBoard ------------------------------------------------------------ */

/* The driver's interrupt comes with the condition, and the tool names it. */
static void exception(void)
{
	struct surf_exception e = { .timeout_ms = 100 };
	char shown[512];
	bool named = false;
	FILE *tool;

	phase("surfboard inject-late");
	collect(SURF_IEMR_LV);
	store(1);
	check(!ioctl(surf, SURF_IOC_WAIT, &e) && e.iscr & SURF_ISCR_LV && e.iscr & SURF_ISCR_PEND, "LV: the driver's interrupt, ISCR %08x", e.iscr);
	tool = popen("surf -c SHOW", "r");
	must(tool, "surf");
	while (fgets(shown, sizeof(shown), tool))
		named |= !strncmp(shown, "ISCR", 4) && strstr(shown, " LV");
	check(!pclose(tool) && named, "LV: surf SHOW names it");
	phase("surfboard inject-late 0");
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

static void pulse(void)
{
	const unsigned long before = spurious();

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
	user = fork_child();
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
	status = child_status(user);
	after = stats();
	check(!status && after.high_water == before.high_water + 1, "moved marks: nobody reaches the high-water mark");
	check(after.throttle_ns - before.throttle_ns < 50000000, "moved marks: and the driver waits %llu us for a network that is off",
	      (unsigned long long)(after.throttle_ns - before.throttle_ns) / 1000);
	usleep(50000);
}

static void network(void)
{
	struct sni_stats before = stats();
	uint64_t received;
	uint32_t waiting;

	phase("shrimp inject-damage");
	store(1);
	check(stats().receive_error == before.receive_error + 1, "damage: the driver's receive_error");
	phase("shrimp inject-fifo-overflow");
	store(3);
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
	third = fork_child();
	if (!third) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		_exit(sni_send(sni, other + 1024, node, sni_pfn(sni, other), 0, 1) ? errno : 0);
	}
	phase("shrimp inject-network-stop off");
	status = child_status(third);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "update: the third is done (%s)", strerror(WEXITSTATUS(status)));
	usleep(1000);
	check(other[0] == 0x0DD0DD01, "update: and there");
	sni_unmap((void *)other, 2);
}

static void clock_wraps(void)
{
	struct sni_stats before = stats();
	uint32_t scr;

	phase("shrimp inject-clock-wrap");
	usleep(10000);
	check(stats().clock_wraps == before.clock_wraps + 1, "clock-wrap: the driver's clock_wraps");
	must(!sni_get_reg(sni, SNI_SCR, &scr) && !sni_set_reg(sni, SNI_SCR, scr | SNI_SCR_GRST), "GRST");
}

void injected(char **words)
{
	ring = open_ring(false);
	put(SURF_PCLR, get(SURF_PCLR) | SURF_PCLR_LED);
	start = scenario_time();
	exception();
	selector();
	pulse();
	network();
	late_update();
	moved_marks();
	clock_wraps();
	collect(0);
	send(&ring, 3);
	check(get(SURF_TECR) == 3, "and all is as it was");
	put(SURF_HTCR, 0);
}
