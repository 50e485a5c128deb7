// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/injections.h"

#include "hw/model/generic_injections.h"

namespace {

using perfboard::BoardView;
using perfboard::Injection;

constexpr Injection kGeneric[] = {PB_GENERIC_INJECTIONS("board")};

std::span<const Injection> rows_of(const void* view) {
  return view ? static_cast<const BoardView*>(view)->injections : kGeneric;
}

}  // namespace

bool pb_view_injection(const void* view, unsigned number, PbInjection* injection) {
  const auto rows = rows_of(view);
  if (number >= rows.size()) return false;
  const Injection& row = rows[number];
  *injection = {.property = row.name.data(),
                .help = row.help.data(),
                .words = row.values.words,
                .most = row.values.most,
                .is_switch = row.values.words == perfboard::kOffOn,
                .number = number};
  return true;
}

uint64_t pb_view_injected(const void* view, void* model, unsigned number) {
  return static_cast<const BoardView*>(view)->injected(model, number);
}

void pb_view_inject(const void* view, void* model, unsigned number, uint64_t value) {
  static_cast<const BoardView*>(view)->inject(model, number, value);
}
