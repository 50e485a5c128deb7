// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of an SNI: see state_bench.h.
#include <algorithm>
#include <vector>

#include "guest/shrimp/regs.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/sni.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/state_bench.h"
#include "tests/unit/shrimp/set_clock.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kPages = 8;
constexpr uint32_t kMemory = 64u << 10;

class Rig : public Machine {
 public:
  using State = SniState;
  static constexpr Place kPlaces[] = {
      {0, offsetof(SniState, fifo_head)},
      {offsetof(SniState, fifo_head), offsetof(SniState, out_table) - offsetof(SniState, fifo_head)},
      {offsetof(SniState, out_table), 8 * kPages},
      {offsetof(SniState, fifo), 8 * 100},
      {offsetof(SniState, fifo_time), 8 * 100},
      {offsetof(SniState, flight), offsetof(SniFlight, payload)},
      {offsetof(SniState, flight) + sizeof(SniFlight), offsetof(SniFlight, payload)},
  };

  explicit Rig(Input& source) : in(source) {
    const uint32_t nodes = 1 + in.below(9);
    const SniConfig config = {
        .node = in.below(nodes),
        .nodes = nodes,
        .mesh_width = 1 + in.below(4),
        .fifo_words = in.flip() ? SNI_FIFO_MIN : SNI_FIFO_MIN + in.below(4000),
        .product_id = SNI_PRODUCT_ID,
        .opaque = this,
        .remap = [](void*) {},
        .observe = [](void*, uint32_t, uint32_t) {},
        .global_reset = [](void*) {},
    };
    host().dma_read = [](void*, uint64_t at, void* data, uint32_t n) {
      if (at > kMemory || n > kMemory - at) return false;
      std::memset(data, int(n), n);
      return true;
    };
    sni_init(&b(), &config, &host());
    sni_power_on(&b());
    set_up();
  }

  SniState& state() { return b().state; }
  bool ok(const SniState& s, char* why) { return sni_state_ok(&b(), &s, why, PB_WHY_BYTES); }
  bool load(const SniState& s, char* why) { return sni_load(&b(), &s, why, PB_WHY_BYTES); }
  void check_line() {
    const SniState& s = state();
    const bool wanted = (s.sisr & s.sier) && (s.sbcr & SNI_SBCR_ENABLE) && (s.sbcr >> 8 & 7) >= 2;
    FUZZ_CHECK(irq_ == bool(s.irq) && (irq_ == wanted || armed_ <= now_), "line %d, SISR %x SIER %x SBCR %x",
               irq_, s.sisr, s.sier, s.sbcr);
  }
  void check_reset() {
    const SniState& s = state();
    FUZZ_CHECK(s.sbcr == 0 && s.scr == SNI_SCR_TSE && s.sisr == 0 && s.sier == 0 && s.fifo_count == 0 &&
                   !s.open && !s.sending && !s.du_busy && s.arrived == s.popped && s.mapped_pages == 0 &&
                   !s.snooping,
               "refused, and not reset: SBCR %x, %u words in the FIFO", s.sbcr, s.fifo_count);
    FUZZ_CHECK(!irq_ && armed_ == PB_NEVER && sni_clock(&b(), now_) == 0, "refused: line %d, armed %llu",
               irq_, static_cast<unsigned long long>(armed_));
    set_up();
  }

  void operate() {
    switch (in.below(12)) {
      default:
        stores();
        break;
      case 3:
        sni_bus_read(&b(), now_, in.u16());
        break;
      case 4:
      case 5:
        pass(in.u16());
        break;
      case 6:
        pass(in.below(4) ? in.u8() : in.u32());
        break;
      case 7:
        map();
        break;
      case 8:
        deliberate();
        break;
      case 9:
        any_access();
        break;
      case 10:
        sni_timer(&b());
        pop();
        break;
      case 11:
        rare();
        break;
    }
  }

 private:
  static Rig& self(void* o) { return *static_cast<Rig*>(o); }
  // One for ever: it is 2 MB.
  SniBoard& b() {
    static const auto board = std::make_unique<SniBoard>();
    return *board;
  }
  void write(uint32_t offset, uint32_t value) { sni_reg_write(&b(), offset, value, 4); }

