// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "guest/common/input.h"

namespace perfboard {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel

// Where a name leads.
struct Place {
  std::string path;     // without symbolic links
  int descriptor = -1;  // of this process, if that is what the name means (/dev/stdout, /dev/fd/3)
};

Place find_place(const std::string& name) {
  std::error_code none;
  const fs::path descriptors = fs::canonical("/proc/self/fd", none);
  fs::path path = name;
  for (int links = 0;; links++) {
    std::error_code error;
    const fs::path parent = fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
    if (error) throw FileError(fmt::format("{}: {}", name, error.message()));
    const std::string last = path.filename().string();
    if (!descriptors.empty() && parent == descriptors && !last.empty() &&
        last.find_first_not_of("0123456789") == last.npos && last.size() < 9)
      return {"", std::stoi(last)};
    path = parent / last;
    if (!fs::is_symlink(path, none)) return {path.string(), -1};
    if (links == kMostLinks) {
      errno = ELOOP;
      system_error(name);
    }
    path = parent / fs::read_symlink(path, error);
    if (error) throw FileError(fmt::format("{}: {}", name, error.message()));
  }
}

std::string descriptor_path(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// Calls make(NAME) with names in the folder that nothing has, until it takes one (not EEXIST).
template <typename Make>
std::string unused_name(const std::string& folder, Make make) {
  for (unsigned n = 0;; n++) {
    const std::string name = fmt::format("{}/.perfboard-{}-{}", folder, getpid(), n);
    if (make(name)) return name;
    if (errno != EEXIST) return {};
  }
}

// Bytes of the first character; 0: it is none, or a terminal may obey it.
size_t visible(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = at(0), second = at(1), third = at(2);
  if (first < 0x80) return (first >= ' ' && first != 0x7f) || first == '\n' || first == '\t';
  if (first < 0xc2 || first > 0xf4 || (first == 0xc2 && second < 0xa0))
    return 0;  // C1, the controls of eight bits
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;  // overlong, a surrogate, or beyond the last character
  if (first == 0xe2 && ((second == 0x80 && third >= 0xaa && third <= 0xae) ||
                        (second == 0x81 && third >= 0xa6 && third <= 0xa9)))
    return 0;  // U+202A to 202E, U+2066 to 2069: the order of what follows
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < size; i++)
    if ((at(i) & 0xc0) != 0x80) return 0;
  return size;
}

}  // namespace

std::string safe(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t size = visible(text);
    shown += size ? std::string(text.substr(0, size))
                  : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return shown;
}

Output::Output(std::string name)
    : name_(std::move(name)), buffer_(std::make_unique_for_overwrite<char[]>(kBlock)), at_(buffer_.get()) {
  if (name_ == "-") {
    name_ = "<stdout>";
    return;
  }
  open_file();
}

Output::Output(int descriptor, std::string name)
    : name_(std::move(name)),
      fd_(descriptor),
      buffer_(std::make_unique_for_overwrite<char[]>(kBlock)),
      at_(buffer_.get()) {}

Output::~Output() {
  if (owned_) ::close(fd_);
  if (!hidden_.empty()) unlink(hidden_.c_str());
}

void Output::open_file() {
  const Place place = find_place(name_);
  struct stat status;
  if (place.descriptor >= 0) {
    fd_ = fcntl(place.descriptor, F_DUPFD_CLOEXEC, 3);
  } else if (stat(place.path.c_str(), &status) != 0) {
    if (errno != ENOENT) system_error(name_);
    path_ = place.path;
  } else if (S_ISREG(status.st_mode)) {
    if (faccessat(AT_FDCWD, place.path.c_str(), W_OK, AT_EACCESS) != 0) system_error(name_);
    path_ = place.path;
  } else {
    fd_ = open(place.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  }
  if (!path_.empty()) open_temporary();
  if (fd_ < 0) system_error(name_);
  owned_ = true;
}

// A file without a name leaves nothing behind, however the program ends. Not every file system has that, and
// to be named later it needs /proc.
void Output::open_temporary() {
  const std::string folder = fs::path(path_).parent_path();
  fd_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd_ >= 0 && access(descriptor_path(fd_).c_str(), F_OK) == 0) return;
  if (fd_ >= 0) ::close(fd_);
  hidden_ = unused_name(folder, [&](const std::string& name) {
    fd_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return fd_ >= 0;
  });
  if (fd_ < 0) system_error(name_ + " (temporary file beside it)");
}

void Output::name_temporary() {
  if (!hidden_.empty()) return;
  hidden_ = unused_name(fs::path(path_).parent_path(), [&](const std::string& name) {
    return linkat(AT_FDCWD, descriptor_path(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (hidden_.empty()) system_error(name_);
}

void Output::drain() {
  std::string_view left(buffer_.get(), static_cast<size_t>(at_ - buffer_.get()));
  std::string shown;
  if (isatty(fd_)) left = shown = safe(left);
  at_ = buffer_.get();  // an error is reported once: what is in the buffer does not come again
  while (!left.empty()) {
    const ssize_t done = ::write(fd_, left.data(), left.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) system_error(name_);
    left.remove_prefix(static_cast<size_t>(done));
  }
}

void Output::write_long(std::string_view text) {
  while (!text.empty()) {
    if (room() == 0) drain();
    const size_t part = std::min(room(), text.size());
    memcpy(at_, text.data(), part);
    at_ += part;
    text.remove_prefix(part);
  }
}

void Output::number(double value, int digits) {
  constexpr size_t kMost = 64;
  need(kMost);
  at_ = std::to_chars(at_, at_ + kMost, value, std::chars_format::general, std::min(digits, 17)).ptr;
}

void Output::hex(uint64_t value, unsigned digits) {
  need(kNumber);
  for (unsigned i = digits; i-- > 0; value >>= 4) at_[i] = "0123456789abcdef"[value & 15];
  at_ += digits;
}

void Output::hex_upper(uint64_t value, unsigned digits) {
  need(kNumber);
  for (unsigned i = digits; i-- > 0; value >>= 4) at_[i] = "0123456789ABCDEF"[value & 15];
  at_ += digits;
}

void Output::number_right(uint64_t value, size_t width) {
  char text[kNumber];
  const size_t size = static_cast<size_t>(std::to_chars(text, text + kNumber, value).ptr - text);
  for (size_t i = size; i < width; i++) put(' ');
  write({text, size});
}

void Output::show() {
  if (path_.empty()) drain();
}

void Output::give_up() noexcept {
  try {
    show();
  } catch (const FileError&) {
    // The failure that is reported came first.
  }
}

void Output::close() {
  drain();
  if (!path_.empty()) name_temporary();
  if (std::exchange(owned_, false) && ::close(std::exchange(fd_, -1)) != 0) system_error(name_);
  if (path_.empty()) return;
  if (rename(hidden_.c_str(), path_.c_str()) != 0) system_error(name_);
  hidden_.clear();
  path_.clear();
}

void hold_standard_descriptors() {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

bool is_same_file(const std::string& input, const std::string& output) {
  struct stat in, out;
  if (input == "-" ? fstat(0, &in) : stat(input.c_str(), &in)) return false;
  if (output == "-" ? fstat(1, &out) : stat(output.c_str(), &out)) return false;
  return S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

}  // namespace perfboard
