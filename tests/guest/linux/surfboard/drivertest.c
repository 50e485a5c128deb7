/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest memory|receive|threshold|shared|rules|waits|pages|limit|held|drain|protect|notify|user|networks - what surf.ko and sni.ko promise in
 * guest/{surfboard,shrimp}/uapi.h, asked of them from user space. Prints a line per check; exit status 1 if one fails.
 * drivertest unmask - lets signals come, and ends (what notify executes); drivertest stand - becomes root, says so, and waits for a byte.
 * drivertest power - the machine sleeps, and when something wakes it up the boards are as before.
 * drivertest kexec next|crash KERNEL INITRD COMMAND-LINE - another kernel takes over while the boards are busy.
 * drivertest inject - what a scenario breaks on purpose is seen as the paper says.
 * drivertest fuzz OPERATIONS SEED - users without rights do anything, and get nothing of another's.
 * drivertest trace on|off - trace all packets from now; stop, and say how many there were.
 * drivertest offer FILE - writes a grant there, and waits for a word; drivertest accept GRANT - sends it, if the driver takes the grant.
 * drivertest in PORT, drivertest out PORT VALUE - a 32-bit I/O port, as firmware would use it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/linux/surfboard/drivertest.h"

/* A limit ends a hang: in a guest that runs by the host's clock a shorter one would fail on a slow host. */
#define PATIENCE_MS 600000

static int failures;
int surf = -1, sni = -1;
struct surf_info info;
static struct sni_info network;

void check(bool good, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	printf("%s: ", good ? "ok" : "FAILED");
	vprintf(format, list);
	printf("\n");
	va_end(list);
	failures += !good;
}

int failed(void)
{
	return failures;
}

void check_refused(long result, int error, const char *what)
{
	check(result < 0 && errno == error, "%s: %s", what, result < 0 ? strerror(errno) : "not refused");
}

