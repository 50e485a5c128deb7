// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/guest_linux.h"

#include <algorithm>
#include <tuple>

namespace perfboard {

namespace {
constexpr size_t kCommBytes = 16, kNameBytes = 256;
constexpr uint64_t kVmExec = 4;  // VM_EXEC
constexpr uint64_t kAboveMount = 16, kMountpoint = 8,
                   kMountBytes = 32;  // before, and of what precedes a vfsmount
}  // namespace

GuestLinux::GuestLinux(const PbGuestKernel& kernel, unsigned vcpus, std::string marker, Peek peek)
    : kernel_(kernel), marker_(std::move(marker)), peek_(peek), task_(vcpus), mm_(vcpus) {}

uint64_t GuestLinux::word(uint64_t at, size_t bytes) const {
  uint64_t value = 0;
  return peek_(cpu_, at, reinterpret_cast<uint8_t*>(&value), bytes) == bytes ? value : 0;
}

std::string GuestLinux::text(uint64_t at, size_t most) const {
  std::string bytes(most, '\0');
  bytes.resize(peek_(cpu_, at, reinterpret_cast<uint8_t*>(bytes.data()), most));
  return bytes.substr(0, bytes.find('\0'));
}

// --- programs ----------------------------------------------------------------------------------------

uint32_t GuestLinux::belongs(uint64_t task, uint32_t program) {
  if (tasks_.size() >= kMostTasks) tasks_.clear();  // those that come again are known by their names
  return tasks_[task] = program;
}

uint32_t GuestLinux::add_program(uint64_t task, uint32_t parent, const std::string& name) {
  const auto number = static_cast<uint32_t>(programs_.size());
  if (number < kMostPrograms) {
    programs_.push_back({static_cast<uint32_t>(word(task + kernel_.task_tgid, 4)), parent, name});
    return belongs(task, number);
  }
  programs_[0].name = "others";
  return belongs(task, 0);
}

uint32_t GuestLinux::program_of(uint64_t task) {
  const auto found = tasks_.find(task);
  return found != tasks_.end() ? found->second
                               : add_program(task, 0, text(task + kernel_.task_comm, kCommBytes));
}

// exec names it behind perf_event_exec(), and a program may name itself. Other threads have other names.
void GuestLinux::refresh_name(uint64_t task) {
  const uint32_t number = program_of(task);
  if (number && word(task + kernel_.task_pid, 4) == programs_[number].pid)
    programs_[number].name = text(task + kernel_.task_comm, kCommBytes);
  if (region_ == kBefore && programs_[number].name == marker_) region_ = kMarked;
}

GuestLinux::Space* GuestLinux::space(uint64_t mm) {
  const auto found = spaces_.find(mm);
  if (found != spaces_.end()) return &found->second;
  return mm && spaces_.size() < kMostSpaces ? &spaces_[mm] : nullptr;
}

void GuestLinux::forked(uint64_t parent, uint64_t child) {
  const uint64_t from = word(parent + kernel_.task_mm), to = word(child + kernel_.task_mm);
  const uint64_t process = word(child + kernel_.task_tgid, 4);
  const uint32_t above = parent ? program_of(parent) : 0;
  if (parent && word(parent + kernel_.task_tgid, 4) == process)
    belongs(child, above);
  else
    add_program(child, above, text(child + kernel_.task_comm, kCommBytes));
  if (region_ == kIn && process == root_) ++alive_;
  const auto found = spaces_.find(from);
  if (from == to || !from) return;
  const Space copy = found == spaces_.end() ? Space() : found->second;
  if (Space* const s = space(to)) *s = copy;
}

void GuestLinux::executed(uint64_t task) {
  const uint32_t old = program_of(task);
  if (region_ == kMarked && programs_[old].name == marker_) {
    region_ = kIn;
    root_ = word(task + kernel_.task_tgid, 4);
    alive_ = 1;  // exec ends the other threads first
  }
  add_program(task, programs_[old].parent, "");
  if (Space* const s = space(word(task + kernel_.task_mm))) s->ranges.clear();
}

// What the kernel counts does not serve: two threads may be on their way out before it has counted either.
void GuestLinux::ended(uint64_t task) {
  if (region_ == kIn && word(task + kernel_.task_tgid, 4) == root_ && --alive_ == 0) region_ = kBehind;
}

uint32_t GuestLinux::event(GuestEvent what, unsigned vcpu, void* cpu, uint64_t first, uint64_t second) {
  cpu_ = cpu;
  uint64_t& task = task_[vcpu];
  if (what == GuestEvent::kSwitch) task = first;
  if (task) refresh_name(task);
  switch (what) {
    case GuestEvent::kSwitch:
      task = second;
      break;
    case GuestEvent::kFork:
      forked(task, first);
      break;
    case GuestEvent::kExec:
      if (task) executed(task);
      break;
    case GuestEvent::kMap:
      mapped(first);
      break;
    case GuestEvent::kExit:
      if (task) ended(task);
      break;
  }
  mm_[vcpu] = task ? word(task + kernel_.task_mm) : 0;
  const auto own = spaces_.find(mm_[vcpu]);
  if (own != spaces_.end()) own->second.vdso = word(own->first + kernel_.mm_vdso);
  return task ? program_of(task) : 0;
}

// --- what code is mapped from --------------------------------------------------------------------------

std::string GuestLinux::path_of(uint64_t file) const {
  uint64_t mount = word(file + kernel_.file_mount), dentry = word(file + kernel_.file_dentry);
  std::string path;
  for (size_t parts = 0; dentry && parts < kMostParts; ++parts) {
    const uint64_t above = word(dentry + kernel_.dentry_parent);
    if (dentry == word(mount + kernel_.mount_root)) {
      const uint64_t parent = word(mount - kAboveMount) + kMountBytes;
      if (parent == mount) break;
      dentry = word(mount - kMountpoint);
      mount = parent;
    } else {
      if (dentry == above) break;
      path.insert(0, "/" + text(word(dentry + kernel_.dentry_name), kNameBytes));
      dentry = above;
    }
  }
  return path;
}

uint32_t GuestLinux::path_number(std::string path) {
  constexpr size_t kMostBytes = 4096;
  path.resize(std::min(path.size(), kMostBytes));
  const auto found = path_numbers_.find(path);
  if (found != path_numbers_.end()) return found->second;
  if (path.empty() || paths_.size() >= kMostImages) return 0;
  const auto at = path_numbers_.emplace(std::move(path), static_cast<uint32_t>(paths_.size())).first;
  paths_.push_back(&at->first);
  return at->second;
}

void GuestLinux::mapped(uint64_t vma) {
  const uint64_t start = word(vma + kernel_.vma_start), end = word(vma + kernel_.vma_end);
  Space* const of = space(word(vma + kernel_.vma_mm));
  if (!of || start >= end || !(word(vma + kernel_.vma_flags) & kVmExec)) return;
  const uint64_t file = word(vma + kernel_.vma_file);
  const uint64_t offset = file ? word(vma + kernel_.vma_pgoff) << kernel_.page_bits : 0;
  auto& ranges = of->ranges;
  auto at = ranges.lower_bound(start);
  if (at != ranges.begin() && std::prev(at)->second.end > start) {
    Range tail = std::prev(at)->second;
    std::prev(at)->second.end = start;
    if (tail.end > end && ranges.size() < kMostRanges) ranges.emplace(end, std::move(tail));
  }
  while (at != ranges.end() && at->first < end) {
    Range tail = at->second;
    at = ranges.erase(at);
    if (tail.end > end) ranges.emplace(end, std::move(tail));
  }
  if (ranges.size() < kMostRanges)
    ranges[start] = {end, file ? path_number(path_of(file)) : 0, file ? start - offset : 0};
}

uint32_t GuestLinux::image(unsigned vcpu, uint64_t address) {
  const auto found = spaces_.find(mm_[vcpu]);
  if (found == spaces_.end()) return 0;
  const auto behind = found->second.ranges.upper_bound(address);
  if (behind == found->second.ranges.begin()) return 0;
  const auto& [start, range] = *std::prev(behind);
  if (address >= range.end) return 0;
  Image image{range.path ? *paths_[range.path] : "", range.bias};
  if (image.path.empty() && start == found->second.vdso) image = {"[vdso]", start};
  if (image.path.empty()) return 0;
  const auto [at, is_new] = image_numbers_.try_emplace(image, static_cast<uint32_t>(images_.size()));
  if (is_new && images_.size() >= kMostImages) {
    image_numbers_.erase(at);
    return 0;
  }
  if (is_new) images_.push_back(std::move(image));
  return at->second;
}

}  // namespace perfboard
