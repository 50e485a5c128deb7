/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest protect: one process cannot write into, read or take over what another exports, however it tries.
 * drivertest offer, drivertest accept: a grant that goes from one machine to another as text.
 * drivertest user: messages without a system call, and what one process can do to another by them.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define OWNER 1000
#define GUEST 1001
#define THIEF 1002
#define EVIL 0xBADBAD00u

/* A store by an import: whether it came, and was dropped. */
static bool lands(volatile uint32_t *from, uint32_t value)
{
	const uint64_t good = counter(SNI_RXP), bad = counter(SNI_RXD);

	from[0] = value;
	settle(good + bad, 1);
	return counter(SNI_RXP) != good;
}

/* The same by a deliberate update, from a page of its own. */
static bool update_lands(volatile uint32_t *to, uint32_t value)
{
	const uint64_t good = counter(SNI_RXP), bad = counter(SNI_RXD);
	volatile uint32_t *from = own_pages(1);

	from[0] = value;
	must(!sni_send_to(sni, from, to, 1), "SNI_IOC_DU_TO");
	settle(good + bad, 1);
	unmap_page(from);
	return counter(SNI_RXP) != good;
}

/* In a process of its own, as another user, with a descriptor of its own. */
static bool as(unsigned int user, bool (*what)(void *), void *opaque)
{
	int status;
	pid_t child = fork_child();

	if (!child) {
		open_own();
		become(user);
		_exit(!what(opaque));
	}
	status = child_status(child);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct offer {
	struct sni_grant grant;
	volatile uint32_t *page; /* of the exporter's own */
};

/* --- who has a grant, and who has not --- */

static bool imports(void *opaque)
{
	const struct offer *o = opaque;
	volatile uint32_t *out = own_pages(1);

	return !sni_import_from(sni, out, &o->grant, SNI_IMPORT_AU, 0) && lands(out, WORD) &&
	       !sni_unimport(sni, out) && !sni_import_from(sni, out, &o->grant, SNI_IMPORT_TIMEOUT, 0) &&
	       update_lands(out + 1, WORD);
}

static bool refused(struct sni_grant g, volatile uint32_t *out)
{
	return sni_import_from(sni, out, &g, SNI_IMPORT_AU, 0) < 0 && errno == EACCES;
}

/* Everything that is nearly the grant; then without one. */
static bool steals(void *opaque)
{
	const struct offer *o = opaque;
	volatile uint32_t *out = own_pages(1), *mine = own_pages(1);
	struct sni_grant own, g, near[5];
	uint64_t came;

	must(!sni_export_to(sni, mine, 0, false, SNI_ANY, SNI_ANY, &own), "export");
	near[0] = near[1] = near[2] = o->grant;
	near[1].to_user = THIEF;
	near[2].to_user = SNI_ANY;
	near[3] = near[4] = own;
	near[3].pfn = near[4].pfn = o->grant.pfn;
	near[4].key = o->grant.key;
	for (int i = 0; i < 5; i++)
		if (!refused(near[i], out))
			return false;
	for (int bit = 0; bit < 64; bit++) {
		g = o->grant, g.to_user = SNI_ANY, g.seal ^= 1ull << bit;
		if (!refused(g, out))
			return false;
	}
	/* As if it were for all. */
	if (sni_import(sni, out, o->grant.node, o->grant.pfn, SNI_IMPORT_AU, 0) || lands(out, EVIL))
		return false;
	came = counter(SNI_RXP) + counter(SNI_RXD);
	if (sni_send(sni, out, o->grant.node, o->grant.pfn, 0, 1))
		return false;
	settle(came, 1);
	return !update_lands(out, EVIL);
}

static void grants(void)
{
	struct offer o = { .page = own_pages(1) };
	struct sni_grant elsewhere;
	uint64_t dropped;

	check_refused(sni_export_to(sni, o.page, 1, false, 4096, GUEST, &o.grant), EINVAL, "an export to a node that is none");
	check_refused(sni_export_to(sni, o.page, 16, false, network.node, GUEST, &o.grant), EINVAL, "one with a colour that is none");
	must(!sni_export_to(sni, o.page, 1, false, network.node, GUEST, &o.grant), "export");
	check(as(GUEST, imports, &o), "whom an export names can import the page");
	check(o.page[0] == WORD && o.page[1] == WORD, "his store and his update are there");
	o.page[0] = o.page[1] = 0;
	dropped = counter(SNI_RXD);
	check(as(THIEF, steals, &o), "another can not, with no grant that he alters or makes up");
	check(!o.page[0] && !o.page[1], "and nothing of his is there");
	check(counter(SNI_RXD) == dropped + 3, "what he sent was dropped: %u packets", (unsigned)(counter(SNI_RXD) - dropped));
	elsewhere = exported(o.page, SNI_ANY);
	check(!as(GUEST, imports, &o), "the next export of the page makes the grant void");
	o.grant = elsewhere;
	check(as(THIEF, imports, &o), "one for everybody is");
	unmap_page(o.page);
}

/* No key comes twice: a frame that has had all is exported to nobody by name any more, and is not handed out first. */
static void worn_out(void)
{
	volatile uint32_t *page = own_pages(1), *next;
	struct sni_grant g, last = { 0 };
	bool rising = true;

	for (last.key = 0; !sni_export_to(sni, page, 1, false, SNI_ANY, SNI_ANY, &g); last = g)
		rising &= g.key > last.key;
	check(errno == ENOSPC && rising && last.key == SNI_IPT_KEY_MASK >> SNI_IPT_KEY_SHIFT, "a page has %u keys, each once", last.key);
	check(!sni_export(sni, page, 1, false), "then it is exported to all");
	unmap_page(page);
	next = own_pages(1);
	check(!sni_export_to(sni, next, 1, false, SNI_ANY, SNI_ANY, &g) && g.pfn != last.pfn, "the next page is another");
	unmap_page(next);
}

/*
 * Pages of which the first is exported. Its frame can be the one of worn_out(), as the kernel's lists of pages have it: then others, and it stays
 * mapped.
 */
static volatile uint32_t *offered(size_t pages, uint32_t user, struct sni_grant *grant)
{
	for (;;) {
		volatile uint32_t *page = own_pages(pages);

		if (!sni_export_to(sni, page, 1, false, SNI_ANY, user, grant))
			return page;
		must(errno == ENOSPC, "export");
	}
}

/* --- an import does not outlive its exporter --- */

enum end { EXIT, KILL, CLOSE, UNMAP, EXEC, CHILD_STAYS, ENDS };
static const char *const end_names[ENDS] = { "exits", "is killed", "closes", "unmaps", "executes", "exits, and its child stays" };

static void exporter(enum end end, int grants_to, int go, int child_go, int done)
{
	struct offer o = { 0 };

	must(!seteuid(0), "seteuid");
	sni_close(sni);
	open_own();
	become(OWNER);
	o.page = offered(2, THIEF, &o.grant);
	must(write(grants_to, &o.grant, sizeof(o.grant)) == sizeof(o.grant), "write");
	if (end == CHILD_STAYS && !fork()) {
		/* It has the page, but the export was its parent's. */
		await(child_go);
		_exit(o.page[0] != WORD);
	}
	if (end == KILL)
		pause();
	await(go);
	if (end == CLOSE)
		sni_close(sni);
	if (end == UNMAP)
		unmap_page(o.page);
	if (end == EXEC)
		execl("/bin/sleep", "sleep", "1000", NULL);
	if (end == EXIT || end == CHILD_STAYS)
		_exit(o.page[0] != WORD);
	step(done);
	pause();
}

/* Another user's. */
static void end_it(pid_t child)
{
	must(!seteuid(0) && !kill(child, SIGKILL) && !seteuid(THIEF), "kill");
}

static void outlived(enum end end)
{
	int grants[2], go[2], child_go[2], done[2], status = 0;
	volatile uint32_t *out = own_pages(1);
	struct sni_grant g;
	pid_t child;

	must(!pipe(grants) && !pipe(go) && !pipe(child_go) && !pipe(done), "pipe");
	child = fork_child();
	if (!child)
		exporter(end, grants[1], go[0], child_go[0], done[1]);
	must(read(grants[0], &g, sizeof(g)) == sizeof(g), "read");
	import(out, &g, SNI_IMPORT_AU);
	check(lands(out, WORD), "exporter %s: the import is good before", end_names[end]);
	if (end == KILL)
		end_it(child);
	else
		step(go[1]);
	if (end == CLOSE || end == UNMAP)
		await(done[0]);
	if (end == EXIT || end == KILL || end == CHILD_STAYS)
		status = child_status(child);
	if (end == EXEC)
		while (lands(out, WORD)) /* until it has */
			usleep(1000);
	check(end == KILL || !status, "exporter %s: it had the word", end_names[end]);
	check(!lands(out, EVIL), "exporter %s: a store by it is dropped", end_names[end]);
	check(!update_lands(out, EVIL), "exporter %s: an update, too", end_names[end]);
	check(!sni_import_from(sni, out, &g, SNI_IMPORT_AU, 0) && !lands(out, EVIL), "exporter %s: the grant leads nowhere",
	      end_names[end]);
	/* The next one who exports the same frame does not get it. */
	for (int i = 0; i < 64; i++) {
		struct sni_grant other;
		volatile uint32_t *next = offered(1, SNI_ANY, &other);

		if (other.pfn == g.pfn) {
			check(other.key != g.key, "exporter %s: the frame's next export has another key", end_names[end]);
			check(!lands(out, EVIL) && !next[0], "exporter %s: and gets nothing by the old import", end_names[end]);
			break;
		}
	}
	if (end == CHILD_STAYS)
		step(child_go[1]);
	if (end == CLOSE || end == UNMAP || end == EXEC) {
		end_it(child);
		status = child_status(child);
	}
	unmap_page(out);
}

/* In a child, so that its pages and user are gone afterwards. */
static void outlive_all(void)
{
	pid_t child = fork_child();

	if (!child) {
		open_own();
		must(!seteuid(THIEF), "seteuid");
		for (enum end e = 0; e < ENDS; e++)
			outlived(e);
		_exit(failures != 0);
	}
	check(!child_status(child), "no import outlives its exporter");
}

/* --- fork: a child has its parent's pages, and no right that it did not have --- */

static void forked(void)
{
	struct sni_grant g;
	volatile uint32_t *in = offered(1, SNI_ANY, &g), *out = own_pages(1);
	pid_t child;

	import(out, &g, SNI_IMPORT_AU);
	child = fork_child();
	if (!child) {
		sni_unmap((void *)in, 1);
		sni_unmap((void *)out, 1);
		sni_close(sni);
		_exit(0);
	}
	check(!child_status(child) && lands(out, WORD) && in[0] == WORD, "what a child unmaps and closes is the parent's still");
	must(!sni_unmap((void *)in, 1) && !sni_unmap((void *)out, 1), "unmap");
}

void protect(char **words)
{
	grants();
	worn_out();
	forked();
	outlive_all();
}

/* --- two machines --- */

void offer(char **words)
{
	const char *const name = words[0];
	volatile uint32_t *page = sni_pages(sni, 1);
	struct sni_grant g;
	const uint8_t *byte = (const uint8_t *)&g;
	FILE *f = fopen(name, "w");

	must(page && f && !sni_export_to(sni, page, 1, false, SNI_ANY, SNI_ANY, &g), "export");
	for (size_t i = 0; i < sizeof(g); i++)
		fprintf(f, "%02x", byte[i]);
	must(!fclose(f), name);
	while (!page[0])
		usleep(1000);
	check(page[0] == WORD, "what comes by the grant is %08x", page[0]);
}

void accept_grant(char **words)
{
	const char *const text = words[0];
	volatile uint32_t *page = sni_pages(sni, 1);
	struct sni_grant g;
	uint8_t *byte = (uint8_t *)&g;
	unsigned int value;

	must(page && strlen(text) == 2 * sizeof(g), "a grant");
	for (size_t i = 0; i < sizeof(g); i++) {
		must(sscanf(text + 2 * i, "%2x", &value) == 1, "a grant");
		byte[i] = value;
	}
	if (sni_import_from(sni, page, &g, SNI_IMPORT_AU, 0)) {
		printf("the grant is refused: %s\n", strerror(errno));
		return;
	}
	page[0] = WORD;
	while (!counter(SNI_TXP)) /* until it has left */
		usleep(100);
	printf("the grant is taken\n");
}

/* --- messages without a system call --- */

#define PAGE_WORDS 1024

/* A page that receives, one that leads there, words to be sent, and the proxies of the last two. */
struct channel {
	volatile uint32_t *in, *out, *words, *to, *from;
	struct sni_grant grant;
};

static struct channel open_channel(void)
{
	struct channel c;
	volatile uint32_t *pages = own_pages(3), *proxies;

	c.in = pages;
	c.out = pages + PAGE_WORDS;
	c.words = pages + 2 * PAGE_WORDS;
	c.grant = exported(c.in, SNI_ANY);
	import(c.out, &c.grant, SNI_IMPORT_DU);
	proxies = sni_proxies(sni, c.out, 2);
	must(proxies, "proxies");
	c.to = proxies;
	c.from = proxies + PAGE_WORDS;
	return c;
}

/* Until so many packets have come, delivered or dropped, since `before`; how many of them were delivered. */
static uint64_t delivered(uint64_t good, uint64_t bad, uint64_t packets)
{
	settle(good + bad, packets);
	return counter(SNI_RXP) - good;
}

/* A message from the proxy `from` that lands, or does not. */
static bool message_lands(struct channel *c)
{
	const uint64_t good = counter(SNI_RXP), bad = counter(SNI_RXD);

	return !sni_user_send(c->to, c->from, 4) && delivered(good, bad, 1) == 1;
}

/* --- what a message costs --- */

#define MESSAGES 100

static void one_word(struct channel *c, bool by_ioctl)
{
	if (by_ioctl)
		must(!sni_send_to(sni, c->words, c->out, 1), "SNI_IOC_DU_TO");
	else
		must(!sni_user_send(c->to, c->from, 4), "message");
}

/* A child makes its messages, and then any system call but exit ends it. */
static int without_calls(bool by_ioctl)
{
	const struct sock_filter only_exit[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = { COUNT(only_exit), (struct sock_filter *)only_exit };
	const pid_t child = fork_child();

	if (!child) {
		struct channel c = open_channel();

		must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
		for (int i = 0; i < MESSAGES; i++)
			one_word(&c, by_ioctl);
		syscall(SYS_exit, 0);
	}
	return child_status(child);
}

/* Of the quickest: virtual time, which under icount counts instructions, the kernel's too. */
static uint64_t quickest(struct channel *c, int by_ioctl)
{
	uint64_t least = UINT64_MAX;

	for (int n = 0; n < MESSAGES; n++) {
		const uint64_t start = now_ns();
		uint64_t ns;

		if (by_ioctl >= 0)
			one_word(c, by_ioctl);
		ns = now_ns() - start;
		if (ns < least)
			least = ns;
		while (!sni_user_done(c->from))
			;
		usleep(10); /* the engine is idle again */
	}
	return least;
}

static void costs(void)
{
	struct channel c = open_channel();
	const uint64_t clock = quickest(&c, -1);
	int status;

	printf("one word by a store and a load: %llu ns\n", (unsigned long long)(quickest(&c, false) - clock));
	printf("one word by SNI_IOC_DU_TO, which waits until the word has left: %llu ns\n", (unsigned long long)(quickest(&c, true) - clock));
	check(!without_calls(false), "%d messages make no system call", MESSAGES);
	status = without_calls(true);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "one by ioctl makes one");
}

/* --- what arrives --- */

static void messages(void)
{
	struct channel c = open_channel();
	const uint64_t good = counter(SNI_RXP), bad = counter(SNI_RXD);
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < PAGE_WORDS; i++)
		c.words[i] = 0x5AFE0000 + i;
	check(!sni_user_send(c.to, c.from, 4096), "a page in one message");
	while (!sni_user_done(c.from))
		;
	check(delivered(good, bad, 1) == 1, "it lands");
	for (uint32_t i = 0; i < PAGE_WORDS; i++)
		wrong += c.in[i] != 0x5AFE0000 + i;
	check(!wrong, "all its words are right (%u are not)", wrong);
	check(sni_user_send(c.from, c.from, 4) < 0, "one to a page that leads nowhere is refused");
}

