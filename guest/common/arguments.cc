// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace perfboard {

Argument& Argument::type(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Argument& Argument::range(uint64_t least, uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Argument& Argument::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Argument& Argument::one_of(std::initializer_list<const char*> words) {
  option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
  return *this;
}

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

Argument& Argument::each() {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

Argument& Argument::optional_word() {
  option_->expected(0, 1);
  return *this;
}

Argument& Argument::show_default() {
  option_->capture_default_str();
  return *this;
}

Arguments::Arguments(const std::string& name, const std::string& description)
    : program_(std::make_unique<CLI::App>(description, name)), app_(program_.get()) {}
Arguments::Arguments(CLI::App* command) : app_(command) {}
Arguments::~Arguments() = default;

void Arguments::version(const std::string& text) { app_->set_version_flag("--version", text); }
void Arguments::footer(const std::string& text) { app_->footer(text); }
Arguments& Arguments::command(const std::string& name, const std::string& description,
                              std::function<void()> work) {
  app_->require_subcommand(1);
  app_->fallthrough();
  CLI::App* command = app_->add_subcommand(name, description);
  command->callback(std::move(work));
  commands_.emplace_back(new Arguments(command));
  return *commands_.back();
}
void Arguments::command_may_be_missing() { app_->require_subcommand(0, 1); }
void Arguments::program(std::vector<std::string>& words) { words_ = &words; }

// Where the other program's words begin, or argc: behind --, or at the first word that is neither an option,
// nor its value, nor a command's name.
int Arguments::program_begins(int argc, char** argv) {
  const Arguments* at = this;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--") return i;
    if (word.size() > 1 && word[0] == '-') {
      const bool is_long = word[1] == '-';
      const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const CLI::Option* option = at->app_->get_option_no_throw(name);
      if (!option && at != this) option = app_->get_option_no_throw(name);
      if (option && option->get_items_expected_min() > 0 && word.size() == name.size()) i++;
      continue;
    }
    const auto named = [&](const auto& command) { return command->app_->get_name() == word; };
    const auto command = std::find_if(commands_.begin(), commands_.end(), named);
    if (at != this || command == commands_.end()) return at->words_ ? i : argc;
    at = command->get();
  }
  return argc;
}

void Arguments::missing(const std::string& word) { throw CLI::RequiredError(word); }

Argument Arguments::flag(const std::string& names, bool& value, const std::string& text) {
  return Argument(app_->add_flag(names, value, text));
}

Argument Arguments::option(const std::string& names, std::string& value, const std::string& text) {
  return Argument(app_->add_option(names, value, text));
}
Argument Arguments::option(const std::string& names, unsigned& value, const std::string& text) {
  return Argument(app_->add_option(names, value, text));
}
Argument Arguments::option(const std::string& names, uint64_t& value, const std::string& text) {
  return Argument(app_->add_option(names, value, text));
}
Argument Arguments::option(const std::string& names, double& value, const std::string& text) {
  return Argument(app_->add_option(names, value, text));
}
// One word, so that a file name behind it stays one.
Argument Arguments::option(const std::string& names, std::vector<unsigned>& values, const std::string& text) {
  return Argument(app_->add_option(names, values, text)->delimiter(',')->allow_extra_args(false));
}
Argument Arguments::option(const std::string& names, std::vector<double>& values, const std::string& text) {
  return Argument(app_->add_option(names, values, text)->delimiter(',')->allow_extra_args(false));
}
Argument Arguments::option(const std::string& names, std::vector<std::string>& values,
                           const std::string& text) {
  return Argument(app_->add_option(names, values, text));
}

std::optional<int> Arguments::parse(int argc, char** argv) {
  std::vector<std::string>* words = words_;
  for (const auto& command : commands_)
    if (command->words_) words = command->words_;
  if (words) {
    const int begin = std::min(program_begins(argc, argv), argc);
    words->assign(argv + begin, argv + argc);
    if (!words->empty() && words->front() == "--") words->erase(words->begin());
    argc = begin;
  }
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    return app_->exit(e) == 0 ? 0 : 2;
  }
}

}  // namespace perfboard
