// SPDX-License-Identifier: GPL-2.0-or-later
//
// Process - a child with its output in a file; Scratch - a folder that goes away with its owner.
//
//   Scratch folder;
//   Process qemu({"qemu-system-x86_64", "-S", ...}, folder.path("output"));
//   qemu.wait(600'000);         // exit status, or nothing if it still runs after 600 s
//   qemu.output();              // stdout and stderr so far
//
// A wait ends a hang: one of less than ten minutes would fail on a slow machine. That a child goes on is
// shown by something it does, not by a wait that ends.
//
// The child is killed when its Process goes away.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perfboard::qtest {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

class Process {
 public:
  Process(const std::vector<std::string>& words, std::string output_file);
  ~Process();
  Process(const Process&) = delete;

  // Exit status; 128 + the signal if one ended it; nothing if it runs still.
  std::optional<int> wait(int milliseconds);
  bool running() { return !wait(0); }
  std::string output() const;
  uint64_t resident_bytes() const;

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::string output_file_;
};

// A whole file, "" if there is none.
std::string contents(const std::string& file);
std::vector<std::string> file_lines(const std::string& file);
bool has(const std::string& text, const std::string& part);
std::vector<std::string> lines_of(const std::string& text);
// How many accesses a random test makes instead of n: PERFBOARD_POKES=N multiplies them.
int pokes(int n);

// From the environment that Meson gives to each test.
std::string qemu_path();
std::string plugin_path();

// Runs QEMU with the object and these words and no machine to talk to; status is nothing if it
// did not end at all: then nothing was wrong.
struct Refusal {
  std::optional<int> status;
  std::string output;
};
Refusal start_and_end(std::vector<std::string> words, const std::string& qemu = qemu_path(),
                      const std::string& plugin = plugin_path());

// QEMU ends with status 1, as it must, and says what is wrong with the words.
inline void expect_refused(const std::vector<std::string>& words, const std::vector<std::string>& texts) {
  const Refusal r = start_and_end(words);
  EXPECT_EQ(r.status.value_or(-1), 1) << words.back() << (r.status ? "" : ": it runs");
  for (const std::string& text : texts) EXPECT_TRUE(has(r.output, text)) << text << "\n" << r.output;
}
// Properties of a device behind these words, and what is said of each.
using Wrong = std::vector<std::pair<std::string, std::vector<std::string>>>;
inline void expect_refused(const std::vector<std::string>& before, const std::string& device,
                           const Wrong& cases) {
  for (const auto& [properties, texts] : cases) {
    std::vector<std::string> words = before;
    words.insert(words.end(), {"-device", device + "," + properties});
    expect_refused(words, texts);
  }
}

}  // namespace perfboard::qtest
