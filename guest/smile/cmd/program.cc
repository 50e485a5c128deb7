// SPDX-License-Identifier: GPL-2.0-or-later
// The program that smile runs.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "guest/smile/cmd/commands.h"

namespace perfboard::smile {
namespace {

// Between fork() and exec(): the child's listener gets to its parent. The descriptor closes with exec(), so
// the child waits until the parent has its own.
class Handover {
 public:
  explicit Handover(bool wanted) : wanted_(wanted) {
    if (wanted_ && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_))
      throw system_failure("socketpair");
  }
  ~Handover() {
    for (const int fd : {ends_[0], ends_[1], listener_})
      if (fd >= 0) close(fd);
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  void in_child() {
    if (!wanted_) return;
    int number = Follower::listen();
    if (write(ends_[1], &number, sizeof number) < 0 || read(ends_[1], &number, sizeof number) < 0) _exit(126);
  }
  // -1: none.
  int in_parent(int child) {
    int number = -1;
    if (!wanted_ || read(ends_[0], &number, sizeof number) != sizeof number) return -1;
    if (number >= 0) listener_ = static_cast<int>(syscall(SYS_pidfd_getfd, child, number, 0));
    return write(ends_[0], &number, sizeof number) < 0 ? -1 : listener_;
  }

 private:
  bool wanted_;
  int ends_[2] = {-1, -1};
  int listener_ = -1;
};

}  // namespace

int run_program(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                void (*ready)(void*, size_t), void* context, Follower* follower) {
  Handover handover(follower);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw system_failure("fork");
  if (!child) {
    handover.in_child();
    become("smile: ", words);
  }
  // A signal from the terminal is the program's: its end is ours.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::vector<pollfd> polled;
  for (int fd : descriptors) polled.push_back({fd, POLLIN, 0});
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  const int listener = handover.in_parent(ended);
  polled.push_back({listener, POLLIN, 0});
  polled.push_back({ended, POLLIN, 0});
  while (ended >= 0 && poll(polled.data(), polled.size(), -1) >= 0 && !polled.back().revents) {
    for (size_t i = 0; i < descriptors.size(); ++i)
      if (polled[i].revents) ready(context, i);
    if (polled[descriptors.size()].revents & POLLIN) follower->serve(listener);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ended >= 0) close(ended);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  return status_of(status);
}

}  // namespace perfboard::smile
