// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card around a SMiLE monitor on a bench: flash, RAM cache, interrupt line, virtual time. Numbers here
// are the manual page's, not those of bridge.h and ccm.h.
//
//   Card c;                            powered on: the dynamic design out of the flash
//   c.slot(0, design_image(1));        the driver's image into the RAM cache
//   c.ccm(kCommand, 1); c.run(ns);     loaded
//   Card t(Daughter{SMILE_STATIC});    the card with a daughter board, which holds that design
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "firmware/smile/hot.h"
#include "hw/smile/smile.h"
#include "tests/unit/boards/on.h"
#include "tests/unit/model/rig.h"

namespace perfboard::smile {

inline constexpr uint32_t kLas0rr = 0x00, kLas0ba = 0x04, kMbox0 = 0x40, kToLocal = 0x60, kToPci = 0x64,
                          kIntcsr = 0x68, kControl = 0x6c, kPciId = 0x70;
inline constexpr uint32_t kInterrupt = 0x00, kCommand = 0x04, kStatus = 0x08, kDesign = 0x0c, kClear = 0x14;
inline constexpr uint32_t kTargetMcr = 0x100000, kTargetMsr = 0x100004, kTargetNode = 0x100008;
inline constexpr uint32_t kMcrRun = 1, kMcrSwap = 4, kMcrIed = 16, kMsrDone = 1u << 14;
inline constexpr uint64_t kStreamBits = 1433860;  // hw/fpga/xc4000.h's, by the data book
inline constexpr uint64_t kLoadClocks = kStreamBits - 7 + 4;

inline std::vector<uint8_t> design_image(unsigned design, bool daughter = false) {
  static std::map<std::pair<unsigned, bool>, std::vector<uint8_t>> made;  // it takes its time
  std::vector<uint8_t>& bytes = made[{design, daughter}];
  if (bytes.empty()) {
    Image image;
    image.design = static_cast<uint8_t>(design);
    image.revision = 9;
    if (daughter) image.go_to_daughter();
    bytes = hot::assemble(image);
  }
  return bytes;
}
inline std::vector<uint8_t> daughter_image(unsigned design) { return design_image(design, true); }
inline void flip(std::vector<uint8_t>& bytes, size_t bit) {
  bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ 0x80 >> bit % 8);
}

struct Daughter {
  unsigned design;
  uint32_t rate = 0;
};

class Card : public Rig {
 public:
  explicit Card(Daughter d) : Card(SMILE_TARGET, 10'000'000, &d) {}
  explicit Card(unsigned initial = SMILE_DYNAMIC, uint32_t cclk = 10'000'000, const Daughter* d = nullptr)
      : flash(SMILE_FLASH_BYTES, 0xff), cache(SMILE_CACHE_BYTES, 0) {
    put(flash, 0, design_image(initial));
    config = {
        .entries = 16,
        .flash = flash.data(),
        .cache = cache.data(),
        .cclk = cclk,
        .ring = ring,
    };
    if (d) {
      config.two = true;
      config.xchecker_rate = d->rate;
      config.daughter_memory = memory.data();
      for (const unsigned design : {SMILE_STATIC, SMILE_DYNAMIC}) {
        streams[design] = daughter_image(design);
        config.streams[design] = streams[design].data();
        config.streams_bytes[design] = static_cast<uint32_t>(streams[design].size());
      }
      config.stream = config.streams[d->design];
      config.stream_bytes = config.streams_bytes[d->design];
    }
    now = 1'000'000'000;
    char why[200] = "";
    EXPECT_TRUE(smile_config_ok(&config, why, sizeof why)) << why;
    smile_init(&*hwm, &config, &host());
  }
  Card(const Card&) = delete;

  static void put(std::vector<uint8_t>& to, size_t at, const std::vector<uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<ptrdiff_t>(at));
  }
  void slot(unsigned n, const std::vector<uint8_t>& bytes) { put(cache, n * 0x40000, bytes); }

  uint32_t get(uint32_t offset, uint32_t size = 4) { return smile_read(&*hwm, offset, size); }
  void set(uint32_t offset, uint32_t value, uint32_t size = 4) { smile_write(&*hwm, offset, size, value); }
  uint32_t ccm(uint32_t offset) { return get(0x800000 + offset); }
  void ccm(uint32_t offset, uint32_t value) { set(0x800000 + offset, value); }
  bool away() const { return smile_away(&*hwm); }
  void run(uint64_t ns) {
    pass_until(now + ns, [this] { smile_timer(&*hwm); });
  }
  // A demanded SWAP_OUT: the condition, and with it the latch.
  void demand() { set(kTargetMcr, kMcrIed | kMcrSwap); }
  std::string refusal(const SmileState& state) {
    char why[PB_WHY_BYTES] = "";
    return smile_state_ok(&*hwm, &state, why, sizeof why) ? "legal" : why;
  }
  // Each damage of what it is now.
  void expect_refused(std::span<const boards::DamageOf<SmileState>> damages) {
    for (const auto& d : damages) {
      SmileState state = hwm->state;
      d.make(state);
      EXPECT_TRUE(refusal(state).starts_with(d.line)) << d.line << " is said to be: " << refusal(state);
    }
  }

  std::vector<uint8_t> flash, cache, memory = std::vector<uint8_t>(SMILE_DAUGHTER_BYTES), streams[3];
  uint8_t ring[4 * 4096] = {};
  std::unique_ptr<SmileHwm> hwm = std::make_unique<SmileHwm>();
  SmileConfig config;
};

}  // namespace perfboard::smile
