/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scitest rules|user|homes|traffic ACCESSES|touch|combine|children|inside|gone PCI_DEVICE|unplugged FILE|power - what sci.ko promises. Prints a line
 * per check; exit status 1 if one fails.
 */
#define _GNU_SOURCE
#include "tests/guest/linux/contract.h"
#include "tests/guest/linux/traffic.h"

int failures;
static size_t page_bytes; /* of the kernel: what is mapped */
static struct sci sci;

static void open_sci(void)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	must(!sci_open(&sci, NULL), SCI_DEVICE);
}

/* --- rules --- */

static const struct contract contract = {
	.device = SCI_DEVICE,
	.asks = { SCI_IOC_INFO, SCI_IOC_GET_HOMES, SCI_IOC_STATS },
	.changes = { SCI_IOC_SET_HOMES, SCI_IOC_POLICY, SCI_IOC_ENABLE, SCI_IOC_CLEAR },
	.map = { { PROT_READ | PROT_WRITE, 0 }, { PROT_READ | PROT_WRITE, SCI_MMAP_WC } },
};

static void rules_of_mmap(void)
{
	const int both = PROT_READ | PROT_WRITE;
	uint8_t *at;

	MAPS(sci.fd, { both, MAP_SHARED, sci.bytes, 0, 0, "the whole window" },
	     { both, MAP_SHARED, page_bytes, sci.bytes - page_bytes, 0, "its last page" },
	     { both, MAP_SHARED, sci.bytes, SCI_MMAP_WC, 0, "all of it write-combining" },
	     { both, MAP_SHARED, page_bytes, sci.bytes, EINVAL, "a page behind the window" },
	     { both, MAP_SHARED, sci.bytes, page_bytes, EINVAL, "a part that reaches behind it" },
	     { both, MAP_SHARED, 2 * page_bytes, SCI_MMAP_WC + sci.bytes - page_bytes, EINVAL, "such a part, combining" },
	     { both, MAP_SHARED, page_bytes, 2 * SCI_MMAP_WC, EINVAL, "an offset above all" });
	at = mmap(NULL, 2 * page_bytes, both, MAP_SHARED, sci.fd, 0);
	must(at != MAP_FAILED, "mmap");
	check(!munmap(at, page_bytes) && (at[page_bytes] = 5) == 5 && !munmap(at + page_bytes, page_bytes), "a part can be unmapped");
}

static void rules_of_ioctls(void)
{
	uint8_t homes[3] = { 1, 1, 1 }, now[3] = { 9, 9, 9 };
	const struct sci_homes nowhere = { 0, 3, 8 };
	const struct sci_stats s = { .node = sci.info.nodes };
	const uint32_t two = 2;

	CALLS(sci.fd, { SCI_IOC_POLICY, &two, EINVAL, "policy 2" },
	      { SCI_IOC_ENABLE, &two, EINVAL, "switch 2" },
	      { SCI_IOC_STATS, &s, EINVAL, "statistics of no node" },
	      { SCI_IOC_SET_HOMES, &nowhere, EFAULT, "homes at no address" },
	      { SCI_IOC_GET_HOMES, &nowhere, EFAULT, "homes to no address" });
	must(!sci_set_homes(&sci, 0, 3, homes), "homes");
	homes[0] = 0;
	homes[2] = (uint8_t)sci.info.nodes;
	check_refused(sci_set_homes(&sci, 0, 3, homes), EINVAL, "a home that is no node");
	check(!sci_get_homes(&sci, 0, 3, now) && now[0] == 1 && now[1] == 1 && now[2] == 1, "and nothing was changed");
	check_refused(sci_set_homes(&sci, sci.info.pages - 2, 3, homes), EINVAL, "homes behind the window");
	check_refused(sci_get_homes(&sci, 0xffffffff, 2, now), EINVAL, "homes far behind it");
	check(!sci_set_homes(&sci, sci.info.pages, 0, homes), "none at its end are none");
}

static void rules(char **words)
{
	check_contract(&contract);
	rules_of_mmap();
	rules_of_ioctls();
}

/* --- ordinary users: root has pages below the user's; one page of the kernel can have 16 of the window --- */

#define USERS_PAGE 32u

static void open_as(unsigned user)
{
	become(user);
	open_sci();
}