void must(bool good, const char *what)
{
	if (good)
		return;
	printf("FAILED: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint32_t get(uint32_t offset)
{
	struct surf_reg r = { .offset = offset };

	must(!ioctl(surf, SURF_IOC_GETREG, &r), "SURF_IOC_GETREG");
	return r.value;
}

void put(uint32_t offset, uint32_t value)
{
	struct surf_reg r = { .offset = offset, .value = value };

	must(!ioctl(surf, SURF_IOC_PUTREG, &r), "SURF_IOC_PUTREG");
}

uint64_t counter(uint32_t offset)
{
	uint64_t value;

	must(!sni_get_counter(sni, offset, &value), "counter");
	return value;
}

void settle(uint64_t before, uint64_t packets)
{
	while (counter(SNI_RXP) + counter(SNI_RXD) - before < packets)
		usleep(100);
}

void open_own(void)
{
	sni = sni_open();
	must(sni >= 0, SNI_DEVICE);
}

void become(unsigned int user)
{
	must(!setgid(user) && !setuid(user), "setuid");
}

void step(int fd)
{
	must(write(fd, "", 1) == 1, "write");
}

void await(int fd)
{
	char byte;

	must(read(fd, &byte, 1) == 1, "read");
}

static void open_boards(void)
{
	surf = open("/dev/surf0", O_RDWR);
	must(surf >= 0, "/dev/surf0");
	must(!ioctl(surf, SURF_IOC_INFO, &info), "SURF_IOC_INFO");
	open_own();
	must(!sni_get_info(sni, &network), "SNI_IOC_INFO");
}

struct ring open_ring(bool interrupt)
{
	struct ring r;

	r.send = sni_pages(sni, 1);
	r.receive = sni_pages(sni, 1);
	must(r.send && r.receive, "pages");
	r.pfn = sni_pfn(sni, r.receive);
	must(!sni_export(sni, r.receive, 5, interrupt), "export");
	must(!sni_import(sni, r.send, (network.node + 1) % network.nodes, r.pfn, SNI_IMPORT_AU, 0), "import");
	return r;
}

/* Until count packets have been delivered since base; they need some 5 us. */
static bool arrived(uint64_t base, uint64_t count)
{
	for (int i = 0; i < PATIENCE_MS * 10; i++) {
		if (counter(SNI_RXP) - base >= count)
			return counter(SNI_RXP) - base == count;
		usleep(100);
	}
	return false;
}

static void one_memory(const char *name, uint32_t offset, uint32_t size)
{
	static uint32_t out[4096], in[4096], kept[4096];
	volatile uint32_t *map;
	uint32_t at = offset + size - sizeof(out);
	ssize_t n;

	if (!size) {
		check(pread(surf, in, 4, offset) == 0, "%s: an empty socket has nothing to read", name);
		check(pwrite(surf, in, 4, offset) < 0 && errno == ENOSPC, "%s: and no room to write", name);
		check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, surf, offset) == MAP_FAILED, "%s: no mapping", name);
		return;
	}
	for (size_t i = 0; i < 4096; i++)
		out[i] = 0x9E3779B9u * (i + offset + 1);
	must(pread(surf, kept, sizeof(kept), at) == sizeof(kept), "pread");
	n = pwrite(surf, out, sizeof(out), at);
	check(n == sizeof(out), "%s: write of the last 16 KB", name);
	n = pread(surf, in, sizeof(in), at);
	check(n == sizeof(in) && !memcmp(in, out, sizeof(in)), "%s: reads back", name);
	check(pread(surf, in, 64, offset + size - 4) == 4, "%s: a read stops at the end", name);
	check(pread(surf, in, 4, offset + size) == 0 && pwrite(surf, in, 4, offset + size) < 0,
	      "%s: nothing beyond it", name);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, surf, offset);
	must(map != MAP_FAILED, "mmap");
	check(map[size / 4 - 1] == out[4095], "%s: the mapping shows it", name);
	map[size / 4 - 4096] = 0x12345678;
	must(pread(surf, in, 4, at) == 4, "pread");
	check(in[0] == 0x12345678, "%s: pread shows a store to the mapping", name);
	munmap((void *)map, size);
	check(mmap(NULL, size + 4096, PROT_READ, MAP_SHARED, surf, offset) == MAP_FAILED && errno == EINVAL,
	      "%s: a larger mapping is refused", name);
	must(pwrite(surf, kept, sizeof(kept), at) == sizeof(kept), "pwrite");
}

static void memory(void)
{
	one_memory("trace", SURF_MAP_TRACE, info.trace_size);
	one_memory("histogram", SURF_MAP_HIST, info.hist_size);
	put(SURF_WCDR, 0xCAFE0001);
	check(get(SURF_WCDR) == 0xCAFE0001, "WCDR holds what was written");
	put(SURF_WCDR, 0);
	check(ioctl(surf, SURF_IOC_GETREG, &(struct surf_reg){ .offset = 0x3C }) < 0 && errno == EINVAL,
	      "offset 3C is no register");
	check(ioctl(surf, SURF_IOC_GETREG, &(struct surf_reg){ .offset = 2 }) < 0 && errno == EINVAL,
	      "offset 2 is none either");
	check(ioctl(surf, SNI_IOC_INFO, &network) < 0 && errno == ENOTTY, "another device's ioctl is refused");
}

static void on_alarm(int signal)
{
}

