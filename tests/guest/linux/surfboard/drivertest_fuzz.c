/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest fuzz OPERATIONS SEED - users without rights do anything to /dev/sni0 but set registers, which their group may, and to all other boards:
 * every call of each driver, with structures of chance, in memory that is there, is not, or comes late; maps, reads and polls of all devices; signals
 * at any time; processes that share memory and execute programs of root's. Meanwhile another user sends himself messages: nobody else's word comes to
 * his pages, and no word of his to theirs.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

#include "guest/multikron/uapi.h"
#include "guest/power2/uapi.h"
#include "guest/sci/uapi.h"
#include "guest/smile/uapi.h"
#include "tests/guest/linux/late.h"
#include "tests/guest/linux/surfboard/drivertest.h"

#define PAGE_WORDS 1024
#define VICTIM 1000
#define THIEVES 3
#define AREAS 8
#define SECRET 0x5EC20000u /* the upper half of each of the victim's words; no thief makes one */

static uint64_t state;

/* By the seed. */
static uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

/* --- all drivers --- */

static const struct device {
	const char *name;
	unsigned long call[14];
} devices[] = {
	{ "/dev/surf0", { SURF_IOC_INFO, SURF_IOC_GETREG, SURF_IOC_PUTREG, SURF_IOC_CONFIG, SURF_IOC_WAIT, SURF_IOC_CLEAR } },
	{ "/dev/multikron0", { MK_IOC_INFO, MK_IOC_GET, MK_IOC_SET, MK_IOC_COUNT, MK_IOC_TRACE, MK_IOC_UNTRACE } },
	{ "/dev/sci", { SCI_IOC_INFO, SCI_IOC_GET_HOMES, SCI_IOC_SET_HOMES, SCI_IOC_POLICY, SCI_IOC_STATS, SCI_IOC_CLEAR, SCI_IOC_ENABLE } },
	{ "/dev/smile0", { SMILE_IOC_INFO, SMILE_IOC_STATS, SMILE_IOC_LOAD, SMILE_IOC_DYNAMIC, SMILE_IOC_PAGE, SMILE_IOC_EVENT, SMILE_IOC_COUNTER,
			   SMILE_IOC_TIMER, SMILE_IOC_GLOBAL_EVENT, SMILE_IOC_RUN, SMILE_IOC_RESET, SMILE_IOC_SWAP, SMILE_IOC_COUNTERS } },
	{ "/dev/power2", { P2_IOC_INFO, P2_IOC_OPEN, P2_IOC_ENABLE, P2_IOC_DISABLE, P2_IOC_RESET, P2_IOC_READ, P2_IOC_MARK, P2_IOC_HOOK, P2_IOC_SEGMENT,
			   P2_IOC_SPE, P2_IOC_TAKE, P2_IOC_RULES } },
	{ "/dev/sni0", { SNI_IOC_PFN, SNI_IOC_GETREG, SNI_IOC_WAIT, SNI_IOC_STATS, SNI_IOC_NOTIFIED, SNI_IOC_INFO } },
};
#define PAGE 4096ul
#define DEVICES (COUNT(devices))

static int fds[DEVICES];
static struct late late;
static uint32_t *filled; /* two pages: what a driver writes behind them is a fault, and not this program's end */

static __attribute__((noreturn)) void *bring(void *unused)
{
	for (;;) {
		late_touched(&late);
		usleep(2000);
		late_bring(&late, NULL);
	}
}

static void on_alarm(int number)
{
}

/* The devices are for a group; memory that is late needs root. */
static void hostile_open(void)
{
	pthread_t thread;

	for (size_t i = 0; i < DEVICES; i++) {
		fds[i] = open(devices[i].name, O_RDWR | O_CLOEXEC);
		must(fds[i] < 0 || !chmod(devices[i].name, 0666), "chmod"); /* it is opened again and again */
	}
	filled = mmap(NULL, 6 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(filled != MAP_FAILED, "mmap");
	filled += 2 * PAGE / sizeof(*filled);
	must(!mprotect(filled, 2 * PAGE, PROT_READ | PROT_WRITE), "mprotect");
	late = late_page();
	must(late.faults >= 0 && !pthread_create(&thread, NULL, bring, NULL), "userfaultfd");
	/* without SA_RESTART: what waits for ever ends */
	must(!sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL), "sigaction");
	alarms(30000, 30000);
}

