// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard model alone: registers, slot I/O, packets, the wire, the timer early and late, jumps
// of time, resets, snapshots, in any order.
//
// After each step: the interrupt line is what ISCR and IEMR say, PEND says the same; the FIFO's
// conditions follow from what went in and out; nothing is stored outside the memories; the wire is what
// the equation says; the timer that the board asks for never lies in the past for ever.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "guest/surfboard/regs.h"
#include "hw/model/bytes.h"
#include "hw/surfboard/surfboard.h"
#include "hw/surfboard/view.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/surfboard/surfboard_packet.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kMiB = 1u << 20;
constexpr uint32_t kSizes[4] = {0, 4 * kMiB, 16 * kMiB, 64 * kMiB};
constexpr int kIrqs[8] = {-1, -1, 5, 9, 10, 12, 14, 15};

// Memories are cleared where they were written, not in whole: 128 MB for each input would be slow.
struct Memory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(64 * kMiB);
  std::vector<std::pair<uint32_t, uint32_t>> written;
  void clear() {
    for (const auto& [offset, n] : written) std::memset(&bytes[offset], 0, n);
    written.clear();
  }
};
Memory g_memory[2];

class Bench : public Rig {
 public:
  explicit Bench(Input& source) : in(source), board_(std::make_unique<SurfBoard>()) {
    for (Memory& m : g_memory) m.clear();
    sizes_[0] = kSizes[in.below(4)];
    sizes_[1] = kSizes[in.below(4)];
    wired_back_ = in.below(4) != 0;
    start(board_.get());
  }

  void step() {
    const uint32_t op = in.below(16);
    switch (op) {
      case 0:
      case 1:
      case 2:
        write_register();
        break;
      case 3:
      case 4:
        read_register();
        break;
      case 5:
      case 6:
      case 7:
        packet();
        break;
      case 8:
        pass(in.u16());
        break;
      case 9:
        pass(in.flip() ? in.u32() : in.u64() >> in.below(64));
        break;
      case 10:
        slot_io();
        break;
      case 11:
        others_low_ = in.flip();
        tell_level();
        break;
      case 12:
        memory_by_guest();
        break;
      case 13:
        rare();
        break;
      case 14:
        surf_timer(&b());  // a timer that nobody asked for, or a late one
        break;
      default:
        quick_set_up();
    }
    check();
  }

 private:
  SurfBoard& b() { return *board_; }
  SurfState& s() { return board_->state; }
  static Bench& self(void* o) { return *static_cast<Bench*>(o); }

  void start(SurfBoard* board) {
    const SurfConfig config = configuration();
    surf_init(board, &config, &host());
  }
  SurfConfig configuration() {
    return {
        .trace_bytes = sizes_[0],
        .hist_bytes = sizes_[1],
        .trace = sizes_[0] ? g_memory[0].bytes.data() : nullptr,
        .hist = sizes_[1] ? g_memory[1].bytes.data() : nullptr,
        .product_id = SURF_PRODUCT_ID,
        .opaque = this,
        .wrote = [](void* o, surf_memory which, uint32_t at, uint32_t n) { self(o).wrote(which, at, n); },
        .watch_memory = [](void* o, bool on) { self(o).watched_ = on; },
        .remap = [](void*) {},
        .ext_drive = [](void* o, bool low) { self(o).drive(low); },
    };
  }

  void wrote(surf_memory which, uint32_t offset, uint32_t bytes) {
    const uint32_t size = sizes_[which == SURF_MEM_HIST];
    FUZZ_CHECK(offset < size && bytes <= size - offset, "%u bytes at %u of %u", bytes, offset, size);
    FUZZ_CHECK(watched_, "a packet reaches a memory whose accesses are not announced");
    g_memory[which == SURF_MEM_HIST].written.emplace_back(offset, bytes);
  }
  void drive(bool low) {
    driven_low_ = low;
    if (wired_back_) tell_level();
  }
  void tell_level() { surf_ext_input(&b(), !(others_low_ || (wired_back_ && driven_low_))); }

  uint32_t read(uint32_t offset) { return surf_reg_read(&b(), offset, 4); }
  void write(uint32_t offset, uint32_t value) { surf_reg_write(&b(), offset, value, 4); }

