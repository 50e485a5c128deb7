/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest: the machine sleeps (ACPI S3, which resets the boards) and wakes up; another kernel takes it over; and, inject, what driver, library and
 * tool make of errors on purpose. The conditions that each sets are unit-surfboard's SurfInject and unit-sni's SniInject.
 * inject.scenario says at which virtual time each comes, from the moment that the user LED goes on. The SNI's clock counts virtual time in
 * 100 ns, so a phase waits for its line there, and must be done before the next.
 */
#define _GNU_SOURCE
#include <linux/kexec.h>
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
	enum { n = COUNT(registers) };
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
	volatile uint32_t *out = own_pages(BUSY), *in = own_pages(BUSY);

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

/* --- errors on purpose --- */

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

static long spurious(void)
{
	char path[64];
	long count;

	snprintf(path, sizeof(path), "/proc/irq/%u/spurious", info.irq);
	count = number_in(path, "unhandled %ld");
	must(count >= 0, path);
	return count;
}

static void pulse(void)
{
	const long before = spurious();

	phase("surfboard inject-irq pulse");
	usleep(1000);
	check(spurious() > before, "pulse: %ld spurious interrupts", spurious() - before);
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

static void network_errors(void)
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
	volatile uint32_t *other = own_pages(2);
	int status;
	pid_t third;

	must(!sni_export(sni, other, 1, false), "export");
	other[1024] = 0x0DD0DD01;
	phase("shrimp inject-network-stop on");
	check(sni_send(sni, ring.send, network.node, ring.pfn, 0, 16) < 0 && errno == ETIMEDOUT, "update: nothing takes it");
	check(sni_send(sni, ring.send, network.node, ring.pfn, 0, 16) < 0 && errno == EBUSY, "update: the next one's turn does not come");
	third = fork_child();
	if (!third) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		_exit(sni_send(sni, other + 1024, network.node, sni_pfn(sni, other), 0, 1) ? errno : 0);
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
	network_errors();
	late_update();
	moved_marks();
	clock_wraps();
	collect(0);
	send(&ring, 3);
	check(get(SURF_TECR) == 3, "and all is as it was");
	put(SURF_HTCR, 0);
}