/* Where nothing of this program's is: in the hole of the addresses, or the kernel's. */
static uint64_t nowhere(void)
{
	return (any(2) ? 1ull << 50 : 0xffff888000000000) + any(0x7fffffff);
}

/* For a structure, or what it points to. In a child the page is as any other. */
static void *memory(void)
{
	memset(filled, 0, 2 * PAGE);
	for (uint32_t i = any(10); i; i--)
		filled[any(24)] = any(4) ? any(6) : any(0x7fffffff);
	if (any(3)) { /* pointers: to itself, elsewhere, nowhere */
		const uint64_t at = (uintptr_t)(any(3) ? (any(2) ? (void *)filled : late.at) : (void *)nowhere());

		memcpy(filled + 2 * any(6), &at, sizeof(at));
	}
	switch (any(8)) {
	case 0:
		return (void *)nowhere();
	case 1:
		madvise(late.at, late.range.len, MADV_DONTNEED);
		return late.at;
	default:
		return filled;
	}
}

/* A program of root's that was executed with a thief's memory around has no signal of his. */
static bool raises(void)
{
	static const int numbers[] = { SIGKILL, SIGTERM, SIGURG, SIGUSR1, SIGSEGV, 40 };

	bool free;

	return arm_raise_and_send(numbers[any(6)], &free) <= 0;
}

/* False: something is wrong. */
static bool hostile(void)
{
	const size_t i = any(DEVICES);
	unsigned long call = 0;
	uint64_t offset = any(2) ? (uint64_t)any(64) << 12 : any(2) ? MK_MAP_REGISTERS : SCI_MMAP_WC;
	size_t size;
	void *at;

	if (any(100) == 0)
		return raises();
	if (fds[i] < 0)
		return true;
	while (!call)
		call = devices[i].call[any(14)];
	switch (any(8)) {
	case 0:
		size = PAGE << any(4);
		at = mmap(any(2) ? NULL : late.at + (1 << 30), size, any(8), any(4) ? MAP_SHARED : MAP_PRIVATE, fds[i], offset);
		if (at != MAP_FAILED && any(2))
			munmap(at, PAGE); /* a part first */
		if (at != MAP_FAILED)
			munmap(at, size);
		break;
	case 1:
		if (read(fds[i], memory(), any(9000)) < 0 && errno == EINVAL)
			lseek(fds[i], any(1 << 27), SEEK_SET);
		break;
	case 2:
		if (write(fds[i], memory(), any(9000)) < 0)
			poll(&(struct pollfd){ fds[i], (short)any(64), 0 }, 1, 0);
		break;
	case 3: /* what was opened, mapped and marked ends */
		close(fds[i]);
		fds[i] = open(devices[i].name, O_RDWR | O_CLOEXEC);
		break;
	case 4:
		call = _IOC(any(4), SNI_IOC_MAGIC, _IOC_NR(call), any(400));
		/* fall through */
	default:
		ioctl(fds[i], call, memory());
	}
	return true;
}

/* What the thieves know of the victim, and of each other. */
static struct {
	volatile bool over;
	uint32_t frames[8];
	struct sni_grant grant;
} *known;

/* --- a thief --- */

static struct {
	volatile uint32_t *pages, *proxies;
	uint32_t count;
} area[AREAS];
static struct sni_grant grants[4];

static volatile uint32_t *word(void)
{
	const uint32_t i = any(AREAS);

	return area[i].pages ? area[i].pages + any(area[i].count * PAGE_WORDS) : NULL;
}

static uint32_t frame(void)
{
	const uint32_t i = any(AREAS);

	switch (any(4)) {
	case 0:
		return any(SNI_PAGES + 2);
	case 1:
		return area[i].pages ? (uint32_t)sni_pfn(sni, area[i].pages) : 0;
	default:
		return known->frames[any(8)];
	}
}

static struct sni_grant grant(void)
{
	struct sni_grant g = any(2) ? known->grant : grants[any(4)];
	uint32_t *words = (uint32_t *)&g;