static void receive(void)
{
	struct ring r = open_ring(true);
	uint64_t base = counter(SNI_RXP), dropped = counter(SNI_RXD);
	struct sni_stats before, after;
	uint32_t value;
	uint8_t resident;

	check(r.pfn < SNI_PAGES, "receive page %05x lies below 128 MB", r.pfn);
	check(sni_wait_packet(sni, 0) < 0 && errno == ETIMEDOUT, "no packet yet");
	must(!sni_get_stats(sni, &before), "stats");
	for (uint32_t i = 0; i < 10; i++)
		r.send[i] = 0xA0000000 + i;
	check(arrived(base, 10), "ten stores, ten packets");
	for (uint32_t i = 0, wrong = 0; i < 10; i++) {
		wrong += r.receive[i] != 0xA0000000 + i;
		if (i == 9)
			check(!wrong, "the words are in the receive page");
	}
	check(poll(&(struct pollfd){ .fd = sni, .events = POLLIN }, 1, PATIENCE_MS) == 1, "poll: a packet is here");
	check(!sni_wait_packet(sni, PATIENCE_MS), "wait: a packet is here");
	must(!sni_get_stats(sni, &after), "stats");
	check(after.receive > before.receive && after.irqs > before.irqs, "%llu receive interrupts",
	      (unsigned long long)(after.receive - before.receive));
	must(!sni_get_reg(sni, SNI_RXPG, &value), "RXPG");
	check(SNI_GET(RX_PAGE, value) == r.pfn, "RXPG names the page");

	base = counter(SNI_RXP);
	for (uint32_t i = 0; i < 64; i++)
		r.receive[512 + i] = 0xD0000000 + i; /* any page of ours can be the source */
	check(!sni_send(sni, r.receive + 512, (network.node + 1) % network.nodes, r.pfn, 128, 64),
	      "deliberate update of 64 words");
	check(arrived(base, 1), "is one packet");
	check(!memcmp((void *)(r.receive + 32), (void *)(r.receive + 512), 256), "with the right words");
	check(sni_send(sni, r.receive, network.node, r.pfn, 4000, 64) < 0 && errno == EINVAL,
	      "one that crosses the destination page is refused");
	check(sni_send(sni, &resident, network.node, r.pfn, 0, 1) < 0 && errno == EFAULT,
	      "one from foreign memory as well");

	must(!sni_withdraw(sni, r.receive), "withdraw");
	must(!sni_get_stats(sni, &before), "stats");
	r.send[0] = 1;
	for (int i = 0; i < PATIENCE_MS * 10 && counter(SNI_RXD) == dropped; i++)
		usleep(100);
	check(counter(SNI_RXD) == dropped + 1, "a packet for a withdrawn page is dropped");
	for (int i = 0; i < PATIENCE_MS; i++) { /* the interrupt may take its time, on another CPU */
		must(!sni_get_stats(sni, &after), "stats");
		if (after.receive_error != before.receive_error)
			break;
		usleep(1000);
	}
	check(after.receive_error == before.receive_error + 1, "and interrupts");
	check(r.receive[0] == 0xA0000000, "the page keeps its contents");

	base = counter(SNI_AUS);
	must(!sni_unmap((void *)r.send, 1), "unmap");
	r.send = sni_pages(sni, 1); /* most likely the same frame */
	must(r.send, "pages");
	r.send[0] = 2;
	check(counter(SNI_AUS) == base, "unmapping ends automatic update");

	/* A waiter goes away when a signal comes. */
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	while (!sni_wait_packet(sni, 0))
		;
	/* again and again: the first may come before the wait begins */
	setitimer(ITIMER_REAL, &(struct itimerval){ { 1, 0 }, { 1, 0 } }, NULL);
	check(sni_wait_packet(sni, PATIENCE_MS) < 0 && errno == EINTR, "a signal ends the wait");
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
}

static volatile uint32_t *map_histogram(void)
{
	volatile uint32_t *p = mmap(NULL, info.hist_size, PROT_READ | PROT_WRITE, MAP_SHARED, surf, SURF_MAP_HIST);

	must(p != MAP_FAILED, "histogram");
	return p;
}

void begin(uint32_t ttcr, uint32_t iemr, uint32_t htcr)
{
	put(SURF_IEMR, 0);
	put(SURF_HTCR, SURF_HTCR_FRS);
	put(SURF_HTCR, 0);
	put(SURF_TTCR, ttcr);
	put(SURF_TICR, 0);
	put(SURF_TECR, 0);
	put(SURF_WCDR, 0);
	put(SURF_ISCR, SURF_ISCR_W1C);
	ioctl(surf, SURF_IOC_CLEAR);
	put(SURF_IEMR, iemr);
	put(SURF_HTCR, htcr);
}