  void set_up() {
    sni_io_write(&b(), SNI_SBCR, 0xc0000000 | in.below(8) << SNI_SBCR_IRLEV_SHIFT | SNI_SBCR_ENABLE, 4);
    write(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | in.below(2) * SNI_SCR_TSE);
    write(SNI_SIER, in.u8());
    for (uint32_t i = 0; i < kPages; ++i) {
      const uint32_t to = sni::coordinate(b().config, in.below(b().config.nodes));
      write(SNI_OPT(i), SNI_OPT0_AU | to << SNI_OPT0_DNODE_SHIFT | i);
      write(SNI_OPT(i) + 4, in.u8());
      write(SNI_IPT(i), SNI_IPT_VALID);
    }
  }
  void stores() {
    const uint32_t page = in.below(kPages), run = in.below(4) ? 1 : in.below(16) ? in.below(64) : 1024;
    const uint32_t bytes = in.below(4) ? 4 : 1u << in.below(5), gap = in.below(4) ? in.below(8) : in.u8();
    uint32_t at = (page << SNI_PAGE_SHIFT | (in.below(4) ? next_ & 0xfff : in.u16() & 0xfff)) & ~(bytes - 1);
    uint8_t data[16];
    for (uint8_t& byte : data) byte = in.u8();
    for (uint32_t i = 0; i < run && at >> SNI_PAGE_SHIFT == page; ++i, at += bytes, now_ += gap)
      sni_bus_write(&b(), now_, at, in.below(64) ? data : nullptr, bytes);
    next_ = at;
  }
  void map() {
    const uint32_t page = in.below(kPages),
                   to = in.flip() ? in.below(16) | in.below(3) << 6 : in.u16() & 0xfff;
    write(SNI_OPT(page), (in.below(4) ? SNI_OPT0_AU : 0) | to << SNI_OPT0_DNODE_SHIFT | in.below(kPages * 2));
    write(SNI_OPT(page) + 4, in.u8() & 0x1f);
  }
  void deliberate() {
    write(SNI_DUSA, in.u16() & ~3u);
    write(SNI_DUDA, in.u32());
    write(SNI_DUDN, in.below(16) | in.below(2) << 6);
    write(SNI_DUWC, in.below(4) ? 1 + in.below(16) : in.below(2048));
  }
  void any_access() {
    const uint32_t offset = in.below(4) ? in.below(0x260) : in.u32() % SNI_WINDOW, size = 1u << in.below(3);
    if (in.flip())
      sni_reg_read(&b(), offset, size);
    else
      sni_reg_write(&b(), offset, in.value(), size);
  }
  void rare() {
    switch (in.below(8)) {
      case 0:
        sni_bus_reset(&b());
        break;
      case 1:
        sni_io_write(&b(), SNI_SBCR, in.value(), 4);
        break;
      case 2:
        sni::set_clock(&b(), in.u64());
        break;
      case 3:
        write(SNI_SCR, in.u8());
        break;
      case 4:
        sni_bus_counted(&b(), in.u16(), in.u16());
        break;
      default:
        set_up();
    }
  }

  void pass(uint64_t ns) {
    const auto timer = [this] {
      sni_timer(&b());
      pop();
    };
    Machine::pass(ns, 20'000, timer);
    timer();
  }
  void pop() {
    static SniDelivery d;
    while (sni_pop_delivery(&b(), now_, &d)) {
      const ShrimpPacket& p = d.packet;
      FUZZ_CHECK(p.words >= 1 && p.words <= SHRIMP_MAX_WORDS && d.skip + d.bytes <= 4u * p.words,
                 "%u words, %u, %u", p.words, d.skip, d.bytes);
      FUZZ_CHECK(p.address + 4u * p.words <= uint32_t{SNI_PAGES} << SNI_PAGE_SHIFT, "%u words at %x", p.words,
                 p.address);
      sni_delivered(&b(), &d, in.below(16) != 0);
    }
  }

  Input& in;
  uint32_t next_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
