// SPDX-License-Identifier: GPL-2.0-or-later
// histfold - fold a histogram file under a mask (B.2.2).
#include <map>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/trace_file.h"
#include "hw/core/number.h"

PERFBOARD_TOOL(histfold) {
  using namespace perfboard;
  Tool tool("histfold",
            "Fold a (multidimensional) histogram file: add up the counts of all bins whose addresses\n"
            "are the same under a mask. The addresses keep their bits in place, others become 0.");
  tool.same_format = true;
  std::string mask_text;
  tool.args.option("-m,--mask", mask_text, "address bits to keep, hex").required().type("HEX");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    uint64_t mask;
    if (!parse_hex_number(mask_text, mask) || mask > 0xFFFFFF)
      throw UsageError("--mask", show_word(mask_text) + ": expected up to 6 hexadecimal digits");
    std::map<uint32_t, uint64_t> sums;
    for (HistogramBin bin; read(in, bin);) {
      uint64_t& sum = sums[bin.address & static_cast<uint32_t>(mask)];
      sum += bin.count;
      if (sum > UINT32_MAX)
        in.fail(fmt::format("the sum at {:06X} needs more than 32 bits", bin.address & mask));
    }
    for (const auto& [address, sum] : sums) write(out, HistogramBin{address, static_cast<uint32_t>(sum)});
  });
}
