// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/mktools/mk_format.h"

#include "guest/mktools/mk_event.h"

namespace perfboard::mk {

Writer::Writer(const Options& options, Output& out, Format format)
    : options_(options), out_(out), format_(format) {
  if (format_ != Format::kCsv) return;
  out_.write(
      "node,run,time_us,ticks,cpu,type,source,data,kind,id,name,argument,fifo_overrun,resource_overrun,read_"
      "error");
  for (unsigned i = 0; i < 16; i++) out_.print(",c{}", i);
  out_.write("\n");
}

void Writer::sample(const std::string& node, const Sample& s) {
  switch (format_) {
    case Format::kText:
      return text(node, s);
    case Format::kCsv:
      return csv(node, s);
    case Format::kJson:
      return json(node, s);
  }
}

void Writer::reset(const std::string& node, const Item& item) {
  const std::string_view what = item.event == MK_EVENT_HARDWARE_RESET ? "hardware reset" : "software reset";
  if (format_ == Format::kText) out_.print("{:>18}  {:<6} {}\n", "-", node, what);
  if (format_ == Format::kJson)
    out_.print("{{\"node\":\"{}\",\"run\":{},\"type\":\"{}\"}}\n", node, item.run, what);
}

void Writer::text(const std::string& node, const Sample& s) {
  const Event event(s.data);
  out_.print("{:>18}  {:<6} cpu {} {:<8} source {:08x}  ", options_.seconds(s.time), node, s.cpu(),
             s.resource() ? "resource" : "trace", s.source);
  if (event.known())
    out_.print("{:<5} {:<16} {:06x}", event.kind_name(), options_.names.of(event.id), event.argument);
  else
    out_.print("data {:012x}", s.data);
  if (s.fifo_overrun()) out_.write("  FIFO-OVERRUN");
  if (s.resource_overrun()) out_.write("  RESOURCE-OVERRUN");
  if (s.read_error()) out_.write("  READ-ERROR");
  out_.write("\n");
  if (!s.resource()) return;
  for (unsigned i = 0; i < 16; i++)
    out_.print("{}{:>11}{}", i % 8 ? "" : fmt::format("{:>20}c{:<2}", "", i), s.counter[i],
               i % 8 == 7 ? "\n" : "");
}

void Writer::csv(const std::string& node, const Sample& s) {
  const Event event(s.data);
  out_.print("{},{},{},{},{},{},{},{},", node, s.run, options_.us(s.time), s.time, s.cpu(),
             s.resource() ? "resource" : "trace", s.source, s.data);
  if (event.known())
    out_.print("{},{},{},{}", event.kind_name(), event.id, options_.names.of(event.id), event.argument);
  else
    out_.write(",,,");
  out_.print(",{:d},{:d},{:d}", s.fifo_overrun(), s.resource_overrun(), s.read_error());
  for (unsigned i = 0; i < 16; i++)
    if (s.resource())
      out_.print(",{}", s.counter[i]);
    else
      out_.write(",");
  out_.write("\n");
}

void Writer::json(const std::string& node, const Sample& s) {
  const Event event(s.data);
  out_.print(
      "{{\"node\":\"{}\",\"run\":{},\"time_us\":{},\"ticks\":{},\"cpu\":{},\"type\":\"{}\",\"source\":{},"
      "\"data\":{}",
      node, s.run, options_.us(s.time), s.time, s.cpu(), s.resource() ? "resource" : "trace", s.source,
      s.data);
  if (event.known())
    out_.print(",\"kind\":\"{}\",\"id\":{},\"name\":{},\"argument\":{}", event.kind_name(), event.id,
               json_text(options_.names.of(event.id)), event.argument);
  out_.print(",\"fifo_overrun\":{},\"resource_overrun\":{},\"read_error\":{}", s.fifo_overrun(),
             s.resource_overrun(), s.read_error());
  if (s.resource()) {
    out_.write(",\"counters\":[");
    for (unsigned i = 0; i < 16; i++) out_.print("{}{}", i ? "," : "", s.counter[i]);
    out_.write("]");
  }
  out_.write("}\n");
}

}  // namespace perfboard::mk
