// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace perfboard::mk {
namespace {

constexpr size_t kBlock = 1 << 16;

constexpr auto kElement = [] {
  std::array<uint16_t, 256> table{};
  for (unsigned data = 0; data < 256; data++) table[data] = mk_stream_element(static_cast<uint8_t>(data), 0);
  return table;
}();

uint64_t big_endian(const uint8_t* p, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value = value << 8 | p[i];
  return value;
}

// 0: no such sample type.
unsigned sample_length(uint8_t header) {
  switch (MK_HEADER_TYPE(header)) {
    case MK_TYPE_TRACE:
      return MK_TRACE_BYTES;
    case MK_TYPE_RESOURCE:
      return MK_RESOURCE_BYTES;
    default:
      return 0;
  }
}

}  // namespace

std::string describe(const Item& item) {
  switch (item.fault) {
    case Fault::kStartsInside:
      return fmt::format("the stream begins within a sample ({} elements left out)", item.elements);
    case Fault::kCut:
      return fmt::format("a reset cut a sample off after {} elements", item.elements);
    case Fault::kParity:
      return fmt::format("element {:#06x}: even parity", item.value);
    case Fault::kBits:
      return fmt::format("word {:#06x}: neither an element nor an event", item.value);
    case Fault::kEvent:
      return fmt::format("word {:#06x}: event {} is not known", item.value, item.value & 0xff);
    case Fault::kType:
      return fmt::format("header {:#04x}: sample type {} is neither trace (2) nor resource (3)", item.value,
                         MK_HEADER_TYPE(item.value));
    case Fault::kLength: {
      const unsigned wanted = sample_length(static_cast<uint8_t>(item.value));
      if (wanted && item.elements > wanted)
        return fmt::format("header {:#04x}: no end flag at element {}", item.value, wanted);
      return fmt::format("header {:#04x}: end flag at element {}, expected at {}", item.value, item.elements,
                         wanted ? fmt::to_string(wanted) : "16 or 80");
    }
    case Fault::kBackwards:
      return fmt::format("the Timestamp goes back by {} ticks", item.value);
    case Fault::kNodeInside:
      return fmt::format("node {} begins after {} elements of a sample", item.value, item.elements);
    case Fault::kNodes:
      return "it is of several nodes, and then it must be a file here; mkcollect and mkdump read a pipe";
    case Fault::kTruncated:
      return fmt::format("the stream ends after {} elements of a sample", item.elements);
    case Fault::kOddByte:
      return fmt::format("byte {:#04x}: half a word at the end", item.value);
  }
  return {};
}

StreamReader::StreamReader(std::string file, bool long_gaps, int node)
    : bytes_in_(std::move(file)),
      long_gaps_(long_gaps),
      wanted_(node),
      name_(node < 0 ? bytes_in_.name() : fmt::format("{}: node {}", bytes_in_.name(), node)),
      buffer_(kBlock) {}

void StreamReader::rewind() {
  bytes_in_.rewind();
  begin_ = end_ = 0;
  base_ = samples_ = 0;
  eof_ = bad_ = held_ = false;
  first_ = true;
  elements_ = 0;
  node_ = -1;
  clocks_.assign(1, {});
}

bool StreamReader::fill() {
  if (eof_) return false;
  memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  base_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  const size_t got = bytes_in_.read(buffer_.data() + end_, buffer_.size() - end_);
  eof_ = got == 0;
  end_ += got;
  return !eof_;
}

bool StreamReader::next(Item& item) {
  if (held_) {
    held_ = false;
    item.kind = ItemKind::kSample;
    item.byte = held_byte_;
    item.node = node_;
    item.sample = held_sample_;
    return true;
  }
  // Never waits for more than the next word: a sample that is whole must not wait for the one behind it.
  for (;;) {
    if (elements_ == 0 && !passed_over() && good_sample(item)) return true;
    if (words() > 0) {
      if (word(peek(0), item)) return true;
    } else if (!fill()) {
      break;
    }
  }
  if (elements_ > 0) {
    const bool reported = bad_;
    fault(item, Fault::kTruncated, frame_byte_, 0);
    begin_frame();
    if (!reported) return true;
  }
  if (begin_ < end_) {
    fault(item, Fault::kOddByte, base_ + begin_, buffer_[begin_]);
    begin_ = end_;
    return true;
  }
  return false;
}

// The usual case, quickly: a whole sample without a fault.
bool StreamReader::good_sample(Item& item) {
  if (words() < MK_TRACE_BYTES) return false;
  const uint8_t header = static_cast<uint8_t>(peek(0));
  const size_t length = sample_length(header);
  if (length == 0 || words() < length) return false;
  unsigned wrong = 0;
  for (size_t i = 0; i < length; i++) {
    const uint16_t w = peek(i);
    bytes_[i] = static_cast<uint8_t>(w);
    wrong |= static_cast<unsigned>(w ^ kElement[w & 0xff] ^ (i + 1 == length ? MK_STREAM_END : 0));
  }
  if (wrong) return false;
  const uint64_t byte = base_ + begin_;
  begin_ += 2 * length;
  first_ = false;
  deliver(item, byte);
  return true;
}