  void write_register() {
    static constexpr uint32_t sizes[3] = {1, 2, 4};
    const uint32_t offset = in.below(4) ? in.below(16) * 4 : in.below(0x10000);
    surf_reg_write(&b(), offset, in.value(), in.below(3) ? 4 : sizes[in.below(3)]);
  }
  void read_register() {
    const uint32_t offset = in.below(4) ? in.below(16) * 4 : in.below(0x10000);
    const uint32_t size = 1u << in.below(3);
    const uint32_t value = surf_reg_read(&b(), offset, size);
    FUZZ_CHECK(size == 4 || value >> (8 * size) == 0, "%u bytes read %x", size, value);
    FUZZ_CHECK(surf_enabled(&b()) || value == 0xffffffffu >> (32 - 8 * size), "disabled: %x", value);
  }
  void slot_io() {
    const uint32_t offset = in.below(4) ? SURF_EBCR + in.below(4) : in.below(0x1000);
    const uint32_t size = 1u << in.below(3);
    if (in.flip())
      surf_io_write(&b(), offset, in.value() | in.below(2), size);
    else
      surf_io_read(&b(), offset, size);
    FUZZ_CHECK(surf_io_read(&b(), SURF_EPIR, 4) == SURF_PRODUCT_ID, "EPIR changed");
    FUZZ_CHECK((surf_io_read(&b(), SURF_EBCR, 4) & 0xfe) == 0, "unused bits of EBCR");
  }
  void packet() {
    const ShrimpPacket p = random_packet(in, now, last_start_);
    if (in.flip()) pass_until(std::max(now, p.end_ns));
    surf_packet(&b(), &p);
  }
  void pass(uint64_t ns) { pass_until(ns > INT64_MAX / 2 - now ? now : now + ns); }
  void pass_until(uint64_t t) {
    for (int turns = 0; armed <= t; ++turns) {
      FUZZ_CHECK(turns < 1000, "the timer asks for %llu again and again",
                 static_cast<unsigned long long>(armed));
      now = std::max(now, armed);
      armed = PB_NEVER;
      surf_timer(&b());
    }
    now = t;
  }
  void memory_by_guest() {
    const bool hist = in.flip();
    if (sizes_[hist] == 0) return;
    if (watched_)
      surf_memory_access(&b());
    else
      FUZZ_CHECK(surf_leds(&b()) >> 5 & 1, "an access that is not announced, and LED 6 is dark");
    const uint32_t at = (in.flip() ? sizes_[hist] - 4 : in.u32() * 4) & (sizes_[hist] - 4);
    store_le32(&g_memory[hist].bytes[at], 0xfffffffe + in.below(2));
    g_memory[hist].written.emplace_back(at, 4);
  }
  void rare() {
    switch (in.below(8)) {
      case 0:
        surf_bus_reset(&b());
        FUZZ_CHECK(!surf_enabled(&b()), "enabled after a reset");
        break;
      case 1:
        surf_power_on(&b());
        break;
      case 2:
        surf_global_reset(&b());
        FUZZ_CHECK(surf_receive_time(&b()) == 0, "the clock runs on");
        break;
      case 3: {
        const uint64_t t = in.u64() >> in.below(64);
        surf_set_receive_time(&b(), t);
        FUZZ_CHECK(surf_receive_time(&b()) == (t & ((uint64_t{1} << 44) - 1)), "the clock was not set");
        break;
      }
      case 4:
        inject();
        break;
      default:
        snapshot();
    }
  }
  void inject() {
    const auto what = in.below(surf::injection("inject-gone"));  // the first that is not its own
    const uint32_t value = what >= surf::injection("inject-selector") ? in.below(3)
                           : in.flip()                                ? in.below(8)
                                                                      : in.u32();
    surf_inject(&b(), what, value);
    FUZZ_CHECK(what == surf::injection("inject-clock-wrap") || surf_injected(&b(), what) == value,
               "injection %d is %u, not %u", what, surf_injected(&b(), what), value);
    for (const surf_memory m : {SURF_MEM_TRACE, SURF_MEM_HIST})
      FUZZ_CHECK(surf_memory_bytes(&b(), m) <= sizes_[m == SURF_MEM_HIST], "a SIMM has grown");
  }
  // The state goes into a board of its own; that one continues, and nobody must see a difference.
  void snapshot() {
    surf_receive_time(&b());  // what was due has happened
    const bool was = irq;
    const uint32_t leds = surf_leds(&b());
    auto fresh = std::make_unique<SurfBoard>();
    start(fresh.get());
    const SurfLines lines = fresh->state.lines;
    fresh->state = s();
    fresh->state.lines = lines;
    board_ = std::move(fresh);
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(surf_state_ok(&b(), &s(), why, sizeof why), "%s", why);
    surf_post_load(&b());
    FUZZ_CHECK(irq == was, "the line was %d and is %d", was, irq);
    if (oscillates(s().ttcr)) tell_level();  // where it was in its swing is not kept
    FUZZ_CHECK(oscillates(s().ttcr) || surf_leds(&b()) == leds, "LEDs were %x and are %x", leds,
               surf_leds(&b()));
  }
  // Enabled, everything on: the state that most decisions would take long to reach.
  void quick_set_up() {
    surf_io_write(&b(), SURF_EBCR, SURF_EBCR_ENABLE | in.below(8) << SURF_EBCR_IRLEV_SHIFT, 4);
    for (uint32_t i = 0; i < SURF_ACDR_BITS; ++i) write(SURF_ACDR, (12u << SURF_ACDR_LAT_N_SHIFT) >> i & 1);
    write(SURF_IEMR, in.u16());
    write(SURF_HTCR, in.u8() & 7);
  }

