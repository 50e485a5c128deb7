// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/device_board.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "guest/surfboard/cmd/port.h"
#include "guest/surfboard/lib/surflib.h"
#include "guest/surfboard/uapi.h"

namespace perfboard::prompt {
namespace {

[[noreturn]] void fail(const std::string& device, std::string_view what) {
  throw BoardError(fmt::format("{}: {}: {}", device, what, strerror(errno)));
}

}  // namespace

DeviceBoard::DeviceBoard(const std::string& device) : device_(device), board_(surf_Open(device.c_str())) {
  if (board_ < 0) fail(device_, errno == ENOTTY ? "not a SurfBoard" : "cannot open the board");
}

DeviceBoard::~DeviceBoard() {
  for (std::span<uint32_t> memory : {trace_, histogram_})
    if (!memory.empty()) munmap(memory.data(), memory.size_bytes());
  surf_Close(board_);
}

uint32_t DeviceBoard::get(uint32_t offset) {
  uint32_t value;
  if (surf_GetReg(board_, offset, &value) < 0) fail(device_, fmt::format("read of register {:02X}", offset));
  return value;
}

void DeviceBoard::put(uint32_t offset, uint32_t value) {
  if (surf_PutReg(board_, offset, value) < 0) fail(device_, fmt::format("write of register {:02X}", offset));
}

std::span<uint32_t> DeviceBoard::map(std::span<uint32_t>& memory, int64_t size, uint32_t offset,
                                     const char* what) {
  if (size < 0) fail(device_, "size of the memories");
  if (memory.empty() && size > 0) {
    const size_t bytes = static_cast<size_t>(size);
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, board_, offset);
    if (at == MAP_FAILED) fail(device_, what);
    memory = {static_cast<uint32_t*>(at), bytes / 4};
  }
  return memory;
}

std::span<uint32_t> DeviceBoard::trace() {
  return map(trace_, surf_GetTSize(board_), SURF_MAP_TRACE, "mapping the trace memory");
}

std::span<uint32_t> DeviceBoard::histogram() {
  return map(histogram_, surf_GetHSize(board_), SURF_MAP_HIST, "mapping the histogram memory");
}

void DeviceBoard::configure(std::span<const uint8_t> bits) {
  if (surf_ConfigHAS(board_, bits.data(), bits.size()) == 0) return;
  if (errno != EIO) fail(device_, "configuring the FPGA");
  const uint32_t fccr = get(SURF_FCCR);
  throw BoardError(
      fmt::format("the FPGA did not take the bitstream: DONE {} ERR {} CFG {}: {}",
                  fccr & SURF_FCCR_DONE ? 1 : 0, fccr & SURF_FCCR_ERR ? 1 : 0, fccr & SURF_FCCR_CFG ? 1 : 0,
                  fccr & SURF_FCCR_ERR ? "a frame is damaged" : "it is too short or not for this part"));
}

Woken DeviceBoard::wait(int timeout_ms) {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : kHeldSignals) sigaddset(&held, signal);
  const int signals = signalfd(-1, &held, SFD_CLOEXEC);
  if (signals < 0) fail(device_, "signals");
  pollfd both[] = {{.fd = board_, .events = POLLPRI, .revents = 0},
                   {.fd = signals, .events = POLLIN, .revents = 0}};
  int woken;
  do woken = poll(both, 2, timeout_ms);
  while (woken < 0 && errno == EINTR);
  const int error = errno;
  close(signals);
  errno = error;
  if (woken < 0) fail(device_, "waiting for an interrupt");
  if (both[1].revents) return Woken::signal;
  if (both[0].revents & ~POLLPRI) throw BoardError(device_ + ": the board has gone");
  return woken > 0 ? Woken::exception : Woken::time;
}

void DeviceBoard::clear_exception() {
  if (surf_ClearException(board_) < 0) fail(device_, "clearing the exception");
}

}  // namespace perfboard::prompt
