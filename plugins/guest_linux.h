// SPDX-License-Identifier: GPL-2.0-or-later
//
// GuestLinux - which program each vCPU works for, and what its code is mapped from: read from a Linux that
// runs in the guest and does nothing for it.
//
//   GuestLinux linux_(kernel, vcpus, "perfboard-mark", peek);
//   uint32_t program = linux_.event(GuestEvent::kSwitch, vcpu, cpu, prev, next);   at the first instruction of ...
//   uint32_t image = linux_.image(vcpu, address);      of a program's instruction; 0: not known
//   linux_.region()                                         before, in or behind the command's life; or soon in it
//
// Events are the kernel's own functions: PbGuestKernel says where they are, and where its structures have
// their members. A program is what a process executes from a fork or exec to the next exec, or its end;
// threads belong to their process's. The region begins when a program of the marker's name executes another
// one, and ends when the last thread of that process does.
//
// INFERRED: the kernel's order of doing things, the same from Linux 3.16 to 7.3: perf_event_exec() comes when
// the new program's memory is there and before its name; perf_event_mmap() with each mapping before it is
// used; two pointers before a struct vfsmount are its parent mount and the dentry that it is mounted on.
//
// Nothing that the guest's memory says is believed: tables have limits, names are cut.
#ifndef PERFBOARD_PLUGINS_GUEST_LINUX_H
#define PERFBOARD_PLUGINS_GUEST_LINUX_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugins/profile.h"

namespace perfboard {

enum class GuestEvent : uint8_t { kSwitch, kFork, kExec, kMap, kExit };

class GuestLinux {
 public:
  using Peek = size_t (*)(void* cpu, uint64_t vaddr, uint8_t* bytes, size_t size);
  enum Region : uint8_t { kBefore, kMarked, kIn, kBehind };

  struct Program {
    uint32_t pid, parent;  // parent: a program
    std::string name;
  };
  struct Image {
    std::string path;  // as the guest has it; empty: no file
    uint64_t bias;     // address - offset in the file
    bool operator<(const Image& o) const { return std::tie(path, bias) < std::tie(o.path, o.bias); }
  };

  GuestLinux(const PbGuestKernel& kernel, unsigned vcpus, std::string marker, Peek peek);

  // first, second: the function's arguments. Returns the program that the vCPU works for from now on.
  uint32_t event(GuestEvent what, unsigned vcpu, void* cpu, uint64_t first, uint64_t second);
  uint32_t image(unsigned vcpu, uint64_t address);
  Region region() const { return region_; }
  uint64_t task(unsigned vcpu) const { return task_[vcpu]; }
  const std::vector<Program>& programs() const { return programs_; }  // [0]: not known
  const std::vector<Image>& images() const { return images_; }        // [0]: not known, or the kernel's

  static constexpr size_t kMostPrograms = 1u << 16, kMostImages = 1u << 16, kMostTasks = 1u << 16,
                          kMostSpaces = 1u << 12, kMostRanges = 1u << 9, kMostParts = 64;

 private:
  struct Range {
    uint64_t end;
    uint32_t path;  // 0: no file
    uint64_t bias;
  };
  struct Space {
    std::map<uint64_t, Range> ranges;  // by the first address
    uint64_t vdso = 0;
  };

  uint64_t word(uint64_t at, size_t bytes = 8) const;
  std::string text(uint64_t at, size_t most) const;
  std::string path_of(uint64_t file) const;
  uint32_t path_number(std::string path);
  uint32_t belongs(uint64_t task, uint32_t program);
  uint32_t add_program(uint64_t task, uint32_t parent, const std::string& name);
  uint32_t program_of(uint64_t task);
  void refresh_name(uint64_t task);
  void forked(uint64_t parent, uint64_t child);
  void executed(uint64_t task);
  void mapped(uint64_t vma);
  void ended(uint64_t task);
  Space* space(uint64_t mm);

  const PbGuestKernel kernel_;
  const std::string marker_;
  const Peek peek_;
  void* cpu_ = nullptr;         // of the event under way
  std::vector<uint64_t> task_;  // by vCPU; 0: not known
  // Its mm. A program's code may not read the kernel's memory, nor may whoever looks meanwhile.
  std::vector<uint64_t> mm_;
  std::vector<Program> programs_{{0, 0, "?"}};
  std::vector<Image> images_{{"", 0}};
  std::map<Image, uint32_t> image_numbers_;
  std::vector<const std::string*> paths_{nullptr};  // keys of path_numbers_
  std::map<std::string, uint32_t> path_numbers_;
  std::unordered_map<uint64_t, uint32_t> tasks_;  // by their address: programs
  std::unordered_map<uint64_t, Space> spaces_;    // by mm
  Region region_ = kBefore;
  uint64_t root_ = 0;   // the command's process
  uint64_t alive_ = 0;  // its threads that have not come to their exit
};

}  // namespace perfboard
#endif
