// SPDX-License-Identifier: GPL-2.0-or-later
//
// CoverageFile - the file that coverage= names: the counts of every device that names it, added to what it
// holds already.
//
//   {"perfboard-coverage": 1, "boards": {"surfboard": [
//   {"kind": "read", "name": "FCCR.DONE", "count": 12, "text": "Done: ...", "source": "p. 52"},
//   {"kind": "sequence", "name": "trace", "count": 1, "steps": [["HTCR.FRS=1", 2], ...], ...}, ...]}}
//
//   std::string why;
//   CoverageFile* file = coverage_files().open("cover.json", why);   one for each file; null: why says what is wrong
//   Coverage* coverage = file->add(surf_view(), {board}, why);       a Listener, one for each device
//   coverage_files().write(why);                                     at the machine's stop and exit, as often as you like
//
// It has all texts, so that `perfboard coverage` needs nothing else. Boards are in the order of their names,
// items in that of the view. write() adds what is new since the last write to what the file holds by then,
// under a lock, and replaces it whole: several machines may share it, and one that is killed leaves it as it
// was. A file in which a board has other items is refused: another version made it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hw/inspect/coverage.h"

namespace perfboard::inspect {

// Boards of a file by name.
using BoardItems = std::map<std::string, std::vector<Item>, std::less<>>;

// "" is a file that holds nothing yet. False and why: this is none of our files.
bool parse_coverage(std::string_view text, BoardItems& boards, std::string& why);
std::string print_coverage(const BoardItems& boards);
// Counts of `more` are added to those of `sum`, which may be empty. False and why: they are not the same
// items; nothing is added.
bool add_counts(std::vector<Item>& sum, const std::vector<Item>& more, std::string& why);

class CoverageFile {
 public:
  // path: absolute, no link, and there is a file.
  explicit CoverageFile(std::string path) : path_(std::move(path)) {}
  // The file keeps it until remove(). Null and why: the file has this board with other items.
  Coverage* add(const BoardView& view, Look look, std::string& why);
  // The device goes; its counts stay.
  void remove(Coverage* coverage);
  // False and why: the file is as it was, and what is new is kept for the next write.
  bool write(std::string& why);

 private:
  struct Device {
    std::unique_ptr<Coverage> coverage;
    std::vector<Item> seen;  // as at the last collection
  };
  void collect(Device& device);

  const std::string path_;
  std::mutex lock_;
  std::vector<Device> devices_;
  BoardItems pending_;  // what no file has yet
};

class CoverageFiles {
 public:
  // The path's; the same object for one file by whatever path. The file is made if there is none. Null and
  // why: it cannot be read or replaced, or is none of ours.
  CoverageFile* open(const std::string& path, std::string& why);
  // All that are open, even if one fails.
  bool write(std::string& why);

 private:
  std::mutex lock_;
  std::map<std::string, std::unique_ptr<CoverageFile>> files_;
};

// The process's; it is there until the very end.
CoverageFiles& coverage_files();

}  // namespace perfboard::inspect
