// SPDX-License-Identifier: GPL-2.0-or-later
// pagecount N - makes N stores to the page of /dev/pagecount, and says how many the board has counted.
// pagecount --wait - waits for a store that a process makes a while later, and says the same.
// Exit status 0; 1: another number; 2: usage, or no board.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void make(volatile uint32_t *page, unsigned stores) {
  for (unsigned i = 0; i < stores; i++) page[i % 1024] = i;
}

int main(int argc, char **argv) {
  char *end = "";
  const int wait = argc == 2 && !strcmp(argv[1], "--wait");
  const unsigned long stores = argc == 2 && !wait ? strtoul(argv[1], &end, 10) : 1;
  if (argc != 2 || *end || stores < 1 || stores > 4095) {
    fprintf(stderr, "usage: pagecount N | --wait; N: 1 to 4095\n");
    return 2;
  }
  const int file = open("/dev/pagecount", O_RDWR);
  void *const page = file < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) {
    perror("pagecount: /dev/pagecount");
    return 2;
  }
  if (!wait) {
    make(page, stores);
  } else if (fork() == 0) {
    usleep(100000);
    make(page, stores);
    return 0;
  }
  uint32_t counted;
  if (read(file, &counted, sizeof counted) != sizeof counted) {
    perror("pagecount: read");
    return 2;
  }
  printf("pagecount: %lu stores, %u counted\n", stores, counted);
  return counted != stores;
}
