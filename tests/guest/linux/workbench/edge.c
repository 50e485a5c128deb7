// SPDX-License-Identifier: GPL-2.0-or-later
//
// edge N - jumps N times to an instruction whose second byte is in a page that is not there. QEMU begins to translate it each time,
// and gives it up in its middle.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, REX = 0x48 };

static sigjmp_buf back;

static void came(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
    volatile long left = argc > 1 ? atol(argv[1]) : 0;
    uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED) {
        return 1;
    }
    pages[PAGE - 1] = REX;
    munmap(pages + PAGE, PAGE);
    signal(SIGSEGV, came);
    while (left-- > 0) {
        if (!sigsetjmp(back, 1)) {
            ((void (*)(void))(uintptr_t)(pages + PAGE - 1))();
        }
    }
    return 0;
}
