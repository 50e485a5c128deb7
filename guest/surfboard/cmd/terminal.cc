// SPDX-License-Identifier: GPL-2.0-or-later
//
// Line editing, history, and completion of commands, registers, fields, memory types and file names.
#include <readline/history.h>
#include <readline/readline.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "guest/surfboard/cmd/session.h"

namespace perfboard::prompt {
namespace {

char* next_completion(const char*, int state) {
  static std::vector<std::string> found;
  static size_t at;
  if (state == 0) {
    const std::string line = rl_line_buffer;
    const size_t start =
        static_cast<size_t>(rl_point) < line.size() ? static_cast<size_t>(rl_point) : line.size();
    const size_t blank = line.substr(0, start).find_last_of(" \t");
    const size_t word = blank == line.npos ? 0 : blank + 1;
    found = completions(std::string_view(line).substr(0, word),
                        std::string_view(line).substr(word, start - word));
    at = 0;
  }
  return at < found.size() ? strdup(found[at++].c_str()) : nullptr;
}

// Commands and registers; where there are none, readline completes file names.
char** complete(const char* text, int, int) { return rl_completion_matches(text, next_completion); }

}  // namespace

void run_terminal(Session& session) {
  rl_readline_name = "surf";
  rl_attempted_completion_function = complete;
  rl_completer_word_break_characters = const_cast<char*>(" \t=\"");
  for (;;) {
    char* line = readline(std::string(Session::kPrompt).c_str());
    if (!line) {
      std::cout << std::endl;
      return;
    }
    const std::string text = line;
    free(line);
    if (text.find_first_not_of(" \t") != text.npos) add_history(text.c_str());
    if (session.execute(text) == Outcome::quit) return;
  }
}

}  // namespace perfboard::prompt
