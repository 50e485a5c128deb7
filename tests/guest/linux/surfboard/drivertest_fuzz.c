/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest fuzz OPERATIONS SEED - users without rights do anything to /dev/sni0 but set registers, which their group may, and to all other boards
 * (drivertest_hostile.c). Meanwhile another user sends himself messages: nobody else's word comes to his pages, and no word of his to theirs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/ioctl.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define PAGE_WORDS 1024
#define VICTIM 1000
#define THIEVES 3
#define AREAS 8
#define SECRET 0x5EC20000u /* the upper half of each of the victim's words; no thief makes one */

static uint64_t state;

uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
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
	must(!sni_export_to(sni, pages, 1, false, SNI_ANY, VICTIM, &known->grant), "export");
	must(!sni_import_from(sni, pages + PAGE_WORDS, &known->grant, SNI_IMPORT_DU, 0), "import");
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
		child[i] = fork();
		must(child[i] >= 0, "fork");
		if (!child[i]) {
			open_own();
			state = ((uint64_t)seed << 8 | i) * 0x9E3779B97F4A7C15ull;
			_exit(i ? thief(1000 + i, operations) : victim(ready[1]));
		}
		if (!i)
			must(read(ready[0], &byte, 1) == 1, "read");
	}
	for (uint32_t i = 1; i <= THIEVES; i++) {
		must(waitpid(child[i], &status, 0) == child[i], "waitpid");
		check(!status, "thief %u has no word of another's, and ends (%x)", i, status);
	}
	known->over = true;
	must(waitpid(child[0], &status, 0) == child[0], "waitpid");
	check(!status, "nor has the victim (%x)", status);
}
