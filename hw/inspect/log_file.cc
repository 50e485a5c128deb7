// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/log_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace perfboard::inspect {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;

// For as long as the process lives.
std::vector<LogFile*>& logs() {
  static auto* const all = new std::vector<LogFile*>;
  return *all;
}

bool same_file(std::FILE* file, const std::string& name) {
  struct stat ours, other;
  return file && !fstat(fileno(file), &ours) && !stat(name.c_str(), &other) && ours.st_dev == other.st_dev &&
         ours.st_ino == other.st_ino;
}

}  // namespace

void LogFile::end(int error) {
  std::fclose(file_);
  file_ = nullptr;
  std::fprintf(stderr, "perfboard: log=%s: %s: the log ends here\n", name_.c_str(), std::strerror(error));
}

void LogFile::put(std::string_view text) {
  if (write_) {
    write_(text.data(), text.size());
  } else if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    end(errno);
  }
}

LogFile* open_log(const std::string& name, LogFile::Format format, LogFile::Write write, std::string& why) {
  const bool to_qemu = name == "-";
  for (LogFile* log : logs()) {
    if (log->name_ != name && (to_qemu || !same_file(log->file_, name))) continue;
    if (log->format_ == format) return log;
    why = "log-format=" + std::string(format == LogFile::kJson ? "json" : "text") +
          ": another board's log= names the same file (" + name +
          ") with log-format=" + (format == LogFile::kJson ? "text" : "json") + "; a file has one format";
    return nullptr;
  }
  auto log = std::make_unique<LogFile>();
  log->name_ = name;
  log->format_ = format;
  if (to_qemu) {
    log->write_ = write ? write : [](const char* text, size_t bytes) { std::fwrite(text, 1, bytes, stderr); };
  } else {
    log->file_ = std::fopen(name.c_str(), "we");
    if (!log->file_) {
      why = "log=" + name + ": " + std::strerror(errno) +
            "; it must be a file that can be written, or - (QEMU's own log)";
      return nullptr;
    }
    std::setvbuf(log->file_, nullptr, _IOFBF, kBufferBytes);
  }
  logs().push_back(log.get());
  return log.release();
}

void flush_logs() {
  for (LogFile* log : logs()) {
    const std::lock_guard guard(log->lock_);
    if (log->file_ && std::fflush(log->file_)) log->end(errno);
  }
}

}  // namespace perfboard::inspect
