// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/threads.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "guest/smile/cmd/cards.h"

namespace perfboard::smile {
namespace {

struct Close {
  void operator()(DIR* folder) const { closedir(folder); }
};

// A process may end at any time, and its folder with it.
std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> list;
  const std::unique_ptr<DIR, Close> folder(opendir(fmt::format("/proc/{}/task", process).c_str()));
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    if (std::from_chars(name.begin(), name.end(), thread).ec == std::errc()) list.push_back(thread);
  }
  return list;
}

// The node; -1: it is on none.
int node_of(pid_t thread, unsigned nodes) {
  cpu_set_t set;
  if (sched_getaffinity(thread, sizeof set, &set) || CPU_COUNT(&set) != 1) return -1;
  for (unsigned node = 0; node < nodes; ++node)
    if (CPU_ISSET(node, &set)) return static_cast<int>(node);
  return -1;
}

}  // namespace

ThreadPlacement::Threads threads_on_nodes(pid_t process, unsigned nodes) {
  ThreadPlacement::Threads on(nodes);
  std::vector<pid_t> processes{process};
  for (size_t i = 0; i < processes.size(); ++i)
    for (const pid_t thread : threads_of(processes[i])) {
      std::ifstream children(fmt::format("/proc/{}/task/{}/children", processes[i], thread));
      for (pid_t child; children >> child;) processes.push_back(child);
      if (const int node = node_of(thread, nodes); node >= 0 && processes[i] != getpid())
        on[static_cast<unsigned>(node)].push_back(thread);
    }
  for (std::vector<int>& threads : on) std::sort(threads.begin(), threads.end());
  return on;
}

bool move_thread(pid_t thread, unsigned node) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(node, &set);
  if (!sched_setaffinity(thread, sizeof set, &set)) return true;
  if (errno == ESRCH) return false;
  throw system_failure(fmt::format("thread {} to node {}", thread, node));
}

std::string thread_name(pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/comm", thread));
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace perfboard::smile
