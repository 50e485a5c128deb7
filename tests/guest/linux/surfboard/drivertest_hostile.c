/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivertest fuzz: what a user can do to all drivers of the guest. Every call of each, with structures of chance, in memory that is there, is not,
 * or comes late; maps, reads and polls of all devices; signals at any time; processes that share memory and execute programs of root's.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "guest/multikron/uapi.h"
#include "guest/power2/uapi.h"
#include "guest/sci/uapi.h"
#include "guest/smile/uapi.h"
#include "tests/guest/linux/late.h"
#include "tests/guest/linux/surfboard/drivertest.h"

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
#define DEVICES (sizeof(devices) / sizeof(devices[0]))

static int fds[DEVICES];
static struct late late;
static uint32_t *words; /* two pages: what a driver writes behind them is a fault, and not this program's end */

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
void hostile_open(void)
{
	pthread_t thread;

	for (size_t i = 0; i < DEVICES; i++) {
		fds[i] = open(devices[i].name, O_RDWR | O_CLOEXEC);
		must(fds[i] < 0 || !chmod(devices[i].name, 0666), "chmod"); /* it is opened again and again */
	}
	words = mmap(NULL, 6 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(words != MAP_FAILED, "mmap");
	words += 2 * PAGE / sizeof(*words);
	must(!mprotect(words, 2 * PAGE, PROT_READ | PROT_WRITE), "mprotect");
	late = late_page();
	must(late.faults >= 0 && !pthread_create(&thread, NULL, bring, NULL), "userfaultfd");
	/* without SA_RESTART: what waits for ever ends */
	must(!sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL), "sigaction");
	must(!setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 30000 }, { 0, 30000 } }, NULL), "setitimer");
}

/* Where nothing of this program's is: in the hole of the addresses, or the kernel's. */
static uint64_t nowhere(void)
{
	return (any(2) ? 1ull << 50 : 0xffff888000000000) + any(0x7fffffff);
}

/* For a structure, or what it points to. In a child the page is as any other. */
static void *memory(void)
{
	memset(words, 0, 2 * PAGE);
	for (uint32_t i = any(10); i; i--)
		words[any(24)] = any(4) ? any(6) : any(0x7fffffff);
	if (any(3)) { /* pointers: to itself, elsewhere, nowhere */
		const uint64_t at = (uintptr_t)(any(3) ? (any(2) ? (void *)words : late.at) : (void *)nowhere());

		memcpy(words + 2 * any(6), &at, sizeof(at));
	}
	switch (any(8)) {
	case 0:
		return (void *)nowhere();
	case 1:
		madvise(late.at, late.range.len, MADV_DONTNEED);
		return late.at;
	default:
		return words;
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
bool hostile(void)
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
