/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest TEST ... - what surf.ko and sni.ko promise in guest/{surfboard,shrimp}/uapi.h, asked of them from user space. Prints a line per check;
 * exit status 1 if one fails.
 *
 *   memory, receive, threshold, rules, waits, pages, limit, held, drain, protect, notify, user
 *   shared, networks           two SurfBoards of a network; two networks
 *   power                      the machine sleeps, and when something wakes it up the boards are as before
 *   kexec next|crash KERNEL INITRD COMMAND-LINE    another kernel takes over while the boards are busy
 *   inject                     what a scenario breaks on purpose is seen by driver and tool
 *   fuzz OPERATIONS SEED       users without rights do anything, and get nothing of another's
 *   trace on|off               trace all packets from now; stop, and say how many there were
 *   offer FILE, accept GRANT   writes a grant there, and waits for a word; sends it, if the driver takes the grant
 *   tour, clocks               for coverage-test: what no other program does to the SNI; the clocks' reset, as one node may do for all
 *   in PORT, out PORT VALUE    a 32-bit I/O port, as firmware would use it
 *   unmask, stand              what notify executes: lets signals come, and ends; becomes root, says so, and waits for a byte
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/io.h>

#include "tests/guest/linux/surfboard/drivertest.h"

/* A limit ends a hang: in a guest that runs by the host's clock a shorter one would fail on a slow host. */
#define PATIENCE_MS 600000

int failures;
int surf = -1, sni = -1;
struct surf_info info;
struct sni_info network;

uint32_t get(uint32_t offset)
{
	struct surf_reg r = { .offset = offset };

	DO(surf, SURF_IOC_GETREG, &r);
	return r.value;
}

