// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header of offsets and bits, transcribed on its own, against the tables that the model runs.
#include <set>

#include "tests/unit/boards/board.h"

namespace perfboard::boards {
namespace {

const Register* row(std::span<const Register> table, std::string_view name) {
  for (const Register& r : table)
    if (r.name == name) return &r;
  return nullptr;
}
const Field* field_of(const Register* r, std::string_view name) {
  for (const Field& f : r ? r->fields : std::span<const Field>())
    if (f.name == name) return &f;
  return nullptr;
}

TEST_P(EveryBoard, GuestsHeaderHasTheOffsets) {
  for (const HeaderTable& table : board.header) {
    std::set<std::string_view> named;
    for (const auto& [name, offset] : table.offsets) {
      const Register* const r = row(table.model, name);
      ASSERT_TRUE(r) << table.title << ": no register " << name;
      EXPECT_EQ(table.base + r->offset, offset) << name;
      named.insert(r->name);
    }
    if (table.has_offsets == Has::kSome) continue;
    for (const Register& r : table.model)
      EXPECT_TRUE(named.contains(r.name)) << r.name << " has no offset in the header";
  }
}

TEST_P(EveryBoard, GuestsHeaderHasTheFields) {
  for (const HeaderTable& table : board.header) {
    std::set<const Field*> named;
    for (const auto& [reg, name, mask, shift] : table.fields) {
      const std::string full = reg + "." + name;
      const Field* const f = field_of(row(table.model, reg), name);
      ASSERT_TRUE(f) << table.title << ": no field " << full;
      named.insert(f);
      if (mask == kNameless) continue;
      EXPECT_EQ(f->mask(), mask) << full;
      if (shift == kFlag) {
        EXPECT_EQ(f->msb, f->lsb) << full << " is one bit in the header";
      } else if (shift != kMaskOnly) {
        EXPECT_EQ(f->lsb, static_cast<unsigned>(shift)) << full;
      }
    }
    if (table.has_fields == Has::kSome) continue;
    for (const Register& r : table.model)
      for (const Field& f : r.fields)
        EXPECT_TRUE(named.contains(&f) || f.name == "RESERVED")
            << r.name << '.' << f.name << " is not in the header";
  }
}

TEST_P(EveryBoard, GuestsHeaderHasTheNumbers) {
  for (const auto& [name, header, model] : board.numbers) EXPECT_EQ(header, model) << name;
}

}  // namespace
}  // namespace perfboard::boards
