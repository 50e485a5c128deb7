// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace perfboard::cluster {
namespace {

constexpr int kMakeMs = 5000;  // whoever makes the file has written its header by then

uint32_t layout() { return sizeof(Header) << 24 ^ sizeof(Node) << 16 ^ sizeof(Ring); }

void pause_ms() {
  const timespec ms = {0, 1'000'000};
  nanosleep(&ms, nullptr);
}

// The file has its size when it has its name: it is made under another one.
bool make(const char* path, uint32_t nodes, std::string& wrong) {
  std::string fresh = std::string(path) + ".XXXXXX";
  const int fd = mkostemp(fresh.data(), O_CLOEXEC);
  const bool made = fd >= 0 && !ftruncate(fd, static_cast<off_t>(segment_bytes(nodes))) &&
                    (!link(fresh.c_str(), path) || errno == EEXIST);
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
  void* const at = mmap(nullptr, segment_bytes(nodes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) {
    wrong = std::string("cannot be mapped: ") + strerror(errno);
    return false;
  }
  segment = {static_cast<uint8_t*>(at), nodes};
  Header& h = segment.header();
  uint32_t nobody = 0;
  if (h.maker.compare_exchange_strong(nobody, 1)) {
    h.layout = layout();
    h.nodes = nodes;
    h.join = join;
    for (uint32_t n = 0; n < nodes; n++) {
      segment.node(n).promise = join;
      segment.node(n).answers = join;
      segment.node(n).alone = join;
    }
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
    wrong = h.layout != layout() ? "is another version's"
            : h.nodes != nodes   ? "has " + std::to_string(h.nodes) + " nodes"
                                 : "has join=" + std::to_string(h.join);
    unmap_segment(segment);
    return false;
  }
  return true;
}

void unmap_segment(Segment& segment) {
  munmap(segment.at, segment_bytes(segment.nodes));
  segment = {};
}

}  // namespace perfboard::cluster
