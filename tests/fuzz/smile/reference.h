// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reference - the SMiLE monitor once more, written from the manual page and the paper alone, as plainly as
// can be: lists that are searched, one timer event after the other. It shares no code and no table with
// hw/smile.
//
//   Reference r(entries, queue);
//   r.load(design);  r.write(offset, value);  r.read(offset);  r.packet(bd1, bd2);  r.time(ns);
//
// Offsets are those of the PCI_Target; accesses have 32 bits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace perfboard::fuzz {

class Reference {
 public:
  enum Design { kNone, kStatic, kDynamic };

  Reference(unsigned entries, unsigned queue) : entries_(entries), limit_(queue), ring_(4096) {
    load(kDynamic);
  }

  void load(Design design) {
    design_ = design;
    node_ = maxr_ = mask_ = timer_ = 0;
    page_.assign(32, 0);
    event_.assign(16, 0);
    range_.assign(16, 0);
    for (auto& role : role_) role.assign(16, 0);
    clear();
  }

  void time(uint64_t now) {
    while (tick_ && *tick_ <= now) {
      *tick_ += 20ull * timer_;
      happen(16);
    }
    now_ = now;
  }

  void packet(uint64_t bd1, uint64_t bd2) {
    if (!running() || design_ == kNone) return;
    const unsigned command = bd1 >> 16 & 0x7f, id = bd1 >> 48 & 0x3f, type = command & 3;
    const unsigned source = bd1 & 31, destination = bd1 >> 32 & 31;
    if (command & 0x70) return;
    ++packets_;
    uint32_t address;
    if (command & 4) {
      if (!waiting_[id]) {
        ++orphans_;
        return;
      }
      address = *waiting_[id];
      waiting_[id].reset();
    } else {
      address = bd2 >> 2 & 0x3ffffff;
      if (waiting_[id]) ++clashes_;
      waiting_[id].reset();
      if (type == 0 || type == 2) waiting_[id] = address;
    }
    const uint32_t flags = 1u << type | (command & 4 ? 32 : 16) | (source == node_ ? 128 : 64);
    if (design_ == kDynamic)
      dynamic(source, destination, address, flags);
    else
      fixed(command & 4 ? source : destination, address, flags);
  }

  uint32_t read(uint32_t offset) const {
    constexpr uint32_t kNobody = 0xffffffff;
    if (design_ == kNone) return kNobody;
    const bool dynamic = design_ == kDynamic, fixed = !dynamic;
    switch (offset) {
      case 0x00:
        return mcr_;
      case 0x08:
        return node_;
      case 0x0c:
        return dynamic ? maxr_ : kNobody;
      case 0x10:
        return dynamic ? mask_ : kNobody;
      case 0x14:
        return rdp_;
      case 0x18:
        return wrp_;
      case 0x1c:
        return (wrp_ + 1) % 4096;
      case 0x20:
        return lost_;
      case 0x24:
        return static_cast<uint32_t>(queue_.size());
      case 0x28:
        return packets_;
      case 0x2c:
        return orphans_;
      case 0x30:
        return clashes_;
      case 0x34:
      case 0x38:
        return fixed ? 0 : kNobody;
      case 0x3c:
        return fixed ? timer_ : kNobody;
      case 0x40:
        return fixed ? overflow_ : kNobody;
    }
    if (offset >= 0x200 && offset < 0x280) return fixed ? page_[(offset - 0x200) / 4] : kNobody;
    if (offset >= 0x300 && offset < 0x380)
      return !fixed ? kNobody : (offset & 4 ? range_ : event_)[(offset - 0x300) / 8];
    if (offset >= 0x400 && offset < 0x500) {
      const unsigned i = (offset - 0x400) / 16, k = offset / 4 % 4;
      if (!fixed) return kNobody;
      return k < 3 ? role_[k][i] : value_[i] | uint32_t{active_[i]} << 31;
    }
    if (offset >= 0x600 && offset < 0x600 + 16 * entries_) {
      const std::optional<Slot>& s = table_[(offset - 0x600) / 16];
      if (!dynamic) return kNobody;
      if (!s) return 0;
      const uint32_t words[] = {s->source | s->destination << 8 | 1u << 31, s->address, s->count, s->used};
      return words[offset / 4 % 4];
    }
    return kNobody;
  }
  // MSR's bits 12 to 14 and 0, 1.
  uint32_t status() const {
    return uint32_t{design_} | uint32_t{full()} << 12 | uint32_t{lost_flag_} << 13 | uint32_t{done_} << 14;
  }