	if (any(2))
		words[any(sizeof(g) / 4)] = any(2) ? any(4) : ((uint32_t *)&known->grant)[any(sizeof(g) / 4)];
	return g;
}

/* Proxies stay for a while, and lead nowhere. */
static void drop(uint32_t i)
{
	if (area[i].pages)
		sni_unmap((void *)area[i].pages, area[i].count);
	area[i].pages = NULL;
}

static void take(uint32_t i)
{
	drop(i);
	if (area[i].proxies)
		munmap((void *)area[i].proxies, area[i].count * SNI_PAGE_BYTES);
	area[i].proxies = NULL;
	area[i].count = 1 + any(3);
	area[i].pages = sni_pages(sni, area[i].count);
}

/* One that is made of nothing but chance. */
static void any_ioctl(void)
{
	const uint64_t at = (uintptr_t)word();
	uint32_t words[32];
	const uint32_t number = 0x80 + any(16);

	for (size_t i = 0; i < 32; i++)
		words[i] = any(4) ? any(5) : any(0x7fffffff);
	if (any(2))
		memcpy(words, &at, sizeof(at));
	if (number == (SNI_IOC_SETREG & 0xff) || number == (SNI_IOC_WAIT & 0xff))
		return;
	if (number == (SNI_IOC_NOTIFY & 0xff))
		words[1] = SIGURG; /* others end it */
	ioctl(sni, _IOC(any(4), SNI_IOC_MAGIC, number, any(130)), words);
}

static void proxies_of(uint32_t i)
{
	void *p;

	if (any(4) && area[i].pages) {
		if (!area[i].proxies)
			area[i].proxies = sni_proxies(sni, area[i].pages, area[i].count);
		return;
	}
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, sni, SNI_MAP_PROXY + (off_t)frame() * 4096);
	if (p != MAP_FAILED)
		munmap(p, 4096);
}

static void half(uint32_t i)
{
	if (!area[i].proxies)
		return;
	if (any(2))
		area[i].proxies[any(area[i].count * PAGE_WORDS)] = any(4) ? 4 * any(8) : any(0x7fffffff);
	else
		(void)area[i].proxies[any(area[i].count * PAGE_WORDS)];
}

static void operate(bool may_fork)
{
	static const uint32_t boundaries[] = { 0, 256, 4096, 3 };
	const uint32_t i = any(AREAS), node = known->grant.node;
	volatile uint32_t *p = word();
	struct sni_grant g;
	pid_t child;
	int copy;

	switch (any(16)) {
	case 0:
		take(i);
		break;
	case 1:
		drop(i);
		break;
	case 2:
		sni_export(sni, p, any(17), any(3));
		break;
	case 3:
		if (!sni_export_to(sni, p, any(16), any(2), any(2) ? node : SNI_ANY, any(2) ? SNI_ANY : 1000 + any(4), &g))
			grants[any(4)] = g;
		break;
	case 4:
		sni_import(sni, p, any(5), frame(), any(16), boundaries[any(4)]);
		break;
	case 5:
		g = grant();
		sni_import_from(sni, p, &g, any(16), boundaries[any(4)]);
		break;
	case 6:
		sni_send(sni, word(), any(5), frame(), 4 * any(1100), any(1100));
		break;
	case 7:
		sni_send_to(sni, word(), p, any(64));
		break;
	case 8:
		proxies_of(i);
		break;
	case 9:
		any_ioctl();
		break;
	case 10:
		if (!may_fork)
			break;
		child = fork();
		if (!child) {
			for (uint32_t k = 0; k < AREAS; k++)
				area[k].proxies = NULL; /* a child has none */
			for (uint32_t k = any(20); k; k--)
				operate(false);
			if (any(2))
				kill(getpid(), SIGKILL);
			if (any(2))
				execl("/proc/self/exe", "drivertest", "unmask", NULL);
			_exit(0);
		}
		if (child > 0)
			TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
		break;
	case 11:
		copy = dup(sni);
		if (copy >= 0)
			close(copy); /* which ends what was exported and imported by it */
		break;
	case 12:
	case 13:
		half(i);
		break;
	default:
		if (p)
			for (uint32_t k = any(8); k; k--)
				*p = any(0x3fffffff);
	}
}