static void user_rules(void)
{
	uint8_t now[2] = { 9, 9 }, homes[2] = { 1, 1 };

	check_refused(sci_enable(&sci, 0), EPERM, "a user's switch");
	check_refused(sci_policy(&sci, SCI_FIRST_TOUCH), EPERM, "a user's policy");
	check_refused(sci_clear_stats(&sci), EPERM, "a user's clearing of statistics");
	check_refused(open("/sys/class/misc/sci/enable", O_WRONLY), EACCES, "the switch in sysfs");
	check_refused(open("/sys/class/misc/sci/policy", O_WRONLY), EACCES, "the policy in sysfs");
	check_refused(sci_set_home(&sci, 0, 1), EPERM, "moving a page that another user has touched");
	check_refused(sci_set_home(&sci, USERS_PAGE - 1, 1), EPERM, "moving a page that another user has moved");
	check_refused(sci_set_homes(&sci, USERS_PAGE - 1, 2, homes), EPERM, "moving such a page with one that is free");
	check(!sci_get_homes(&sci, USERS_PAGE - 1, 2, now) && !now[0] && !now[1], "and nothing was moved");
	check(!sci_set_homes(&sci, USERS_PAGE, 2, homes), "a page that is free");
	check(!sci_set_home(&sci, USERS_PAGE, 0), "and again, as it is one's own");
}

/* The child's checks are failures of this program, too. */
static void as_user(unsigned number, void (*checks)(void))
{
	const pid_t child = fork_child();

	if (!child) {
		open_as(number);
		checks();
		fflush(stdout);
		_exit(failures != 0);
	}
	failures += child_status(child) != 0;
}

static void others_page(void)
{
	check_refused(sci_set_home(&sci, USERS_PAGE, 1), EPERM, "moving a page of a user who has the adapter open");
}

static void left_page(void)
{
	check(!sci_set_home(&sci, USERS_PAGE, 1), "a page of a user who has closed it is nobody's");
}

static int told[2]; /* a pipe */

static void stay(void)
{
	must(!sci_set_home(&sci, USERS_PAGE, 0) && write(told[1], "x", 1) == 1, "page");
	pause();
}

static void user(char **words)
{
	volatile uint8_t *at;
	pid_t child;
	char byte;

	for (unsigned p = 0; p <= USERS_PAGE + 1; p++)
		must(!sci_set_home(&sci, p, 0), "home");
	sci_close(&sci); /* and they are nobody's */
	open_sci();
	at = sci_map(&sci, 0, page_bytes, 0);
	must(at != NULL && !pipe(told), "mapping");
	at[0] = 1;
	must(!sci_set_home(&sci, USERS_PAGE - 1, 0), "home");
	as_user(1000, user_rules);
	child = fork_child();
	if (!child) {
		open_as(1000);
		stay();
	}
	must(read(told[0], &byte, 1) == 1, "child");
	as_user(1001, others_page);
	check(!sci_set_home(&sci, USERS_PAGE, 1) && !sci_set_home(&sci, USERS_PAGE, 0), "root moves all pages");
	must(!kill(child, SIGKILL), "kill");
	child_status(child);
	as_user(1001, left_page);
	sci_unmap((void *)at, page_bytes);
}

/* --- homes --- */

static void homes(char **words)
{
	uint8_t *set, *now;

	set = zeroed(sci.info.pages, 1);
	now = zeroed(sci.info.pages, 1);
	for (unsigned p = 0; p < sci.info.pages; p++)
		set[p] = (uint8_t)(p * 2654435761u % sci.info.nodes);
	must(!sci_set_homes(&sci, 0, sci.info.pages, set), "homes");
	must(!sci_get_homes(&sci, 0, sci.info.pages, now), "homes");
	check(!memcmp(set, now, sci.info.pages), "%u homes are as they were set", sci.info.pages);
	must(!sci_set_home(&sci, sci.info.pages - 1, sci.info.nodes - 1), "a home");
	must(!sci_get_homes(&sci, sci.info.pages - 1, 1, now), "a home");
	same(now[0], sci.info.nodes - 1, "home of page", sci.info.pages - 1);
	for (unsigned n = 0; n < sci.info.nodes; n++) {
		pin(n);
		same((unsigned)sci_node(&sci), n, "node of processor", n);
	}
	free(set);
	free(now);
}

/* --- statistics of known traffic --- */

