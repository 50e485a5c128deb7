// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/coverage_file.h"

#include <fcntl.h>
#include <rapidjson/document.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "hw/inspect/json_writer.h"

namespace perfboard::inspect {
namespace {

constexpr unsigned kVersion = 1;
constexpr std::string_view kMark = "perfboard-coverage";
constexpr off_t kMostBytes = 64 << 20;  // ours have some hundred kilobytes

void put_item(JsonWriter& json, const Item& item) {
  json.StartObject();
  json.text("kind", kind_name(item.kind)).text("name", item.name).key("count").Uint64(item.count);
  if (!item.steps.empty()) {
    json.key("steps").StartArray();
    for (const Step& s : item.steps) {
      json.StartArray();
      json.value(s.pattern).Uint64(s.count);
      json.EndArray();
    }
    json.EndArray();
  }
  json.text("text", item.text).text("source", item.source).EndObject();
}

std::optional<std::string> member_text(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsString()) return std::nullopt;
  return std::string(found->value.GetString(), found->value.GetStringLength());
}

std::optional<Item> item_of(const rapidjson::Value& value) {
  if (!value.IsObject()) return std::nullopt;
  const auto word = member_text(value, "kind");
  const auto kind = word ? kind_of(*word) : std::nullopt;
  const auto name = member_text(value, "name"), text = member_text(value, "text"),
             source = member_text(value, "source");
  const auto count = value.FindMember("count");
  if (!kind || !name || !text || !source || count == value.MemberEnd() || !count->value.IsUint64())
    return std::nullopt;
  Item item{*kind, *name, *text, *source, count->value.GetUint64(), {}};
  const auto steps = value.FindMember("steps");
  if (steps == value.MemberEnd()) return item;
  if (!steps->value.IsArray()) return std::nullopt;
  for (const auto& step : steps->value.GetArray()) {
    if (!step.IsArray() || step.Size() != 2 || !step[0].IsString() || !step[1].IsUint64())
      return std::nullopt;
    item.steps.push_back({std::string(step[0].GetString(), step[0].GetStringLength()), step[1].GetUint64()});
  }
  return item;
}

bool same(const Item& a, const Item& b) {
  return a.kind == b.kind && a.name == b.name &&
         std::ranges::equal(a.steps, b.steps, {}, &Step::pattern, &Step::pattern);
}

// The open file, locked against other machines and against its replacement; closed at the end.
class Locked {
 public:
  Locked(const std::string& path, std::string& why) {
    for (int tries = 0; tries < 1000; tries++) {
      fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
      if (fd_ < 0) break;
      struct stat now;
      if (fstat(fd_, &status_) == 0 && !S_ISREG(status_.st_mode)) {
        why = path + ": this is no regular file";
        close();
        return;
      }
      // While this one waited, another may have put a new file in its place.
      if (flock(fd_, LOCK_EX) == 0 && fstat(fd_, &status_) == 0 && stat(path.c_str(), &now) == 0 &&
          now.st_ino == status_.st_ino && now.st_dev == status_.st_dev) {
        return;
      }
      close();
    }
    why = path + ": " + std::strerror(errno);
  }
  ~Locked() { close(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  mode_t mode() const { return status_.st_mode & 0777; }

  bool read(const std::string& path, BoardItems& boards, std::string& why) const {
    if (status_.st_size > kMostBytes) {
      why = path + ": this is no file of coverage: it has " + std::to_string(status_.st_size) + " bytes";
      return false;
    }
    std::string text(static_cast<size_t>(status_.st_size), '\0');
    size_t have = 0;
    while (have < text.size()) {
      const ssize_t got = pread(fd_, text.data() + have, text.size() - have, static_cast<off_t>(have));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        why = path + ": " + (got < 0 ? std::strerror(errno) : "it became shorter");
        return false;
      }
      have += static_cast<size_t>(got);
    }
    if (parse_coverage(text, boards, why)) return true;
    why = path + ": " + why;
    return false;
  }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_ = -1;
  struct stat status_ = {};
};

// All of it under a new name, then that in the old one's place.
bool replace(const std::string& path, std::string_view text, mode_t mode, std::string& why) {
  const std::string part = path + ".new";
  const auto failed = [&] {
    why = part + ": " + std::strerror(errno);
    unlink(part.c_str());
    return false;
  };
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0) return failed();
  bool written = true;
  while (written && !text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    written = put >= 0;
    if (written) text.remove_prefix(static_cast<size_t>(put));
  }
  written = written && fsync(fd) == 0 && fchmod(fd, mode) == 0;
  const int error = errno;
  const bool closed = ::close(fd) == 0;
  if (!written) errno = error;
  return (written && closed && rename(part.c_str(), path.c_str()) == 0) || failed();
}

}  // namespace

bool parse_coverage(std::string_view text, BoardItems& boards, std::string& why) {
  boards.clear();
  if (text.empty()) return true;
  rapidjson::Document doc;
  // Iterative: how deep a file of a user's nests is no matter of the stack.
  doc.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  why = "this is no file of coverage";
  if (doc.HasParseError()) {
    why += ": JSON ends to make sense at byte " + std::to_string(doc.GetErrorOffset());
    return false;
  }
  if (!doc.IsObject() || !doc.HasMember(kMark.data()) || !doc.HasMember("boards") ||
      !doc["boards"].IsObject())
    return false;
  if (!doc[kMark.data()].IsUint() || doc[kMark.data()].GetUint() != kVersion) {
    why = "this file of coverage is of another version than " + std::to_string(kVersion);
    return false;
  }
  for (const auto& [name, items] : doc["boards"].GetObject()) {
    if (!items.IsArray()) return false;
    std::vector<Item>& board = boards[std::string(name.GetString(), name.GetStringLength())];
    for (const auto& value : items.GetArray()) {
      std::optional<Item> item = item_of(value);
      if (!item) return false;
      board.push_back(std::move(*item));
    }
  }
  why.clear();
  return true;
}