// The next word, by itself. True: item has something to say.
bool StreamReader::word(uint16_t w, Item& item) {
  const uint64_t byte = base_ + begin_;
  // Within a sample of a stream without nodes it is an element with a wrong bit.
  if (MK_STREAM_IS_NODE(w) && (elements_ == 0 || node_ >= 0 || first_)) return node_word(w, item);
  if (passed_over()) {
    begin_ += 2;
    return false;
  }
  if (w != (MK_STREAM_EVENT | MK_EVENT_SOFTWARE_RESET) && w != (MK_STREAM_EVENT | MK_EVENT_HARDWARE_RESET))
    return element(w, item);
  if (elements_ > 0) {
    const bool reported = bad_;
    fault(item, Fault::kCut, frame_byte_, 0);
    begin_frame();
    if (!reported) return true;  // the event itself comes with the next call
  }
  begin_ += 2;
  first_ = false;
  item.kind = ItemKind::kReset;
  item.byte = byte;
  item.event = static_cast<uint8_t>(w);
  item.node = node_;
  if (item.event == MK_EVENT_HARDWARE_RESET) clock() = {.timed = false, .last = 0, .run = clock().run + 1};
  item.run = clock().run;
  return true;
}

bool StreamReader::node_word(uint16_t w, Item& item) {
  if (wanted_ == kNoNodes) {
    fault(item, Fault::kNodes, base_ + begin_, w);
    eof_ = true;
    begin_ = end_;
    begin_frame();
    return true;
  }
  if (elements_ > 0) {
    const bool reported = bad_;
    fault(item, first_ ? Fault::kStartsInside : Fault::kNodeInside, frame_byte_, MK_STREAM_NODE_OF(w));
    begin_frame();
    first_ = false;
    if (!reported) return true;  // the word itself comes with the next call
  }
  begin_ += 2;
  first_ = false;
  node_ = static_cast<int>(MK_STREAM_NODE_OF(w));
  clocks_.resize(std::max<size_t>(clocks_.size(), 2 + MK_STREAM_NODE_OF(w)));
  return false;
}

bool StreamReader::element(uint16_t w, Item& item) {
  const uint64_t byte = base_ + begin_;
  begin_ += 2;
  if (elements_ == 0 && (w & 0xff00) == MK_STREAM_EVENT) return fault(item, Fault::kEvent, byte, w);
  if (elements_ == 0) frame_byte_ = byte;
  if (elements_ < bytes_.size()) bytes_[elements_] = static_cast<uint8_t>(w);
  elements_++;
  const bool end = w & MK_STREAM_END;
  const unsigned length = sample_length(bytes_[0]);
  bool report = false;
  if (!bad_) {
    if ((w & ~(MK_STREAM_END | MK_STREAM_PARITY | 0xffu)) != 0) {
      report = fault(item, Fault::kBits, byte, w);
    } else if ((w & (MK_STREAM_PARITY | 0xffu)) != kElement[w & 0xff]) {
      report = fault(item, Fault::kParity, byte, w);
    } else if (elements_ == length && end) {
      begin_frame();
      first_ = false;
      return deliver(item, frame_byte_);
    } else if (first_ && end && elements_ < MK_RESOURCE_BYTES) {
      report = fault(item, Fault::kStartsInside, frame_byte_, bytes_[0]);
    } else if (first_ && elements_ <= MK_RESOURCE_BYTES) {
      // It may be the rest of a sample: wait for its end.
    } else if (length == 0) {
      report = fault(item, Fault::kType, frame_byte_, bytes_[0]);
    } else if (end || elements_ > length) {
      report = fault(item, Fault::kLength, frame_byte_, bytes_[0]);
    }
    bad_ = report;
  }
  if (end) {
    begin_frame();
    first_ = false;
  }
  return report;
}

void StreamReader::begin_frame() {
  elements_ = 0;
  bad_ = false;
}

bool StreamReader::fault(Item& item, Fault fault, uint64_t byte, uint64_t value) {
  item.kind = ItemKind::kFault;
  item.byte = byte;
  item.fault = fault;
  item.value = value;
  item.elements = elements_;
  item.node = node_;
  item.run = clock().run;
  return true;
}

void StreamReader::decode(const uint8_t* bytes, Sample& sample) {
  sample.header = bytes[0];
  sample.stamp = big_endian(bytes + 1, 5);
  sample.source = static_cast<uint32_t>(big_endian(bytes + 6, 4));
  sample.data = big_endian(bytes + 10, 6);
  sample.run = clock().run;
  if (sample.resource())
    for (unsigned i = 0; i < 16; i++)
      sample.counter[i] = static_cast<uint32_t>(big_endian(bytes + MK_TRACE_BYTES + 4 * i, 4));
}

// Hands over the good sample in bytes_. If its time is earlier than that of the sample before, a report of
// that comes first.
bool StreamReader::deliver(Item& item, uint64_t byte) {
  Sample& sample = item.sample;
  decode(bytes_.data(), sample);
  samples_++;
  item.kind = ItemKind::kSample;
  item.byte = byte;
  item.node = node_;
  Clock& c = clock();
  if (!c.timed) {
    c.last = static_cast<int64_t>(sample.stamp);
    sample.time = c.last;
    c.timed = true;
    return true;
  }
  // Unsigned: a file of steps back and forth must not overflow.
  const uint64_t forward = (sample.stamp - static_cast<uint64_t>(c.last)) & (kEpoch - 1);
  const bool back = forward >= kEpoch / 2 && !long_gaps_;
  c.last = static_cast<int64_t>(static_cast<uint64_t>(c.last) + forward - (back ? kEpoch : 0));
  sample.time = c.last;
  if (!back) return true;
  held_ = true;
  held_byte_ = byte;
  held_sample_ = sample;
  elements_ = 0;
  return fault(item, Fault::kBackwards, byte, kEpoch - forward);
}

}  // namespace perfboard::mk
