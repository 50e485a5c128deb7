// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest kernel's own trace (tracefs): its files, and the lines of what it gives.
//
//   mount_tracing();
//   put_tracing("trace_clock", "mono");
//   for (std::string line; std::getline(in, line);)
//     if (KernelLine at; parse_kernel_line(line, at)) ...
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace perfboard {

inline constexpr char kTracing[] = "/sys/kernel/tracing/";

// Where it is not mounted yet. FileError says why not, here and below.
void mount_tracing();
// Files below kTracing. how: O_TRUNC or O_APPEND. False: errno says why.
bool write_tracing(const std::string& file, const std::string& text, int how);
void put_tracing(const std::string& file, const std::string& text);

// A line of the kernel's trace: "sh-97 [000] d..3. 1.234567: sched_switch: prev_comm=sh ..."; false: none.
struct KernelLine {
  unsigned cpu = 0;
  int pid = 0;
  uint64_t time_ns = 0;
  std::string command, event, text;
};
bool parse_kernel_line(std::string_view line, KernelLine& to);

}  // namespace perfboard
