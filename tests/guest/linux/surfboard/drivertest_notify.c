/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest notify: a handler for each packet, blocked and unblocked, and in the process that has asked for it alone. */
#define _GNU_SOURCE

#include "tests/guest/linux/surfboard/drivertest.h"

#define PAGES 3
#define BURST 200
#define MEMBER 1001
#define SET_UID "/drivertest-set-uid"

/* Pages that notify, pages whose stores go there, and how often each has been named. */
static struct place {
	volatile uint32_t *in, *out;
	uint32_t pfn;
	volatile unsigned int calls;
} place[PAGES];
static volatile unsigned int strangers; /* calls for another page */

static void on_notification(void *argument, const struct sni_notified *what)
{
	struct place *p = argument;

	for (int i = 0; i < PAGES; i++)
		if (what->addr == (uintptr_t)p[i].in && what->pfn == p[i].pfn) {
			p[i].calls++;
			return;
		}
	strangers++;
}

static void give_places(void)
{
	for (int i = 0; i < PAGES; i++) {
		const struct ring r = open_ring(true);

		place[i] = (struct place){ .in = r.receive, .out = r.send, .pfn = r.pfn };
	}
}

/* Until they are in memory, or dropped. */
static void to(volatile uint32_t *out, unsigned int count)
{
	const uint64_t before = counter(SNI_RXP) + counter(SNI_RXD);

	for (unsigned int i = 0; i < count; i++)
		out[i] = i;
	settle(before, count);
}

/* The interrupt may be on another processor still. */
static bool comes(const volatile unsigned int *calls, unsigned int wanted)
{
	while (*calls < wanted)
		usleep(100);
	usleep(1000);
	return *calls == wanted;
}

static bool takes(int fd)
{
	struct sni_notified n;

	return !ioctl(fd, SNI_IOC_NOTIFIED, &n);
}

static void each(void)
{
	struct sni_stats before, after;
	uint64_t packets;

	to(place[0].out, 2);
	check(!takes(sni) && errno == EAGAIN, "nothing is notified before a handler is there");
	must(!sni_notify(sni, on_notification, place), "notify");
	to(place[0].out, 1);
	check(comes(&place[0].calls, 1), "a packet, a call; none for those before");
	must(!sni_get_stats(sni, &before), "stats");
	packets = counter(SNI_RXP) + counter(SNI_RXD);
	for (unsigned int i = 0; i < BURST; i++)
		place[i % PAGES].out[i] = i;
	settle(packets, BURST);
	for (int i = 0; i < PAGES; i++) {
		const bool good = comes(&place[i].calls, (i == 0) + BURST / PAGES + (i < BURST % PAGES));

		check(good, "page %d of %d in turns: %u calls", i + 1, PAGES, place[i].calls);
	}
	must(!sni_get_stats(sni, &after), "stats");
	check(after.receive > before.receive, "%u packets made %u interrupts", BURST, (unsigned int)(after.receive - before.receive));
	check(!strangers && !takes(sni), "no call for another page, and none is left");
}

static void blocked(void)
{
	const unsigned int before = place[1].calls;

	must(!sni_notify_block(sni), "block");
	to(place[1].out, 30);
	usleep(1000);
	check(place[1].calls == before, "blocked: no call");
	to(place[1].out, 12);
	must(!sni_notify_unblock(sni), "unblock");
	check(comes(&place[1].calls, before + 42), "unblocked: a call for each of 42 packets");
	must(!sni_notify_block(sni), "block");
	to(place[1].out, 5);
	must(!sni_export(sni, place[1].in, 1, true), "export");
	must(!sni_notify_unblock(sni), "unblock");
	to(place[1].out, 1);
	check(comes(&place[1].calls, before + 43), "what waits for an export ends with it");
}

static void refused(void)
{
	CALLS(sni, { SNI_IOC_NOTIFY, &(struct sni_notify){ .mode = 3, .signal = SIGURG }, EINVAL, "a mode that is none" },
	      { SNI_IOC_NOTIFY, &(struct sni_notify){ .mode = SNI_NOTIFY_ON, .signal = 65 }, EINVAL, "a signal that is none" },
	      { SNI_IOC_NOTIFY, &(struct sni_notify){ .mode = SNI_NOTIFY_ON }, EINVAL, "no signal" });
	check_refused(sni_notify_block(-1), EINVAL, "blocking what notifies nobody");
}

