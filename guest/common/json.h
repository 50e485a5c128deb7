// SPDX-License-Identifier: GPL-2.0-or-later
//
// JSON, written to an Output as it comes, by RapidJSON: that places commas, quotes and escapes.
//
//   Json json(out);
//   json.StartObject();
//   json.field("node", name); json.field("run", 1u); json.field("lost", true); json.word("type", "trace");
//   json.EndObject();
//   json.line();
//
// And what the timelines share that Perfetto and Chrome read (the trace event format):
//
//   json.begin_timeline();
//   json.name("process_name", pid, {}, "node 0");
//   json.begin_event("i", pid, tid); json.us("ts", ns); json.field("name", name);
//   json.begin_args(); json.field("lost", 3u); json.end_args();          or json.EndObject()
//   json.end_timeline([&] { json.word("source", "SurfBoard"); });
#pragma once

#include <rapidjson/writer.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "guest/common/output.h"

namespace perfboard {

// An Output, as RapidJSON wants it.
class JsonStream {
 public:
  using Ch = char;
  explicit JsonStream(Output& out) : out_(out) {}
  void Put(char c) { out_.put(c); }
  void Flush() {}

 protected:
  Output& out_;
};

// A text of the source that needs no escapes, which the compiler makes sure of. It is copied as it is: names
// of members are most of what is written.
class Plain {
 public:
  template <size_t N>
  consteval Plain(const char (&text)[N]) : text_(text, N - 1) {
    for (char c : text_)
      if (c < ' ' || c > '~' || c == '"' || c == '\\') throw "needs an escape";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Json : private JsonStream, public rapidjson::Writer<JsonStream> {
 public:
  explicit Json(Output& out) : JsonStream(out), Writer(static_cast<JsonStream&>(*this)) {}

  void key(Plain name) { plain(name); }
  void field(Plain name, std::string_view value) {
    key(name);
    String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void word(Plain name, Plain value) {
    key(name);
    plain(value);
  }
  void field(Plain name, std::integral auto value) {
    key(name);
    if constexpr (std::same_as<decltype(value), bool>)
      Bool(value);
    else
      number(value);
  }
  // As few digits as give the value back, at most 15.
  void field(Plain name, double value) {
    key(name);
    Prefix(rapidjson::kNumberType);
    out_.number(value, 15);
  }
  // A value that is JSON already.
  void json(Plain name, std::string_view value) {
    key(name);
    Prefix(rapidjson::kStringType);
    out_.write(value);
  }
  // A number that put(Output&) writes.
  template <typename Put>
  void number_by(Plain name, Put put) {
    key(name);
    Prefix(rapidjson::kNumberType);
    put(out_);
  }
  void number(std::integral auto value) {
    Prefix(rapidjson::kNumberType);
    out_.number(value);
  }
  // StartObject(), at the start of a line.
  void start_object_line() {
    Prefix(rapidjson::kObjectType);
    out_.put('\n');
    new (level_stack_.template Push<Level>()) Level(false);
    WriteStartObject();
  }
  // Up to the first event.
  void begin_timeline() {
    StartObject();
    word("displayTimeUnit", "ns");
    key("traceEvents");
    StartArray();
  }
  // An event up to what else it has; EndObject() ends it.
  void begin_event(Plain phase, int64_t pid, std::optional<int64_t> tid = {}) {
    start_object_line();
    word("ph", phase);
    field("pid", pid);
    if (tid) field("tid", *tid);
  }
  // Microseconds with three decimals.
  void us(Plain name, uint64_t ns) {
    number_by(name, [=](Output& out) { out.print("{}.{:03}", ns / 1000, ns % 1000); });
  }
  void begin_args() { begin_object("args"); }
  // And the event.
  void end_args() {
    EndObject();
    EndObject();
  }
  // more: what is told of all of it.
  template <typename More>
  void end_timeline(More more) {
    end_events();
    begin_object("otherData");
    more();
    end_args();
    line();
  }
  void end_timeline() {
    end_events();
    EndObject();
    line();
  }
  // What a process, or a thread of it, is called.
  void name(Plain kind, int64_t pid, std::optional<int64_t> tid, std::string_view text) {
    about(kind, pid, tid, "name", text);
  }
  // Where a viewer places a process.
  void sort_index(int64_t pid, std::integral auto index) {
    about("process_sort_index", pid, {}, "sort_index", index);
  }
  // Ends a value and its line; another may follow.
  void line() {
    out_.put('\n');
    Reset(*this);
  }

 private:
  void about(Plain kind, int64_t pid, std::optional<int64_t> tid, Plain what, auto value) {
    begin_event("M", pid, tid);
    word("name", kind);
    begin_args();
    field(what, value);
    end_args();
  }
  void begin_object(Plain name) {
    key(name);
    StartObject();
  }
  void end_events() {
    out_.put('\n');
    EndArray();
  }
  void plain(Plain text) {
    Prefix(rapidjson::kStringType);
    out_.quoted(text.text());
  }
};

}  // namespace perfboard
