// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard's three collectors against a list of packets: whatever packets come and whatever is
// read meanwhile, trace, histogram and word count agree with each other and with what came, packet by
// packet. Dropped is, and sets PV, exactly what starts less than 1080 ns after the start or less than
// 240 ns after the end of the one before (3.1).
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "guest/surfboard/regs.h"
#include "hw/fpga/xc4000.h"
#include "hw/model/bytes.h"
#include "hw/surfboard/has.h"
#include "hw/surfboard/surfboard.h"
#include "tests/fuzz/input.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kMemory = 4u << 20;
constexpr uint32_t kLatN = 12;

struct Came {
  ShrimpPacket packet;
  uint32_t category;
};

class Bench : public Rig {
 public:
  explicit Bench(Input& source) : in(source), board_(std::make_unique<SurfBoard>()) {
    now = 0;
    start(board_.get());
    surf_io_write(&b(), SURF_EBCR, SURF_EBCR_ENABLE | in.below(8) << SURF_EBCR_IRLEV_SHIFT, 4);
    const uint32_t shift = SURF_PUT(ACDR_LAT_N, kLatN) | SURF_PUT(ACDR_TSIZE, uint32_t{SURF_TSIZE_4MB}) |
                           (in.flip() ? SURF_ACDR_CATMUX : 0);
    for (int i = 0; i < SURF_ACDR_BITS; ++i) write(SURF_ACDR, shift >> i & 1);
    catmux_ = shift & SURF_ACDR_CATMUX;
    // At the end, triggered by a bin overflow: it records everything, for there is none.
    write(SURF_TTCR,
          SURF_PUT(TTCR_MODE, uint32_t{SURF_MODE_END}) | SURF_PUT(TTCR_QUAL, uint32_t{SURF_QUAL_BIN}));
    HasState& has = b().state.has;  // address: the size
    has_prog(&has, false);
    for (int k = 0; k < 10; ++k) has.pip[k] = uint64_t{1} << (HAS_SIZE_SHIFT + k);
    has.startup = xc4000::kFinishedClock;
    write(SURF_IEMR, in.u16());
    write(SURF_HTCR, SURF_HTCR_WEN | SURF_HTCR_HEN | SURF_HTCR_TEN);
    now = last_.start_ns = 10'000;  // what came before it was enabled is not seen
  }

  void step() {
    switch (in.below(8)) {
      case 0:
        pass(in.u16());
        break;
      case 1:
        surf_reg_read(&b(), in.below(16) * 4, 4);
        break;
      case 2:
        changes_.emplace_back(now, in.below(16));
        write(SURF_PCLR, changes_.back().second);
        break;
      case 3:
        surf_timer(&b());
        break;
      case 4:
        if (in.below(8) == 0) snapshot();
        break;
      default:
        packet();
    }
  }

  void finish() {
    pass(1'000'000);
    const uint32_t n = read(SURF_TECR);
    FUZZ_CHECK(n == came_.size(), "%u packets in the trace, %zu came", n, came_.size());
    FUZZ_CHECK(read(SURF_TICR) == n, "TICR is not %u", n);
    uint32_t words = 0;
    std::map<uint32_t, uint32_t> bins;
    for (uint32_t i = 0; i < n; ++i) {
      const ShrimpPacket& p = came_[i].packet;
      words += p.words;
      ++bins[p.words & 0x3ff];
      check_entry(i, came_[i]);
    }
    FUZZ_CHECK(read(SURF_WCDR) == words, "WCDR %x, %x words came", read(SURF_WCDR), words);
    for (uint32_t bin = 0; bin < 1024; ++bin)
      FUZZ_CHECK(load_le32(&hist_[bin * 4]) == bins[bin], "bin %u holds %u, %u came", bin,
                 load_le32(&hist_[bin * 4]), bins[bin]);
    const bool pv = read(SURF_ISCR) & SURF_ISCR_PV;
    FUZZ_CHECK(pv == (dropped_ != 0), "PV %d, %u dropped", pv, dropped_);
    std::memset(trace_.data(), 0, size_t{n} * SURF_TRACE_BYTES);
    std::memset(hist_.data(), 0, 4096);
  }

 private:
  SurfBoard& b() { return *board_; }
  uint32_t read(uint32_t offset) { return surf_reg_read(&b(), offset, 4); }
  void write(uint32_t offset, uint32_t value) { surf_reg_write(&b(), offset, value, 4); }
  static Bench& self(void* o) { return *static_cast<Bench*>(o); }