static void traffic(char **words)
{
	static struct traffic t;
	uint64_t received[SCIR_MAX_NODES] = { 0 };
	struct sci_stats s;

	traffic_open(&t, 64);
	must(!sci_clear_stats(&t.sci), "clear");
	traffic_run(&t, (unsigned)argument(words, 0, 10000));
	for (unsigned n = 0; n < t.nodes; n++)
		for (unsigned h = 0; h < t.nodes; h++)
			received[h] += h == n ? 0 : t.node[n].sent[h][READ] + t.node[n].sent[h][WRITE] + 2 * t.node[n].sent[h][LOCKED];
	for (unsigned n = 0; n < t.nodes; n++) {
		must(!sci_get_stats(&t.sci, n, &s), "statistics");
		same(s.reads, traffic_of(&t, n, READ), "reads of node", n);
		same(s.writes, traffic_of(&t, n, WRITE), "writes of node", n);
		same(s.locks, traffic_of(&t, n, LOCKED), "locks of node", n);
		same(s.unlocks, traffic_of(&t, n, LOCKED), "unlocks of node", n);
		same(s.received, received[n], "received by node", n);
	}
	must(!sci_enable(&t.sci, 0) && !sci_clear_stats(&t.sci), "off");
	traffic_run(&t, 1000);
	for (unsigned n = 0; n < t.nodes; n++) {
		must(!sci_get_stats(&t.sci, n, &s), "statistics");
		same(s.reads + s.writes + s.locks + s.unlocks + s.received + s.packets, 0, "disabled, packets of node", n);
	}
	must(!sci_enable(&t.sci, 1), "on");
	traffic_close(&t);
}

/* --- first touch --- */

struct toucher {
	volatile uint8_t *base;
	unsigned node, nodes, pages, turn;
};

static void *touch_some(void *argument)
{
	struct toucher *t = argument;

	pin(t->node);
	for (unsigned p = (t->node + t->turn) % t->nodes; p < t->pages; p += t->nodes)
		t->base[p * page_bytes + p]++;
	return NULL;
}

/* Each node touches its share; `turn` says which share. */
static void touch_all(volatile uint8_t *base, unsigned pages, unsigned turn)
{
	struct toucher t[SCIR_MAX_NODES];
	pthread_t thread[SCIR_MAX_NODES];

	for (unsigned n = 0; n < sci.info.nodes; n++) {
		t[n] = (struct toucher){ base, n, sci.info.nodes, pages, turn };
		must(!pthread_create(&thread[n], NULL, touch_some, &t[n]), "thread");
	}
	for (unsigned n = 0; n < sci.info.nodes; n++)
		pthread_join(thread[n], NULL);
}

/* Homes of the kernel's pages, each of one or more of the window's; false: those of one differ. */
static bool get_homes(unsigned pages, uint8_t *homes)
{
	const unsigned each = (unsigned)(page_bytes / SCI_PAGE_BYTES);
	uint8_t *all = zeroed(pages, each);
	bool equal = true;

	must(!sci_get_homes(&sci, 0, pages * each, all), "homes");
	for (unsigned p = 0; p < pages * each; p++) {
		homes[p / each] = all[p / each * each];
		equal = equal && all[p] == homes[p / each];
	}
	free(all);
	return equal;
}

static void set_homes(unsigned pages, uint8_t home)
{
	for (unsigned p = 0; p < pages * page_bytes / SCI_PAGE_BYTES; p++)
		must(!sci_set_home(&sci, p, home), "home");
}

static bool homes_are(unsigned pages, unsigned turn)
{
	uint8_t now[64];

	if (!get_homes(pages, now))
		return false;
	for (unsigned p = 0; p < pages; p++)
		if ((now[p] + turn) % sci.info.nodes != p % sci.info.nodes)
			return false;
	return true;
}

static void touch(char **words)
{
	enum { PAGES = 64 };
	const uint8_t zero[PAGES] = { 0 };
	volatile uint8_t *base;
	uint8_t now[PAGES];

	base = sci_map(&sci, 0, PAGES * page_bytes, 0);
	must(base != NULL, "window");
	set_homes(PAGES, 0);
	touch_all(base, PAGES, 0);
	check(get_homes(PAGES, now) && !memcmp(now, zero, PAGES), "with fixed homes a touch changes nothing");
	must(!sci_policy(&sci, SCI_FIRST_TOUCH), "policy");
	touch_all(base, PAGES, 1);
	check(homes_are(PAGES, 1), "a page's home is the node that touched it first, though it was mapped before");
	touch_all(base, PAGES, 2);
	check(homes_are(PAGES, 1), "later touches change nothing");
	must(!sci_policy(&sci, SCI_FIRST_TOUCH), "policy");
	set_homes(1, 0);
	touch_all(base, PAGES, 3);
	check(get_homes(PAGES, now) && !now[0], "a home that was set stays");
	set_homes(1, (uint8_t)((sci.info.nodes - 3 % sci.info.nodes) % sci.info.nodes));
	check(homes_are(PAGES, 3), "set again, the policy begins anew");
	must(!sci_policy(&sci, SCI_FIXED), "policy");
	sci_unmap((void *)base, PAGES * page_bytes);
	base = sci_map(&sci, 0, PAGES * page_bytes, 0);
	touch_all(base, PAGES, 0);
	check(homes_are(PAGES, 3), "fixed: a new mapping changes nothing");
	sci_unmap((void *)base, PAGES * page_bytes);
}

