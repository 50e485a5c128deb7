// SPDX-License-Identifier: GPL-2.0-or-later
//
// A table of forms by opcode, written as rows of the opcodes that share one.
#ifndef PERFBOARD_PLUGINS_ISA_PPC_FORM_TABLE_H
#define PERFBOARD_PLUGINS_ISA_PPC_FORM_TABLE_H

#include <array>
#include <cstddef>
#include <initializer_list>

#include "plugins/isa/ppc/form.h"

namespace perfboard {

struct FormRow {
  Form form;
  std::initializer_list<unsigned> opcodes;
};

template <size_t kSize>
constexpr std::array<Form, kSize> form_table(std::initializer_list<FormRow> rows) {
  std::array<Form, kSize> forms{};
  for (const FormRow& row : rows)
    for (const unsigned opcode : row.opcodes) forms[opcode] = row.form;
  return forms;
}

Form ppc_form_float(uint32_t word);   // of floating-point instructions, and of vector ones that access memory
Form ppc_form_vector(uint32_t word);  // of the others: primary opcodes 4 and 60

}  // namespace perfboard
#endif
