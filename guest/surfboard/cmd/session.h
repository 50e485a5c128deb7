// SPDX-License-Identifier: GPL-2.0-or-later
//
// Session - the surf prompt without its terminal: commands in, text out (TR-596-99, B.2.1).
//
//   Session session(board, out, err);
//   Outcome o = session.execute("HTCR.TEN = 1");      // one command
//   o = session.run(source);                          // until QUIT, the end, or (scripts) an error
//
// README.md has the commands. An error leaves the registers as they were.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/cmd/memory.h"

namespace perfboard::prompt {

enum class Outcome { done, failed, quit };

// "20F" or "527." -> value; throws CommandError that says what was expected.
uint32_t parse_value(std::string_view word);

struct CommandError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Session {
 public:
  static constexpr unsigned kMostNested = 16;  // DO files within DO files

  // progress, if given, is told about long transfers: what, parts done, parts in all (0: unknown).
  using Watch = std::function<void(std::string_view what, size_t done, size_t all)>;
  Session(Board& board, std::ostream& out, std::ostream& err, Watch watch = {});

  Outcome execute(std::string_view line);
  // Lines from a file or a pipe; errors name it as `name`. With echo every line is shown after a prompt.
  Outcome run(std::istream& in, const std::string& name, bool echo);

  static constexpr std::string_view kPrompt = "> ";

 private:
  Outcome command(std::string_view text);
  void assign(std::string_view target, std::string_view value);
  Outcome run_file(const std::string& file);
  void report(std::string_view what);

  Board& board_;
  std::ostream& out_;
  std::ostream& err_;
  Watch watch_;
  unsigned nested_ = 0;
};

// The prompt on a terminal (terminal.cc, GNU readline), until QUIT or the end of input. An error ends only
// its own command.
void run_terminal(Session& session);

// Words that may stand first in a line, and the memory types: for completion there.
std::vector<std::string> completions(std::string_view line_before, std::string_view word);

}  // namespace perfboard::prompt
