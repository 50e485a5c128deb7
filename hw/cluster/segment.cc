// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "hw/cluster/process.h"
#include "hw/core/host.h"

namespace perfboard::cluster {
namespace {

constexpr int kMakeMs = 5000;  // whoever makes the file has written its header by then

uint32_t layout() {
  return sizeof(Header) << 24 ^ sizeof(Node) << 16 ^ sizeof(Group) << 12 ^ kGroup << 8 ^ sizeof(Ring);
}

// A segment is large, if not its memory: of a thousand nodes in one process each could not map it.
struct Mapping {
  dev_t device;
  ino_t file;
  void* at;
  int fd;
  uint32_t users;
};
std::mutex mappings_mutex;
std::vector<Mapping> mappings;

// It keeps fd, or closes it.
bool map(int fd, const struct stat& st, uint32_t nodes, Segment& segment) {
  const std::lock_guard lock(mappings_mutex);
  for (Mapping& m : mappings)
    if (m.device == st.st_dev && m.file == st.st_ino) {
      m.users++;
      close(fd);
      segment = {static_cast<uint8_t*>(m.at), nodes, m.fd};
      return true;
    }
  void* const at = mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (at == MAP_FAILED) {
    close(fd);
    return false;
  }
  mappings.push_back({.device = st.st_dev, .file = st.st_ino, .at = at, .fd = fd, .users = 1});
  segment = {static_cast<uint8_t*>(at), nodes, fd};
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
  if (!S_ISREG(st.st_mode) || static_cast<uint64_t>(st.st_size) != segment_bytes(nodes)) {
    wrong = "is no cluster of " + std::to_string(nodes) + " nodes";
    close(fd);
    return false;
  }
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

bool map_to_look(const char* path, Segment& segment, std::string& wrong) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || fstat(fd, &st)) {
    wrong = strerror(errno);
    if (fd >= 0) close(fd);
    return false;
  }
  const uint64_t bytes = S_ISREG(st.st_mode) ? static_cast<uint64_t>(st.st_size) : 0;
  void* const at = bytes > kPage ? mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  close(fd);
  if (at == MAP_FAILED) {
    wrong = "is no cluster";
    return false;
  }
  segment = {static_cast<uint8_t*>(at), 0, -1};
  const Header& h = segment.header();
  segment.nodes = h.nodes;
  if (h.magic.load(std::memory_order_acquire) == kMagic && h.layout == layout() &&
      segment.nodes <= kMostNodes && segment_bytes(segment.nodes) == bytes)
    return true;
  wrong = "is no cluster, another version's, or not begun";
  munmap(at, bytes);
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
  const auto m = std::find_if(mappings.begin(), mappings.end(),
                              [&](const Mapping& mapping) { return mapping.at == segment.at; });
  if (!--m->users) {
    munmap(segment.at, segment_bytes(segment.nodes));
    close(m->fd);
    mappings.erase(m);
  }
  segment = {};
}

bool reserve(int fd, uint64_t at, uint64_t bytes) {
  while (fallocate(fd, 0, static_cast<off_t>(at), static_cast<off_t>(bytes)))
    if (errno != EINTR) return errno == EOPNOTSUPP;  // a file system that cannot say so
  return true;
}

}  // namespace perfboard::cluster
