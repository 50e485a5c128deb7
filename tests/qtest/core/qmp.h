// SPDX-License-Identifier: GPL-2.0-or-later
//
// Qmp - QEMU's monitor for programs. RapidJSON reads and writes what it says.
//
//   Qmp qmp(scratch.path("qmp"));     // before QEMU starts
//   qmp.accept_from(process);
//   const Json leds = qmp.command("qom-get", {{"path", "/machine/peripheral/surf"}, {"property", "leds"}});
//   if (leds["return"].GetUint() == 0) ...
//   qmp.command("blockdev-add", {{"node-name", "d"}, {"file", Value(Members{{"driver", "null-co"}})}});
//
// An answer that lacks what a test looks for is an exception, as all else that goes wrong.
#pragma once

#include <concepts>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#define RAPIDJSON_ASSERT(x) ((x) ? void() : throw std::logic_error("QMP: not as expected: " #x))
#define RAPIDJSON_NOEXCEPT_ASSERT(x) ((x) ? void() : std::terminate())
#include <rapidjson/document.h>

#include "tests/qtest/core/link.h"

namespace perfboard::qtest {

using Json = rapidjson::Document;

struct Member;
using Members = std::initializer_list<Member>;

// A value that is sent.
class Value {
 public:
  Value(std::string_view text);
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>)
      json_ = value ? "true" : "false";
    else
      json_ = std::to_string(value);
  }
  Value(Members object);
  // What is JSON already, right or wrong.
  static Value raw(const std::string& json);
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

struct Member {
  std::string_view name;
  Value value;
};

class Qmp {
 public:
  explicit Qmp(const std::string& path) : link_(path) {}
  void accept_from(Process& child);

  // The whole answer: "return" or "error".
  Json ask(std::string_view name, Members arguments = {});
  // An error is an exception.
  Json command(std::string_view name, Members arguments = {});
  // A command of the monitor for people; what that prints.
  std::string hmp(std::string_view line);
  // After a command that makes it come: what was said before the command's answer is gone.
  void wait_event(std::string_view name);

 private:
  Json next();
  Link link_;
};

std::string text_of(const rapidjson::Value& json);

}  // namespace perfboard::qtest
