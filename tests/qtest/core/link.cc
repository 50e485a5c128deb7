// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/qtest/core/link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace perfboard::qtest {
namespace {

constexpr int kPatienceMs = 600'000;  // ends a hang, nothing else

bool ready(int socket, int ms) {
  pollfd p = {socket, POLLIN, 0};
  return poll(&p, 1, ms) == 1;
}

}  // namespace

Link::Link(const std::string& path) : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (path.size() >= sizeof where.sun_path) throw std::runtime_error("too long: " + path);
  std::strcpy(where.sun_path, path.c_str());
  if (bind(listener_, reinterpret_cast<sockaddr*>(&where), sizeof where) || listen(listener_, 1))
    throw std::runtime_error("cannot listen at " + path);
}

Link::~Link() {
  close(listener_);
  if (peer_ >= 0) close(peer_);
}

void Link::accept_from(Process& child) {
  for (int waited = 0; !ready(listener_, 50); waited += 50)
    if (!child.running() || waited > kPatienceMs)
      throw std::runtime_error("QEMU did not start:\n" + child.output());
  peer_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
}

void Link::send_line(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = send(peer_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n <= 0) throw std::runtime_error("QEMU went away at: " + line.substr(0, 80));
    done += static_cast<size_t>(n);
  }
}

std::string Link::line() {
  size_t end;
  while ((end = text_.find('\n')) == text_.npos) {
    char more[65536];
    if (!ready(peer_, kPatienceMs)) throw std::runtime_error("QEMU does not answer");
    const ssize_t n = recv(peer_, more, sizeof more, 0);
    if (n <= 0) throw std::runtime_error("QEMU went away");
    text_.append(more, static_cast<size_t>(n));
  }
  std::string first = text_.substr(0, end);
  text_.erase(0, end + 1);
  while (!first.empty() && first.back() == '\r') first.pop_back();
  return first;
}

}  // namespace perfboard::qtest
