// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads a file of MULTIKRON's data collection network (hw/multikron/stream.h), piece by piece.
//
//   StreamReader reader("run.mk");               // "-" is standard input
//   for (Item item; reader.next(item);) switch (item.kind) ...
//
// An Item is a good sample, a reset, or a place where the stream is not as it should be. It comes as soon as
// its last byte is there. A sample with anything wrong in it does not come; reading goes on after the next
// end flag. Memory use does not depend on the file's length. No content of a file throws: FileError is thrown
// for errors of the file system only.
//
// Sample::time counts from the last hardware reset, or from the start of the file, and goes on across the
// wrap of the 40 bits: README.md, "Time", says with which gaps. In a stream of several nodes Item::node says
// whose an item is; each node has a time of its own. A reader can be of one node of such a stream: then the
// others' words are passed over.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "guest/common/input.h"
#include "hw/multikron/stream.h"

namespace perfboard::mk {

constexpr unsigned kTimestampBits = 40;  // of a sample (Table 6); the chip's own has 56
constexpr uint64_t kEpoch = uint64_t{1} << kTimestampBits;

// Which nodes a reader is of.
constexpr int kAllNodes = -1;  // whatever comes
constexpr int kNoNodes = -2;   // the stream is to be of one node, which has no name in it

struct Sample {
  uint8_t header = 0;
  uint32_t source = 0;
  uint64_t stamp = 0;                  // as sent
  uint64_t data = 0;                   // 48 bits
  std::array<uint32_t, 16> counter{};  // a resource sample's
  int64_t time = 0;                    // timestamp clocks; less than 0 only in a file that steps back
  uint32_t run = 0;                    // hardware resets before it in the file

  unsigned cpu() const { return MK_HEADER_CPU(header); }
  bool resource() const { return MK_HEADER_TYPE(header) == MK_TYPE_RESOURCE; }
  bool fifo_overrun() const { return header & MK_HEADER_FIFO_OVERRUN; }
  bool resource_overrun() const { return header & MK_HEADER_RSRC_OVERRUN; }
  bool read_error() const { return header & MK_HEADER_RSRC_READ_ERROR; }
  bool overrun() const { return fifo_overrun() || resource_overrun(); }
};

enum class ItemKind { kSample, kReset, kFault };

enum class Fault {
  kStartsInside,  // the file begins within a sample: no error
  kCut,           // a reset ended a sample early: no error
  kParity,        // an element's parity is even
  kBits,          // bits 10-15 of a word are neither an element's nor an event's
  kEvent,         // an event of a number that stream.h does not have
  kType,          // the header's sample type is 00 or 01
  kLength,        // an end flag too early, or none after the last element
  kBackwards,     // the Timestamp of the next item, a good sample, is earlier than the one before
  kNodeInside,    // another node's word comes within a sample
  kNodes,         // kNoNodes: the stream is of several nodes; reading ends
  kTruncated,     // the file ends within a sample
  kOddByte,       // the file ends within a word
};
constexpr unsigned kFaults = 12;
constexpr bool is_error(Fault fault) { return fault > Fault::kCut; }
// Faults after which samples are missing.
constexpr bool loses_samples(Fault fault) {
  return fault != Fault::kStartsInside && fault != Fault::kBackwards;
}

struct Item {
  ItemKind kind = ItemKind::kSample;
  uint64_t byte = 0;      // where it begins in the file
  int node = -1;          // as the stream says; -1: it does not
  Sample sample;          // kSample
  uint8_t event = 0;      // kReset: MK_EVENT_*
  uint32_t run = 0;       // kReset, kFault: hardware resets until and with this
  Fault fault{};          // kFault
  uint64_t value = 0;     // kFault: the word, header, byte or ticks in question
  uint64_t elements = 0;  // kFault: how many elements the sample had
};

// What is wrong, in words, without the place.
std::string describe(const Item& fault);

class StreamReader {
 public:
  // node: kAllNodes, kNoNodes, or that one alone.
  explicit StreamReader(std::string file, bool long_gaps = false, int node = kAllNodes);

  bool next(Item& item);
  void before_wait(std::function<void()> action) { bytes_in_.before_wait(std::move(action)); }
  // From the start again. A pipe must have been made seekable (copied to a temporary file) before its first
  // item.
  void make_seekable() { bytes_in_.make_seekable(); }
  void rewind();
  const std::string& name() const { return name_; }
  // Good samples so far, and bytes.
  uint64_t samples() const { return samples_; }
  uint64_t bytes() const { return base_ + end_; }

 private:
  bool fill();
  bool good_sample(Item& item);
  bool word(uint16_t word, Item& item);
  bool node_word(uint16_t word, Item& item);
  bool passed_over() const { return wanted_ >= 0 && node_ != wanted_; }
  bool element(uint16_t word, Item& item);
  bool fault(Item& item, Fault fault, uint64_t byte, uint64_t value);
  void begin_frame();
  void decode(const uint8_t* bytes, Sample& sample);
  bool deliver(Item& item, uint64_t byte);
  size_t words() const { return (end_ - begin_) / 2; }
  uint16_t peek(size_t i) const {
    const uint8_t* p = buffer_.data() + begin_ + 2 * i;
    return static_cast<uint16_t>(p[0] | p[1] << 8);
  }

  ByteInput bytes_in_;
  bool long_gaps_;
  int wanted_;
  std::string name_;
  std::vector<uint8_t> buffer_;
  size_t begin_ = 0, end_ = 0;
  uint64_t base_ = 0;  // of buffer_[0] in the file
  bool eof_ = false;
  uint64_t samples_ = 0;

  // The sample under way.
  std::array<uint8_t, MK_RESOURCE_BYTES> bytes_{};
  uint64_t elements_ = 0, frame_byte_ = 0;
  bool bad_ = false;   // its damage has been reported, the rest of it is passed over
  bool first_ = true;  // nothing complete came before this sample

  // Time, of each node; the first is that of a stream that names none.
  struct Clock {
    bool timed = false;  // last is a sample's
    int64_t last = 0;
    uint32_t run = 0;
  };
  int node_ = -1;
  std::vector<Clock> clocks_ = std::vector<Clock>(1);
  Clock& clock() { return clocks_[static_cast<size_t>(node_ + 1)]; }
  bool held_ = false;  // held_sample_ comes next: that time steps back to it has been reported
  uint64_t held_byte_ = 0;
  Sample held_sample_;
};

// The meaning of a sample's 48 bits of user data by guest/multikron/lib/mklib.h's convention; the chip knows
// none.

enum class Kind : uint8_t { kEnter = 1, kExit = 2, kPoint = 3, kValue = 4 };

struct Event {
  explicit Event(uint64_t data)
      : kind(static_cast<Kind>(data >> 40 & 0xff)),
        id(static_cast<uint16_t>(data >> 24)),
        argument(data & 0xffffff) {}
  bool known() const { return kind >= Kind::kEnter && kind <= Kind::kValue; }
  std::string_view kind_name() const {
    constexpr std::string_view kNames[] = {"", "enter", "exit", "point", "value"};
    return known() ? kNames[static_cast<unsigned>(kind)] : kNames[0];
  }

  Kind kind;
  uint16_t id;        // of a state, a point or a value
  uint32_t argument;  // 24 bits
};

}  // namespace perfboard::mk