/* --- others --- */

#define PROXY(frame) (SNI_MAP_PROXY + (frame) * 4096ull)

static bool other(void *opaque)
{
	struct channel *theirs = opaque, mine;
	int status;
	pid_t child;

	must(!seteuid(0), "seteuid");
	open_own();
	become(GUEST);
	mine = open_channel();
	MAPS(sni, { PROT_READ | PROT_WRITE, MAP_SHARED, 4096, PROXY(theirs->grant.pfn), EACCES, "the proxy of another's page" },
	     { PROT_READ, MAP_SHARED, 4096, PROXY(theirs->grant.pfn), EACCES, "for reading only" },
	     { PROT_READ, MAP_SHARED, 4096, PROXY(0), EACCES, "of the kernel's memory" },
	     { PROT_READ, MAP_SHARED, 4096, PROXY(SNI_PAGES), EINVAL, "of no page" },
	     { PROT_READ, MAP_SHARED, 2 * 4096, PROXY(mine.grant.pfn), EINVAL, "of more than one page" },
	     { PROT_READ, MAP_PRIVATE, 4096, PROXY(mine.grant.pfn), EINVAL, "a private one" },
	     { PROT_READ | PROT_EXEC, MAP_SHARED, 4096, PROXY(mine.grant.pfn), EACCES, "one as code" });
	/* The half that the parent has made is there. */
	check(*mine.from == SNI_PROXY_INVALID, "a load takes no half of another process");
	*mine.to = 4; /* the parent's load will find this one */
	child = fork_child();
	if (!child) {
		*mine.to = 4;
		_exit(0);
	}
	status = child_status(child);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "a child has no proxies of its parent's pages");
	child = fork_child();
	if (!child)
		_exit(sni_proxies(sni, mine.words, 1) != NULL || errno != EACCES);
	check(!child_status(child), "and gets none");
	return !failures;
}

