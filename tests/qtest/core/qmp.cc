// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/qtest/core/qmp.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace perfboard::qtest {
namespace {

using rapidjson::StringBuffer;
using Writer = rapidjson::Writer<StringBuffer>;

void write_text(Writer& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

}  // namespace

Value::Value(std::string_view text) {
  StringBuffer out;
  Writer writer(out);
  write_text(writer, text);
  json_ = out.GetString();
}

Value::Value(Members object) {
  StringBuffer out;
  Writer writer(out);
  writer.StartObject();
  for (const Member& member : object) {
    write_text(writer, member.name);
    const std::string& value = member.value.json();
    writer.RawValue(value.data(), value.size(), rapidjson::kObjectType);
  }
  writer.EndObject();
  json_ = out.GetString();
}

Value Value::raw(const std::string& json) {
  Value value(0);
  value.json_ = json;
  return value;
}

std::string text_of(const rapidjson::Value& json) {
  StringBuffer out;
  Writer writer(out);
  json.Accept(writer);
  return out.GetString();
}

void Qmp::accept_from(Process& child) {
  link_.accept_from(child);
  next();  // greeting
  command("qmp_capabilities");
}

Json Qmp::next() {
  const std::string line = link_.line();
  Json json;
  if (json.Parse(line.c_str()).HasParseError()) throw std::runtime_error("QMP: no JSON: " + line);
  return json;
}

Json Qmp::ask(std::string_view name, Members arguments) {
  link_.send_line(Value({{"execute", name}, {"arguments", arguments}}).json());
  for (;;) {
    Json json = next();
    if (!json.HasMember("event")) return json;
  }
}

Json Qmp::command(std::string_view name, Members arguments) {
  Json answer = ask(name, arguments);
  if (answer.HasMember("error")) throw std::runtime_error(std::string(name) + ": " + text_of(answer));
  return answer;
}

std::string Qmp::hmp(std::string_view line) {
  return command("human-monitor-command", {{"command-line", line}})["return"].GetString();
}

void Qmp::wait_event(std::string_view name) {
  for (;;) {
    const Json json = next();
    if (json.HasMember("event") && json["event"].GetString() == name) return;
  }
}

}  // namespace perfboard::qtest