std::string print_coverage(const BoardItems& boards) {
  std::string text = "{\"" + std::string(kMark) + "\": " + std::to_string(kVersion) + ", \"boards\": {";
  const char* between = "";
  for (const auto& [name, items] : boards) {
    text += between;
    between = ",\n";
    text += JsonWriter().value(name).done() + ": [";
    const char* comma = "\n";
    for (const Item& item : items) {
      JsonWriter json;
      put_item(json, item);
      text += comma + json.done();
      comma = ",\n";
    }
    text += "]";
  }
  return text + "}}\n";
}

bool add_counts(std::vector<Item>& sum, const std::vector<Item>& more, std::string& why) {
  if (sum.empty()) {
    sum = more;
    return true;
  }
  const auto [a, b] = std::ranges::mismatch(sum, more, same);
  if (a != sum.end() || b != more.end()) {
    const Item& odd = a != sum.end() ? *a : *b;
    why = "another version of Perfboard made it: " + std::string(kind_name(odd.kind)) + " " + odd.name +
          " is not in both; give another file, or remove this one";
    return false;
  }
  for (size_t i = 0; i < sum.size(); i++) {
    sum[i].count += more[i].count;
    for (size_t s = 0; s < sum[i].steps.size(); s++) sum[i].steps[s].count += more[i].steps[s].count;
  }
  return true;
}

CoverageFile* CoverageFiles::open(const std::string& path, std::string& why) {
  if (path.empty()) {
    why = "the name of a file must be given";
    return nullptr;
  }
  BoardItems boards;
  const Locked file(path, why);
  if (!file || !file.read(path, boards, why)) return nullptr;
  // A link stays one: what it points to is replaced.
  char real[PATH_MAX];
  if (!realpath(path.c_str(), real)) {
    why = path + ": " + std::strerror(errno);
    return nullptr;
  }
  const std::string whole = real;
  const std::string folder = whole.substr(0, std::max<size_t>(whole.rfind('/'), 1));
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    why = path + ": its folder must be writable: " + std::strerror(errno);
    return nullptr;
  }
  const std::lock_guard guard(lock_);
  auto& known = files_[whole];
  if (!known) known = std::make_unique<CoverageFile>(whole);
  return known.get();
}

Coverage* CoverageFile::add(const BoardView& view, Look look, std::string& why) {
  std::unique_ptr<Coverage> made = Coverage::make(view, look, why);
  if (!made) return nullptr;
  std::vector<Item> items = made->items();
  const std::lock_guard guard(lock_);
  BoardItems boards;
  const Locked file(path_, why);
  if (!file || !file.read(path_, boards, why)) return nullptr;
  if (const auto found = boards.find(view.board);
      found != boards.end() && !add_counts(found->second, items, why)) {
    why = path_ + ": " + std::string(view.board) + ": " + why;
    return nullptr;
  }
  devices_.push_back({std::move(made), std::move(items)});
  return devices_.back().coverage.get();
}

void CoverageFile::collect(Device& device) {
  device.coverage->settle();
  const std::vector<Item> items = device.coverage->items();
  std::vector<Item> fresh = items;
  for (size_t i = 0; i < items.size(); i++) {
    fresh[i].count -= device.seen[i].count;
    for (size_t s = 0; s < items[i].steps.size(); s++)
      fresh[i].steps[s].count -= device.seen[i].steps[s].count;
  }
  std::string why;  // of one view, so they are the same
  add_counts(pending_[std::string(device.coverage->board())], fresh, why);
  device.seen = items;
}

void CoverageFile::remove(Coverage* coverage) {
  const std::lock_guard guard(lock_);
  const auto found = std::ranges::find(devices_, coverage, [](const Device& d) { return d.coverage.get(); });
  if (found == devices_.end()) return;
  collect(*found);
  devices_.erase(found);
}

bool CoverageFile::write(std::string& why) {
  const std::lock_guard guard(lock_);
  for (Device& device : devices_) collect(device);
  const Locked file(path_, why);
  BoardItems boards;
  if (!file || !file.read(path_, boards, why)) return false;
  for (const auto& [name, items] : pending_) {
    std::vector<Item>& sum = boards[name];
    const std::vector<Item> old = std::exchange(sum, items);  // the texts are this version's
    if (!old.empty() && !add_counts(sum, old, why)) {
      why = path_ + ": " + name + ": " + why;
      return false;
    }
  }
  if (!replace(path_, print_coverage(boards), file.mode(), why)) return false;
  pending_.clear();
  return true;
}

bool CoverageFiles::write(std::string& why) {
  const std::lock_guard guard(lock_);
  bool all = true;
  for (auto& [path, file] : files_) {
    std::string one;
    if (file->write(one)) continue;
    why += (all ? "" : "; ") + one;
    all = false;
  }
  return all;
}

CoverageFiles& coverage_files() {
  static auto* const all = new CoverageFiles;  // counts may come while the process ends
  return *all;
}

}  // namespace perfboard::inspect
