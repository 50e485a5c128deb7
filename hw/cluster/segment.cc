// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "hw/model/host.h"

namespace perfboard::cluster {
namespace {

constexpr int kMakeMs = 5000;  // whoever makes the file has written its header by then

uint32_t layout() {
  return sizeof(Header) << 24 ^ sizeof(Node) << 16 ^ sizeof(Group) << 12 ^ kGroup << 8 ^ sizeof(Ring);
}

// A segment is large, if not its memory: of a thousand nodes in one process each could not map it. A signal's
// handler looks at these, too: it may neither wait nor allocate.
struct Mapping {
  std::atomic<uint8_t*> at;  // nullptr: none
  std::atomic<uint64_t> bytes, cut;
  dev_t device;
  ino_t file;
  int fd;
  uint32_t users;
};
std::mutex mappings_mutex;
Mapping mappings[64];
struct sigaction handled_before;

void hand_on(int number, siginfo_t* info, void* context) {
  if (handled_before.sa_flags & SA_SIGINFO)
    handled_before.sa_sigaction(number, info, context);
  else if (handled_before.sa_handler != SIG_DFL && handled_before.sa_handler != SIG_IGN)
    handled_before.sa_handler(number);
  else if (!sigaction(number, &handled_before, nullptr))
    raise(number);
}

// The file has been cut short. Whoever missed something goes on, with zeros, until it looks at `cut`.
void on_bus_error(int number, siginfo_t* info, void* context) {
  const int said = errno;
  for (Mapping& m : mappings) {
    uint8_t *const at = m.at, *const address = static_cast<uint8_t*>(info->si_addr);
    if (!at || info->si_code != BUS_ADRERR || address < at || address >= at + m.bytes) continue;
    uint64_t whole = 0;
    m.cut.compare_exchange_strong(whole, static_cast<uint64_t>(address - at) + 1);
    const void* const zeros = mmap(at, m.bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    errno = said;
    if (zeros != MAP_FAILED) return;
  }
  hand_on(number, info, context);
}

void handle_bus_errors() {
  static bool handled = false;
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  if (!handled && !sigaction(SIGBUS, nullptr, &handled_before))
    handled = !sigaction(SIGBUS, &action, nullptr);
}

// It keeps fd, or closes it.
bool map(int fd, const struct stat& st, uint32_t nodes, Segment& segment) {
  const std::lock_guard lock(mappings_mutex);
  handle_bus_errors();
  Mapping* free = nullptr;
  for (Mapping& m : mappings) {
    if (!m.at) {
      free = &m;
    } else if (m.device == st.st_dev && m.file == st.st_ino && !m.cut) {
      m.users++;
      close(fd);
      segment = {m.at, nodes, m.fd, &m.cut};
      return true;
    }
  }
  const auto bytes = static_cast<uint64_t>(st.st_size);
  void* const at =
      free ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0) : MAP_FAILED;
  if (at == MAP_FAILED) {
    if (!free) errno = EMFILE;
    close(fd);
    return false;
  }
  free->device = st.st_dev;
  free->file = st.st_ino;
  free->fd = fd;
  free->users = 1;
  free->bytes = bytes;
  free->cut = 0;
  free->at = static_cast<uint8_t*>(at);
  segment = {free->at, nodes, fd, &free->cut};
  return true;
}

void pause_ms() {
  const timespec ms = {0, 1'000'000};
  nanosleep(&ms, nullptr);
}

// The file has its size when it has its name, and memory for all but its rings: it is made under another one.
bool make(const char* path, uint32_t nodes, std::string& wrong) {
  std::string fresh = std::string(path) + ".XXXXXX";
  const int fd = mkostemp(fresh.data(), O_CLOEXEC);
  const bool made = fd >= 0 && !ftruncate(fd, static_cast<off_t>(segment_bytes(nodes))) &&
                    reserve(fd, 0, rings_at(nodes)) && (!link(fresh.c_str(), path) || errno == EEXIST);
  if (!made) wrong = std::string("cannot be made: ") + strerror(errno);
  if (fd >= 0) {
    unlink(fresh.c_str());
    close(fd);
  }
  return made;
}

}  // namespace

bool map_segment(const char* path, uint32_t nodes, uint64_t join, Segment& segment, std::string& wrong) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    if (!make(path, nodes, wrong)) return false;
    fd = open(path, O_RDWR | O_CLOEXEC);
  }
  struct stat st;
  if (fd < 0 || fstat(fd, &st)) {
    wrong = strerror(errno);
    if (fd >= 0) close(fd);
    return false;
  }
  if (st.st_uid != geteuid())
    wrong = "belongs to user " + std::to_string(st.st_uid);
  else if (st.st_mode & (S_IWGRP | S_IWOTH))
    wrong = "is open to other users";
  else if (!S_ISREG(st.st_mode) || static_cast<uint64_t>(st.st_size) != segment_bytes(nodes))
    wrong = "is no cluster of " + std::to_string(nodes) + " nodes";
  else if (!reserve(fd, 0, rings_at(nodes)))
    wrong = strerror(errno);
  if (!wrong.empty()) {
    close(fd);
    return false;
  }
  hear_bus_errors();
  if (!map(fd, st, nodes, segment)) {
    wrong = std::string("cannot be mapped: ") + strerror(errno);
    return false;
  }
  Header& h = segment.header();
  uint32_t nobody = 0;
  if (h.maker.compare_exchange_strong(nobody, 1)) {
    h.layout = layout();
    h.nodes = nodes;
    h.join = join;
    h.began = host_ns();
    for (uint32_t n = 0; n < nodes; n++) {
      segment.node(n).promise = join;
      segment.node(n).answers = join;
      segment.node(n).alone = join;
    }
    for (uint32_t g = 0; g < groups_of(nodes); g++) segment.group(g).promise = join;
    h.magic.store(kMagic, std::memory_order_release);
  }
  for (int ms = 0; h.magic.load(std::memory_order_acquire) != kMagic; ms++) {
    if (ms == kMakeMs) {
      wrong = "is no cluster, or whoever began it has died";
      unmap_segment(segment);
      return false;
    }
    pause_ms();
  }
  if (h.layout != layout() || h.nodes != nodes || h.join != join) {
    wrong = h.layout != layout()     ? "is another version's"
            : h.nodes != nodes       ? "has " + std::to_string(h.nodes) + " nodes"
            : h.join == CLUSTER_FREE ? "runs free"
                                     : "has join=" + std::to_string(h.join);
    unmap_segment(segment);
    return false;
  }
  return true;
}

