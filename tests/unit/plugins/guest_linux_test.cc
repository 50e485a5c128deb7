// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/guest_linux.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace perfboard {
namespace {

// A guest's memory: what was never written cannot be read.
std::map<uint64_t, uint8_t> g_memory;

size_t peek(void*, uint64_t at, uint8_t* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const auto found = g_memory.find(at + i);
    if (found == g_memory.end()) return i;
    bytes[i] = found->second;
  }
  return size;
}

void put(uint64_t at, const void* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) g_memory[at + i] = static_cast<const uint8_t*>(bytes)[i];
}
void put(uint64_t at, uint64_t value) { put(at, &value, 8); }
void put4(uint64_t at, uint32_t value) { put(at, &value, 4); }

constexpr PbGuestKernel kKernel = [] {
  PbGuestKernel k{};
  k.task_pid = 0, k.task_tgid = 4, k.task_comm = 8, k.task_mm = 24;
  k.mm_vdso = 0;
  k.vma_start = 0, k.vma_end = 8, k.vma_mm = 16, k.vma_flags = 24, k.vma_pgoff = 32, k.vma_file = 40;
  k.file_mount = 0, k.file_dentry = 8, k.dentry_parent = 0, k.dentry_name = 8, k.mount_root = 0;
  k.page_bits = 12;
  return k;
}();
constexpr uint64_t kExec = 4;

class GuestLinuxTest : public testing::Test {
 protected:
  using E = GuestEvent;
  GuestLinuxTest() { g_memory.clear(); }

  uint64_t room(uint64_t bytes = 64) { return next_ += (bytes + 63) / 64 * 64; }
  void name(uint64_t task, const std::string& comm) {
    char bytes[16] = {};
    std::strncpy(bytes, comm.c_str(), sizeof bytes - 1);
    put(task + kKernel.task_comm, bytes, sizeof bytes);
  }
  uint64_t task(uint32_t pid, uint32_t tgid, const std::string& comm, uint64_t mm) {
    const uint64_t at = room();
    put4(at, pid), put4(at + 4, tgid), put(at + kKernel.task_mm, mm);
    name(at, comm);
    return at;
  }
  uint64_t mm(uint64_t vdso = 0) {
    const uint64_t at = room();
    put(at + kKernel.mm_vdso, vdso);
    return at;
  }
  uint64_t dentry(const std::string& text, uint64_t parent) {
    const uint64_t at = room(), bytes = room(text.size() + 1);
    put(at + kKernel.dentry_parent, parent ? parent : at), put(at + kKernel.dentry_name, bytes);
    put(bytes, text.c_str(), text.size() + 1);
    return at;
  }
  // A mount at a dentry of another one; 0: the root's.
  uint64_t mount(uint64_t root, uint64_t parent = 0, uint64_t at = 0) {
    const uint64_t m = room(128) + 32;
    put(m - 16, parent ? parent - 32 : m - 32), put(m - 8, at ? at : root), put(m, root);
    return m;
  }
  uint64_t file(uint64_t of_mount, uint64_t of_dentry) {
    const uint64_t at = room();
    put(at, of_mount), put(at + 8, of_dentry);
    return at;
  }
  void map(unsigned vcpu, uint64_t of, uint64_t start, uint64_t end, uint64_t page, uint64_t of_file,
           uint64_t flags = kExec) {
    const uint64_t vma = room();
    put(vma, start), put(vma + 8, end), put(vma + 16, of), put(vma + 24, flags), put(vma + 32, page);
    put(vma + 40, of_file);
    linux_.event(E::kMap, vcpu, nullptr, vma, 0);
  }
  std::string place(unsigned vcpu, uint64_t address) {
    const uint32_t n = linux_.image(vcpu, address);
    const GuestLinux::Image& i = linux_.images()[n];
    return n ? i.path + "+" + std::to_string(address - i.bias) : "";
  }
  std::string program(uint32_t n) const { return linux_.programs()[n].name; }
  uint32_t runs(uint64_t next, unsigned vcpu = 0) {
    const uint64_t before = std::exchange(now_[vcpu], next);
    return linux_.event(E::kSwitch, vcpu, nullptr, before, next);
  }

  GuestLinux linux_{kKernel, 2, "mark", peek};
  uint64_t next_ = 1u << 20, now_[2] = {};
};