/* --- write-combining --- */

static uint64_t writes_of(unsigned node)
{
	struct sci_stats s;

	must(!sci_get_stats(&sci, node, &s), "statistics");
	return s.writes;
}

static void fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#ifdef __x86_64__
	__asm__ volatile("sfence" ::: "memory");
#endif
}

static void fill(volatile uint64_t *at, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		at[i] = i;
	fence();
}

/* The writes that a fill makes. An interrupt in the middle of it writes out what has been combined so far: then once more. */
static uint64_t writes_of_fill(volatile uint64_t *at, unsigned words, uint64_t expected)
{
	uint64_t writes = 0;

	for (int tries = 0; tries < 100 && writes != expected; tries++) {
		uint64_t before = writes_of(0);

		fill(at, words);
		writes = writes_of(0) - before;
	}
	return writes;
}

static void combine(char **words)
{
	volatile uint64_t *wc, *uc;

	pin(0);
	must(!sci_policy(&sci, SCI_FIXED), "policy");
	set_homes(1, 1);
	wc = sci_map(&sci, 0, page_bytes, 1);
	uc = sci_map(&sci, 0, page_bytes, 0);
	must(wc && uc, "mappings");
	wc[0] = uc[0] = 0; /* both are in the page table */
	fence();
	same(writes_of_fill(uc, 64, 64), 64, "uncached, writes for words", 64);
#ifdef __x86_64__
	same(writes_of_fill(wc, 64, 8), 8, "combined, writes for words", 64);
#else
	same(writes_of_fill(wc, 64, 64), 64, "not combined on this machine, writes for words", 64);
#endif
	same(writes_of_fill(wc, 3, 3), 3, "a part of a line, writes for words", 3);
	wc[0] = 0x1234;
	same(uc[0], 0x1234, "one memory, whichever way", 0);
	sci_unmap((void *)wc, page_bytes);
	sci_unmap((void *)uc, page_bytes);
}

/* --- children, two mappings --- */

static void children(char **words)
{
	volatile uint32_t *one, *other;
	pid_t child;

	one = sci_map(&sci, 0, 4 * page_bytes, 0);
	other = sci_map(&sci, page_bytes, page_bytes, 0);
	must(one && other, "mappings");
	one[0] = 1;
	one[page_bytes / 4] = 7;
	same(other[0], 7, "a second mapping sees page", 1);
	child = fork_child();
	if (!child) {
		one[0]++;
		one[2 * page_bytes / 4] = 9; /* not mapped yet in either */
		_exit(other[0] != 7);
	}
	same((unsigned)child_status(child), 0, "a child sees it too: status", 0);
	same(one[0], 2, "and its parent what it stored, page", 0);
	same(one[2 * page_bytes / 4], 9, "page", 2);
	sci_unmap((void *)one, 4 * page_bytes);
	sci_unmap((void *)other, page_bytes);
}

/* --- calls whose buffers lie in the window itself, while others take its pages away --- */

static int over;

static void *change_policy(void *argument)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		must(!sci_policy(argument, SCI_FIRST_TOUCH), "policy");
	return NULL;
}

static void *map_again(void *argument)
{
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		void *at = sci_map(argument, 0, 4 * page_bytes, 0);

		must(at && !sci_unmap(at, 4 * page_bytes), "mapping");
	}
	return NULL;
}

