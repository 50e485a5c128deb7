// SPDX-License-Identifier: GPL-2.0-or-later
//
// StateCheck - whether a snapshot's state is one that the board can be in; if not, why not.
//
//   bool x_state_ok(const XBoard* b, const XState* image, char* why, uint32_t why_size) {
//     const auto& [csr, head, latch] = *image;   // names every member: a new one does not compile
//     StateCheck check(why, why_size);
//     check.bits("csr", csr, kCsrBits);
//     check.in("head", head, 0, kSlots - 1);
//     check.any(latch);                          // any value is legal
//     return check.ok();
//   }
//
// `why` gets one line for the first member that is wrong: "head=7: legal are 0 to 3", "slot[5].size=9: ...".
// An index below 0 is none.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace perfboard {

// How far beyond the present a time in a snapshot may lie. What boards plan ahead takes under a millisecond;
// and when an access is given up, time goes back to the start of its instruction.
inline constexpr uint64_t kSoonNs = 1'000'000'000;

class StateCheck {
 public:
  StateCheck(char* why, uint32_t size) : why_(why), size_(size) {}
  StateCheck(const StateCheck&) = delete;

  bool ok() const { return ok_; }

  // The members that follow are those of this part of the state; nullptr: of the state itself.
  void part(const char* name, int index = -1) {
    part_ = name;
    part_index_ = index;
  }
  void in(const char* member, uint64_t value, uint64_t low, uint64_t high, int index = -1) {
    if (value < low || value > high)
      fail(member, index, "=%llu: legal are %llu to %llu", ull(value), ull(low), ull(high));
  }
  void flag(const char* member, uint64_t value, int index = -1) { in(member, value, 0, 1, index); }
  // No bit outside of the mask.
  void bits(const char* member, uint64_t value, uint64_t mask, int index = -1) {
    if (value & ~mask) fail(member, index, "=0x%llx: legal are bits 0x%llx", ull(value), ull(mask));
  }
  void is(const char* member, uint64_t value, uint64_t wanted, int index = -1) {
    if (value != wanted) fail(member, index, "=%llu: legal is %llu", ull(value), ull(wanted));
  }
  // A relation between members, in words.
  void that(bool holds, const char* member, uint64_t value, const char* rule, int index = -1) {
    if (!holds) fail(member, index, "=%llu: %s", ull(value), rule);
  }
  // States that every value of these members is legal, or that loading makes them anew.
  template <typename... Members>
  void any(const Members&...) {}

 private:
  static unsigned long long ull(uint64_t v) { return v; }

  __attribute__((format(printf, 4, 5))) void fail(const char* member, int index, const char* format, ...) {
    if (!ok_) return;
    ok_ = false;
    char rest[120], place[2][60];
    va_list args;
    va_start(args, format);
    std::vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    print_name(place[0], part_ ? part_ : "", part_index_);
    print_name(place[1], member, index);
    std::snprintf(why_, size_, "%s%s%s%s", place[0], part_ ? "." : "", place[1], rest);
  }
  static void print_name(char (&text)[60], const char* name, int index) {
    if (index < 0)
      std::snprintf(text, sizeof text, "%s", name);
    else
      std::snprintf(text, sizeof text, "%s[%d]", name, index);
  }

  char* why_;
  uint32_t size_;
  bool ok_ = true;
  const char* part_ = nullptr;
  int part_index_ = -1;
};

}  // namespace perfboard
