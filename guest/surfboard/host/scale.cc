// SPDX-License-Identifier: GPL-2.0-or-later
// scale - scale fields in a CSV file (B.2.2).
#include <algorithm>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"

PERFBOARD_TOOL(scale) {
  using namespace perfboard;
  Tool tool("scale",
            "Scale fields in a CSV file: each becomes field * factor + offset, first field with the\n"
            "first factor and offset, and so on; a field beyond the lists stays as it is. A first line\n"
            "without a number in it is taken as a heading.");
  tool.same_format = true;
  std::vector<double> factors, offsets;
  tool.args.option("-m,--multiply", factors, "factors, such as 0.1,1").type("LIST");
  tool.args.option("-a,--add", offsets, "offsets, such as 0,-5").type("LIST");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    std::vector<std::string_view> fields;
    for (bool first = true; read_csv(in, fields); first = false) {
      const bool heading = first && std::none_of(fields.begin(), fields.end(), is_number);
      for (size_t i = 0; i < fields.size(); i++) {
        if (i > 0) out.write(",");
        if (heading || (i >= factors.size() && i >= offsets.size())) {
          out.write(fields[i]);
          continue;
        }
        const double factor = i < factors.size() ? factors[i] : 1;
        const double offset = i < offsets.size() ? offsets[i] : 0;
        put_csv(out, csv_number(in, fields[i]) * factor + offset);
      }
      out.write("\n");
    }
  });
}
