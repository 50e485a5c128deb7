// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of the observation layer share: taps.cc (who wants what), models.cc (caches and TLBs),
// pass.cc (the one pass over an access), ranges.cc (the event source "pages"). Plain arrays by vCPU: the fast
// paths run some hundred million times a second.
//
// Who writes what: a vCPU's part is written by that vCPU's thread. The rest is written with the big lock
// held, and read by all threads as it happens to be; a change of what blocks carry throws them away
// (pb_machine.retranslate).
//
// As it happens to be: what one vCPU's guest has switched and then tells another one is seen there, on any
// host, since QEMU orders the guests' accesses, with the host's barriers, among everything that its threads
// do. Order is ours to see to where a bit or a pointer leads to something else that was written before it:
// there it is stored with release and loaded with acquire (put_bit(), kAcquire), which on x86 are plain.
#ifndef PERFBOARD_PLUGINS_LAYER_H
#define PERFBOARD_PLUGINS_LAYER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plugins/isa/pieces.h"
#include "plugins/machine.h"
#include "plugins/models.h"
#include "plugins/pages.h"
#include "plugins/port.h"
#include "plugins/taps.h"

// Of static storage, and never destroyed: exit() runs destructors while threads of vCPUs may still work, or
// do what was queued for them.
//
//   extern Forever<Models> g_models_forever;                        in a header
//   inline constexpr Models& g_models = g_models_forever.object;    an address, known when it is linked

namespace perfboard {

template <typename T>
union Forever {
  T object;
  constexpr Forever() : object() {}
  ~Forever() {}  // not its object's
};

// a block's: not privileged, privileged. The mark comes later (mark_split.h)
inline constexpr unsigned kPrivileges = 2;
inline constexpr unsigned kMostRanges = 64;   // of the event source "pages"
inline constexpr unsigned kRangesOwner = 31;  // of the pages that ranges touch (Pages)

// A count that its own vCPU's thread adds to and any thread reads.
using Count = std::atomic<uint64_t>;
inline void add(Count& n, uint64_t more = 1) {
  n.store(n.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

// f(number) of each bit that is set.
template <typename F>
void each_bit(uint64_t mask, F&& f) {
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctzll(mask)));
}

// A bit of a mask that any thread reads. Big lock held. Whoever takes it for the number of something loads it
// with kAcquire: what it stands for was written before.
inline constexpr auto kAcquire = std::memory_order_acquire;
template <typename Mask>
void put_bit(std::atomic<Mask>& mask, unsigned number, bool on) {
  const Mask bit = Mask{1} << number, was = mask.load(std::memory_order_relaxed);
  mask.store(on ? was | bit : was & ~bit, std::memory_order_release);
}

// The vCPUs of one model: a node each, on cache lines of its own.
template <typename Node>
struct alignas(64) Modelled {
  Node node{};
  Count misses[kPrivileges] = {};                                    // of data caches: loads
  Count store_misses[kPrivileges] = {}, castouts[kPrivileges] = {};  // of data caches
};

// Of an instruction under way that TCG does not execute as the processor does: what its stores have shown so
// far. One store alone does not tell what the processor stores.
struct Unfinished {
  bool probed = false;  // TCG has stored its probe
  uint64_t lowest = 0;  // address of the first of a row of stores
  unsigned stores = 0;  // how many of the row have been seen
};

// What an access has shown: all its pages, and its parts if TCG makes it in several (Pieces).
struct Found {
  uint32_t cache_misses = 0, tlb_misses = 0;  // a bit for each model
  uint32_t bus = 0;                           // a bit for each model of caches that it went through
  uint64_t ranges = 0;                        // a bit for each range
  bool io = false;                            // a device's
};

// The load of a locked instruction that has not stored yet, as taps will be told of it: a part for each page.
struct LockedLoad {
  struct Part {
    uint64_t addr;
    const uint8_t* host;
    uint32_t bytes;
    uint32_t taps;  // a bit for each
    uint8_t type;
  } part[2];
  unsigned parts = 0;
  uint64_t vaddr = 0;
};

// Bus cycles that nobody was told of.
struct BusCount {
  Count reads{0}, writes{0};
};

// Memory that another master has written while the vCPU ran: its caches are to drop these lines.
struct Written {
  // A vCPU may do without a miss for long, or be halted. With so many different ones waiting all vCPUs stop
  // before their next block, and they are dropped from the caches then.
  static constexpr size_t kMost = 32768;
  static constexpr size_t kFirstTidied = 4096;

