// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_problems.h"

namespace perfboard::mk {

void Problems::add(const StreamReader& reader, const Item& item) {
  File& file = files_[reader.name()];
  if (is_error(item.fault)) file.errors++;
  if (file.lines++ < kShown)
    tool_.note(fmt::format("{}: byte {}: {}", reader.name(), item.byte, describe(item)));
}

void Problems::end(const StreamReader& reader) {
  if (reader.samples() > 0 || files_[reader.name()].errors > 0) return;
  tool_.complain(fmt::format("{}: {}", reader.name(),
                             reader.bytes() == 0 ? "the stream is empty" : "no samples in the stream"));
}

void Problems::finish() const {
  std::string text;
  for (const auto& [name, file] : files_) {
    if (file.errors)
      text += fmt::format("{}{}: {} error{} in the stream", text.empty() ? "" : "; ", name, file.errors,
                          file.errors == 1 ? "" : "s");
    if (file.lines > kShown) tool_.note(fmt::format("{}: {} more of that kind", name, file.lines - kShown));
  }
  if (!text.empty()) throw FileError(text);
}

}  // namespace perfboard::mk
