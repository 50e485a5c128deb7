// SPDX-License-Identifier: GPL-2.0-or-later
//
// LogFile - where access logs go: boards that name one file share it. A full disk ends the log with a line on
// stderr.
//
//   LogFile* file = open_log("run.log", {.format = LogFile::kText, .most = 256 << 20}, why);     null: `why` says why not
//   file->join()    file->leave()                                         a board; with the last one the file is closed
//   file->put(board, access)                                               any thread, between the two
//   flush_logs()                                                           what was told is in the files
//
// A board that is plugged in later goes on in the file that it names, if that is as it was left; else a new
// one begins.
//
// What comes again and again is folded (fold.h), and a file has a size (bounded.h). What is held back to be
// folded stands in the file as far as it is known whenever the file is flushed. A stream (a pipe, a device,
// QEMU's own log) cannot be changed behind its back: it is live, and ends at its size with a line that says
// so. That is why text is written here as well, and not made of JSON by perfboard log.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "hw/inspect/bounded.h"
#include "hw/inspect/fold.h"

namespace perfboard::inspect {

class LogFile {
 public:
  enum Format : uint8_t { kText, kJson };
  using Write = void (*)(const char* text, size_t bytes);

  struct Options {
    Format format = kText;
    uint64_t most = 0;      // bytes; 0: no limit
    Write write = nullptr;  // for a log named "-"; null: stderr
  };

  // Whose lines they are.
  class Board {
   public:
    // number: of the line in the file.
    virtual std::string line(const OwnedAccess& told, const Run& run, Format format,
                             uint64_t number) const = 0;

   protected:
    ~Board() = default;
  };

  void join();
  // What was told is in the file, and the board's lines are asked for no more.
  void leave();
  void put(const Board* board, OwnedAccess told);

 private:
  friend LogFile* open_log(const std::string& name, const Options& options, std::string& why);
  friend void flush_logs();
  using Line = Fold<Board>::Line;

  bool open(std::string& why);
  bool reopen(std::string& why);
  void close();
  bool ended() const { return !file_ && !options_.write; }
  void write(const Line& line);
  void write_stream(std::string_view text);
  void flush();
  void end(int error);

  std::string name_;
  Options options_;
  std::mutex lock_;
  Fold<Board> fold_;
  Bounded bounded_;
  bool stream_ = true;
  uint64_t number_ = 0;        // of the next line
  uint64_t streamed_ = 0;      // bytes
  std::FILE* file_ = nullptr;  // null: the log has ended or is closed, or Options::write takes it
  unsigned boards_ = 0;
  bool closed_ = false;  // until a board joins again
};

LogFile* open_log(const std::string& name, const LogFile::Options& options, std::string& why);
void flush_logs();

}  // namespace perfboard::inspect
