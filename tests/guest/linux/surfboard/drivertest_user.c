/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest user: messages without a system call, and what one process can do to another by them. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/guest/linux/surfboard/drivertest.h"

#define PAGE_WORDS 1024
#define USER 1000
#define OTHER 1001

/* A page that receives, one that leads there, words to be sent, and the proxies of the last two. */
struct channel {
	volatile uint32_t *in, *out, *words, *to, *from;
	struct sni_grant grant;
};

static struct channel open_channel(void)
{
	struct channel c;
	volatile uint32_t *pages = sni_pages(sni, 3), *proxies;

	must(pages, "pages");
	c.in = pages;
	c.out = pages + PAGE_WORDS;
	c.words = pages + 2 * PAGE_WORDS;
	must(!sni_export_to(sni, c.in, 1, false, SNI_ANY, SNI_ANY, &c.grant), "export");
	must(!sni_import_from(sni, c.out, &c.grant, SNI_IMPORT_DU, 0), "import");
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
static bool lands(struct channel *c)
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
	const struct sock_fprog program = { sizeof(only_exit) / sizeof(only_exit[0]), (struct sock_filter *)only_exit };
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

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
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

static long try_proxy(int protection, int flags, size_t pages, uint64_t frame)
{
	return try_mmap(sni, protection, flags, pages * 4096, (off_t)(SNI_MAP_PROXY + frame * 4096));
}

static bool other(void *opaque)
{
	struct channel *theirs = opaque, mine;
	int status;
	pid_t child;

	must(!seteuid(0), "seteuid");
	open_own();
	become(OTHER);
	mine = open_channel();
	check_refused(try_proxy(PROT_READ | PROT_WRITE, MAP_SHARED, 1, theirs->grant.pfn), EACCES, "the proxy of another's page");
	check_refused(try_proxy(PROT_READ, MAP_SHARED, 1, theirs->grant.pfn), EACCES, "for reading only");
	check_refused(try_proxy(PROT_READ, MAP_SHARED, 1, 0), EACCES, "of the kernel's memory");
	check_refused(try_proxy(PROT_READ, MAP_SHARED, 1, SNI_PAGES), EINVAL, "of no page");
	check_refused(try_proxy(PROT_READ, MAP_SHARED, 2, mine.grant.pfn), EINVAL, "of more than one page");
	check_refused(try_proxy(PROT_READ, MAP_PRIVATE, 1, mine.grant.pfn), EINVAL, "a private one");
	check_refused(try_proxy(PROT_READ | PROT_EXEC, MAP_SHARED, 1, mine.grant.pfn), EACCES, "one as code");
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
	check(lands(&c), "the next pair is one");
}

/* --- ends --- */

static void ends(void)
{
	struct channel c = open_channel();
	uint64_t good, bad;

	must(!sni_withdraw(sni, c.in), "withdraw");
	check(!lands(&c), "a message to a page that is exported no more is dropped");
	must(!sni_unimport(sni, c.out), "unimport");
	check(sni_user_send(c.to, c.from, 4) < 0, "one by an import that has ended is refused");
	must(!sni_import_from(sni, c.out, &c.grant, SNI_IMPORT_AU, 0), "import");
	check(sni_user_send(c.to, c.from, 4) < 0, "so is one by an import without SNI_IMPORT_DU");
	must(!sni_import_from(sni, c.out, &c.grant, SNI_IMPORT_DU, 0), "import");
	must(!sni_unmap((void *)c.words, 1), "unmap");
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
		must(!seteuid(USER), "seteuid");
		costs();
		messages();
		halves();
		ends();
		_exit(failures != 0);
	}
	check(!child_status(child), "messages of a user without rights");
}
