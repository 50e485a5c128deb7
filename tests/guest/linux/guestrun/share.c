// SPDX-License-Identifier: GPL-2.0-or-later
//
// share FILE SOCKET - what a shell cannot do in a shared folder: turns the letters of FILE into capitals through a mapping, whose
// first page it reads again by read(2); and sends a byte through a socket at SOCKET. Prints what it has read.
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int capitals(const char *path)
{
    struct stat found;
    int file = open(path, O_RDWR);
    char *text, head[9] = "";

    if (file < 0 || fstat(file, &found)) {
        perror(path);
        return 1;
    }
    text = mmap(NULL, found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (text == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (off_t n = 0; n < found.st_size; n++) {
        text[n] = toupper((unsigned char)text[n]);
    }
    if (msync(text, found.st_size, MS_SYNC) || pread(file, head, sizeof head - 1, 0) < 0 || munmap(text, found.st_size) || close(file)) {
        perror("msync");
        return 1;
    }
    printf("%s\n", head);
    return 0;
}

static int through_socket(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), one = socket(AF_UNIX, SOCK_STREAM, 0), other;
    char got = 0;

    strncpy(at.sun_path, path, sizeof at.sun_path - 1);
    if (bind(listener, (void *)&at, sizeof at) || listen(listener, 1) || connect(one, (void *)&at, sizeof at)) {
        perror(path);
        return 1;
    }
    other = accept(listener, NULL, NULL);
    if (write(one, "s", 1) != 1 || read(other, &got, 1) != 1) {
        perror(path);
        return 1;
    }
    printf("socket: %c\n", got);
    return 0;
}

int main(int argc, char **argv)
{
    return argc != 3 || capitals(argv[1]) || through_socket(argv[2]);
}
