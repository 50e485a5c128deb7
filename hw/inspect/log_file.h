// SPDX-License-Identifier: GPL-2.0-or-later
//
// LogFile - where access logs go: boards that name one file share it. A full disk ends the log with a line on stderr.
//
//   LogFile* file = open_log("run.log", LogFile::kText, to_qemu, why);     null: `why` says why not
//   file->line(...)                                                        any thread
//   flush_logs()                                                           what was written is in the files
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace perfboard::inspect {

class LogFile {
 public:
  enum Format : uint8_t { kText, kJson };
  using Write = void (*)(const char* text, size_t bytes);

  // text: a function from the line's number in the file to the line.
  template <typename TextOf>
  void line(TextOf&& text) {
    const std::lock_guard guard(lock_);
    if (!file_ && !write_) return;
    std::string whole = text(number_++);
    whole += '\n';
    put(whole);
  }
  Format format() const { return format_; }

 private:
  friend LogFile* open_log(const std::string& name, Format format, Write write, std::string& why);
  friend void flush_logs();
  void put(std::string_view text);
  void end(int error);

  std::string name_;
  Format format_ = kText;
  std::mutex lock_;
  uint64_t number_ = 0;
  std::FILE* file_ = nullptr;  // null: the log has ended, or write_ takes it
  Write write_ = nullptr;
};

LogFile* open_log(const std::string& name, LogFile::Format format, LogFile::Write write, std::string& why);
void flush_logs();

}  // namespace perfboard::inspect
