// SPDX-License-Identifier: GPL-2.0-or-later
//
// The reader of MULTIKRON's network streams (guest/multikron/host): whole streams come back sample by sample;
// a flipped bit never makes a sample that was not sent, and costs two samples at most; any bytes at all are
// read to their end, each item farther on than the last.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "guest/multikron/host/mk_stream.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using Bytes = std::vector<uint8_t>;

// A file that is only in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const Bytes& bytes) : fd_(memfd_create("stream", 0)) {
    FUZZ_CHECK(fd_ >= 0 && write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
               "%zu bytes", bytes.size());
    lseek(fd_, 0, SEEK_SET);
  }
  ~MemoryFile() { close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

struct Sent {
  uint8_t header;
  uint32_t source;
  uint64_t stamp, data;
  bool operator==(const Sent& o) const {
    return header == o.header && source == o.source && stamp == o.stamp && data == o.data;
  }
};

void put(Bytes& out, uint16_t word) {
  out.push_back(static_cast<uint8_t>(word));
  out.push_back(static_cast<uint8_t>(word >> 8));
}

// By the definitions of stream.h: the fields of Tables 6 and 7, most significant byte first.
std::vector<Sent> make(Input& in, Bytes& out) {
  std::vector<Sent> sent;
  uint64_t stamp = 0;
  put(out, MK_STREAM_EVENT | MK_EVENT_HARDWARE_RESET);
  for (uint32_t n = in.below(20); n; --n) {
    const bool resource = in.flip();
    stamp += in.u16();
    const Sent s = {
        static_cast<uint8_t>(in.below(8) << 5 | (resource ? MK_TYPE_RESOURCE : MK_TYPE_TRACE) << 3 |
                             in.below(4) << 1),
        in.u32(), stamp, in.u64() & 0xffffffffffff};
    Bytes bytes = {s.header};
    for (int i = 4; i >= 0; --i) bytes.push_back(static_cast<uint8_t>(s.stamp >> 8 * i));
    for (int i = 3; i >= 0; --i) bytes.push_back(static_cast<uint8_t>(s.source >> 8 * i));
    for (int i = 5; i >= 0; --i) bytes.push_back(static_cast<uint8_t>(s.data >> 8 * i));
    while (resource && bytes.size() < MK_RESOURCE_BYTES) bytes.push_back(in.u8());
    for (size_t i = 0; i < bytes.size(); ++i) put(out, mk_stream_element(bytes[i], i + 1 == bytes.size()));
    sent.push_back(s);
  }
  return sent;
}

std::vector<Sent> read(const Bytes& bytes, bool* faults) {
  ++operations;
  const MemoryFile file(bytes);
  mk::StreamReader reader(file.path());
  std::vector<Sent> got;
  mk::Item item;
  uint64_t last = 0, items = 0;
  *faults = false;
  while (reader.next(item)) {
    FUZZ_CHECK(item.byte >= last && item.byte <= bytes.size(), "item at %llu after %llu",
               static_cast<unsigned long long>(item.byte), static_cast<unsigned long long>(last));
    FUZZ_CHECK(++items <= bytes.size() + 2, "%llu items", static_cast<unsigned long long>(items));
    last = item.byte;
    if (item.kind == mk::ItemKind::kFault) {
      *faults = true;
      FUZZ_CHECK(!mk::describe(item).empty(), "fault %d", static_cast<int>(item.fault));
    }
    if (item.kind == mk::ItemKind::kSample)
      got.push_back({item.sample.header, item.sample.source, item.sample.stamp, item.sample.data});
  }
  return got;
}

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace perfboard::fuzz;
  Input in(data, size);
  Bytes bytes;
  bool faults = false;
  const std::vector<Sent> sent = make(in, bytes);
  FUZZ_CHECK(read(bytes, &faults) == sent && !faults, "%zu samples", sent.size());

  if (bytes.size() > 2) {  // one bit of an element's data or parity, behind the reset
    Bytes damaged = bytes;
    const size_t word = 1 + in.u16() % (bytes.size() / 2 - 1);
    const uint32_t bit = in.below(9);
    damaged[2 * word + bit / 8] = static_cast<uint8_t>(damaged[2 * word + bit / 8] ^ 1 << bit % 8);
    const std::vector<Sent> got = read(damaged, &faults);
    FUZZ_CHECK(faults, "bit %u of word %zu", bit, word);
    FUZZ_CHECK(got.size() + 2 >= sent.size(), "%zu of %zu", got.size(), sent.size());
    for (const Sent& s : got)
      FUZZ_CHECK(std::find(sent.begin(), sent.end(), s) != sent.end(),
                 "bit %u of word %zu: an invented sample", bit, word);
  }

  for (uint32_t n = in.below(40); n; --n) {  // anything else: changed, inserted, cut off
    if (bytes.empty()) break;
    const size_t at = in.u16() % bytes.size();
    switch (in.below(3)) {
      case 0:
        bytes[at] = in.u8();
        break;
      case 1:
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), in.u8());
        break;
      default:
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
    }
  }
  read(bytes, &faults);
  return 0;
}
