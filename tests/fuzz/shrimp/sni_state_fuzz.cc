// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of an SNI: see state_bench.h.
#include "guest/shrimp/regs.h"
#include "tests/fuzz/state_bench.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

using fuzz::running::in;
constexpr uint32_t kPages = 8;
constexpr uint32_t kMemory = 64u << 10;

SniBench::Setup setup() {
  const auto nodes = static_cast<uint16_t>(1 + in.below(9));
  return {.node = static_cast<uint16_t>(in.below(nodes)),
          .nodes = nodes,
          .width = static_cast<uint16_t>(1 + in.below(4)),
          .fifo_words = in.flip() ? SNI_FIFO_MIN : SNI_FIFO_MIN + in.below(4000),
          .enable = false,
          .contention = in.flip()};
}

class OnShrimp : public boards::On<fuzz::StateBench, SniBench, [](SniBench& b) { return b.board(); },
                                   sni_state_ok, sni_load> {
 public:
  OnShrimp() : On(setup()) { bench.memory = BlankMemory(kMemory); }
  void reset() override { sni_power_on(&b()); }
  void set_up() override {
    sni_io_write(&b(), SNI_SBCR, 0xc0000000 | in.below(8) << SNI_SBCR_IRLEV_SHIFT | SNI_SBCR_ENABLE, 4);
    write(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | in.below(2) * SNI_SCR_TSE);
    write(SNI_SIER, in.u8());
    for (uint32_t i = 0; i < kPages; ++i) {
      const uint32_t to = coordinate(b().config, in.below(b().config.nodes));
      write(SNI_OPT(i), SNI_OPT0_AU | to << SNI_OPT0_DNODE_SHIFT | i);
      write(SNI_OPT(i) + 4, in.u8());
      write(SNI_IPT(i), SNI_IPT_VALID);
    }
  }
  std::span<const fuzz::Place> places() override {
    static constexpr fuzz::Place kPlaces[] = {
        {0, offsetof(SniState, fifo_head)},
        {offsetof(SniState, fifo_head), offsetof(SniState, out_table) - offsetof(SniState, fifo_head)},
        {offsetof(SniState, out_table), 8 * kPages},
        {offsetof(SniState, fifo), 8 * 100},
        {offsetof(SniState, fifo_time), 8 * 100},
        {offsetof(SniState, cycle), 2 * sizeof(SniCycle)},
        {offsetof(SniState, flight), offsetof(SniFlight, payload)},
        {offsetof(SniState, flight) + sizeof(SniFlight), offsetof(SniFlight, payload)},
    };
    return kPlaces;
  }
  void check_outside() override {
    const SniState& s = bench.state();
    const bool wanted = (s.sisr & s.sier) && (s.sbcr & SNI_SBCR_ENABLE) && (s.sbcr >> 8 & 7) >= 2;
    FUZZ_CHECK(bench.irq == bool(s.irq) && (bench.irq == wanted || bench.armed <= bench.now),
               "line %d, SISR %x SIER %x SBCR %x", bench.irq, s.sisr, s.sier, s.sbcr);
  }

  void operate() override {
    switch (in.below(12)) {
      default:
        stores();
        break;
      case 3:
        if (b().config.contention)
          instruction();
        else
          sni_bus_read(&b(), bench.now, in.u16());
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
        if (in.flip())
          rare();
        else
          proxies();
        break;
    }
  }

 private:
  SniBoard& b() { return *bench.board(); }
  void write(uint32_t offset, uint32_t value) { sni_reg_write(&b(), offset, value, 4); }

  void stores() {
    const uint32_t page = in.below(kPages), run = in.below(4) ? 1 : in.below(16) ? in.below(64) : 1024;
    const uint32_t bytes = in.below(4) ? 4 : 1u << in.below(5), gap = in.below(4) ? in.below(8) : in.u8();
    uint32_t at = (page << SNI_PAGE_SHIFT | (in.below(4) ? next_ & 0xfff : in.u16() & 0xfff)) & ~(bytes - 1);
    uint8_t data[16];
    for (uint8_t& byte : data) byte = in.u8();
    for (uint32_t i = 0; i < run && at >> SNI_PAGE_SHIFT == page; ++i, at += bytes, bench.now += gap)
      sni_bus_write(&b(), bench.now, at, in.below(64) ? data : nullptr, bytes);
    next_ = at;
  }
  // Of a processor that stands still behind it, and perhaps does not stand to the end.
  void instruction() {
    uint8_t data[16] = {in.u8()};
    const uint64_t ends = bench.now + in.below(2) * 16;
    if (in.below(4) == 0) sni_access_waits(&b(), ends, 16, in.flip());
    for (uint32_t left = in.below(5); left; --left)
      sni_cycle(&b(), bench.now, ends, in.below(kPages) << SNI_PAGE_SHIFT | (in.u16() & 0xff0),
                in.below(8) ? data : nullptr, in.below(4) ? 1u << in.below(5) : 0);
    bench.now = ends;
    while (const uint64_t until = in.below(16) ? sni_bus_waits_until(&b()) : 0) {
      bench.now = std::max(bench.now, until);
      sni_bus_waited(&b(), bench.now);
    }
  }
  void map() {
    const uint32_t page = in.below(kPages),
                   to = in.flip() ? in.below(16) | in.below(3) << 6 : in.u16() & 0xfff;
    write(SNI_OPT(page),
          (in.below(4) ? SNI_OPT0_AU : SNI_OPT0_DU) | to << SNI_OPT0_DNODE_SHIFT | in.below(kPages * 2));
    write(SNI_OPT(page) + 4, in.u8() & 0x3f);  // the upper bit is a context
  }
  // Halves of pairs, most of them legal.
  void proxies() {
    const uint32_t at = in.below(kPages) << SNI_PAGE_SHIFT | (in.u16() & 0xffc),
                   size = in.below(8) ? 4 : 1u << in.below(3);
    sni_proxy_write(&b(), in.below(16) ? at : in.u32(), in.below(8) ? 4 + 4 * in.below(16) : in.u32(), size);
    const uint32_t status = sni_proxy_read(&b(), in.below(16) ? at & ~0xfffu : in.u32(), size);
    FUZZ_CHECK(!(status & SNI_PROXY_INITIATED) || bench.state().du_busy, "status %x of an idle engine",
               status);
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
        bench.set_clock(in.u64());
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
    bench.pass_until(bench.now + ns, timer, 20'000);
    timer();
  }
  void pop() {
    static SniDelivery d;
    while (sni_pop_delivery(&b(), bench.now, &d)) {
      const ShrimpPacket& p = d.packet;
      FUZZ_CHECK(p.words >= 1 && p.words <= SHRIMP_MAX_WORDS && d.skip + d.bytes <= 4u * p.words,
                 "%u words, %u, %u", p.words, d.skip, d.bytes);
      FUZZ_CHECK(p.address + 4u * p.words <= uint32_t{SNI_PAGES} << SNI_PAGE_SHIFT, "%u words at %x", p.words,
                 p.address);
      sni_delivered(&b(), &d, in.below(16) != 0);
    }
  }
  uint32_t next_ = 0;
};

}  // namespace
}  // namespace perfboard::sni

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<sni::OnShrimp>();
}
