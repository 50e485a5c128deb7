// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folder, a temporary folder; run(), a utility as its user runs it; Running, one whose input is still open.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guest/common/failure.h"

namespace perfboard {

// Goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "perfboard_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  static std::string read(const std::string& file_name) {
    std::ostringstream text;
    text << std::ifstream(file_name, std::ios::binary).rdbuf();
    return text.str();
  }
  // Everything in it, hidden files too, as "a b c".
  std::string list() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  std::filesystem::path path;
};

// A file of the source tree; PERFBOARD_ROOT names it.
inline std::string source(const std::string& name) {
  const char* const root = getenv("PERFBOARD_ROOT");
  if (!root) throw std::runtime_error("PERFBOARD_ROOT is not set");
  return Folder::read(std::string(root) + "/" + name);
}

struct Result {
  int code;
  std::string out, err;
};

// Whether a part is in a text.
inline bool says(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// What is said of words that are not taken; "accepted": they are.
inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Misuse& e) {
    return e.what();
  }
  return "accepted";
}

// A shell command whose first word is a utility; PERFBOARD_TOOLS names their folder.
inline Result run(const std::string& command, std::string_view input = {}) {
  const char* tools = getenv("PERFBOARD_TOOLS");
  if (!tools) throw std::runtime_error("PERFBOARD_TOOLS is not set");
  const Folder folder;
  const std::string in = folder.write("in", input), out = folder.file("out"), err = folder.file("err");
  const std::string line = "(" + std::string(tools) + "/" + command + ") <" + in + " >" + out + " 2>" + err;
  const int status = system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Folder::read(out), Folder::read(err)};
}

// What it writes, or what it says of a mistake; its exit code is this one.
inline std::string output_of(const std::string& command, std::string_view input = {}, int code = 0) {
  const Result r = run(command, input);
  EXPECT_EQ(r.code, code) << command << '\n' << r.err;
  return r.out;
}
inline std::string complaint_of(const std::string& command, std::string_view input = {}, int code = 1) {
  const Result r = run(command, input);
  EXPECT_EQ(r.code, code) << command << '\n' << r.err;
  return r.err;
}
// It says this of a mistake, and nothing else.
inline void fails(const std::string& command, std::string_view error, std::string_view input = {},
                  int code = 1) {
  EXPECT_EQ(complaint_of(command, input, code), error) << command;
}

// A utility with pipes as its standard input and output, as long as the test wants.
class Running {
 public:
  explicit Running(const std::string& command) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) throw std::runtime_error("pipe2");
    const std::string line = "exec " + std::string(getenv("PERFBOARD_TOOLS")) + "/" + command;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Running() {
    if (pid_ > 0) {
      kill(SIGKILL);
      end();
    }
    close(out_);
  }
  Running(const Running&) = delete;

  void write(std::string_view text) const {
    ASSERT_EQ(::write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // What the utility writes, up to so many bytes. The limit is only there to end a test that hangs.
  std::string read(size_t size) const {
    std::string text;
    while (text.size() < size) {
      pollfd ready = {out_, POLLIN, 0};
      if (poll(&ready, 1, 600'000) != 1) return text + "<nothing came for ten minutes>";
      char block[4096];
      const ssize_t got = ::read(out_, block, std::min(sizeof block, size - text.size()));
      if (got <= 0) return text + "<the end>";
      text.append(block, static_cast<size_t>(got));
    }
    return text;
  }
  void kill(int signal) const { ::kill(pid_, signal); }
  // Closes its input and waits for it: exit code, or -1.
  int end() {
    if (in_ >= 0) close(std::exchange(in_, -1));
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
};

// Width and height of a PNG file; 0 if it is none.
inline std::pair<unsigned, unsigned> png_size(const std::string& file) {
  const std::string png = Folder::read(file);
  if (png.size() < 1000 || png.substr(0, 8) != "\x89PNG\r\n\x1a\n") return {};
  const auto number = [&](size_t at) {
    unsigned n = 0;
    for (size_t i = at; i < at + 4; i++) n = n << 8 | static_cast<uint8_t>(png[i]);
    return n;
  };
  return {number(16), number(20)};
}

}  // namespace perfboard
