// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_options.h"
#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

Writer::Writer(const Options& options, Output& out, Format format)
    : options_(options), out_(out), json_(out), format_(format) {
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
  if (format_ != Format::kJson) return;
  json_.StartObject();
  json_.field("node", node);
  json_.field("run", item.run);
  json_.field("type", what);
  json_.EndObject();
  json_.line();
}

void Writer::text(const std::string& node, const Sample& s) {
  const Event event(s.data);
  options_.put_seconds(out_, s.time);
  out_.write("  ");
  out_.write(node);
  for (size_t i = node.size(); i < 6; i++) out_.put(' ');
  out_.write(" cpu ");
  out_.number(s.cpu());
  out_.write(s.resource() ? " resource source " : " trace    source ");
  out_.hex(s.source, 8);
  out_.write("  ");
  if (event.known()) {
    out_.write(event.kind_name());
    out_.write(event.kind == Kind::kExit ? "  " : " ");
    out_.write(options_.names.of(event.id).column);
    out_.put(' ');
    out_.hex(event.argument, 6);
  } else {
    out_.write("data ");
    out_.hex(s.data, 12);
  }
  if (s.fifo_overrun()) out_.write("  FIFO-OVERRUN");
  if (s.resource_overrun()) out_.write("  RESOURCE-OVERRUN");
  if (s.read_error()) out_.write("  READ-ERROR");
  out_.put('\n');
  if (!s.resource()) return;
  for (unsigned i = 0; i < 16; i++) {
    if (i % 8 == 0) out_.write(i ? "                    c8 " : "                    c0 ");
    out_.number_right(s.counter[i], 11);
    if (i % 8 == 7) out_.put('\n');
  }
}

void Writer::csv(const std::string& node, const Sample& s) {
  const Event event(s.data);
  const auto field = [&](auto number) {
    out_.number(number);
    out_.put(',');
  };
  out_.write(node);
  out_.put(',');
  field(s.run);
  options_.put_us(out_, s.time);
  out_.put(',');
  field(s.time);
  field(s.cpu());
  out_.write(s.resource() ? "resource," : "trace,");
  field(s.source);
  field(s.data);
  if (event.known()) {
    out_.write(event.kind_name());
    out_.put(',');
    field(event.id);
    out_.write(options_.names.of(event.id).text);
    out_.put(',');
    out_.number(event.argument);
  } else {
    out_.write(",,,");
  }
  const auto flag = [&](bool set) { out_.write(set ? ",1" : ",0"); };
  flag(s.fifo_overrun());
  flag(s.resource_overrun());
  flag(s.read_error());
  if (s.resource()) {
    for (uint32_t counter : s.counter) {
      out_.put(',');
      out_.number(counter);
    }
    out_.put('\n');
  } else {
    out_.write(",,,,,,,,,,,,,,,,\n");
  }
}

void Writer::json(const std::string& node, const Sample& s) {
  const Event event(s.data);
  json_.StartObject();
  json_.field("node", node);
  json_.field("run", s.run);
  json_.ticks("time_us", options_, s.time);
  json_.field("ticks", s.time);
  json_.field("cpu", s.cpu());
  json_.word("type", s.resource() ? Plain("resource") : Plain("trace"));
  json_.field("source", s.source);
  json_.field("data", s.data);
  if (event.known()) {
    json_.field("kind", event.kind_name());
    json_.field("id", event.id);
    json_.json("name", options_.names.of(event.id).json);
    json_.field("argument", event.argument);
  }
  json_.field("fifo_overrun", s.fifo_overrun());
  json_.field("resource_overrun", s.resource_overrun());
  json_.field("read_error", s.read_error());
  if (s.resource()) {
    json_.key("counters");
    json_.StartArray();
    for (uint32_t counter : s.counter) json_.number(counter);
    json_.EndArray();
  }
  json_.EndObject();
  json_.line();
}

}  // namespace perfboard::mk
