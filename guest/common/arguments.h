// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options and arguments of a program, by CLI11 behind a small header: a file that includes CLI11 itself takes
// a compiler 12 s, and there are twenty programs.
//
//   Arguments args("scale", "Scale fields in a CSV file.");
//   args.option("-m,--multiply", factors, "factors, such as 0.1,1").type("LIST");
//   args.option("--lat-s", lat_s, "ACDR.LAT_S of the run").range(0, 20).show_default();
//   args.option("file", input, "read this instead of standard input").type("FILE");   // no dash: a positional
//   if (std::optional<int> status = args.parse(argc, argv)) return *status;
//
// A vector of numbers is a list in one word, such as 1,2,3; a vector of strings takes the words that are
// left.
//
// A program with commands (mk):
//
//   args.option("-d,--device", device, "the card");      // before or behind the command's name
//   Arguments& mux = args.command("mux", "what counters count", [&] { ... });
//   mux.option("SET", set, "of counters").required();
//
// parse() does what the command says. What that throws comes out of parse().
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace perfboard {

// A wrong option, found after parsing: the program's exit code is 2.
struct UsageError : std::runtime_error {
  UsageError(const std::string& option, const std::string& text) : std::runtime_error(option + ": " + text) {}
  explicit UsageError(const std::string& text) : std::runtime_error(text) {}
};

class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}
  Argument& type(const std::string& name);         // what --help calls the value
  Argument& range(uint64_t least, uint64_t most);  // legal numbers, both ends included
  Argument& positive();                            // legal: numbers above 0
  Argument& one_of(std::initializer_list<const char*> words);
  Argument& required();
  Argument& excludes(const Argument& other);  // not both
  Argument& each();           // of strings: one word for each time that the option stands there
  Argument& optional_word();  // a positional that may be left out
  Argument& show_default();   // in --help

 private:
  CLI::Option* option_;
};

class Arguments {
 public:
  Arguments(const std::string& name, const std::string& description);
  ~Arguments();
  void version(const std::string& text);  // --version
  void footer(const std::string& text);   // under --help
  // The words of a program to run, and its options, which are not looked at: from the first word that is no
  // option on, or behind --. parse() fills them in before anything else. At most one command has them.
  void program(std::vector<std::string>& words);
  // With one command a program needs one, unless it may be missing.
  Arguments& command(const std::string& name, const std::string& description, std::function<void()> work);
  void command_may_be_missing();  // after the commands
  Argument flag(const std::string& names, bool& value, const std::string& text);
  Argument option(const std::string& names, std::string& value, const std::string& text);
  Argument option(const std::string& names, unsigned& value, const std::string& text);
  Argument option(const std::string& names, uint64_t& value, const std::string& text);
  Argument option(const std::string& names, double& value, const std::string& text);
  Argument option(const std::string& names, std::vector<unsigned>& values, const std::string& text);
  Argument option(const std::string& names, std::vector<double>& values, const std::string& text);
  Argument option(const std::string& names, std::vector<std::string>& values, const std::string& text);
  // The exit code, if the program is to end: 0 after --help or --version, 2 after a wrong option (said).
  std::optional<int> parse(int argc, char** argv);
  // For a command's work: a word is missing. As if it had been required().
  [[noreturn]] static void missing(const std::string& word);

 private:
  explicit Arguments(CLI::App* command);
  int program_begins(int argc, char** argv);
  std::unique_ptr<CLI::App> program_;  // of the program itself
  CLI::App* app_;
  std::vector<std::string>* words_ = nullptr;  // program()'s
  std::vector<std::unique_ptr<Arguments>> commands_;
};

}  // namespace perfboard