  void write(uint32_t offset, uint32_t value) {
    if (design_ == kNone) return;
    if (offset == 0x00) return control(value);
    if (offset == 0x04) {
      if (value >> 13 & 1) lost_flag_ = false;
      if (value >> 14 & 1) done_ = false;
    } else if (offset == 0x08) {
      node_ = value % 32;
    } else if (offset == 0x14) {
      rdp_ = value % 4096;
      move();
    } else if (design_ == kDynamic) {
      if (offset == 0x0c) maxr_ = value % (1u << 26);
      if (offset == 0x10) mask_ = value % 256;
    } else {
      write_static(offset, value);
    }
  }

  // Brings an entry's count there. By how much it has grown; 0: there is no such entry.
  uint32_t raise(unsigned entry, uint32_t count) {
    std::optional<Slot>& s = table_[entry];
    if (!s || s->count >= count) return 0;
    return count - std::exchange(s->count, count);
  }

  // The interrupt's condition.
  bool condition() const { return (full() && (mcr_ & 8)) || (done_ && (mcr_ & 16)); }
  uint32_t ring(unsigned word) const { return ring_[word]; }
  uint64_t accepted() const { return accepted_; }  // events that the mask let pass

 private:
  struct Slot {
    unsigned source, destination;
    uint32_t address, count;
    bool used;
  };
  struct Record {
    uint32_t word[2];
  };

  bool running() const { return mcr_ & 1; }

  void clear() {
    mcr_ = 0;
    tick_.reset();
    packets_ = orphans_ = clashes_ = lost_ = untold_ = overflow_ = 0;
    lost_flag_ = done_ = false;
    rdp_ = wrp_ = 4095;
    queue_.clear();
    waiting_.assign(64, {});
    table_.assign(entries_, {});
    value_.assign(16, 0);
    active_.assign(16, false);
  }
  void start_timer() {
    tick_.reset();
    if (running() && timer_) tick_ = now_ / 20 * 20 + 20ull * timer_;
  }
  void control(uint32_t value) {
    if (value & 2) clear();
    const bool ran = running();
    mcr_ = value & 0x19;
    if (ran != running()) start_timer();
    if (!(value & 4)) return;
    if (design_ == kStatic) {
      for (unsigned i = 0; i < 16; ++i) put(2u << 29 | 2u << 26 | i, value_[i]);
    } else {
      for (unsigned i = 0; i < entries_; ++i)
        if (table_[i]) swap(i, 2);
    }
    done_ = true;
  }
  void write_static(uint32_t offset, uint32_t value) {
    if (offset == 0x34) {
      for (unsigned i = 0; i < 16; ++i)
        if (value >> i & 1) value_[i] = 0;
    } else if (offset == 0x38) {
      if (running() && value % 16) happen(16 + value % 16);
    } else if (offset == 0x3c) {
      timer_ = value;
      start_timer();
    } else if (offset >= 0x200 && offset < 0x280) {
      page_[(offset - 0x200) / 4] = value & 0x81ffffff;
    } else if (offset >= 0x300 && offset < 0x380) {
      if (offset & 4)
        range_[(offset - 0x300) / 8] = value & 0x03ff03ff;
      else
        event_[(offset - 0x300) / 8] = value & 0x8000ff1f;
    } else if (offset >= 0x400 && offset < 0x500) {
      const unsigned i = (offset - 0x400) / 16, k = offset / 4 % 4;
      if (k < 3) {
        role_[k][i] = value & 0x8000001f;
      } else {
        value_[i] = value & 0xffff;
        active_[i] = value >> 31;
      }
    }
  }