void send(struct ring *r, uint32_t packets)
{
	uint64_t base = counter(SNI_RXP);

	for (uint32_t i = 0; i < packets; i++) {
		r->send[0] = i;
		usleep(10);
	}
	check(arrived(base, packets), "%u packets arrive", packets);
	usleep(100); /* through the SurfBoard's pipeline */
}

/* Issue acceptance 5: a bin preloaded with FFFFFFF0 interrupts after 16 packets. */
static void threshold(void)
{
	struct surf_exception e = { 0 };
	struct pollfd p = { .fd = surf, .events = POLLPRI };
	struct ring r = open_ring(false);
	volatile uint32_t *bins = map_histogram();
	uint32_t bin = 0, found = 0, fifo = 0, record[4];

	/* Which bin is the selector's business; these packets all fall into one. */
	for (uint32_t i = 0; i < info.hist_size / 4; i++)
		bins[i] = 0;
	begin(0, 0, SURF_HTCR_HEN | SURF_HTCR_WEN);
	send(&r, 3);
	for (uint32_t i = 0; i < info.hist_size / 4; i++)
		if (bins[i])
			found++, bin = i;
	check(found == 1 && bins[bin] == 3, "three packets are in one bin, %06x", bin);
	check(get(SURF_WCDR) == 3, "three words");

	bins[bin] = 0xFFFFFFF0;
	begin(SURF_PUT(TTCR_MODE, SURF_MODE_BEGIN) | SURF_PUT(TTCR_QUAL, SURF_QUAL_BIN), SURF_IEMR_BV,
	      SURF_HTCR_HEN | SURF_HTCR_TEN | SURF_HTCR_WEN);
	send(&r, 15);
	check(poll(&p, 1, 0) == 0, "no exception after 15");
	check(ioctl(surf, SURF_IOC_WAIT, &e) < 0 && errno == ETIMEDOUT, "nor does the wait see one");
	check(get(SURF_TECR) == 0, "nothing traced");
	send(&r, 1);
	check(poll(&p, 1, PATIENCE_MS) == 1 && (p.revents & POLLPRI), "the 16th raises POLLPRI");
	e.timeout_ms = 0xFFFFFFFF;
	check(!ioctl(surf, SURF_IOC_WAIT, &e), "the wait returns");
	check(e.count == 1, "one interrupt (%u)", e.count);
	check((e.iscr & SURF_ISCR_PEND) && (e.iscr & SURF_ISCR_BV) && (e.iscr & SURF_ISCR_FNE),
	      "ISCR %08x: PEND, BV and FNE", e.iscr);
	check(!(get(SURF_IEMR) & SURF_IEMR_BV), "the handler has masked BV");
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t byte = get(SURF_HFDR);

		fifo |= (byte & 0xFF) << (8 * i);
		check(!!(byte & SURF_HFDR_LSB) == (i == 0), "FIFO byte %u: %03x", i, byte);
	}
	/* 24 bits, of which the SIMM decodes those that it has bins for */
	check(fifo % (info.hist_size / 4) == bin, "the FIFO holds the bin's address, %06x", fifo);
	check(bins[bin] == 0, "the bin wrapped to 0");
	check(get(SURF_TECR) == 1 && (get(SURF_HTCR) & SURF_HTCR_TRG), "the trace was triggered");
	must(pread(surf, record, 16, 0) == 16, "trace");
	check(SURF_GET(TRACE3_ADDRESS, record[3]) << 2 == r.pfn << 12, "by a packet for the receive page");
	put(SURF_ISCR, SURF_ISCR_BV | SURF_ISCR_TP);
	must(!ioctl(surf, SURF_IOC_CLEAR), "clear");
	check(get(SURF_IEMR) & SURF_IEMR_BV, "clearing the exception restores IEMR");
	check(poll(&p, 1, 0) == 0, "no exception is left");
	bins[bin] = 0xFFFFFFFF;
	send(&r, 1);
	e.timeout_ms = PATIENCE_MS;
	check(!ioctl(surf, SURF_IOC_WAIT, &e) && e.count == 1, "and the next one comes");
	begin(0, 0, 0);
}

