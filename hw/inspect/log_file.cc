// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/log_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "hw/inspect/text.h"

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

bool is_stream(const std::string& name) {
  struct stat there;
  return !stat(name.c_str(), &there) && !S_ISREG(there.st_mode);
}

const char* name_of(LogFile::Format format) { return format == LogFile::kJson ? "json" : "text"; }

}  // namespace

void LogFile::end(int error) {
  std::fclose(file_);
  file_ = nullptr;
  std::fprintf(stderr, "perfboard: log=%s: %s: the log ends here\n", name_.c_str(), std::strerror(error));
}

void LogFile::write_stream(std::string_view text) {
  if (options_.write) {
    options_.write(text.data(), text.size());
  } else if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    return end(errno);
  }
  streamed_ += text.size();
}

void LogFile::write(const Line& line) {
  if (ended()) return;
  const std::string text = line.source->line(line.told, line.run, options_.format, number_) + "\n";
  if (!stream_) {
    ++number_;
    if (const int error = bounded_.append(text, {line.run.times, line.told.ns(), line.run.until})) end(error);
    return;
  }
  if (!options_.most || streamed_ + text.size() <= options_.most) {
    ++number_;
    return write_stream(text);
  }
  const bool json = options_.format == kJson;
  write_stream((json ? json_of_end(options_.most, number_) : text_of_end(options_.most)) + "\n");
  if (file_) close();
  options_.write = nullptr;
}

void LogFile::join() { ++boards_; }

void LogFile::leave() {
  {
    const std::lock_guard guard(lock_);
    fold_.end([this](const Line& line) { write(line); });
    if (!--boards_ && file_) {
      closed_ = true;
      return close();
    }
  }
  flush();
}

void LogFile::close() {
  if (std::fclose(file_))
    std::fprintf(stderr, "perfboard: log=%s: %s\n", name_.c_str(), std::strerror(errno));
  file_ = nullptr;
}

void LogFile::put(const Board* board, OwnedAccess told) {
  const std::lock_guard guard(lock_);
  if (!ended()) fold_.put(board, std::move(told), [this](const Line& line) { write(line); });
}

void LogFile::flush() {
  const std::lock_guard guard(lock_);
  if (ended()) return;
  if (stream_) {
    fold_.give([this](const Line& line) { write(line); });
    if (file_ && std::fflush(file_)) end(errno);
    return;
  }
  std::string held;
  uint64_t number = number_;
  fold_.show([&](const Line& line) {
    held += line.source->line(line.told, line.run, options_.format, number++) + "\n";
  });
  if (const int error = bounded_.show(held)) end(error);
}

bool LogFile::open(std::string& why) {
  if (name_ == "-") {
    if (!options_.write)
      options_.write = [](const char* text, size_t bytes) { std::fwrite(text, 1, bytes, stderr); };
  } else {
    stream_ = is_stream(name_);
    // One that may only be written is as a stream.
    if (!stream_ && !(file_ = std::fopen(name_.c_str(), "w+e")) && errno == EACCES) stream_ = true;
    if (stream_) file_ = std::fopen(name_.c_str(), "we");
    if (!file_) {
      why = "log=" + name_ + ": " + std::strerror(errno) +
            "; it must be a file that can be written, or - (QEMU's own log)";
      return false;
    }
    std::setvbuf(file_, nullptr, _IOFBF, kBufferBytes);
    options_.write = nullptr;
  }
  if (!stream_) {
    const bool json = options_.format == kJson;
    bounded_.start(file_, options_.most, json ? json_of_left_out : text_of_left_out);
  }
  fold_ = Fold<Board>(stream_);
  return true;
}

// A stream goes on from here. A file goes on behind what it holds if nobody has touched it; else it begins
// anew.
bool LogFile::reopen(std::string& why) {
  closed_ = false;
  if (!stream_ && (file_ = std::fopen(name_.c_str(), "r+e"))) {
    if (bounded_.go_on(file_)) {
      std::setvbuf(file_, nullptr, _IOFBF, kBufferBytes);
      return true;
    }
    std::fclose(file_);
  }
  if (!stream_) {
    bounded_ = {};
    number_ = 0;
  }
  closed_ = !open(why);
  return !closed_;
}

LogFile* open_log(const std::string& name, const LogFile::Options& options, std::string& why) {
  const bool to_qemu = name == "-";
  for (LogFile* log : logs()) {
    if (log->name_ != name && (to_qemu || !same_file(log->file_, name))) continue;
    const auto differs = [&](const std::string& key, const std::string& own, const std::string& other) {
      why = key + "=" + own + ": another board's log= names the same file (" + name + ") with " + key + "=" +
            other + "; a file has one " + key.substr(4);
      return nullptr;
    };
    if (log->options_.format != options.format)
      return differs("log-format", name_of(options.format), name_of(log->options_.format));
    if (log->options_.most != options.most)
      return differs("log-size", std::to_string(options.most), std::to_string(log->options_.most));
    return log->closed_ && !log->reopen(why) ? nullptr : log;
  }
  auto log = std::make_unique<LogFile>();
  log->name_ = name;
  log->options_ = options;
  if (!log->open(why)) return nullptr;
  // While the process ends a board may still tell of something.
  if (logs().empty()) std::atexit(flush_logs);
  logs().push_back(log.get());
  return log.release();
}

void flush_logs() {
  for (LogFile* log : logs()) log->flush();
}

}  // namespace perfboard::inspect
