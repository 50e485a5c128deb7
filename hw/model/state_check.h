// SPDX-License-Identifier: GPL-2.0-or-later
//
// StateCheck - whether a snapshot's state is one that the board can be in; if not, why not.
//
//   #define STATE_LIST "hw/x/state.def"      // what is legal of each member by itself (namespace legal)
//   #include "hw/model/state_legal.h"
//
//   bool x_state_ok(const XBoard* b, const XState* image, char* why, uint32_t why_size) {
//     StateCheck check(why, why_size, now);
//     members_ok(check, *image);
//     check.in("count", image->count, 0, image->enabled ? kSlots : 0);  // a rule between members
//     return check.ok();
//   }
//
// `why` gets one line for the first member that is wrong: "head=7: legal are 0 to 3", "slot[5].size=9: ...".
// An index below 0 is none.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace perfboard {

// How far beyond the present a time in a snapshot may lie. What boards plan ahead takes under a millisecond;
// and when an access is given up, time goes back to the start of its instruction.
inline constexpr uint64_t kSoonNs = 1'000'000'000;

// What a state.def says of a member.
namespace legal {
struct Legal {
  enum class Kind : uint8_t { kAny, kRange, kBits, kSoon } kind;
  uint64_t low = 0, high = 0;  // kBits: high is the mask
};
inline constexpr Legal any{Legal::Kind::kAny};
inline constexpr Legal rule = any;                // by itself; x_state_ok() has a rule between members
inline constexpr Legal soon{Legal::Kind::kSoon};  // a time in virtual ns: at most kSoonNs ahead
constexpr Legal in(uint64_t low, uint64_t high) { return {Legal::Kind::kRange, low, high}; }
constexpr Legal up_to(uint64_t high) { return in(0, high); }
constexpr Legal only(uint64_t bits) { return {Legal::Kind::kBits, 0, bits}; }
inline constexpr Legal flag = up_to(1), zero = up_to(0);
inline constexpr bool all = true, in_use = false;  // of PARTS; x_state_ok() knows which are in use
}  // namespace legal

class StateCheck {
 public:
  // now: virtual ns
  StateCheck(char* why, uint32_t size, uint64_t now = 0) : why_(why), size_(size), latest_(now + kSoonNs) {}
  StateCheck(const StateCheck&) = delete;

  bool ok() const { return ok_; }
  uint64_t latest() const { return latest_; }  // ns: the last time that is legal

  // As long as it lives the members are those of this part of the state, or of the part around.
  class Part {
   public:
    Part(StateCheck& check, const char* name, int index = -1) : check_(check) {
      check.place_.push_back({name, index});
    }
    ~Part() { check_.place_.pop_back(); }
    Part(const Part&) = delete;

   private:
    StateCheck& check_;
  };
  void in(const char* member, uint64_t value, uint64_t low, uint64_t high, int index = -1) {
    if (value < low || value > high)
      fail(member, index, "=%llu: legal are %llu to %llu", ull(value), ull(low), ull(high));
  }
  void flag(const char* member, uint64_t value, int index = -1) { in(member, value, 0, 1, index); }
  // At most kSoonNs ahead.
  void time(const char* member, uint64_t value, int index = -1) { in(member, value, 0, latest_, index); }
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
  void member(const char* name, uint64_t value, const legal::Legal& l, int index = -1) {
    using enum legal::Legal::Kind;
    if (l.kind == kRange) in(name, value, l.low, l.high, index);
    if (l.kind == kBits) bits(name, value, l.high, index);
    if (l.kind == kSoon) time(name, value, index);
  }
  template <typename T, size_t n>
  void member(const char* name, const T (&array)[n], const legal::Legal& l) {
    for (size_t i = 0; l.kind != legal::any.kind && i < n; ++i)
      member(name, array[i], l, static_cast<int>(i));
  }
  // Its index is the first one.
  template <typename T, size_t n, size_t m>
  void member(const char* name, const T (&array)[n][m], const legal::Legal& l) {
    for (size_t i = 0; l.kind != legal::any.kind && i < n; ++i)
      for (const T value : array[i]) member(name, value, l, static_cast<int>(i));
  }

 private:
  static unsigned long long ull(uint64_t v) { return v; }

  __attribute__((format(printf, 4, 5))) void fail(const char* member, int index, const char* format, ...) {
    if (!ok_) return;
    ok_ = false;
    char rest[120];
    va_list args;
    va_start(args, format);
    std::vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    std::snprintf(why_, size_, "%s%s%s", place().c_str(), indexed(member, index).c_str(), rest);
  }
  static std::string indexed(const char* name, int index) {
    return index < 0 ? name : name + ("[" + std::to_string(index) + "]");
  }
  std::string place() const {
    std::string all;
    for (const auto& [name, index] : place_) all += indexed(name, index) + ".";
    return all;
  }

  char* why_;
  uint32_t size_;
  const uint64_t latest_;
  bool ok_ = true;
  struct Place {
    const char* name;
    int index;
  };
  std::vector<Place> place_;  // the parts around, the outermost first
};

// Whether a configuration's value lies in its range; if not, why not.
inline bool in_range(const char* name, uint64_t value, uint64_t low, uint64_t high, char* why,
                     uint32_t why_size) {
  if (value >= low && value <= high) return true;
  std::snprintf(why, why_size, "%s=%llu: legal range is %llu to %llu", name,
                static_cast<unsigned long long>(value), static_cast<unsigned long long>(low),
                static_cast<unsigned long long>(high));
  return false;
}

}  // namespace perfboard