void put(uint32_t offset, uint32_t value)
{
	struct surf_reg r = { .offset = offset, .value = value };

	DO(surf, SURF_IOC_PUTREG, &r);
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

void step(int fd)
{
	must(write(fd, "", 1) == 1, "write");
}

void await(int fd)
{
	char byte;

	must(read(fd, &byte, 1) == 1, "read");
}

static int open_monitor(unsigned int n)
{
	char name[24];

	snprintf(name, sizeof(name), "/dev/surf%u", n);
	surf = open(name, O_RDWR);
	must(surf < 0 || !ioctl(surf, SURF_IOC_INFO, &info), "SURF_IOC_INFO");
	return surf;
}

static void open_boards(void)
{
	must(open_monitor(0) >= 0, "/dev/surf0");
	open_own();
	must(!sni_get_info(sni, &network), "SNI_IOC_INFO");
}

void *own_pages(size_t count)
{
	void *pages = sni_pages(sni, count);

	must(pages != NULL, "pages");
	return pages;
}

void unmap_page(volatile uint32_t *page)
{
	must(!sni_unmap((void *)page, 1), "unmap");
}

struct sni_grant exported(volatile uint32_t *page, uint32_t user)
{
	struct sni_grant g;

	must(!sni_export_to(sni, page, 1, false, SNI_ANY, user, &g), "export");
	return g;
}

void import(volatile uint32_t *page, const struct sni_grant *grant, uint32_t flags)
{
	must(!sni_import_from(sni, page, grant, flags, 0), "import");
}

struct ring open_ring(bool interrupt)
{
	struct ring r;

	r.send = own_pages(1);
	r.receive = own_pages(1);
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
		check_refused(pwrite(surf, in, 4, offset), ENOSPC, "a write to it");
		check(try_mmap(surf, PROT_READ, MAP_SHARED, 4096, offset) < 0, "%s: no mapping", name);
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
	check_refused(try_mmap(surf, PROT_READ, MAP_SHARED, size + 4096, offset), EINVAL, "a larger mapping");
	must(pwrite(surf, kept, sizeof(kept), at) == sizeof(kept), "pwrite");
}

static void memory(char **words)
{
	unsigned int n = 0;

	do {
		one_memory("trace", SURF_MAP_TRACE, info.trace_size);
		one_memory("histogram", SURF_MAP_HIST, info.hist_size);
	} while (open_monitor(++n) >= 0);
	must(open_monitor(0) >= 0, "/dev/surf0");
	put(SURF_WCDR, 0xCAFE0001);
	check(get(SURF_WCDR) == 0xCAFE0001, "WCDR holds what was written");
	put(SURF_WCDR, 0);
	CALLS(surf, { SURF_IOC_GETREG, &(struct surf_reg){ .offset = 0x3C }, EINVAL, "offset 3C, which is no register," },
	      { SURF_IOC_GETREG, &(struct surf_reg){ .offset = 2 }, EINVAL, "offset 2" });
}

static void on_alarm(int signal)
{
}

static void receive(char **words)
{
	struct ring r = open_ring(true);
	uint64_t base = counter(SNI_RXP), dropped = counter(SNI_RXD);
	struct sni_stats before, after;
	uint32_t value;
	uint8_t resident;

	check(r.pfn < SNI_PAGES, "receive page %05x lies below 128 MB", r.pfn);
	check_refused(sni_wait_packet(sni, 0), ETIMEDOUT, "a wait for no time");
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
	check_refused(sni_send(sni, r.receive, network.node, r.pfn, 4000, 64), EINVAL, "one that crosses the destination page");
	check_refused(sni_send(sni, &resident, network.node, r.pfn, 0, 1), EFAULT, "one from foreign memory");

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
	unmap_page(r.send);
	r.send = own_pages(1); /* most likely the same frame */
	r.send[0] = 2;
	check(counter(SNI_AUS) == base, "unmapping ends automatic update");

	/* A waiter goes away when a signal comes. */
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	while (!sni_wait_packet(sni, 0))
		;
	/* again and again: the first may come before the wait begins */
	alarms(999999, 999999);
	check_refused(sni_wait_packet(sni, PATIENCE_MS), EINTR, "a wait that a signal ends");
	alarms(0, 0);
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

/* A bin preloaded with FFFFFFF0 interrupts after 16 packets: what the driver makes of it. What FIFO and trace hold is unit-surfboard's. */
static void threshold(char **words)
{
	struct surf_exception e = { 0 };
	struct pollfd p = { .fd = surf, .events = POLLPRI };
	struct ring r = open_ring(false);
	volatile uint32_t *bins = map_histogram();
	uint32_t bin = 0, found = 0;

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
	check_refused(ioctl(surf, SURF_IOC_WAIT, &e), ETIMEDOUT, "a wait for one");
	send(&r, 1);
	check(poll(&p, 1, PATIENCE_MS) == 1 && (p.revents & POLLPRI), "the 16th raises POLLPRI");
	e.timeout_ms = 0xFFFFFFFF;
	check(!ioctl(surf, SURF_IOC_WAIT, &e), "the wait returns");
	check(e.count == 1, "one interrupt (%u)", e.count);
	check((e.iscr & SURF_ISCR_PEND) && (e.iscr & SURF_ISCR_BV) && (e.iscr & SURF_ISCR_FNE),
	      "ISCR %08x: PEND, BV and FNE", e.iscr);
	check(!(get(SURF_IEMR) & SURF_IEMR_BV), "the handler has masked BV");
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
static void shared(char **words)
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

/* --- two SNIs in one machine, each with a backplane, SurfBoards and pages of its own --- */

#define NETWORKS 2

/* A SurfBoard that hears it, and what the pages' packets do. */
static struct network {
	int fd, surf;
	struct ring ring;
	unsigned int packets; /* to be sent */
	volatile unsigned int calls;
} net[NETWORKS] = { { .packets = 5 }, { .packets = 7 } };
static volatile unsigned int strangers;

static void on_notification(void *argument, const struct sni_notified *what)
{
	struct network *n = argument;

	if (what->addr == (uintptr_t)n->ring.receive && what->pfn == n->ring.pfn)
		n->calls++;
	else
		strangers++;
}

static void networks(char **words)
{
	static const char *const snis[] = { "/dev/sni0", "/dev/sni1" }, *const surfs[] = { "/dev/surf0", "/dev/surf2" };
	uint64_t before[NETWORKS];
	struct sni_grant g;

	for (int i = 0; i < NETWORKS; i++) {
		net[i].fd = sni = sni_open_device(snis[i]);
		must(sni >= 0, snis[i]);
		must(!sni_get_info(sni, &network), "SNI_IOC_INFO");
		net[i].surf = surf = open(surfs[i], O_RDWR);
		must(surf >= 0, surfs[i]);
		begin(0, 0, SURF_HTCR_WEN);
		net[i].ring = open_ring(true);
		must(!sni_notify(sni, on_notification, &net[i]), "notify");
		before[i] = counter(SNI_RXP);
	}
	for (int i = 0; i < NETWORKS; i++) {
		sni = net[i].fd;
		send(&net[i].ring, net[i].packets);
	}
	for (int i = 0; i < NETWORKS; i++) {
		sni = net[i].fd;
		surf = net[i].surf;
		while (net[i].calls < net[i].packets)
			usleep(100);
		check(counter(SNI_RXP) - before[i] == net[i].packets && net[i].ring.receive[0] == net[i].packets - 1,
		      "%s: its own %u packets", snis[i], net[i].packets);
		check(net[i].calls == net[i].packets && !strangers, "%s: their notifications", snis[i]);
		check(get(SURF_WCDR) == net[i].packets, "%s: and %s hears them", snis[i], surfs[i]);
	}
	check_refused(sni_pfn(net[0].fd, net[1].ring.receive), EFAULT, "the page of another network");
	check_refused(sni_export(net[0].fd, net[1].ring.receive, 0, false), EFAULT, "its export");
	must(!sni_export_to(net[0].fd, net[0].ring.receive, 1, false, SNI_ANY, SNI_ANY, &g), "export");
	check_refused(sni_import_from(net[1].fd, net[1].ring.send, &g, SNI_IMPORT_AU, 0), EACCES, "its grant");
	sni_close(net[0].fd);
	sni = net[1].fd;
	send(&net[1].ring, 1);
	check(net[1].ring.receive[0] == 0, "closing one leaves the other");
}

/* --- for coverage-test --- */

static void command(uint32_t bit)
{
	uint32_t scr;

	must(!sni_get_reg(sni, SNI_SCR, &scr) && !sni_set_reg(sni, SNI_SCR, scr | bit), "SCR");
}

static void clocks(char **words)
{
	command(SNI_SCR_GRST);
}

static void registers(void)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ SNI_SCR, SNI_CTOR }, { SNI_CLKL, SNI_UDCR }, { SNI_TXP, SNI_TXP + 8 * SNI_COUNTERS - 4 }, { 0x200, SNI_LAT_TOTAL + 12 },
	};
	uint32_t value;

	for (size_t i = 0; i < COUNT(ranges); i++)
		for (uint32_t offset = ranges[i].from; offset <= ranges[i].to; offset += 4)
			must(!sni_get_reg(sni, offset, &value), "a register");
}