TEST_F(GuestLinuxTest, ProgramsAreProcessesUntilTheyExecuteAnother) {
  const uint64_t a = task(10, 10, "sh", mm()), idle = task(0, 0, "swapper/0", 0);
  const uint32_t sh = runs(a);
  EXPECT_EQ(program(sh), "sh");
  const uint64_t thread = task(11, 10, "worker", mm());
  put(thread + kKernel.task_mm, uint64_t{0});
  linux_.event(E::kFork, 0, nullptr, thread, 0);
  EXPECT_EQ(runs(thread), sh) << "a thread's";
  EXPECT_EQ(program(sh), "sh") << "not by its thread's name";
  runs(a);
  const uint64_t child = task(12, 12, "sh", mm());
  EXPECT_EQ(linux_.event(E::kFork, 0, nullptr, child, 0), sh);
  const uint32_t forked = runs(child);
  EXPECT_NE(forked, sh);
  EXPECT_EQ(linux_.programs()[forked].parent, sh);
  const uint32_t other = linux_.event(E::kExec, 0, nullptr, 0, 0);
  EXPECT_NE(other, forked);
  name(child, "ls");  // behind it
  runs(idle);
  EXPECT_EQ(program(other), "ls");
  EXPECT_EQ(program(forked), "sh");
  EXPECT_EQ(linux_.programs()[other].pid, 12u);
  EXPECT_EQ(runs(child, 1), other);
}

TEST_F(GuestLinuxTest, CodeIsOfTheFileThatItsProgramHasThere) {
  const uint64_t root = dentry("/", 0), usr = dentry("usr", root), lib = dentry("libc.so", usr);
  const uint64_t data = dentry("/", 0), mine = dentry("mine", data), top = mount(root);
  const uint64_t libc = file(top, lib), own = file(mount(data, top, usr), mine);
  const uint64_t m = mm(0x7000), n = mm();
  const uint64_t a = task(1, 1, "a", m), b = task(2, 2, "b", n);
  runs(a);
  EXPECT_EQ(place(0, 0x5000), "") << "nothing is known of it";
  map(0, m, 0x10000, 0x20000, 3, libc);
  map(0, m, 0x5000, 0x6000, 0, own);
  map(0, m, 0x7000, 0x8000, 0, 0);
  map(0, m, 0x9000, 0xa000, 0, 0);
  map(0, m, 0xb000, 0xc000, 0, own, 2);  // no code
  EXPECT_EQ(place(0, 0x10010), "/usr/libc.so+" + std::to_string(0x3010));
  EXPECT_EQ(place(0, 0x5004), "/usr/mine+4") << "in what is mounted at /usr";
  EXPECT_EQ(place(0, 0x7010), "[vdso]+16");
  for (const uint64_t nothing : {0x4fff, 0x6000, 0x9000, 0xb000, 0x20000}) EXPECT_EQ(place(0, nothing), "");
  runs(b, 1);
  map(1, n, 0x30000, 0x40000, 3, libc);
  EXPECT_EQ(place(1, 0x30010), "/usr/libc.so+" + std::to_string(0x3010));
  EXPECT_EQ(place(1, 0x10010), "");
  EXPECT_EQ(linux_.image(0, 0x10020), linux_.image(0, 0x1fff0)) << "one mapping";
  EXPECT_NE(linux_.image(0, 0x10020), linux_.image(1, 0x30020));
}

TEST_F(GuestLinuxTest, AMappingTakesThePlaceOfOthers) {
  const uint64_t root = dentry("/", 0), top = mount(root), m = mm();
  const uint64_t x = file(top, dentry("x", root)), y = file(top, dentry("y", root));
  runs(task(1, 1, "a", m));
  map(0, m, 0x10000, 0x20000, 0, x);
  map(0, m, 0x14000, 0x16000, 0, y);
  EXPECT_EQ(place(0, 0x13fff), "/x+" + std::to_string(0x3fff));
  EXPECT_EQ(place(0, 0x14000), "/y+0");
  EXPECT_EQ(place(0, 0x16000), "/x+" + std::to_string(0x6000));
  map(0, m, 0x12000, 0x18000, 1, y);
  EXPECT_EQ(place(0, 0x11fff), "/x+" + std::to_string(0x1fff));
  EXPECT_EQ(place(0, 0x15000), "/y+" + std::to_string(0x4000));
  EXPECT_EQ(place(0, 0x18000), "/x+" + std::to_string(0x8000));
  map(0, m, 0x10000, 0x20000, 0, x);  // as mprotect() tells it again
  EXPECT_EQ(place(0, 0x15000), "/x+" + std::to_string(0x5000));
}

