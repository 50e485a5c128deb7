// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folder, a temporary folder; run(), a utility as its user runs it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

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
  std::filesystem::path path;
};

struct Result {
  int code;
  std::string out, err;
};

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

}  // namespace perfboard
