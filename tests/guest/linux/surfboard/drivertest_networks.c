/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drivertest networks: two SNIs in one machine, each with a backplane, SurfBoards and pages of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/guest/linux/surfboard/drivertest.h"

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

void networks(void)
{
	static const char *const snis[] = { "/dev/sni0", "/dev/sni1" }, *const surfs[] = { "/dev/surf0", "/dev/surf2" };
	uint64_t before[NETWORKS];
	struct sni_grant g;

	for (int i = 0; i < NETWORKS; i++) {
		net[i].fd = sni = sni_open_device(snis[i]);
		must(sni >= 0, snis[i]);
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
