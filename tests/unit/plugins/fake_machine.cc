// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/plugins/fake_machine.h"

#include <bit>
#include <cstring>

#include "plugins/access.h"
#include "plugins/hit_filter.h"
#include "plugins/machine.h"

namespace perfboard {
namespace {

constexpr uint64_t kBytes[FakeMachine::kPieces] = {64 * 4096, 32 * 4096, 16 * 4096};

// What these tests need of it. The rest is NULL: a test that comes to need it ends there.
constexpr PbMachine kMachine = {
    .cpu_view = [](unsigned, PbCpuView*) { return false; },
    .address_space =
        [](void*, bool, uint64_t* space) {
          *space = fake_machine().space;
          return fake_machine().paging;
        },
    .cpu_hook =
        [](const PbCpuEvents* events, unsigned) {
          fake_machine().events = events;
          return true;
        },
    .cpu_own_accesses =
        [](PbAccessCallback load, PbAccessCallback store) {
          fake_machine().own[false] = load;
          fake_machine().own[true] = store;
        },
    .event_time = [](const PbCpuView*, unsigned insns_left) { return fake_machine().time - insns_left; },
    .devices_alone = [] { return fake_machine().devices_alone; },
    .ram_map = [] { return fake_machine().map(); },
    .ram_watch = [](void (*changed)()) { fake_machine().moved = changed; },
    .release_later =
        [](void* p, void (*release)(void* p)) {
          fake_machine().released++;
          release(p);
        },
    .tlb_phys = [](const PbCpuView* view, unsigned,
                   uintptr_t entry) { return fake_machine().phys(view, entry); },
    .tlb_slow_flags =
        [](const PbCpuView* view, unsigned, uintptr_t entry, bool) {
          const bool memory = fake_machine().host(fake_machine().phys(view, entry));
          return static_cast<uint8_t>(memory ? 0 : PB_TLB_MMIO);
        },
    .memory_type = [](const PbCpuView*, unsigned, uintptr_t,
                      uint64_t vaddr) { return FakeMachine::type_of(vaddr - FakeMachine::kOffset); },
    .memory_types = [](bool (*wanted)(uint64_t)) { fake_machine().typed = wanted; },
    .in_processor = [](uint64_t addr) { return (addr & ~uint64_t{4095}) == FakeMachine::kOwnPage; },
    .models_saved = [](bool) {},
    // No block is left at once.
    .retranslate =
        [] {
          fake_machine().retranslations++;
          layer_adopt();
          hit_filter_renew();
        },
    .no_blocks_yet = [] { return true; },
    .filter_start = [](bool (*)(const uint8_t*, uint64_t)) {},
    .filter_changed = [] { fake_machine().flush(); },
    .watch =
        [](bool (*wants)(const PbFilledPage*, bool), const PbDensity* density) {
          fake_machine().watched = wants;
          fake_machine().density = density;
          fake_machine().flush();
        },
    .watch_anew = [](bool) { fake_machine().flush(); },
    .access_count = [](unsigned, PbAccessCount*) { return false; },
    .access_count_none = [](bool) {},
    .hit_filter_table = [](unsigned vcpu) { return fake_machine().hit_filter_table(vcpu); },
    .hit_filter_lines = [](unsigned bits) { fake_machine().hit_filter_bits = bits; },
    .counts = [](unsigned, size_t) -> void* { return nullptr; },
    .fetched_start =
        [] {
          for (PbFetched& f : fake_machine().fetched) f.page = PB_FETCHED_NONE;
        },
    .fetched = [](unsigned vcpu) { return &fake_machine().fetched[vcpu]; },
};

// Before any test.
[[maybe_unused]] const bool kHanded = (pb_machine_is(&kMachine), true);

}  // namespace

FakeMachine& fake_machine() {
  static FakeMachine machine;
  return machine;
}

FakeMachine::FakeMachine() : cpus_(kVcpus) {
  map_bytes_ = std::make_unique<char[]>(sizeof(PbRamMap) + kPieces * sizeof(PbRamPiece));
  map_ = reinterpret_cast<PbRamMap*>(map_bytes_.get());
  map_->count = kPieces;
  const uint64_t addrs[kPieces] = {0, uint64_t{4} << 30, 0xe0000000};
  for (unsigned p = 0; p < kPieces; ++p) {
    // Pages begin at pages of the host.
    memory_[p].reset(new uint8_t[kBytes[p] + kPage]());
    const auto at = (reinterpret_cast<uintptr_t>(memory_[p].get()) + kPage - 1) & ~(kPage - 1);
    map_->piece[p] = {reinterpret_cast<const uint8_t*>(at), kBytes[p], addrs[p], p != kBar};
  }
  for (Cpu& cpu : cpus_)
    for (PbTlbFast& fast : cpu.fast) fast = {(kEntries - 1) << PB_TLB_ENTRY_BITS, cpu.table};
  layer_start(kVcpus);
  for (unsigned i = 0; i < kVcpus; ++i) g_layer.cpus[i].view = {&cpus_[i], cpus_[i].fast};
}

void FakeMachine::flush() {
  for (Cpu& cpu : cpus_) std::memset(cpu.table, 0xff, sizeof cpu.table);
}

void FakeMachine::place(Piece piece, uint64_t addr) {
  map_->piece[piece].addr = addr;
  flush();  // as QEMU does
  if (moved) moved();
}

void FakeMachine::remap(uint64_t swap) {
  swap_ = swap;
  flush();
}

uint64_t FakeMachine::mapped(uint64_t addr) const {
  const PbRamPiece& first = map_->piece[kNode0];
  return addr - first.addr < first.bytes ? addr ^ swap_ * kPage : addr;
}

uint8_t* FakeMachine::host(uint64_t addr) {
  const PbRamPiece* const piece = piece_of_addr(*map_, addr);
  return piece ? const_cast<uint8_t*>(piece->host) + (addr - piece->addr) : nullptr;
}

uint64_t FakeMachine::phys(const PbCpuView* view, uintptr_t entry) const {
  return static_cast<const Cpu*>(view->cpu)->phys[entry];
}

PbHitFilter* FakeMachine::hit_filter_table(unsigned vcpu) {
  if (!filters) return nullptr;
  if (hit_filter_.empty()) {
    hit_filter_.resize(kVcpus * PB_MMU_MODES);
    std::memset(hit_filter_.data(), 0xff, hit_filter_.size() * sizeof hit_filter_[0]);
  }
  return &hit_filter_[vcpu * PB_MMU_MODES];
}

// Whether a page is a device's stands in the tag, or in the slow flags.
constexpr uint64_t kDeviceTag = PB_TLB_IS_DEVICE(PB_TLB_MMIO, 0) ? PB_TLB_MMIO : PB_TLB_FORCE_SLOW;

// The entry may be there already. If it is not, the page's lines leave the hit filter.
void FakeMachine::fill(unsigned vcpu, unsigned mmu_mode, uint64_t vaddr) {
  Cpu& cpu = cpus_[vcpu];
  const uint64_t page = vaddr & ~(kPage - 1), addr = mapped(page - kOffset);
  const unsigned at = static_cast<unsigned>(page / kPage % kEntries);
  const uint8_t* const there = host(addr);
  const uint64_t tag = page | (there ? 0 : kDeviceTag);
  if (((cpu.table[at].addr_read ^ page) & ~(kPage - 1)) == 0 && cpu.mode[at] == mmu_mode) return;
  cpu.phys[at] = addr;
  cpu.mode[at] = mmu_mode;
  cpu.table[at] = {tag, tag, tag, reinterpret_cast<uintptr_t>(there) - page};
  const PbFilledPage filled = {{&cpu, cpu.fast}, addr / kPage, vaddr, at, vcpu, mmu_mode};
  if (watched && there && watched(&filled, false)) cpu.table[at].addr_read |= PB_TLB_FORCE_SLOW;
  if (watched && there && watched(&filled, true)) cpu.table[at].addr_write |= PB_TLB_FORCE_SLOW;
  for (uint64_t line = page; hit_filter_bits && line < page + kPage; line += uint64_t{1} << hit_filter_bits)
    hit_filter_table(vcpu)[mmu_mode].line[(line >> hit_filter_bits) % PB_HIT_LINES] = {PB_HIT_NONE,
                                                                                       PB_HIT_NONE};
}

// What hw/qemu/tcg/filter.c has translated code do.
bool FakeMachine::is_hit(unsigned vcpu, unsigned mmu_mode, uint64_t vaddr, unsigned bytes, bool store) {
  if (!hit_filter_bits) return false;
  const PbHitLine& line = hit_filter_table(vcpu)[mmu_mode].line[(vaddr >> hit_filter_bits) % PB_HIT_LINES];
  return (store ? line.store : line.load) == (vaddr & (UINT64_MAX << hit_filter_bits | (bytes - 1)));
}

void FakeMachine::access(unsigned vcpu, uint64_t addr, unsigned bytes, bool store, PassTag tag, bool itself) {
  const uint64_t vaddr = addr + kOffset;
  const unsigned mmu_mode = mode ? mode : vcpu + 1;
  for (unsigned i = 0; i < bytes; ++i) {
    if (uint8_t* const byte = store ? host(mapped(addr + i)) : nullptr) ++*byte;
  }
  fill(vcpu, mmu_mode, vaddr);
  if (vaddr / kPage != (vaddr + bytes - 1) / kPage) fill(vcpu, mmu_mode, vaddr + bytes - 1);
  const uint32_t features = g_layer.features.load();
  if (!itself && !tag.peculiar() && is_hit(vcpu, mmu_mode, vaddr, bytes, store)) {
    ++left_out;
    return;
  }
  const auto leaves_code = [&](uint64_t at) {
    const PbTlbEntry& entry = cpus_[vcpu].table[at / kPage % kEntries];
    return host(cpus_[vcpu].phys[at / kPage % kEntries]) &&
           ((store ? entry.addr_write : entry.addr_read) & PB_TLB_FORCE_SLOW);
  };
  if (watched && !itself && !tag.peculiar() && !leaves_code(vaddr) && !leaves_code(vaddr + bytes - 1)) {
    ++left_out;
    return;
  }
  const AccessCallback call = itself  ? own[store]
                              : store ? pass_store_callback(features, tag.peculiar())
                                      : pass_load_callback(features, tag.peculiar());
  const auto info = static_cast<uint32_t>(std::countr_zero(bytes) << PB_INFO_MODE_BITS | mmu_mode);
  if (call) call(vcpu, info, vaddr, tag.pack());
}

void FakeMachine::fetch(unsigned vcpu, uint64_t page, bool privileged) {
  if (filters && fetched[vcpu].page == page)
    ++not_looked_up;
  else
    pass_fetch_page(static_cast<Vcpu*>(fetched[vcpu].vcpu)->index, page, privileged);
}

}  // namespace perfboard
