// SPDX-License-Identifier: GPL-2.0-or-later
//
// CallTree - who called whom, and how many instructions passed until it returned: by program, with a stack
// for each task's program and one for the kernel's work for it.
//
//   CallTree t(vcpus, power);
//   t.works_for(vcpu, task, program, counts);         from now on; counts: the vCPU's instructions, [privileged]
//   t.call(vcpu, at, sp, counts);                     at: the instruction; counts: it included
//   t.ret(vcpu, at, sp, counts);
//   t.enters(vcpu, kind, from, sp, counts);           an exception or interrupt was delivered; from: what it left
//   t.leaves(vcpu, sp, counts, to_user);              the kernel returns from one, or from a system call
//   t.end(counts);                                    of a vCPU: all that has not returned has come so far
//
// Calls and returns are matched by the stack pointer, so what never returns (longjmp, a task that ends) goes
// when its caller goes on. A function is known by its first instruction that calls or returns: so stubs that
// jump on, and what a call leads to that only the processor knows, are what they lead to. Another stack, for
// interrupts or a signal, is one whose pointer is far away.
//
// A tree with one node for each way to a function; recursion is a way of its own, as deep as kMostDeep.
#ifndef PERFBOARD_PLUGINS_CALL_TREE_H
#define PERFBOARD_PLUGINS_CALL_TREE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace perfboard {

class CallTree {
 public:
  // Of a program's own work, of the kernel's: for system calls and all else, by interrupts, by exceptions.
  enum Kind : char { kFunction = 'f', kUser = 'u', kKernel = 'k', kInterrupt = 'i', kException = 'x' };
  struct Where {
    uint64_t address;
    uint32_t image;
    bool kernel;
  };
  struct Node {
    uint32_t parent, program;  // parent 0: none
    Kind kind;
    Where where;  // of a function: an instruction of it
    uint64_t calls = 0, insns = 0;
  };

  CallTree(unsigned vcpus, bool power) : power_(power), cpus_(vcpus) {}

  using Counts = std::array<uint64_t, 2>;  // [privileged]

  void works_for(unsigned vcpu, uint64_t task, uint32_t program, const Counts& counts);
  void call(unsigned vcpu, Where at, uint64_t sp, const Counts& counts);
  void ret(unsigned vcpu, Where at, uint64_t sp, const Counts& counts);
  void enters(unsigned vcpu, Kind kind, Where from, uint64_t sp, const Counts& counts);
  void leaves(unsigned vcpu, uint64_t sp, const Counts& counts, bool to_user);
  void end(const std::function<Counts(unsigned vcpu)>& counts);
  const std::vector<Node>& nodes() const { return nodes_; }  // [0] is none
  bool full() const { return full_; }  // calls for which there was no room count as their caller's

  static constexpr size_t kMostNodes = 1u << 20, kMostDeep = 1024, kMostTasks = 1u << 14;

 private:
  struct Frame {
    uint64_t sp;     // where the return will find it
    uint64_t start;  // instructions when it began
    uint32_t node;   // 0: not known yet
  };
  struct Stack {
    std::vector<Frame> frames;
    uint64_t since = 0;   // when it became empty
    Kind kind = kKernel;  // what has begun it, of the kernel's
  };
  struct Task {
    Stack stack[2];
    Counts count{};  // instructions until it was last put aside
    uint32_t program = 0;
  };
  struct Cpu {
    uint64_t task = 0;
    Counts base{};
  };
  struct Key {
    uint64_t address;
    uint32_t parent, image;
    Kind kind;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      const uint64_t n =
          (k.address + k.image * 0x9e3779b9u + static_cast<uint64_t>(k.kind)) * 0x9e3779b97f4a7c15 ^
          k.parent * 0xbf58476d1ce4e5b9;
      return static_cast<size_t>(n ^ n >> 31);
    }
  };

  Task& task(unsigned vcpu) { return tasks_[cpus_[vcpu].task]; }
  uint64_t time(unsigned vcpu, bool privileged, const Counts& counts) {
    return task(vcpu).count[privileged] + counts[privileged] - cpus_[vcpu].base[privileged];
  }
  uint32_t child(uint32_t parent, uint32_t program, Kind kind, Where where);
  Stack& stack(unsigned vcpu, bool privileged, const Counts& counts);
  uint32_t node(Stack& s, Where at);
  void pop(Stack& s, uint64_t now);
  void drop(Stack& s, uint64_t sp, uint64_t below, uint64_t now, bool kernel);
  void begin(Task& t, bool privileged);
  void forget();
  void clear(Task& t, bool privileged, uint64_t now);

  const bool power_;
  std::vector<Cpu> cpus_;
  std::unordered_map<uint64_t, Task> tasks_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  bool full_ = false;
  std::unordered_map<Key, uint32_t, Hash> numbers_;
};

}  // namespace perfboard
#endif
