// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_json.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace perfboard::mk {

std::string json_text(std::string_view text) {
  using rapidjson::StringBuffer;
  using rapidjson::UTF8;
  StringBuffer good, json;
  for (size_t at = 0; at < text.size();) {
    rapidjson::MemoryStream rest(text.data() + at, text.size() - at);
    StringBuffer character;
    if (UTF8<>::Validate(rest, character)) {
      for (size_t i = 0; i < character.GetSize(); i++) good.Put(text[at++]);
    } else {
      UTF8<>::Encode(good, static_cast<unsigned char>(text[at++]));
    }
  }
  rapidjson::Writer<StringBuffer>(json).String(good.GetString(), static_cast<unsigned>(good.GetSize()));
  return json.GetString();
}

}  // namespace perfboard::mk
