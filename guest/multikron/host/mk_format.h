// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples, resets and gaps as lines of text, CSV or JSON; mkdump and mkmerge.
#pragma once

#include "guest/multikron/host/mk_options.h"

namespace perfboard::mk {

enum class Format { kText, kCsv, kJson };

class Writer {
 public:
  Writer(const Options& options, Output& out, Format format);  // CSV: writes the header line
  void sample(const std::string& node, const Sample& sample);
  void reset(const std::string& node, const Item& item);

 private:
  void text(const std::string& node, const Sample& s);
  void csv(const std::string& node, const Sample& s);
  void json(const std::string& node, const Sample& s);

  const Options& options_;
  Output& out_;
  SampleJson json_;
  const Format format_;
};

}  // namespace perfboard::mk
