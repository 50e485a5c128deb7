// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SNI model alone: stores and loads on the bus, registers, page tables, deliberate updates, the
// timer early and late, time, resets, snapshots.
//
// Nothing is lost or made up: every word that AUW counts comes out of the loopback once, in order, with
// its bytes and byte enables, at the page that the table named; every deliberate update comes out whole.
// Packets come in the order of their times, not after the present, at least 1080 ns from start to start
// and 240 ns from end to start; the terms of their latency add up. Occupancy, status, counters and the
// interrupt line say the same.
#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "guest/shrimp/regs.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/registers.h"
#include "hw/shrimp/sni.h"
#include "hw/shrimp/timing.h"
#include "hw/shrimp/view.h"
#include "tests/fuzz/input.h"
#include "tests/unit/model/rig.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kPages = 8;  // those that stores go to; the tables are written beyond them as well
constexpr uint32_t kMemory = 64u << 10;
constexpr uint32_t kOptEnd = SNI_OPT(SNI_PAGES);
constexpr uint32_t kEnds[] = {SNI_ENDD, SNI_ENDR, SNI_ENDN, SNI_ENDB, SNI_ENDT, SNI_ENDP, SNI_ENDF};

struct Word {
  uint32_t value, address, byte_enables;
  uint16_t to;
};
struct Update {
  std::vector<uint32_t> words;
  uint32_t address;
  uint16_t to;
};