  void check() {
    const bool enabled = surf_enabled(&b());
    const int irq_number = surf_irq_number(&b());
    FUZZ_CHECK(irq_number == kIrqs[s().ebcr >> 8 & 7], "IRQ %d of EBCR %x", irq_number, s().ebcr);
    FUZZ_CHECK(s().fifo.count <= SURF_FIFO_SLOTS && s().fifo.head < SURF_FIFO_SLOTS, "FIFO %u at %u",
               s().fifo.count, s().fifo.head);
    FUZZ_CHECK(s().pipe_count <= SURF_PIPE_PACKETS, "%u packets in the pipeline", s().pipe_count);
    FUZZ_CHECK(s().acdr >> SURF_ACDR_BITS == 0, "shift register %x", s().acdr);
    if (!enabled) {
      FUZZ_CHECK(s().iemr == 0, "disabled, IEMR %x", s().iemr);
      FUZZ_CHECK(!irq, "disabled, but it interrupts");
      FUZZ_CHECK(!driven_low_, "disabled, but it drives the wire");
      FUZZ_CHECK(s().pipe_count == 0, "disabled, but a packet is in the pipeline");
      return;
    }
    const uint32_t iscr = read(SURF_ISCR);
    const uint32_t iemr = read(SURF_IEMR);
    FUZZ_CHECK((iscr & ~(SURF_ISCR_CONDITIONS | SURF_ISCR_PEND)) == 0, "ISCR %x", iscr);
    const bool wanted = (iscr & iemr & SURF_ISCR_CONDITIONS) && irq_number >= 0;
    FUZZ_CHECK(irq == wanted, "ISCR %x IEMR %x line %d", iscr, iemr, irq);
    FUZZ_CHECK(((iscr & SURF_ISCR_PEND) != 0) == irq, "PEND of ISCR %x, line %d", iscr, irq);
    const uint32_t count = s().fifo.count, room = SURF_FIFO_SLOTS - count;
    FUZZ_CHECK(((iscr & SURF_ISCR_FNE) != 0) == (count != 0), "FNE with %u", count);
    FUZZ_CHECK(((iscr & SURF_ISCR_FF) != 0) == (room == 0), "FF with %u", count);
    FUZZ_CHECK(((iscr & SURF_ISCR_FPF) != 0) == (count >= s().fifo.empty_offset), "FPF with %u", count);
    FUZZ_CHECK(((iscr & SURF_ISCR_FAF) != 0) == (room < s().fifo.full_offset), "FAF with %u", count);
    if (read(SURF_HTCR) & SURF_HTCR_FRS) FUZZ_CHECK(count == 0, "%u slots in a FIFO held in reset", count);
    if (read(SURF_HTCR) & SURF_HTCR_PRS) FUZZ_CHECK(s().pipe_count == 0 && !s().open_valid, "PRS");
    check_wire(iscr);
    const uint32_t leds = surf_leds(&b());
    FUZZ_CHECK((leds >> 6 & 1) == irq && (leds >> 3 & 1) == (count != 0) && leds >> 10 == 0, "LEDs %x", leds);
    FUZZ_CHECK((leds >> 4 & 1) == (read(SURF_HTCR) & 1) && (leds & 1) == !s().ext_high, "LEDs %x", leds);
    const bool interrupts = iemr != 0 && irq_number >= 0 && !irq;
    FUZZ_CHECK(s().pipe_count == 0 || !interrupts || armed <= s().pipe[0].done_ns,
               "an interrupt waits for a timer that nobody set");
  }
  // A board that inverts its own wire has no level at which it could rest.
  bool oscillates(uint32_t ttcr) const {
    const bool inverts = ((ttcr & SURF_TTCR_EIP) != 0) == ((ttcr & SURF_TTCR_EOP) == 0);
    return wired_back_ && (ttcr & SURF_TTCR_MEI) && inverts;
  }
  // The output equation of p. 55, with the level that the wire has now.
  void check_wire(uint32_t iscr) {
    const uint32_t ttcr = read(SURF_TTCR);
    const bool input = (s().ext_high != 0) == ((ttcr & SURF_TTCR_EIP) != 0);
    const bool data = (ttcr & SURF_TTCR_MEOD) && (read(SURF_ECDR) & 1);
    const bool overflow = (ttcr & SURF_TTCR_MBV) && (iscr & SURF_ISCR_BV);
    const bool output = data || overflow || ((ttcr & SURF_TTCR_MEI) && input);
    const bool low = output != ((ttcr & SURF_TTCR_EOP) != 0);
    if (oscillates(ttcr)) return;
    FUZZ_CHECK(!wired_back_ || s().ext_high == !(others_low_ || driven_low_),
               "the board missed the wire: high %d, others %d, itself %d, TTCR %x", s().ext_high, others_low_,
               driven_low_, ttcr);
    FUZZ_CHECK(driven_low_ == low, "TTCR %x ECDR.DATA %d BV %d, wire %d: drives %d", ttcr, data, overflow,
               s().ext_high, driven_low_);
  }

  Input& in;
  std::unique_ptr<SurfBoard> board_;
  uint32_t sizes_[2];
  uint64_t last_start_ = 0;
  bool driven_low_ = false, others_low_ = false, wired_back_ = true, watched_ = true;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
