// SPDX-License-Identifier: GPL-2.0-or-later
// surflib (B.1) against a driver that the linker puts in the system calls' place (--wrap).
// Meson compiles with 64-bit file offsets, which gives three of the calls their other names.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "guest/surfboard/lib/surflib.h"
#include "guest/surfboard/uapi.h"

namespace {

constexpr int kBoard = 1000;

struct Driver {
  bool surfboard = true;
  bool closed = false;
  int error = 0;  // of the next ioctl
  std::string opened;
  std::map<uint32_t, uint32_t> reg;
  std::vector<uint8_t> trace = std::vector<uint8_t>(4096), hist = std::vector<uint8_t>(8192);
  size_t largest_transfer = SIZE_MAX;
  int interruptions = 0;
  surf_exception exception = {};
  surf_has has = {};
  unsigned clears = 0;
} driver;

}  // namespace

extern "C" {
int __real_open64(const char* path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_pread64(int fd, void* to, size_t bytes, off_t at);
ssize_t __real_pwrite64(int fd, const void* from, size_t bytes, off_t at);

int __wrap_open64(const char* path, int flags, ...) {
  if (strncmp(path, "/dev/surf", 9) == 0) {
    driver.opened = path;
    return kBoard;
  }
  va_list args;
  va_start(args, flags);
  const int mode = va_arg(args, int);
  va_end(args);
  return __real_open64(path, flags, mode);
}

int __wrap_close(int fd) {
  if (fd != kBoard) return __real_close(fd);
  driver.closed = true;
  errno = 0;
  return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...) {
  va_list args;
  va_start(args, request);
  void* arg = va_arg(args, void*);
  va_end(args);
  if (fd != kBoard) return __real_ioctl(fd, request, arg);
  const auto fail = [](int error) {
    errno = error;
    return -1;
  };
  if (driver.error) return fail(std::exchange(driver.error, 0));
  if (!driver.surfboard) return fail(ENOTTY);
  switch (request) {
    case SURF_IOC_INFO: {
      surf_info info = {};
      info.trace_size = static_cast<uint32_t>(driver.trace.size());
      info.hist_size = static_cast<uint32_t>(driver.hist.size());
      memcpy(arg, &info, sizeof info);
      return 0;
    }
    case SURF_IOC_GETREG: {
      auto* r = static_cast<surf_reg*>(arg);
      if (r->offset > 0x38 || r->offset % 4) return fail(EINVAL);
      r->value = driver.reg[r->offset];
      return 0;
    }
    case SURF_IOC_PUTREG: {
      auto* r = static_cast<surf_reg*>(arg);
      driver.reg[r->offset] = r->value;
      return 0;
    }
    case SURF_IOC_CONFIG:
      driver.has = *static_cast<surf_has*>(arg);
      return 0;
    case SURF_IOC_WAIT: {
      auto* e = static_cast<surf_exception*>(arg);
      driver.exception.timeout_ms = e->timeout_ms;
      if (driver.exception.count == 0) return fail(ETIMEDOUT);
      *e = driver.exception;
      return 0;
    }
    case SURF_IOC_CLEAR:
      driver.clears++;
      return 0;
  }
  return fail(ENOTTY);
}

static ssize_t transfer(off_t at, size_t bytes, uint8_t** where) {
  if (driver.interruptions > 0) {
    driver.interruptions--;
    errno = EINTR;
    return -1;
  }
  std::vector<uint8_t>& memory = at >= SURF_MAP_HIST ? driver.hist : driver.trace;
  const size_t offset = static_cast<size_t>(at) % SURF_MAP_HIST;
  bytes = std::min({bytes, memory.size() - offset, driver.largest_transfer});
  *where = memory.data() + offset;
  return static_cast<ssize_t>(bytes);
}

ssize_t __wrap_pread64(int fd, void* to, size_t bytes, off_t at) {
  if (fd != kBoard) return __real_pread64(fd, to, bytes, at);
  uint8_t* where;
  const ssize_t n = transfer(at, bytes, &where);
  if (n > 0) memcpy(to, where, static_cast<size_t>(n));
  return n;
}

ssize_t __wrap_pwrite64(int fd, const void* from, size_t bytes, off_t at) {
  if (fd != kBoard) return __real_pwrite64(fd, from, bytes, at);
  uint8_t* where;
  const ssize_t n = transfer(at, bytes, &where);
  if (n > 0) memcpy(where, from, static_cast<size_t>(n));
  return n;
}
}

namespace {

class SurfLib : public testing::Test {
 protected:
  SurfLib() { driver = Driver{}; }
};

TEST_F(SurfLib, OpenNamesTheDevice) {
  EXPECT_EQ(surf_Open(nullptr), kBoard);
  EXPECT_EQ(driver.opened, "/dev/surf0");
  EXPECT_EQ(surf_Open("/dev/surf3"), kBoard);
  EXPECT_EQ(driver.opened, "/dev/surf3");
  EXPECT_EQ(surf_Close(kBoard), 0);
  EXPECT_TRUE(driver.closed);
}

TEST_F(SurfLib, OpenRefusesAnotherDevice) {
  driver.surfboard = false;
  EXPECT_EQ(surf_Open(nullptr), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_TRUE(driver.closed);
  EXPECT_EQ(surf_Open("/nowhere/surf"), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(SurfLib, Registers) {
  EXPECT_EQ(surf_PutReg(kBoard, SURF_WCDR, 0xDEADBEEF), 0);
  EXPECT_EQ(driver.reg[0x24], 0xDEADBEEFu);
  uint32_t value = 0;
  EXPECT_EQ(surf_GetReg(kBoard, SURF_WCDR, &value), 0);
  EXPECT_EQ(value, 0xDEADBEEFu);
  value = 7;
  EXPECT_EQ(surf_GetReg(kBoard, 0x3C, &value), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(value, 7u);
}

TEST_F(SurfLib, Sizes) {
  EXPECT_EQ(surf_GetTSize(kBoard), 4096);
  EXPECT_EQ(surf_GetHSize(kBoard), 8192);
  driver.error = EBADF;
  EXPECT_EQ(surf_GetHSize(kBoard), -1);
}

TEST_F(SurfLib, MemoriesInPiecesAndInterrupted) {
  driver.largest_transfer = 100;
  driver.interruptions = 2;
  std::vector<uint8_t> data(1000), back(1000);
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<uint8_t>(i * 7);
  EXPECT_EQ(surf_PutTMem(kBoard, 96, data.data(), data.size()), 0);
  EXPECT_EQ(memcmp(driver.trace.data() + 96, data.data(), data.size()), 0);
  EXPECT_EQ(driver.trace[95], 0);
  EXPECT_EQ(driver.trace[96 + 1000], 0);
  driver.interruptions = 1;
  EXPECT_EQ(surf_GetTMem(kBoard, 96, back.data(), back.size()), 0);
  EXPECT_EQ(back, data);
  EXPECT_EQ(surf_PutHMem(kBoard, 8192 - 1000, data.data(), data.size()), 0);
  EXPECT_EQ(memcmp(driver.hist.data() + 8192 - 1000, data.data(), data.size()), 0);
  back.assign(1000, 0);
  EXPECT_EQ(surf_GetHMem(kBoard, 8192 - 1000, back.data(), back.size()), 0);
  EXPECT_EQ(back, data);
}

TEST_F(SurfLib, MemoryLimits) {
  uint8_t data[32] = {};
  EXPECT_EQ(surf_GetTMem(kBoard, 4096, data, 0), 0);
  for (uint32_t offset : {4065u, 4096u, 0xFFFFFFF0u}) {
    errno = 0;
    EXPECT_EQ(surf_GetTMem(kBoard, offset, data, 32), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(surf_PutTMem(kBoard, offset, data, 32), -1);
  }
  driver.hist.clear();
  EXPECT_EQ(surf_PutHMem(kBoard, 0, data, 4), -1);
  EXPECT_EQ(errno, ENXIO);
  EXPECT_EQ(surf_GetHMem(kBoard, 0, data, 4), -1);
}

TEST_F(SurfLib, Configure) {
  const uint8_t bits[3] = {1, 2, 3};
  EXPECT_EQ(surf_ConfigHAS(kBoard, bits, 3), 0);
  EXPECT_EQ(driver.has.bits, reinterpret_cast<uintptr_t>(bits));
  EXPECT_EQ(driver.has.bytes, 3u);
  driver.error = EIO;
  EXPECT_EQ(surf_ConfigHAS(kBoard, bits, 3), -1);
  EXPECT_EQ(errno, EIO);
}

TEST_F(SurfLib, Exceptions) {
  uint32_t iscr = 5;
  EXPECT_EQ(surf_WaitException(kBoard, 20, &iscr), 0);
  EXPECT_EQ(driver.exception.timeout_ms, 20u);
  EXPECT_EQ(iscr, 5u);
  driver.exception.count = 3;
  driver.exception.iscr = 0x80000108;
  EXPECT_EQ(surf_WaitException(kBoard, SURF_WAIT_FOREVER, &iscr), 3);
  EXPECT_EQ(driver.exception.timeout_ms, 0xFFFFFFFFu);
  EXPECT_EQ(iscr, 0x80000108u);
  EXPECT_EQ(surf_WaitException(kBoard, 0, nullptr), 3);
  driver.error = EINTR;
  EXPECT_EQ(surf_WaitException(kBoard, 0, &iscr), -1);
  EXPECT_EQ(errno, EINTR);
  EXPECT_EQ(surf_ClearException(kBoard), 0);
  EXPECT_EQ(driver.clears, 1u);
}

}  // namespace