static unsigned int secrets(void)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < AREAS; i++)
		for (uint32_t k = 0; area[i].pages && k < area[i].count * PAGE_WORDS; k++)
			n += (area[i].pages[k] & 0xffff0000) == SECRET;
	return n;
}

static int thief(uint32_t user, uint32_t operations)
{
	unsigned int found = 0;
	bool good = true;

	hostile_open();
	if (setgid(user) || setuid(user))
		return 1;
	for (uint32_t i = 0; i < operations; i++) {
		operate(true);
		good &= hostile();
		if (i % 64 == 0)
			found += secrets();
	}
	found += secrets();
	if (found)
		printf("FAILED: a thief has %u of the victim's words\n", found);
	if (!good)
		printf("FAILED: a thief's signal has ended a program of root's\n");
	return found || !good;
}

/* --- the victim --- */

static unsigned int foreign(const volatile uint32_t *pages)
{
	unsigned int n = 0;

	for (uint32_t k = 0; k < 4 * PAGE_WORDS; k++)
		n += (pages[k] & 0xffff0000) != SECRET;
	return n;
}

/* In: nobody but itself; out: leads there; words: what it sends; kept: nobody's business. */
static int victim(int ready)
{
	volatile uint32_t *pages = sni_pages(sni, 4), *proxies;
	uint32_t sent = 0;
	unsigned int wrong;
	uint64_t got = 0;

	if (setgid(VICTIM) || setuid(VICTIM) || !pages)
		return 1;
	for (uint32_t k = 0; k < 4 * PAGE_WORDS; k++)
		pages[k] = SECRET + k;
	for (uint32_t k = 0; k < 4; k++)
		known->frames[k] = (uint32_t)sni_pfn(sni, pages + k * PAGE_WORDS);
	known->grant = exported(pages, VICTIM);
	import(pages + PAGE_WORDS, &known->grant, SNI_IMPORT_DU);
	proxies = sni_proxies(sni, pages + PAGE_WORDS, 2);
	must(proxies, "proxies");
	must(write(ready, "", 1) == 1, "write");
	while (!known->over) {
		const uint32_t k = sent++ % PAGE_WORDS;

		pages[2 * PAGE_WORDS + k] = SECRET + (sent & 0xffff);
		must(!sni_user_send(proxies + k, proxies + PAGE_WORDS + k, 4), "message");
		if (sent % 16 == 0)
			must(!sni_send_to(sni, pages + 2 * PAGE_WORDS + k, pages + PAGE_WORDS + k, 1), "SNI_IOC_DU_TO");
		usleep(100);
	}
	wrong = foreign(pages);
	printf("%s: of %u words that the victim sent itself, and %u that it kept, %u are another's\n", wrong ? "FAILED" : "ok", sent,
	       4 * PAGE_WORDS, wrong);
	pages[2 * PAGE_WORDS] = SECRET + 0xbeef;
	must(!sni_user_send(proxies, proxies + PAGE_WORDS, 4), "message");
	for (int i = 0; i < 10000 && !got; i++) {
		got = pages[0] == SECRET + 0xbeef;
		usleep(100);
	}
	printf("%s: its messages come still\n", got ? "ok" : "FAILED");
	return wrong || !got;
}

void fuzz(char **words)
{
	const uint32_t operations = (uint32_t)argument(words, 0, 500), seed = (uint32_t)argument(words, 1, 1);
	pid_t child[THIEVES + 1];
	int ready[2], status;
	char byte;

	known = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(known != MAP_FAILED && !pipe(ready), "mmap");
	set_uid_program();
	for (uint32_t i = 0; i <= THIEVES; i++) {
		child[i] = fork_child();
		if (!child[i]) {
			open_own();
			state = ((uint64_t)seed << 8 | i) * 0x9E3779B97F4A7C15ull;
			_exit(i ? thief(1000 + i, operations) : victim(ready[1]));
		}
		if (!i)
			must(read(ready[0], &byte, 1) == 1, "read");
	}
	for (uint32_t i = 1; i <= THIEVES; i++) {
		status = child_status(child[i]);
		check(!status, "thief %u has no word of another's, and ends (%x)", i, status);
	}
	known->over = true;
	status = child_status(child[0]);
	check(!status, "nor has the victim (%x)", status);
}