class Bench : public Rig {
 public:
  explicit Bench(Input& source) : in(source) {
    nodes_ = static_cast<uint16_t>(1 + in.below(9));
    width_ = static_cast<uint16_t>(1 + in.below(4));
    node_ = static_cast<uint16_t>(in.below(nodes_));
    fifo_words_ = in.flip() ? SNI_FIFO_MIN : SNI_FIFO_MIN + in.below(4000);
    for (uint32_t i = 0; i < kMemory; ++i) memory_[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
    start();
    sni_power_on(board_);
    set_up();
  }

  void step() {
    switch (in.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        store();
        break;
      case 5:
        sni_bus_read(board_, now, in.u16());
        break;
      case 6:
      case 7:
        pass(in.u16());
        break;
      case 8:
        map();
        break;
      case 9:
        deliberate();
        break;
      case 10:
        register_access();
        break;
      case 11:
        sni_timer(board_);
        pop();
        break;
      case 12:
        write(SNI_SCR, SNI_SCR_EN | in.below(2) * SNI_SCR_TSE | in.below(4) / 3 * SNI_SCR_FLUSH |
                           (in.below(4) ? SNI_SCR_AUE : 0));
        break;
      case 13:
        write(in.flip() ? SNI_CTOR : in.flip() ? SNI_FHWM : SNI_FLWM, in.u16());
        break;
      case 14:
        rare();
        break;
      default:
        accept();
    }
    check();
  }

  void finish() {
    enable();
    write(SNI_SCR, SNI_SCR_EN | SNI_SCR_FLUSH);
    pass(1'000'000'000);
    check();
    FUZZ_CHECK(read(SNI_FCNT) == 0, "%u words stay in the FIFO", read(SNI_FCNT));
    FUZZ_CHECK(!(read(SNI_SSR) & (SNI_SSR_OPEN | SNI_SSR_DUB)), "SSR %x", read(SNI_SSR));
    for (const Word& w : words_) FUZZ_CHECK(!reachable(w.to), "%x at %x never arrived", w.value, w.address);
    for (const Update& u : updates_) FUZZ_CHECK(!reachable(u.to), "update to %x never arrived", u.address);
    FUZZ_CHECK(board_->state.credits_used == 0, "%u credits were not given back", board_->state.credits_used);
  }

 private:
  static Bench& self(void* o) { return static_cast<Bench&>(*static_cast<Rig*>(o)); }
  static SniBoard* the_board() {  // for ever: it is 2 MB
    static const auto board = std::make_unique<SniBoard>();
    return board.get();
  }
  void start() {
    const SniConfig config = {
        .node = node_,
        .nodes = nodes_,
        .mesh_width = width_,
        .fifo_words = fifo_words_,
        .acquire_ns = sni::kAcquire,
        .product_id = SNI_PRODUCT_ID,
        .opaque = static_cast<Rig*>(this),
        .remap = [](void*) {},
        .observe = [](void*, uint32_t, uint32_t) {},
        .global_reset = [](void*) {},
    };
    host().set_irq = [](void* o, bool level) {
      FUZZ_CHECK(!self(o).on_bus_, "set_irq from sni_bus_*");
      self(o).irq = level;
    };
    host().dma_read = [](void* o, uint64_t at, void* data, uint32_t n) {
      FUZZ_CHECK(!self(o).on_bus_, "DMA from sni_bus_*");
      if (at > kMemory || n > kMemory - at) return false;
      std::memcpy(data, &self(o).memory_[at], n);
      return true;
    };
    host().dma_write = [](void*, uint64_t, const void*, uint32_t) { return false; };
    sni_init(board_, &config, &host());
  }
  void enable() {
    sni_io_write(board_, SNI_SBCR, 0xc0000000 | in.below(8) << SNI_SBCR_IRLEV_SHIFT | SNI_SBCR_ENABLE, 4);
    write(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE);
    write(SNI_SIER, in.u8());
  }

  // Most pages mapped and accepted, which most decisions would take long to reach.
  void set_up() {
    enable();
    for (uint32_t i = 0; i < kPages; ++i) {
      write(SNI_OPT(i),
            SNI_OPT0_AU | sni::coordinate(board_->config, in.below(nodes_)) << SNI_OPT0_DNODE_SHIFT | i);
      write(SNI_OPT(i) + 4, in.u8());
      write(SNI_IPT(i), SNI_IPT_VALID);
    }
  }

  uint32_t read(uint32_t offset) { return sni_reg_read(board_, offset, 4); }
  void write(uint32_t offset, uint32_t value) { sni_reg_write(board_, offset, value, 4); }
  uint64_t counter(uint32_t offset) {
    const uint64_t low = read(offset);
    return low | uint64_t{read(offset + 4)} << 32;
  }

  // One bus cycle of 1..8 bytes in a lane of 8, as the bus has them.
  void store() {
    const uint32_t page = in.below(kPages), run = in.below(4) ? 1 : in.below(16) ? in.below(64) : 1024;
    uint32_t at = page << SNI_PAGE_SHIFT | (in.below(4) ? next_ & 0xfff : in.u16() & 0xfff);
    const uint32_t bytes = in.below(4) ? 4 : 1u << in.below(4), gap = in.flip() ? in.u8() : in.below(8);
    at &= ~(bytes - 1);
    for (uint32_t i = 0; i < run && at >> SNI_PAGE_SHIFT == page; ++i, at += bytes) {
      uint8_t data[8];
      for (uint8_t& b : data) b = static_cast<uint8_t>(++salt_ * 37);
      store_one(at, data, bytes);
      now += gap;
    }
    next_ = at;
  }
  void store_one(uint32_t at, const uint8_t* data, uint32_t bytes) {
    const uint32_t opt0 = board_->state.out_table[at >> SNI_PAGE_SHIFT][0];
    const bool seen = sni_page_mapped(board_, at);
    FUZZ_CHECK(seen == (board_->state.snooping && opt0 >> 31), "page %x OPT0 %x", at >> SNI_PAGE_SHIFT, opt0);
    const uint64_t before = board_->state.counter[sni::AUW];
    const uint64_t lost_before = board_->state.counter[sni::OVFC];
    on_bus_ = true;
    sni_bus_write(board_, now, at, data, bytes);
    on_bus_ = false;
    const auto put = static_cast<uint32_t>(board_->state.counter[sni::AUW] - before);
    const bool lost = board_->state.counter[sni::OVFC] != lost_before;
    const uint32_t words = ((at & 3) + bytes + 3) / 4;
    FUZZ_CHECK(seen ? put == words || (lost && put < words) : put == 0, "%u words of %u, mapped %d", put,
               words, seen);
    for (uint32_t i = 0; i < put; ++i) {  // if one is lost, it is the last
      Word w = {0, ((at & ~3u) + 4 * i) & 0xffc, 0, static_cast<uint16_t>(opt0 >> 16 & 0xfff)};
      w.address |= (opt0 & 0x7fff) << SNI_PAGE_SHIFT;
      for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t byte = (at & ~3u) + 4 * i + k;
        if (byte < at || byte >= at + bytes) continue;
        w.value |= uint32_t{data[byte - at]} << (8 * k);
        w.byte_enables |= 1u << k;
      }
      words_.push_back(w);
    }
  }
  void map() {
    const uint32_t page = in.below(kPages);
    const uint32_t to = in.flip() ? in.below(16) | in.below(3) << 6 : in.u16() & 0xfff;
    write(SNI_OPT(page), (in.below(4) ? SNI_OPT0_AU : 0) | to << SNI_OPT0_DNODE_SHIFT | in.below(kPages * 2));
    write(SNI_OPT(page) + 4, in.u8() & 0x1f);
  }
  void accept() {
    const uint32_t page = in.below(kPages * 2);
    write(SNI_IPT(page), in.u8() << 2 | in.below(4));
    FUZZ_CHECK((read(SNI_IPT(page)) & 0x300) == 0x100, "colour %x", read(SNI_IPT(page)));
  }
  void deliberate() {
    const uint32_t from = in.below(8) ? in.u16() & ~3u : in.u32();
    const uint32_t to = in.u32(), node = in.below(16) | in.below(2) << 6;
    const uint32_t words = in.below(4) ? 1 + in.below(16) : in.below(2048);
    write(SNI_DUSA, from);
    write(SNI_DUDA, to);
    write(SNI_DUDN, node);
    write(SNI_SISR, SNI_SISR_DUE);
    const bool busy = read(SNI_SSR) & SNI_SSR_DUB;
    write(SNI_DUWC, words);
    const uint32_t source = read(SNI_DUSA), target = read(SNI_DUDA);
    const bool legal = !busy && words >= 1 && words <= 1024 && (target & 0xfff) + 4 * words <= 4096 &&
                       source <= kMemory && 4 * words <= kMemory - source && (read(SNI_SCR) & SNI_SCR_EN) &&
                       sni_enabled(board_);
    if (!sni_enabled(board_)) return;
    FUZZ_CHECK(((read(SNI_SISR) & SNI_SISR_DUE) != 0) == !legal, "DUE: %u words from %x to %x", words, source,
               target);
    if (!legal) return;
    Update u{std::vector<uint32_t>(words), target, static_cast<uint16_t>(node)};
    std::memcpy(u.words.data(), &memory_[source], 4 * words);
    updates_.push_back(std::move(u));
  }
  // Anything but what would make the bench lose count.
  void register_access() {
    const uint32_t offset = in.below(4) ? in.below(0x260) : in.u32() % SNI_WINDOW;
    const uint32_t size = 1u << in.below(3);
    const uint32_t word = offset & ~3u;
    const bool counted = word == SNI_SCR || word == SNI_DUWC || (word >= SNI_OPT(0) && word < kOptEnd);
    if (in.flip() || counted) {
      const uint32_t v = sni_reg_read(board_, offset, size);
      FUZZ_CHECK(size == 4 || v >> (8 * size) == 0, "%u bytes read %x", size, v);
    } else {
      sni_reg_write(board_, offset, in.value(), size);
    }
  }
  void rare() {
    switch (in.below(8)) {
      case 0:
        sni_bus_reset(board_);
        FUZZ_CHECK(!sni_enabled(board_) && !irq, "enabled after a reset");
        forget();
        set_up();
        break;
      case 1:  // disabled for a while: what is under way stays
        sni_io_write(board_, SNI_SBCR, 0xc0000400, 4);
        check();
        pass(in.u16());
        sni_io_write(board_, SNI_SBCR, 0xc0000400 | SNI_SBCR_ENABLE, 4);
        break;
      case 2:
        write(SNI_SCR, read(SNI_SCR) | SNI_SCR_GRST);
        FUZZ_CHECK(sni_clock(board_, now) == 0, "the clock runs on");
        break;
      case 3: {
        const uint64_t t = in.u64() & sni::kClockMask;
        sni::set_clock(board_, t);
        FUZZ_CHECK(sni_clock(board_, now) == t, "the clock was not set");
        break;
      }
      case 4:
        sni_io_read(board_, in.u16() & 0xfff, 1u << in.below(3));
        FUZZ_CHECK(sni_io_read(board_, SNI_EPIR, 4) == SNI_PRODUCT_ID, "EPIR changed");
        break;
      case 5:
        write(SNI_SCR, read(SNI_SCR) | SNI_SCR_CRST);
        rxp_ = rxw_ = rxd_ = 0;
        uncounted_ = true;
        break;
      case 6:
        inject();
        break;
      default:
        snapshot();
    }
  }
  // Those that lose no word that the bench expects.
  void inject() {
    static constexpr struct {
      unsigned what;
      uint32_t most;
    } kHarmless[] = {{sni::injection("inject-late"), SNI_INJECT_LATE_MOST},
                     {sni::injection("inject-damage"), 9},
                     {sni::injection("inject-network-stop"), 1},
                     {sni::injection("inject-clock-wrap"), UINT32_MAX}};
    const auto& i = kHarmless[in.below(4)];
    const uint32_t value = in.flip() ? 0 : in.u32() & i.most;
    sni_inject(board_, i.what, std::min(value, i.most));
    pop();
    if (i.what == sni::injection("inject-network-stop") || i.what == sni::injection("inject-late")) {
      check();
      pass(in.u16());
      sni_inject(board_, i.what, 0);
      pop();
    }
  }
  void forget() {
    words_.clear();
    updates_.clear();
    any_ = false;
    uncounted_ = false;
    rxp_ = rxw_ = rxd_ = 0;
  }
  void snapshot() {
    sni_timer(board_);
    pop();
    const bool was = irq;
    SniState& s = board_->state;
    // What the snapshot does not hold.
    s.next_event = s.armed = 0x5555;
    s.mapped_pages = s.combining_pages = 0;
    s.snooping = 0;
    armed = PB_NEVER;
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(sni_state_ok(board_, &s, why, sizeof why), "%s", why);
    sni_post_load(board_);
    FUZZ_CHECK(irq == was, "the line was %d and is %d", was, irq);
  }

  void pass(uint64_t ns) {
    const auto timer = [this] {
      sni_timer(board_);
      pop();
    };
    pass_until(now + ns, timer, 200'000);
    timer();
  }
  void pop() {
    static SniDelivery d;
    while (sni_pop_delivery(board_, now, &d)) arrived(d);
  }

  bool reachable(uint16_t to) const { return sni::node_at(board_->config, to) < nodes_; }

  void arrived(const SniDelivery& d) {
    const ShrimpPacket& p = d.packet;
    FUZZ_CHECK(p.words >= 1 && p.words <= SHRIMP_MAX_WORDS && p.eod, "%u words", p.words);
    FUZZ_CHECK(p.start_ns <= p.end_ns && p.end_ns <= now, "%llu..%llu now %llu", ull(p.start_ns),
               ull(p.end_ns), ull(now));
    FUZZ_CHECK(!any_ || p.start_ns >= last_start_ + 1080, "%llu ns after the one before",
               ull(p.start_ns - last_start_));
    FUZZ_CHECK(!any_ || p.start_ns >= last_end_ + 240, "%llu ns after the end of the one before",
               ull(p.start_ns - last_end_));
    any_ = true;
    last_start_ = p.start_ns;
    last_end_ = p.end_ns;
    FUZZ_CHECK((p.color & 0x30) == 0x10 && p.color < 0x40, "colour %x", p.color);
    FUZZ_CHECK(p.timestamp <= sni::kClockMask, "timestamp %llx", ull(p.timestamp));
    FUZZ_CHECK(p.first_word == d.payload[0], "first word %x", p.first_word);
    FUZZ_CHECK((p.address & 0xfff) + 4 * p.words <= 4096, "%u words at %x", p.words, p.address);
    uint64_t sum = 0;
    for (int i = 0; i < SNI_TERMS - 1; ++i) sum += d.terms[i];
    FUZZ_CHECK(sum == d.terms[SNI_TERMS - 1], "terms add up to %llu of %llu", ull(sum),
               ull(d.terms[SNI_TERMS - 1]));
    FUZZ_CHECK(sum < p.start_ns, "a latency of %llu at %llu", ull(sum), ull(p.start_ns));
    FUZZ_CHECK(sni::node_at(board_->config, p.sender) < nodes_, "sender %x", p.sender);
    take(d);
    const bool dma_ok = in.below(16) != 0;
    sni_delivered(board_, &d, dma_ok);
    if (d.write && dma_ok) {
      ++rxp_;
      rxw_ += p.words;
    } else {
      ++rxd_;
    }
  }
  // The packet's words are the next ones that were stored, or those of the oldest deliberate update.
  void take(const SniDelivery& d) {
    while (!words_.empty() && !reachable(words_.front().to)) words_.pop_front();
    while (!updates_.empty() && !reachable(updates_.front().to)) updates_.pop_front();
    if (takes_update(d)) {
      updates_.pop_front();
      return;
    }
    const ShrimpPacket& p = d.packet;
    for (uint32_t i = 0; i < p.words; ++i) {
      FUZZ_CHECK(!words_.empty(), "a word that nobody stored: %x at %x", d.payload[i], p.address + 4 * i);
      const Word w = words_.front();
      words_.pop_front();
      FUZZ_CHECK(w.address == p.address + 4 * i, "word at %x, stored at %x", p.address + 4 * i, w.address);
      FUZZ_CHECK(p.words > 1 ? w.byte_enables == 15 : w.byte_enables == p.byte_enables, "byte enables %x, %x",
                 w.byte_enables, p.byte_enables);
      for (uint32_t k = 0; k < 4; ++k)
        FUZZ_CHECK(!(w.byte_enables >> k & 1) || ((w.value ^ d.payload[i]) >> (8 * k) & 0xff) == 0,
                   "%x arrived, %x was stored", d.payload[i], w.value);
      FUZZ_CHECK(sender_of(w.to) == p.sender, "sender %x of a packet to %x", p.sender, w.to);
    }
    const uint32_t bytes =
        p.words == 1 ? static_cast<uint32_t>(__builtin_popcount(p.byte_enables)) : 4u * p.words;
    FUZZ_CHECK(d.bytes == bytes, "%u bytes for DMA, %u enabled", d.bytes, bytes);
  }
  bool takes_update(const SniDelivery& d) const {
    if (updates_.empty()) return false;
    const Update& u = updates_.front();
    const ShrimpPacket& p = d.packet;
    if (u.address != p.address || u.words.size() != p.words || sender_of(u.to) != p.sender) return false;
    return std::memcmp(u.words.data(), d.payload, 4 * u.words.size()) == 0 && p.byte_enables == 15;
  }
  // Loopback: to the node k ahead is from the node k behind (hw/shrimp/README.md).
  uint16_t sender_of(uint16_t to) const {
    const uint32_t ahead = (sni::node_at(board_->config, to) + nodes_ - node_) % nodes_;
    return sni::coordinate(board_->config, (node_ + nodes_ - ahead) % nodes_);
  }
  static unsigned long long ull(uint64_t v) { return v; }

  void check() {
    const SniState& s = board_->state;
    const uint32_t sisr = read(SNI_SISR), sier = read(SNI_SIER), ssr = read(SNI_SSR), sbcr = s.sbcr;
    const bool wanted =
        (sisr & sier & SNI_SISR_CONDITIONS) && (sbcr & SNI_SBCR_ENABLE) && (sbcr >> 8 & 7) >= 2;
    FUZZ_CHECK(irq == wanted, "SISR %x SIER %x SBCR %x line %d", sisr, sier, sbcr, irq);
    FUZZ_CHECK((sisr >> 31 != 0) == irq, "SISR %x line %d", sisr, irq);
    const uint32_t fcnt = read(SNI_FCNT), size = read(SNI_FSIZE);
    FUZZ_CHECK(size == fifo_words_ && fcnt <= size, "FCNT %u of %u", fcnt, size);
    FUZZ_CHECK(((ssr & SNI_SSR_FULL) != 0) == (fcnt == size), "SSR %x FCNT %u", ssr, fcnt);
    FUZZ_CHECK(((ssr & SNI_SSR_EMPTY) != 0) == (fcnt == 0), "SSR %x FCNT %u", ssr, fcnt);
    FUZZ_CHECK(((ssr & SNI_SSR_AHW) != 0) == (fcnt >= read(SNI_FHWM)), "SSR %x FCNT %u", ssr, fcnt);
    FUZZ_CHECK(((ssr & SNI_SSR_BLW) != 0) == (fcnt <= read(SNI_FLWM)), "SSR %x FCNT %u", ssr, fcnt);
    FUZZ_CHECK(s.credits_used <= SNI_CREDITS, "%u credits", s.credits_used);
    FUZZ_CHECK(s.granted - s.done <= 1 && s.arrived - s.popped <= SNI_FLIGHTS, "%u %u %u %u", s.popped,
               s.done, s.granted, s.arrived);
    pop();
    FUZZ_CHECK(counter(SNI_RXP) == rxp_ && counter(SNI_RXW) == rxw_ && counter(SNI_RXD) == rxd_,
               "RXP %llu RXW %llu RXD %llu", ull(counter(SNI_RXP)), ull(counter(SNI_RXW)),
               ull(counter(SNI_RXD)));
    uint64_t terms = 0;
    for (uint32_t t = SNI_LAT_COMB; t < SNI_LAT_TOTAL; t += 0x10) terms += counter(t);
    FUZZ_CHECK(terms == counter(SNI_LAT_TOTAL), "sums of terms: %llu of %llu", ull(terms),
               ull(counter(SNI_LAT_TOTAL)));
    if (uncounted_) return;  // CRST came between a packet's ends
    uint64_t closed = counter(SNI_DUP);
    for (uint32_t end : kEnds) closed += counter(end);
    const uint32_t waiting = s.fifo_packets - (s.sending == 1);
    FUZZ_CHECK(closed == counter(SNI_TXP) + waiting, "%llu packets closed, %llu sent, %u wait", ull(closed),
               ull(counter(SNI_TXP)), waiting);
    FUZZ_CHECK(counter(SNI_TXP) == counter(SNI_TXU) + rxp_ + rxd_ + (s.arrived - s.popped),
               "TXP %llu TXU %llu", ull(counter(SNI_TXP)), ull(counter(SNI_TXU)));
  }

  Input& in;
  SniBoard* const board_ = the_board();
  uint16_t node_, nodes_, width_;
  uint32_t fifo_words_;
  uint8_t memory_[kMemory];
  uint64_t last_start_ = 0, last_end_ = 0;
  uint64_t rxp_ = 0, rxw_ = 0, rxd_ = 0;
  uint32_t next_ = 0, salt_ = 0;
  bool on_bus_ = false, any_ = false, uncounted_ = false;
  std::deque<Word> words_;
  std::deque<Update> updates_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