bool copy_to_look(const char* path, Segment& segment, std::string& wrong) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    wrong = strerror(errno);
    return false;
  }
  constexpr uint64_t kMost = rings_at(kMostNodes);
  void* const at = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const ssize_t got = at != MAP_FAILED ? pread(fd, at, kMost, 0) : -1;
  close(fd);
  if (got < 0) {
    wrong = strerror(errno);
    return false;
  }
  segment = {.at = static_cast<uint8_t*>(at)};
  const Header& h = segment.header();
  segment.nodes = h.nodes;
  if (h.magic.load(std::memory_order_acquire) == kMagic && h.layout == layout() &&
      segment.nodes <= kMostNodes && got >= static_cast<ssize_t>(rings_at(segment.nodes)))
    return true;
  wrong = "is no cluster, another version's, or not begun";
  return false;
}

void write(Node& node, const Said& said) {
  node.alone.store(said.alone, std::memory_order_relaxed);
  node.taken.store(said.taken, std::memory_order_relaxed);
  node.answers.store(said.answers, std::memory_order_release);
  node.promise.store(said.promise, std::memory_order_release);
}

bool look(const Segment& segment, uint32_t first, uint32_t end, Moment& moment) {
  uint64_t stamp[kMostNodes];
  moment = {.alone = PB_NEVER, .taken = 0, .sent = 0, .node = first};
  for (uint32_t n = first; n < end; n++) {
    const Node& node = segment.node(n);
    stamp[n] = node.stamp.load(std::memory_order_acquire);
    if (stamp[n] & 1) return false;
    const uint64_t alone = node.alone.load(std::memory_order_relaxed);
    if (alone < moment.alone) {
      moment.alone = alone;
      moment.node = n;
    }
    moment.taken += node.taken.load(std::memory_order_relaxed);
    moment.sent += node.sent.load(std::memory_order_acquire);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  uint64_t sent = 0;
  for (uint32_t n = first; n < end; n++) {
    if (segment.node(n).stamp.load(std::memory_order_relaxed) != stamp[n]) return false;
    sent += segment.node(n).sent.load(std::memory_order_relaxed);
  }
  return sent == moment.sent;
}

void unmap_segment(Segment& segment) {
  const std::lock_guard lock(mappings_mutex);
  Mapping& m = *std::find_if(std::begin(mappings), std::end(mappings),
                             [&](const Mapping& mapping) { return mapping.at == segment.at; });
  if (!--m.users) {
    m.at = nullptr;
    munmap(segment.at, m.bytes);
    close(m.fd);
  }
  segment = {};
}

void hear_bus_errors() {
  thread_local bool hears = false;
  if (hears) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGBUS);
  hears = !pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

std::string missed(const Segment& segment, const std::string& path, uint32_t own, uint32_t& node) {
  const uint64_t cut = *segment.cut, rings = rings_at(segment.nodes);
  if (!cut) return "";
  const uint64_t whose = cut > rings   ? (cut - 1 - rings) / sizeof(Ring) / (segment.nodes - 1)
                         : cut > kPage ? (cut - 1 - kPage) / sizeof(Node)
                                       : own;
  if (whose < segment.nodes && whose != own) node = static_cast<uint32_t>(whose);
  return "is not heard any more, memory of " + path +
         " is gone: it was cut short, or its file system is full";
}

bool reserve(int fd, uint64_t at, uint64_t bytes) {
  while (fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at), static_cast<off_t>(bytes)))
    if (errno != EINTR) return errno == EOPNOTSUPP;  // a file system that cannot say so
  return true;
}

}  // namespace perfboard::cluster