/* Stores that fill the FIFO above its mark: the driver waits until it has emptied. Pages end combining at each boundary. */
static void throttle(void)
{
	static const uint32_t boundaries[] = { 256, 512, 1024, 2048, 4096 };
	volatile uint32_t *in = own_pages(1), *out = own_pages(1);
	struct sni_stats before, after;
	uint32_t high, low;

	must(!sni_export(sni, in, 3, 0), "export");
	must(!sni_get_reg(sni, SNI_FHWM, &high) && !sni_get_reg(sni, SNI_FLWM, &low) && !sni_get_stats(sni, &before), "marks");
	must(!sni_set_reg(sni, SNI_FHWM, 64) && !sni_set_reg(sni, SNI_FLWM, 8), "marks");
	for (size_t i = 0; i < COUNT(boundaries); i++) {
		const uint32_t flags = SNI_IMPORT_AU | (i ? SNI_IMPORT_COMBINE | SNI_IMPORT_TIMEOUT : 0);

		must(!sni_import(sni, out, network.node, (uint32_t)sni_pfn(sni, in), flags, boundaries[i]), "import");
		for (uint32_t word = 0; word < 1024; word++)
			out[word] = word;
		sni_unimport(sni, out);
	}
	must(!sni_set_reg(sni, SNI_FHWM, high) && !sni_set_reg(sni, SNI_FLWM, low) && !sni_get_stats(sni, &after), "marks");
	check(after.high_water > before.high_water && after.low_water > before.low_water, "the marks were passed");
	sni_withdraw(sni, in);
}

static void tour(char **words)
{
	uint32_t value;

	registers();
	command(SNI_SCR_CRST);
	check(counter(SNI_TXP) == 0, "no packet is counted");
	command(SNI_SCR_FLUSH);
	do
		must(!sni_get_reg(sni, SNI_SSR, &value), "SSR");
	while (!(value & SNI_SSR_EMPTY));
	must(!sni_set_reg(sni, SNI_CTOR, 60), "CTOR");
	throttle();
	clocks(words);
}

static void trace(char **words)
{
	must(words[0] != NULL, "on or off");
	if (!strcmp(words[0], "on")) {
		begin(0, 0, SURF_HTCR_TEN | SURF_HTCR_WEN);
		return;
	}
	put(SURF_HTCR, 0);
	printf("records %u\nwords %u\n", get(SURF_TECR), get(SURF_WCDR));
}

static void in_port(char **words)
{
	must(!iopl(3), "iopl");
	printf("0x%08x\n", inl((uint16_t)argument(words, 0, 0)));
}

static void out_port(char **words)
{
	must(!iopl(3), "iopl");
	outl((uint32_t)argument(words, 1, 0), (uint16_t)argument(words, 0, 0));
}

int main(int argc, char **argv)
{
	static const struct test without[] = { { "unmask", unmask }, { "stand", stand }, { "in", in_port }, { "out", out_port } };
	static const struct test tests[] = {
		{ "memory", memory }, { "receive", receive }, { "threshold", threshold }, { "shared", shared }, { "networks", networks },
		{ "rules", rules }, { "waits", waits }, { "pages", pages }, { "limit", limit }, { "held", held }, { "drain", drain },
		{ "protect", protect }, { "offer", offer }, { "accept", accept_grant }, { "notify", notify }, { "user", user },
		{ "power", power }, { "kexec", next_kernel }, { "inject", injected }, { "fuzz", fuzz }, { "trace", trace }, { "tour", tour },
		{ "clocks", clocks },
	};
	const size_t count = COUNT(without);

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < count; i++)
		if (!strcmp(argv[1], without[i].name))
			return run_tests(argc, argv, without, count);
	open_boards();
	return run_tests(argc, argv, tests, COUNT(tests));
}