static void inside(char **words)
{
	pthread_t thread[2];
	uint8_t *at;
	bool equal = true;

	at = sci_map(&sci, 0, page_bytes, 0);
	must(at != NULL, "mapping");
	must(!pthread_create(&thread[0], NULL, change_policy, &sci) && !pthread_create(&thread[1], NULL, map_again, &sci), "threads");
	for (unsigned round = 0; round < 3000; round++) {
		at[0] = (uint8_t)(round % sci.info.nodes);
		at[1] = 0;
		must(!sci_set_homes(&sci, 2000 / (page_bytes / SCI_PAGE_BYTES), 2, at), "set homes");
		must(!sci_get_homes(&sci, 2000 / (page_bytes / SCI_PAGE_BYTES), 2, at), "get homes");
		equal = equal && at[0] == round % sci.info.nodes && !at[1];
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	check(equal, "homes out of the window and into it");
	must(!sci_policy(&sci, SCI_FIXED), "policy");
	sci_unmap(at, page_bytes);
}

/* --- removal --- */

static void refused_when_gone(void)
{
	uint8_t home;

	check_refused(sci_get_homes(&sci, 0, 1, &home), ENODEV, "homes");
	check_gone(&contract, sci.fd);
}

static void gone(char **words)
{
	volatile uint64_t *at;

	at = sci_map(&sci, 0, 4 * page_bytes, 0);
	must(at != NULL, "mapping");
	at[0] = 1;
	remove_card(words[0]);
	check_bus_error(at, "a page");
	refused_when_gone();
	sci_unmap((void *)at, 4 * page_bytes);
}

/* --- an adapter that goes while all nodes use its window --- */

static void use(unsigned node, unsigned *users)
{
	const size_t words = 4 * page_bytes / sizeof(uint64_t);
	volatile uint64_t *uc, *wc;

	pin(node);
	uc = sci_map(&sci, 0, 4 * page_bytes, 0);
	wc = sci_map(&sci, 0, 4 * page_bytes, 1);
	must(uc && wc, "mappings");
	signal(SIGBUS, on_bus_error);
	if (sigsetjmp(bus_error, 1))
		exit(0);
	for (size_t i = 0, at = 0; ; i++, at = (at + 64 + node) % words) {
		uc[at] = i;
		(void)uc[at];
		__atomic_fetch_add(&uc[at], 1, __ATOMIC_SEQ_CST);
		wc[at] = i;
		if (i == 100)
			__atomic_fetch_add(users, 1, __ATOMIC_SEQ_CST);
	}
}

/* FILE is there when they do. */
static void unplugged(char **words)
{
	unsigned *const users = mmap(NULL, sizeof(*users), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned node, ended = 0;
	int status;

	must(words[0] && users != MAP_FAILED, "FILE");
	for (unsigned p = 0; p < 4 * page_bytes / SCI_PAGE_BYTES; p++)
		must(!sci_set_home(&sci, p, (uint8_t)(p % sci.info.nodes)), "home");
	for (node = 0; node < sci.info.nodes; node++)
		if (!fork())
			use(node, users);
	while (__atomic_load_n(users, __ATOMIC_SEQ_CST) < sci.info.nodes)
		usleep(1000);
	close(open(words[0], O_WRONLY | O_CREAT, 0600));
	while (wait(&status) > 0)
		ended += status == 0;
	same(ended, sci.info.nodes, "SIGBUS, nodes", 0);
	refused_when_gone();
}

/* --- sleep: a page's home and the switch are there afterwards --- */

static void power(char **words)
{
	uint8_t *set, *now;
	struct sci_info info;

	set = zeroed(sci.info.pages, 1);
	now = zeroed(sci.info.pages, 1);
	for (unsigned p = 0; p < sci.info.pages; p++)
		set[p] = (uint8_t)(p % sci.info.nodes);
	must(!sci_set_homes(&sci, 0, sci.info.pages, set), "homes");
	write_file("/sys/power/state", "mem");
	must(!sci_get_homes(&sci, 0, sci.info.pages, now) && !ioctl(sci.fd, SCI_IOC_INFO, &info), "homes");
	check(!memcmp(set, now, sci.info.pages), "homes after a sleep");
	same(info.enabled, 1, "enabled, adapter", 0);
	free(set);
	free(now);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "rules", rules }, { "user", user }, { "homes", homes }, { "traffic", traffic }, { "touch", touch }, { "combine", combine },
		{ "children", children }, { "inside", inside }, { "gone", gone }, { "unplugged", unplugged }, { "power", power },
	};
	int status;

	open_sci();
	status = run_tests(argc, argv, tests, COUNT(tests));
	sci_close(&sci);
	return status;
}
