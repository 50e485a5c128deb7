/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/surfboard/lib/surflib.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guest/surfboard/uapi.h"

int surf_Open(const char *device) {
  struct surf_info info;
  int board = open(device ? device : SURF_DEFAULT_DEVICE, O_RDWR | O_CLOEXEC);

  if (board >= 0 && ioctl(board, SURF_IOC_INFO, &info) < 0) {
    int error = errno;

    close(board);
    errno = error;
    return -1;
  }
  return board;
}

int surf_Close(int board) { return close(board); }

int surf_GetReg(int board, uint32_t offset, uint32_t *value) {
  struct surf_reg reg = {.offset = offset};

  if (ioctl(board, SURF_IOC_GETREG, &reg) < 0) return -1;
  *value = reg.value;
  return 0;
}

int surf_PutReg(int board, uint32_t offset, uint32_t value) {
  struct surf_reg reg = {.offset = offset, .value = value};

  return ioctl(board, SURF_IOC_PUTREG, &reg) < 0 ? -1 : 0;
}

int64_t surf_GetTSize(int board) {
  struct surf_info info;

  return ioctl(board, SURF_IOC_INFO, &info) < 0 ? -1 : (int64_t)info.trace_size;
}

int64_t surf_GetHSize(int board) {
  struct surf_info info;

  return ioctl(board, SURF_IOC_INFO, &info) < 0 ? -1 : (int64_t)info.hist_size;
}

/* The driver would answer a transfer beyond the memory with a short count; here it is an error. */
static int check_range(int64_t size, uint32_t offset, size_t bytes) {
  if (size < 0) return -1;
  if (size == 0) {
    errno = ENXIO;
    return -1;
  }
  if (offset > (uint64_t)size || bytes > (uint64_t)size - offset) {
    errno = EINVAL;
    return -1;
  }
  return 0;
}

static int copy(int board, off_t at, void *to, const void *from, size_t bytes) {
  size_t done = 0;

  while (done < bytes) {
    ssize_t n = to ? pread(board, (char *)to + done, bytes - done, at + (off_t)done)
                   : pwrite(board, (const char *)from + done, bytes - done, at + (off_t)done);

    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) {
      errno = EIO;
      return -1;
    }
    done += (size_t)n;
  }
  return 0;
}

int surf_GetTMem(int board, uint32_t offset, void *local, size_t bytes) {
  if (check_range(surf_GetTSize(board), offset, bytes) < 0) return -1;
  return copy(board, (off_t)SURF_MAP_TRACE + offset, local, NULL, bytes);
}

int surf_PutTMem(int board, uint32_t offset, const void *local, size_t bytes) {
  if (check_range(surf_GetTSize(board), offset, bytes) < 0) return -1;
  return copy(board, (off_t)SURF_MAP_TRACE + offset, NULL, local, bytes);
}

int surf_GetHMem(int board, uint32_t offset, void *local, size_t bytes) {
  if (check_range(surf_GetHSize(board), offset, bytes) < 0) return -1;
  return copy(board, (off_t)SURF_MAP_HIST + offset, local, NULL, bytes);
}

int surf_PutHMem(int board, uint32_t offset, const void *local, size_t bytes) {
  if (check_range(surf_GetHSize(board), offset, bytes) < 0) return -1;
  return copy(board, (off_t)SURF_MAP_HIST + offset, NULL, local, bytes);
}

int surf_ConfigHAS(int board, const void *bits, size_t bytes) {
  struct surf_has has = {.bits = (__u64)(uintptr_t)bits, .bytes = (__u32)bytes};

  if (bytes > UINT32_MAX) {
    errno = EINVAL;
    return -1;
  }
  return ioctl(board, SURF_IOC_CONFIG, &has) < 0 ? -1 : 0;
}

int surf_WaitException(int board, int timeout_ms, uint32_t *iscr) {
  struct surf_exception e = {.timeout_ms = timeout_ms < 0 ? UINT32_MAX : (__u32)timeout_ms};

  if (ioctl(board, SURF_IOC_WAIT, &e) < 0) return errno == ETIMEDOUT ? 0 : -1;
  if (iscr) *iscr = e.iscr;
  return e.count > INT_MAX ? INT_MAX : (int)e.count;
}

int surf_ClearException(int board) { return ioctl(board, SURF_IOC_CLEAR) < 0 ? -1 : 0; }