  // --- dynamic
  void dynamic(unsigned source, unsigned destination, uint32_t address, uint32_t flags) {
    if ((mask_ & flags) != flags) return;
    ++accepted_;
    for (unsigned i = 0; i < entries_; ++i) {
      std::optional<Slot>& s = table_[i];
      if (!s || s->source != source || s->destination != destination) continue;
      const uint32_t distance = s->address > address ? s->address - address : address - s->address;
      if (distance > maxr_) continue;
      if (++s->count == 65536)
        swap(i, 1);
      else
        use(i);
      return;
    }
    unsigned at = 0;
    while (at < entries_ && table_[at]) ++at;
    if (at == entries_) {
      at = 0;
      while (table_[at]->used) ++at;
      swap(at, 0);
    }
    table_[at] = Slot{source, destination, address, 1, false};
    use(at);
  }
  void use(unsigned i) {
    table_[i]->used = true;
    for (const std::optional<Slot>& s : table_)
      if (!s || !s->used) return;
    for (std::optional<Slot>& s : table_) s->used = false;
    table_[i]->used = true;
  }
  void swap(unsigned i, unsigned why) {
    const Slot s = *table_[i];
    table_[i].reset();
    put(1u << 29 | uint32_t{why == 1} << 28 | why << 26 | s.address,
        (s.count & 0xffff) | s.source << 16 | s.destination << 21 | i << 26);
  }

  // --- static
  void fixed(unsigned home, uint32_t address, uint32_t flags) {
    for (unsigned p = 0; p < 32; ++p) {
      if (page_[p] != (1u << 31 | home << 20 | address >> 10)) continue;
      for (unsigned e = 0; e < 16; ++e) {
        const uint32_t filter = event_[e] >> 8 & 255, word = address % 1024;
        if (!(event_[e] >> 31) || event_[e] % 32 != p || (filter & flags) != flags) continue;
        if (word < range_[e] % 1024 || word > range_[e] >> 16) continue;
        happen(e);
        return;
      }
      return;  // the lowest entry of the page table is the one
    }
  }
  void happen(unsigned event) {
    std::vector<unsigned> over;
    for (unsigned i = 0; i < 16; ++i) {
      const auto is = [&](unsigned k) { return role_[k][i] == (1u << 31 | event); };
      if (active_[i] && is(2) && ++value_[i] == 65536) {
        value_[i] = 0;
        over.push_back(i);
      }
      if (is(0))
        active_[i] = true;
      else if (is(1))
        active_[i] = false;
    }
    for (const unsigned i : over) {
      overflow_ = 16 | i;
      put(2u << 29 | 1u << 28 | 1u << 26 | i, 0);
    }
  }

  // --- ring
  unsigned unread() const { return (wrp_ - rdp_) % 4096; }
  bool fits() const { return unread() + 2 <= 4095; }
  bool full() const { return (wrp_ + 1) % 4096 == rdp_ || !queue_.empty() || untold_; }
  void put(uint32_t word0, uint32_t word1) {
    if (untold_) return lose();
    queue_.push_back({{word0, word1}});
    move();
    if (queue_.size() <= limit_) return;
    queue_.pop_back();
    lose();
  }
  void lose() {
    ++lost_;
    ++untold_;
    lost_flag_ = true;
  }
  void move() {
    for (;;) {
      while (!queue_.empty() && fits()) {
        for (const uint32_t word : queue_.front().word) {
          wrp_ = (wrp_ + 1) % 4096;
          ring_[wrp_] = word;
        }
        queue_.pop_front();
      }
      if (!untold_ || (queue_.size() >= limit_ && !fits())) return;
      queue_.push_back({{3u << 29, untold_}});
      untold_ = 0;
    }
  }

  const unsigned entries_;
  const size_t limit_;
  Design design_ = kDynamic;
  uint32_t mcr_ = 0, node_ = 0, maxr_ = 0, mask_ = 0, timer_ = 0;
  uint32_t packets_ = 0, orphans_ = 0, clashes_ = 0, lost_ = 0, untold_ = 0, overflow_ = 0;
  bool lost_flag_ = false, done_ = false;
  unsigned rdp_ = 4095, wrp_ = 4095;
  std::vector<uint32_t> ring_;
  std::deque<Record> queue_;
  std::vector<std::optional<uint32_t>> waiting_;
  std::vector<std::optional<Slot>> table_;
  std::vector<uint32_t> page_, event_, range_, role_[3], value_;
  std::vector<bool> active_;
  std::optional<uint64_t> tick_;
  uint64_t now_ = 0, accepted_ = 0;
};

}  // namespace perfboard::fuzz