  void start(SurfBoard* board) {
    const SurfConfig config = {
        .trace_bytes = kMemory,
        .hist_bytes = kMemory,
        .trace = trace_.data(),
        .hist = hist_.data(),
        .product_id = SURF_PRODUCT_ID,
        .opaque = this,
        .wrote = [](void*, surf_memory, uint32_t, uint32_t) {},
        .watch_memory = [](void*, bool) {},
        .remap = [](void*) {},
        .ext_drive = [](void*, bool) {},
    };
    surf_init(board, &config, &host());
  }
  void pass(uint64_t ns) {
    pass_until(now + ns, [this] { surf_timer(&b()); });
  }
  // Handed over at its end, as the SNI does, or some time after, as a busy machine does. The gap to
  // the one before is often too small for the pipeline.
  void packet() {
    ShrimpPacket p{};
    const bool soon = in.flip();
    p.start_ns = std::max(soon ? now : 0, last_.start_ns + 1 + in.below(2500));
    if (changes_.size() > 8) p.start_ns = std::max(p.start_ns, changes_[changes_.size() - 8].first);
    p.words = static_cast<uint16_t>(1 + (in.flip() ? in.below(4) : in.below(1024)));
    p.end_ns = p.start_ns + 60 + in.below(4) * 60 + in.below(2) * 120 * p.words;
    p.sender = in.u16() & 0xfff;
    p.color = in.u8() & 0x3f;
    p.interrupt = in.flip();
    p.eod = true;
    p.byte_enables = in.u8() & 0xf;
    p.address = in.u32() & 0x07fffffc;
    p.timestamp = p.start_ns / 100 - std::min<uint64_t>(p.start_ns / 100, in.below(300));
    if (in.below(8) == 0) p.timestamp = p.start_ns / 100 + in.below(300);
    p.first_word = in.u32();
    last_ = p;
    const bool too_close = !came_.empty() && p.start_ns < std::max(came_.back().packet.start_ns + 1080,
                                                                   came_.back().packet.end_ns + 240);
    pass((p.end_ns > now ? p.end_ns - now : 0) + (in.flip() ? 0 : in.below(600)));
    surf_packet(&b(), &p);
    if (too_close)
      ++dropped_;
    else
      came_.push_back({p, catmux_ ? p.first_word >> 28 : category_at(p.start_ns)});
  }
  uint32_t category_at(uint64_t t) const {
    uint32_t category = 0;
    for (const auto& [since, value] : changes_)
      if (since <= t) category = value;
    return category;
  }
  void snapshot() {
    auto fresh = std::make_unique<SurfBoard>();
    start(fresh.get());
    const SurfLines lines = fresh->state.lines;
    fresh->state = b().state;
    fresh->state.lines = lines;
    board_ = std::move(fresh);
    surf_post_load(&b());
  }
  void check_entry(uint32_t i, const Came& c) {
    const ShrimpPacket& p = c.packet;
    uint32_t w[4];
    for (int k = 0; k < 4; ++k) w[k] = load_le32(&trace_[i * SURF_TRACE_BYTES + 4 * k]);
    const uint64_t rtime = p.start_ns / 100;
    const uint32_t sender = (p.sender >> 6 & 1) << 5 | (p.sender & 0x1f);  // SENDID 0
    FUZZ_CHECK(w[0] >> 26 == sender, "entry %u: sender %x of %x", i, w[0] >> 26, p.sender);
    FUZZ_CHECK(SURF_GET(TRACE1_CATEGORY, w[1]) == c.category, "entry %u: category %x", i, w[1]);
    FUZZ_CHECK(SURF_GET(TRACE1_SIZE, w[1]) == (p.words & 0x3ffu), "entry %u: size %x", i, w[1]);
    FUZZ_CHECK(SURF_GET(TRACE1_COLOR, w[1]) == p.color, "entry %u: colour %x", i, w[1]);
    FUZZ_CHECK((uint64_t{w[1] & 0xfff} << 32 | w[2]) == rtime, "entry %u: received at %x %x", i, w[1], w[2]);
    FUZZ_CHECK(w[3] == ((p.interrupt ? SURF_TRACE3_I : 0) | p.address >> 2 << 4 | p.byte_enables),
               "entry %u: %x of address %x", i, w[3], p.address);
    const int64_t latency = static_cast<int64_t>(rtime) - static_cast<int64_t>(p.timestamp);
    const uint32_t shown = w[0] & 0x03ffffff;
    FUZZ_CHECK(latency < 0 ? shown == SURF_TRACE0_U : shown == static_cast<uint64_t>(latency),
               "entry %u: latency %x, it was %lld", i, shown, static_cast<long long>(latency));
  }

  static inline std::vector<uint8_t> trace_ = std::vector<uint8_t>(kMemory);
  static inline std::vector<uint8_t> hist_ = std::vector<uint8_t>(kMemory);
  Input& in;
  std::unique_ptr<SurfBoard> board_;
  ShrimpPacket last_{};
  std::vector<Came> came_;
  std::vector<std::pair<uint64_t, uint32_t>> changes_;  // of PCLR.CAT
  uint32_t dropped_ = 0;
  bool catmux_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