TEST_F(GuestLinuxTest, AForkHasItsParentsMappingsUntilItExecutes) {
  const uint64_t root = dentry("/", 0), x = file(mount(root), dentry("x", root)), m = mm(), n = mm();
  runs(task(1, 1, "a", m));
  map(0, m, 0x10000, 0x20000, 0, x);
  const uint64_t child = task(2, 2, "a", n), vfork = task(3, 3, "a", m);
  linux_.event(E::kFork, 0, nullptr, child, 0);
  linux_.event(E::kFork, 0, nullptr, vfork, 0);
  runs(vfork);
  EXPECT_EQ(place(0, 0x10000), "/x+0");
  runs(child);
  EXPECT_EQ(place(0, 0x10000), "/x+0");
  linux_.event(E::kExec, 0, nullptr, 0, 0);
  EXPECT_EQ(place(0, 0x10000), "");
  map(0, n, 0x10000, 0x20000, 0, x);
  const uint64_t again = task(8, 8, "b", n);  // where another mm was
  runs(task(7, 7, "b", mm()));
  linux_.event(E::kFork, 0, nullptr, again, 0);
  runs(again);
  EXPECT_EQ(place(0, 0x10000), "");
}

TEST_F(GuestLinuxTest, TheRegionIsTheLifeOfWhatTheMarkerExecutes) {
  const uint64_t m = mm(), a = task(5, 5, "sh", m), other = task(9, 9, "other", mm());
  runs(a);
  EXPECT_EQ(linux_.region(), GuestLinux::kBefore);
  linux_.event(E::kExec, 0, nullptr, 0, 0);
  name(a, "mark");
  EXPECT_EQ(linux_.region(), GuestLinux::kBefore);
  map(0, m, 0x1000, 0x2000, 0, 0);
  EXPECT_EQ(linux_.region(), GuestLinux::kMarked);
  linux_.event(E::kExec, 0, nullptr, 0, 0);
  EXPECT_EQ(linux_.region(), GuestLinux::kIn);
  runs(other);
  linux_.event(E::kExit, 0, nullptr, 0, 0);
  EXPECT_EQ(linux_.region(), GuestLinux::kIn) << "another's end";
  runs(a);
  const uint64_t thread = task(6, 5, "thread", m);
  linux_.event(E::kFork, 0, nullptr, thread, 0);
  linux_.event(E::kExit, 0, nullptr, 0, 0);
  EXPECT_EQ(linux_.region(), GuestLinux::kIn) << "one of two threads'";
  runs(thread);
  linux_.event(E::kExit, 0, nullptr, 0, 0);
  EXPECT_EQ(linux_.region(), GuestLinux::kBehind);
}

TEST_F(GuestLinuxTest, MemoryThatTellsNonsenseDoesNoHarm) {
  for (const E e : {E::kFork, E::kExec, E::kMap, E::kExit, E::kSwitch, E::kFork, E::kExec, E::kMap, E::kExit})
    linux_.event(e, 0, nullptr, UINT64_MAX - 3, 0x1234);
  EXPECT_EQ(linux_.image(0, 0x1000), 0u);
  // Folders in a circle, a name without an end, a mount on itself.
  const uint64_t a = dentry("a", 0), b = dentry("b", a), m = mm(), bytes = room(8192);
  put(a + kKernel.dentry_parent, b);
  for (uint64_t i = 0; i < 8192; ++i) put(bytes + i, "x", 1);
  put(b + kKernel.dentry_name, bytes);
  runs(task(1, 1, "a", m));
  map(0, m, 0x1000, 0x2000, 0, file(mount(dentry("/", 0)), a));
  EXPECT_LE(place(0, 0x1000).size(), GuestLinux::kMostParts * 300);
}

TEST_F(GuestLinuxTest, TablesHaveLimits) {
  const uint64_t root = dentry("/", 0), x = file(mount(root), dentry("x", root)), m = mm();
  const uint64_t a = task(1, 1, "a", m), vma = room();
  runs(a);
  put(vma + 16, m), put(vma + 24, kExec), put(vma + 32, uint64_t{0}), put(vma + 40, x);
  for (uint64_t i = 0; i < GuestLinux::kMostImages + 100; ++i) {
    put(vma, i << 13), put(vma + 8, (i << 13) + 0x1000);
    linux_.event(E::kMap, 0, nullptr, vma, 0);
    linux_.image(0, i << 13);
    if (i % GuestLinux::kMostRanges == 0) linux_.event(E::kExec, 0, nullptr, 0, 0);
  }
  EXPECT_LE(linux_.images().size(), GuestLinux::kMostImages);
  const uint64_t child = task(2, 2, "b", mm());
  for (uint64_t i = 0; i < GuestLinux::kMostPrograms + 10; ++i) {
    put4(child + 4, static_cast<uint32_t>(100 + i));
    linux_.event(E::kFork, 0, nullptr, child, 0);
  }
  EXPECT_LE(linux_.programs().size(), GuestLinux::kMostPrograms);
  EXPECT_EQ(program(runs(child)), "others");
}

}  // namespace
}  // namespace perfboard
