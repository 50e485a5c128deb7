// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/kernel_trace.h"

#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "guest/common/input.h"
#include "guest/common/ranges.h"
#include "hw/model/number.h"

namespace perfboard {

void mount_tracing() {
  if (access((std::string(kTracing) + "trace").c_str(), F_OK) != 0 &&
      mount("tracefs", kTracing, "tracefs", 0, nullptr) != 0)
    system_error(kTracing);
}

bool write_tracing(const std::string& file, const std::string& text, int how) {
  const int fd = open((kTracing + file).c_str(), O_WRONLY | O_CLOEXEC | how);
  const bool good = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return good;
}

void put_tracing(const std::string& file, const std::string& text) {
  if (!write_tracing(file, text, O_TRUNC)) system_error(kTracing + file);
}

bool parse_kernel_line(std::string_view line, KernelLine& to) {
  const size_t bracket = line.find(" ["), end = line.find(']', bracket);
  const size_t colon = line.find(": ", end);
  if (bracket == line.npos || end == line.npos || colon == line.npos) return false;
  const std::string_view task = line.substr(0, line.find_last_not_of(' ', bracket) + 1);
  const size_t dash = task.rfind('-'), blank = line.rfind(' ', colon - 1);
  const std::string time(line.substr(blank + 1, colon - blank - 1));
  const size_t point = time.find('.');
  unsigned pid = 0;
  uint64_t seconds = 0, part = 0;
  if (dash == task.npos || point == time.npos || blank < end) return false;
  if (!parse_integer(task.substr(dash + 1), 10, pid) ||
      !parse_integer(line.substr(bracket + 2, end - bracket - 2), 10, to.cpu))
    return false;
  if (!parse_integer(std::string_view(time).substr(0, point), 10, seconds) ||
      !parse_integer(std::string_view(time).substr(point + 1), 10, part) || time.size() - point != 7)
    return false;
  to.command = trim(task.substr(0, dash));
  to.pid = static_cast<int>(pid);
  to.time_ns = seconds * 1000000000 + part * 1000;
  const std::string_view rest = line.substr(colon + 2);
  const size_t name_end = std::min(rest.find(':'), rest.size());
  to.event = rest.substr(0, name_end);
  to.text = name_end < rest.size()
                ? rest.substr(std::min(rest.find_first_not_of(' ', name_end + 1), rest.size()))
                : "";
  return !to.event.empty();
}

}  // namespace perfboard