/* A child with its parent's descriptor, then with its own. */
static int child(int ready, int go)
{
	for (int i = 0; i < PAGES; i++)
		place[i].calls = 0;
	check(sni_notify(sni, on_notification, place) && errno == EBUSY, "a child cannot have its parent's notifications");
	await(go);
	check(!takes(sni) && errno == EAGAIN, "nor take one that waits");
	open_own();
	give_places();
	must(!sni_notify(sni, on_notification, place), "notify");
	must(write(ready, &place[0].pfn, sizeof(place[0].pfn)) == sizeof(place[0].pfn), "write");
	check(comes(&place[0].calls, 4), "the child is called for its page");
	step(ready);
	await(go);
	check(place[0].calls == 4 && !strangers, "and for no packet of its parent's");
	return failures != 0;
}

static void two(void)
{
	const unsigned int before = place[0].calls;
	volatile uint32_t *out = own_pages(1);
	int ready[2], go[2];
	uint32_t pfn;
	pid_t pid;

	must(!pipe(ready) && !pipe(go), "pipe");
	must(!sni_notify_block(sni), "block");
	pid = fork_child();
	if (!pid)
		_exit(child(ready[1], go[0]));
	to(place[0].out, 1);
	step(go[1]);
	must(read(ready[0], &pfn, sizeof(pfn)) == sizeof(pfn), "read");
	must(!sni_notify_unblock(sni), "unblock");
	check(comes(&place[0].calls, before + 1), "the parent's waited for the parent");
	must(!sni_import(sni, out, network.node, pfn, SNI_IMPORT_AU, 0), "import");
	to(out, 4);
	await(ready[0]);
	to(place[0].out, 2);
	check(comes(&place[0].calls, before + 3), "the parent is called for its own");
	step(go[1]);
	check(!child_status(pid), "two processes, each its own");
	to(out, 3);
	usleep(1000);
	check(place[0].calls == before + 3 && !strangers && !takes(sni), "of what comes for a process that has ended nobody hears");
	unmap_page(out);
	for (int i = 0; i < 2; i++)
		close(ready[i]), close(go[i]);
}

/* A signal that is under way, and a descriptor that stays open, while another program takes the process over. */
static void executed(void)
{
	int ready[2], status;
	sigset_t set;
	uint32_t pfn;
	pid_t pid;
	volatile uint32_t *out = own_pages(1);

	must(!pipe(ready), "pipe");
	pid = fork_child();
	if (!pid) {
		sni = open(SNI_DEVICE, O_RDWR);
		must(sni >= 0, SNI_DEVICE);
		sigemptyset(&set);
		sigaddset(&set, SNI_NOTIFY_SIGNAL);
		sigprocmask(SIG_BLOCK, &set, NULL);
		give_places();
		must(!sni_notify(sni, on_notification, place), "notify");
		must(write(ready[1], &place[0].pfn, sizeof(pfn)) == sizeof(pfn), "write");
		do
			sigpending(&set);
		while (!sigismember(&set, SNI_NOTIFY_SIGNAL) && !usleep(100));
		execl("/proc/self/exe", "drivertest", "unmask", NULL);
		_exit(1);
	}
	must(read(ready[0], &pfn, sizeof(pfn)) == sizeof(pfn), "read");
	must(!sni_import(sni, out, network.node, pfn, SNI_IMPORT_AU, 0), "import");
	to(out, 2);
	status = child_status(pid);
	check(!status, "a program that another one executes is not disturbed (%x)", status);
	unmap_page(out);
	close(ready[0]), close(ready[1]);
}

