// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page tables follow the pages while a program runs that distributes them itself.
//
// A program's SCI_IOC_SET_HOMES stops before the driver sees it (seccomp's user notification): the monitors
// get the new homes, then the call goes on. So nothing that comes after it is missed. Pages that get another
// home by a first touch, or from a program that this one did not start, cannot be followed: moved() tells of
// them.
#pragma once

#include <string>
#include <vector>

#include "guest/smile/cmd/cards.h"

namespace perfboard::smile {

class Follower {
 public:
  Follower(Cards& cards, const Adapter& adapter, const std::vector<smile_watch>& watches);

  // In the child, before it becomes the program. The descriptor at which its parent is told; -1: this kernel
  // has none.
  static int listen();
  // A call waits at that descriptor.
  void serve(int listener);
  // A line for each structure with pages that have moved unseen.
  std::vector<std::string> moved() const;

 private:
  void follow(int program, uint64_t argument);

  Cards& cards_;
  const Adapter& adapter_;
  const std::vector<smile_watch>& watches_;
  std::vector<uint8_t> homes_;  // as the page tables have them
};

}  // namespace perfboard::smile
