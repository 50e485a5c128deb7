// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/qtest/core/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace perfboard::qtest {

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "perfboard-qtest-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder " + name);
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Process::Process(const std::vector<std::string>& words, std::string output_file)
    : output_file_(std::move(output_file)) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output_file_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int error = posix_spawnp(&pid_, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error) throw std::runtime_error("cannot start " + words[0]);
}

Process::~Process() {
  if (!running()) return;
  kill(pid_, SIGKILL);
  wait(600'000);
}

std::optional<int> Process::wait(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!status_) {
    int how = 0;
    if (waitpid(pid_, &how, WNOHANG) == pid_) {
      status_ = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    } else if (std::chrono::steady_clock::now() >= end) {
      break;
    } else {
      poll(nullptr, 0, 2);
    }
  }
  return status_;
}

uint64_t Process::resident_bytes() const {
  uint64_t all = 0, resident = 0;
  std::ifstream("/proc/" + std::to_string(pid_) + "/statm") >> all >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string Process::output() const { return contents(output_file_); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> file_lines(const std::string& file) { return lines_of(contents(file)); }

int pokes(int n) {
  const char* more = std::getenv("PERFBOARD_POKES");
  return more ? n * std::max(1, std::atoi(more)) : n;
}

namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value) throw std::runtime_error(std::string(name) + " is not set: start the tests with meson test");
  return value;
}

}  // namespace

std::string qemu_path() { return from_environment("PERFBOARD_QEMU"); }
std::string plugin_path() { return from_environment("PERFBOARD_SO"); }

Refusal start_and_end(std::vector<std::string> words, const std::string& qemu, const std::string& plugin) {
  Scratch scratch;
  std::vector<std::string> all = {qemu, "-nodefaults", "-no-user-config", "-display", "none",    "-machine",
                                  "pc", "-S",          "-monitor",        "none",     "-plugin", plugin};
  all.insert(all.end(), words.begin(), words.end());
  Process child(all, scratch.path("output"));
  const std::optional<int> status = child.wait(600'000);  // only to end a hang
  return {status, child.output()};
}

}  // namespace perfboard::qtest