static void halves(void)
{
	struct channel c = open_channel();
	const uint64_t sent = counter(SNI_TXP);
	pid_t child;

	*c.to = 4;
	child = fork_child();
	if (!child)
		_exit(!other(&c));
	check(!child_status(child), "another process gets nothing by store and load");
	check(*c.from == SNI_PROXY_INVALID, "nor does this one by the half that it has left");
	check(counter(SNI_TXP) == sent, "nothing was sent");
	check(message_lands(&c), "the next pair is one");
}

/* --- ends --- */

static void ends(void)
{
	struct channel c = open_channel();
	uint64_t good, bad;

	must(!sni_withdraw(sni, c.in), "withdraw");
	check(!message_lands(&c), "a message to a page that is exported no more is dropped");
	must(!sni_unimport(sni, c.out), "unimport");
	check(sni_user_send(c.to, c.from, 4) < 0, "one by an import that has ended is refused");
	import(c.out, &c.grant, SNI_IMPORT_AU);
	check(sni_user_send(c.to, c.from, 4) < 0, "so is one by an import without SNI_IMPORT_DU");
	import(c.out, &c.grant, SNI_IMPORT_DU);
	unmap_page(c.words);
	good = counter(SNI_RXP), bad = counter(SNI_TXP);
	*c.to = 4;
	check(*c.from & SNI_PROXY_REFUSED, "a page that is unmapped is no source, though its proxy is mapped still");
	check(counter(SNI_RXP) == good && counter(SNI_TXP) == bad, "and nothing was sent");
}

void user(char **words)
{
	pid_t child = fork_child();

	if (!child) {
		open_own();
		must(!seteuid(OWNER), "seteuid");
		costs();
		messages();
		halves();
		ends();
		_exit(failures != 0);
	}
	check(!child_status(child), "messages of a user without rights");
}
