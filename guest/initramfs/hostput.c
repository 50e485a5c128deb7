/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostput NAME < file - hand a file to the host.
 *
 * scripts/guest-run gives the machine an ivshmem device: plain memory that is a file on the
 * host. Copying into it runs at memory speed and never leaves the vCPU, so it neither takes
 * virtual time in a main loop nor makes a run differ from the next.
 *
 * Two hostputs at the same time: the second keeps its input in memory of its own until the first is done,
 * as both may be fed by the same program. A name that was used before is used again: the host has the
 * later file.
 *
 * Layout, little endian: at 0 "PBHOST1\0", u64 end of the last record. Then records, each
 * aligned to 64: u32 'FILE' magic, u32 length of the name, u64 length of the data, name (no 0),
 * data at the next multiple of 64 of the record.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IVSHMEM_VENDOR 0x1af4
#define IVSHMEM_DEVICE 0x1110
#define RECORD_MAGIC 0x454c4946u /* "FILE" */
#define ALIGN64(x) (((x) + 63) & ~(uint64_t)63)

struct head {
	char magic[8];
	uint64_t end;
};

struct record {
	uint32_t magic, name_bytes;
	uint64_t data_bytes;
};

static unsigned attribute(const char *device, const char *name)
{
	char path[512];
	unsigned value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", device, name);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%x", &value) != 1)
			value = 0;
		fclose(f);
	}
	return value;
}

/* Input that had to be read before the transfer memory was free. */
static uint8_t *kept;
static uint64_t kept_bytes, kept_taken;

static void keep_input(void)
{
	uint64_t room = 0;
	ssize_t n;

	for (;;) {
		if (kept_bytes == room) {
			room = room ? room * 2 : 1 << 20;
			kept = realloc(kept, room);
			if (!kept) {
				perror("hostput: while another hostput runs");
				exit(1);
			}
		}
		n = read(0, kept + kept_bytes, room - kept_bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			perror("hostput: read");
			exit(1);
		}
		if (n == 0)
			return;
		kept_bytes += n;
	}
}

/* As read(2) from the input, kept or not. */
static ssize_t take(uint8_t *to, uint64_t room)
{
	if (!kept)
		return read(0, to, room);
	if (room > kept_bytes - kept_taken)
		room = kept_bytes - kept_taken;
	memcpy(to, kept + kept_taken, room);
	kept_taken += room;
	return room;
}

/* The lock goes with the process. */
static void lock(int fd, const char *path)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return;
	if (errno == EWOULDBLOCK)
		keep_input();
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR) {
			perror(path);
			exit(1);
		}
}

static uint8_t *open_memory(uint64_t *bytes)
{
	DIR *d = opendir("/sys/bus/pci/devices");
	struct dirent *e;
	char path[512] = "";
	struct stat st;
	void *p;
	int fd;

	while (d && (e = readdir(d)))
		if (attribute(e->d_name, "vendor") == IVSHMEM_VENDOR &&
		    attribute(e->d_name, "device") == IVSHMEM_DEVICE) {
			/* firmware leaves memory decoding on; a bare kernel may not */
			snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/enable", e->d_name);
			fd = open(path, O_WRONLY);
			if (fd >= 0) {
				if (write(fd, "1", 1) != 1)
					perror("hostput: enable");
				close(fd);
			}
			snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2", e->d_name);
		}
	if (d)
		closedir(d);
	if (!*path) {
		fprintf(stderr, "hostput: no ivshmem device; was the machine started by guest-run?\n");
		exit(1);
	}
	fd = open(path, O_RDWR);
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		exit(1);
	}
	lock(fd, path);
	p = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	*bytes = st.st_size;
	return p;
}

static int is_name(const char *text)
{
	return *text && strlen(text) <= NAME_MAX && !strchr(text, '/') && strcmp(text, ".") && strcmp(text, "..");
}

int main(int argc, char **argv)
{
	uint64_t size, at, data = 0;
	struct record *r;
	struct head *h;
	uint8_t *memory;

	if (argc != 2 || !is_name(argv[1])) {
		fprintf(stderr, "usage: hostput NAME < file    (NAME: one file name, no folder, up to %d bytes)\n", NAME_MAX);
		return 2;
	}
	memory = open_memory(&size);
	h = (struct head *)memory;
	if (memcmp(h->magic, "PBHOST1", 8)) {
		h->end = 64;
		memcpy(h->magic, "PBHOST1", 8);
	}
	if (h->end % 64 || h->end < 64 || h->end > size) {
		fprintf(stderr, "hostput: the transfer memory is damaged: its records end at 0x%llx\n",
			(unsigned long long)h->end);
		return 1;
	}
	r = (struct record *)(memory + h->end);
	at = h->end + ALIGN64(sizeof(*r) + strlen(argv[1]));
	if (at >= size) {
		fprintf(stderr, "hostput: the transfer memory (%llu bytes) is full\n", (unsigned long long)size);
		return 1;
	}
	memcpy(r + 1, argv[1], strlen(argv[1]));
	for (;;) {
		uint64_t room = size - at - data;
		ssize_t n;

		if (room > 1 << 20)
			room = 1 << 20;
		n = take(memory + at + data, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			perror("hostput: read");
			return 1;
		}
		if (n == 0)
			break;
		data += n;
	}
	if (data && at + data == size) {
		fprintf(stderr, "hostput: the transfer memory (%llu bytes) is full\n", (unsigned long long)size);
		return 1;
	}
	r->magic = RECORD_MAGIC;
	r->name_bytes = strlen(argv[1]);
	r->data_bytes = data;
	h->end = ALIGN64(at + data);
	return 0;
}