/* Two boards hear the same packets; their interrupts are their own, on a shared line or not. */
static void shared(void)
{
	struct ring r = open_ring(false);
	struct surf_exception e = { 0 };
	int other = open("/dev/surf1", O_RDWR), first = surf;

	must(other >= 0, "/dev/surf1");
	begin(0, SURF_IEMR_WCV, SURF_HTCR_WEN);
	put(SURF_WCDR, 0xFFFFFFFF);
	surf = other;
	begin(0, SURF_IEMR_WCV, SURF_HTCR_WEN);
	put(SURF_WCDR, 0xFFFFFFFE);
	send(&r, 1);
	check(ioctl(first, SURF_IOC_WAIT, &e) == 0 && e.count == 1, "the first board's counter wraps");
	check(ioctl(other, SURF_IOC_WAIT, &e) < 0, "the second's not yet");
	check(get(SURF_WCDR) == 0xFFFFFFFF, "it counted the packet too");
	send(&r, 1);
	check(ioctl(other, SURF_IOC_WAIT, &e) == 0 && e.count == 1, "now it does");
	check(ioctl(first, SURF_IOC_WAIT, &e) == 0 && e.count == 1, "and the first has no second interrupt");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "memory", memory }, { "receive", receive }, { "threshold", threshold }, { "shared", shared },
		{ "rules", rules }, { "waits", waits }, { "pages", pages }, { "limit", limit },
		{ "power", power }, { "inject", injected }, { "held", held }, { "drain", drain },
		{ "protect", protect }, { "notify", notify }, { "user", user },
		{ "networks", networks },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "unmask")) {
		unmask();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "stand"))
		return stand();
	if (argc == 6 && !strcmp(argv[1], "kexec")) {
		open_boards();
		next_kernel(!strcmp(argv[2], "crash"), argv[3], argv[4], argv[5]);
	}
	if (argc == 3 && !strcmp(argv[1], "trace")) {
		open_boards();
		if (!strcmp(argv[2], "on")) {
			begin(0, 0, SURF_HTCR_TEN | SURF_HTCR_WEN);
		} else {
			put(SURF_HTCR, 0);
			printf("records %u\nwords %u\n", get(SURF_TECR), get(SURF_WCDR));
		}
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "fuzz")) {
		open_boards();
		fuzz(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
		return failures != 0;
	}
	if (argc == 3 && !strcmp(argv[1], "offer")) {
		open_boards();
		offer(argv[2]);
		return failures != 0;
	}
	if (argc == 3 && !strcmp(argv[1], "accept")) {
		open_boards();
		accept_grant(argv[2]);
		return failures != 0;
	}
	if (argc == 3 && !strcmp(argv[1], "in")) {
		must(!iopl(3), "iopl");
		printf("0x%08x\n", inl(strtoul(argv[2], NULL, 0)));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "out")) {
		must(!iopl(3), "iopl");
		outl(strtoul(argv[3], NULL, 0), strtoul(argv[2], NULL, 0));
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(argv[1], parts[i].name)) {
			open_boards();
			parts[i].run();
			return failures != 0;
		}
	fprintf(stderr, "usage: drivertest memory|receive|threshold|shared|rules|waits|pages|limit|held|drain|protect|notify|user|networks|power|inject|"
			"fuzz OPERATIONS SEED|offer FILE|accept GRANT|trace on|trace off|in PORT|out PORT VALUE\n");
	return 2;
}
