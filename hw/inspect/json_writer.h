// SPDX-License-Identifier: GPL-2.0-or-later
//
// JsonWriter - RapidJSON's writer into a text, with members by name.
//
//   JsonWriter json;
//   json.StartObject();
//   json.text("board", name).number("ns", ns).key("parts");
//   json.StartArray(); ... json.EndArray();
//   json.EndObject();
//   json.done();                          // the text
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace perfboard::inspect {

class JsonWriter : public rapidjson::Writer<rapidjson::StringBuffer> {
 public:
  JsonWriter() { Reset(text_); }

  JsonWriter& value(std::string_view text) {
    String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return *this;
  }
  // Names need no escapes, and are most of what is written.
  JsonWriter& key(std::string_view name) {
    Prefix(rapidjson::kStringType);
    char* const to = text_.Push(name.size() + 2);
    to[0] = to[name.size() + 1] = '"';
    name.copy(to + 1, name.size());
    return *this;
  }
  JsonWriter& text(std::string_view name, std::string_view text) { return key(name).value(text); }
  // Above 2^53 a string, "0x...": what reads JSON as floating point would change the number.
  JsonWriter& number(std::string_view name, uint64_t number) {
    if (number > uint64_t{1} << 53) {
      char digits[24];
      std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number));
      return text(name, digits);
    }
    key(name).Uint64(number);
    return *this;
  }
  // An array's element that is JSON already.
  void json(std::string_view text) { RawValue(text.data(), text.size(), rapidjson::kObjectType); }
  std::string done() const { return {text_.GetString(), text_.GetSize()}; }

 private:
  rapidjson::StringBuffer text_;
};

}  // namespace perfboard::inspect