void unmask(char **words)
{
	sigset_t set;

	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

/* --- rights: a signal that one could not send is not the driver's to send --- */

static struct raised {
	int fd, signal, ready[2], go[2];
	volatile uint32_t *in;
} raised;

/* With its parent's memory, which lives on when this executes a program of root's. */
static int arm_and_raise(void *unused)
{
	const struct sni_notify n = { .mode = SNI_NOTIFY_ON, .signal = (uint32_t)raised.signal };

	/* a close, which exec can be, would end both */
	if (fcntl(raised.fd, F_SETFD, 0) || sni_export(raised.fd, raised.in, 1, true) || ioctl(raised.fd, SNI_IOC_NOTIFY, &n) ||
	    dup2(raised.go[0], 0) != 0 || dup2(raised.ready[1], 1) != 1 || close(raised.go[1]))
		_exit(2);
	execl(SET_UID, "drivertest", "stand", NULL);
	_exit(3);
}

void stand(char **words)
{
	if (setuid(0))
		exit(1);
	step(1);
	exit(read(0, (char[1]){ 0 }, 1)); /* 0: the end */
}

int arm_raise_and_send(int signal, bool *free)
{
	static char stack[65536] __attribute__((aligned(16)));
	volatile uint32_t *out = sni_pages(sni, 1), *in = sni_pages(sni, 1);
	int status = -1;
	bool stands;
	pid_t pid;
	char byte;

	raised.fd = sni;
	raised.signal = signal;
	raised.in = in;
	if (!out || !in || sni_import(sni, out, network.node, (uint32_t)sni_pfn(sni, in), SNI_IMPORT_AU, 0))
		return -1;
	must(!pipe(raised.ready) && !pipe(raised.go), "pipe");
	pid = clone(arm_and_raise, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	must(pid >= 0, "clone");
	close(raised.ready[1]); /* the end of it: another's packet came before the program was executed */
	stands = TEMP_FAILURE_RETRY(read(raised.ready[0], &byte, 1)) == 1;
	if (stands) {
		to(out, 1);
		usleep(1000);
		*free = !sni_notify(sni, on_notification, place);
		sni_notify(sni, NULL, NULL);
	}
	close(raised.go[1]);
	must(TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) == pid, "waitpid");
	close(raised.go[0]), close(raised.ready[0]);
	sni_unmap((void *)out, 1), sni_unmap((void *)in, 1);
	return stands ? status : -1;
}

static int member(void)
{
	bool free = false;
	const int status = arm_raise_and_send(SIGKILL, &free);

	check(free, "a descriptor is free again when who has armed it executes another program");
	check(!status, "which is root's, and gets no signal by who has its former memory (%x)", status);
	return failures != 0;
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	signals++;
}

/* Without another program: who takes rights up again asks again. */
static int regained(void)
{
	const struct sni_notify n = { .mode = SNI_NOTIFY_ON, .signal = SIGUSR1 };
	const struct ring r = open_ring(true);

	signal(SIGUSR1, on_signal);
	must(!setresuid(MEMBER, MEMBER, 0) && !ioctl(sni, SNI_IOC_NOTIFY, &n), "SNI_IOC_NOTIFY");
	must(!setresuid(0, 0, 0), "setresuid");
	to(r.send, 1);
	usleep(1000);
	check(!signals, "nor a process that is root again, by what it armed before");
	DO(sni, SNI_IOC_NOTIFY, &n);
	to(r.send, 1);
	while (!signals)
		usleep(100);
	must(!setresuid(MEMBER, MEMBER, MEMBER), "setresuid");
	to(r.send, 1);
	while (signals < 2)
		usleep(100);
	check(true, "what root armed it hears when it is root no more");
	return failures != 0;
}

static void in_child(int (*run)(void), bool privileged)
{
	const pid_t pid = fork_child();

	if (!pid) {
		open_own();
		if (!privileged)
			become(MEMBER);
		_exit(run());
	}
	check(!child_status(pid), "%s: its own signals alone", privileged ? "root" : "a member of the group");
}

void set_uid_program(void)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "cp /proc/%d/exe " SET_UID " && chmod 4755 " SET_UID, getpid());
	must(!system(copy), "cp");
}

static void rights(void)
{
	set_uid_program();
	in_child(member, false);
	in_child(regained, true);
	unlink(SET_UID);
}

static void closed(void)
{
	const unsigned int before = place[0].calls;
	volatile uint32_t *out = place[0].out;
	const int second = sni_open();

	must(second >= 0, SNI_DEVICE);
	must(!sni_import(second, out, network.node, place[0].pfn, SNI_IMPORT_AU, 0), "import");
	must(!sni_notify_block(sni), "block");
	to(out, 2);
	close(sni); /* the library hears nothing of it */
	sni = second;
	to(out, 2);
	must(!sni_notify(sni, on_notification, place), "notify");
	must(!sni_export(sni, place[0].in, 1, true), "export");
	to(out, 1);
	check(comes(&place[0].calls, before + 1), "closing a descriptor ends its notifications; another one's come");
	must(!sni_notify(sni, NULL, NULL), "notify");
	to(out, 1);
	usleep(1000);
	check(place[0].calls == before + 1, "without a handler no more");
}

void notify(char **words)
{
	give_places();
	each();
	blocked();
	refused();
	two();
	executed();
	rights();
	closed();
}
