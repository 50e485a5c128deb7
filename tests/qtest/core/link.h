// SPDX-License-Identifier: GPL-2.0-or-later
//
// Link - a socket that QEMU connects to, line by line. Whatever goes wrong is an exception.
//
//   Link link(scratch.path("qtest"));    // before QEMU starts
//   link.accept_from(process);
//   link.send_line("inb 0x60"); link.line();
#pragma once

#include <string>

#include "tests/qtest/core/process.h"

namespace perfboard::qtest {

class Link {
 public:
  explicit Link(const std::string& path);
  ~Link();
  Link(const Link&) = delete;

  void accept_from(Process& child);
  void send_line(const std::string& line);
  std::string line();

 private:
  int listener_;
  int peer_ = -1;
  std::string text_;
};

}  // namespace perfboard::qtest