  std::mutex lock;
  std::vector<std::pair<uint64_t, uint32_t>> lines;  // address and bytes
  size_t tidied = kFirstTidied;                      // at so many, those that are there twice are left out
  std::atomic<bool> any{false};
};

// Of hit_filter.h.
struct HitFilter {
  // log2 of a line's bytes; 0: it is not used. It changes while no vCPU runs
  unsigned bits = 0;
  bool brings = false;                                    // stores bring their lines
  bool alone = false;                                     // level 1 is the only one
  uint32_t ways = 0;                                      // of level 1
  uint64_t* sets = nullptr;                               // of level 1, if there is a cache
  uint64_t set_mask = 0;                                  // of level 1
  uint64_t line_mask = 0, page_mask = 0, below_mask = 0;  // of of_line, of_page, of_below
  PbHitFilter* table = nullptr;                           // translated code's; by MMU mode
  uint32_t modes = 0;                                     // a bit for each that may have lines in the table
  // By set of level 1 and of the TLB: what of it is in the table. A place there, + 1; hit_filter_owner().
  // With fewer sets in level 2 than in level 1, by those: a line that goes there takes the one that it pushes
  // out with it from level 1.
  std::unique_ptr<uint32_t[]> of_line;
  std::unique_ptr<uint64_t[]> of_page;
  // By set of level 2, if it has one way and stores bring no line: a place there, + 1, of a line that level 1
  // has not.
  std::unique_ptr<uint32_t[]> of_below;
};

struct alignas(64) Vcpu {
  PbCpuView view{};
  // Of the fast paths: the only caches and the only TLB in use.
  Modelled<CacheNode>* caches = nullptr;
  Modelled<TlbNode>* tlb = nullptr;
  Modelled<CacheNode>* fetches = nullptr;  // the only instruction cache in use
  unsigned index = 0;
  HitFilter hit_filter;
  PbFetched nowhere{PB_FETCHED_NONE, nullptr};
  PbFetched* fetched = &nowhere;  // translated code's, if it can be had
  BusCount uncached;              // of the fast paths, for every tap without caches
  BusCount tap[PB_MOST_TAPS];     // each tap's own
  Count marked{0};                // accesses that taps of marked pages were told of, where only these matter
  Unfinished unfinished;
  LockedLoad locked;
  Pieced pieced;
  Found found;  // of the access that the newest piece belongs to
  Written written;
  uint64_t port_pc = 0;                 // of the newest instruction that may access a port, if
  std::atomic<bool> port_known{false};  // there was one
  bool halfway = false;                 // between the two accesses of an iteration of a string instruction
  Count in_range[kMostRanges][kPrivileges] = {};
  Count io_loads[kPrivileges] = {}, io_stores[kPrivileges] = {};
  uint32_t tried[kMostRanges] = {};  // by an instruction that can make several, since it began
};

// What blocks carry.
inline constexpr uint32_t kMarkedStores = 1,  // stores to marked pages are told
    kMarkedLoads = 2,                         // loads, too
    kBus = 4,                                 // every access is on the bus of some tap
    kCached = 8,                              // one model of caches is in use
    kTlbUsed = 16,                            // one model of a TLB is in use
    kMany = 32,                               // more than one: the slow path looks
    kFetches = 64,                            // a model of fetches is in use
    kDrains = 128,                            // instructions that empty write-combining buffers are told
    kFetchPages = 256,                        // a model of an instruction TLB is in use
    kPorts = 512,                             // where instructions are that access ports is noted (ports.h)
    kWatched = 1024;                          // marked pages are watched (PbMachine::watch)
inline constexpr uint32_t kLoadFeatures = kMarkedLoads | kBus | kCached | kTlbUsed | kMany;
inline constexpr uint32_t kStoreFeatures = kMarkedStores | kBus | kCached | kTlbUsed | kMany;

struct Layer {
  Vcpu* cpus = nullptr;  // by vCPU index; made once, before vCPUs run
  unsigned cpu_count = 0;
  Pages pages;
  std::atomic<const PbRamMap*> map{nullptr};  // pb_machine.ram_map(), without a call
  std::atomic<uint32_t> features{0};          // of all blocks that there are
  std::atomic<uint32_t> next{0};              // from the next retranslation on
  // A bit for each tap: at PB_TAP_BUS; does not only count.
  std::atomic<uint32_t> bus{0}, awaits{0};
  std::atomic<bool> hears{false};  // somebody does of each miss: a tap on the bus, or a listener (pass.h)
  std::atomic<uint32_t> holds{0};  // a bit for each tap: stores wait in its buffers
};

extern Forever<Layer> g_layer_forever;
inline constexpr Layer& g_layer = g_layer_forever.object;

void layer_start(unsigned vcpus);  // once, before anything else here
// vCPUs come and go at any time; another one may get the index of one that went, and counts on. Big lock
// held.
void layer_vcpu_started(unsigned vcpu);
void layer_vcpu_gone(unsigned vcpu);
// Works out anew what blocks carry. Big lock held.
void layer_changed();
void layer_adopt();  // while no vCPU is in a block, and all are about to be thrown away: from now on they
                     // carry that

// What each part has a say in.
uint32_t taps_features();
uint32_t models_features();
uint32_t ranges_features();
uint32_t io_features();
uint32_t ports_features();
void ranges_moved();  // the machine's memory lies elsewhere now

}  // namespace perfboard
#endif
