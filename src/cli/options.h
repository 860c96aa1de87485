// SPDX-License-Identifier: Apache-2.0
// Options reads the flags of one command. All commands share --help with examples, --quiet, --log-level, and errors as
// UsageError. The parser itself, CLI11, is known to options.cpp alone.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace verbund {

// Returns the complaint about a value; "" if it is allowed.
using Check = std::function<std::string(std::string& value)>;

Check at_least(int64_t min);  // for counts: a whole number
Check between(int64_t min, int64_t max);
Check number_between(double min, double max);  // NaN is none
Check one_of(std::vector<std::string> names);

// One flag or positional argument. Each call returns the same option.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option* type_name(const std::string& name);  // of the value, for --help
  Option* required(bool is_required = true);
  Option* check(const Check& check);
  Option* excludes(const Option* other);
  Option* environment(const std::string& variable);  // which sets it, if the command line does not
  Option* capture_default_str();                     // --help shows the value that the variable has now
  Option* repeatable();                              // one value each time
  Option* separated_by(char separator);              // several values in one: a,b,c
  Option* one_or_more();                             // values after the flag
  Option* hidden();                                  // from --help

 private:
  CLI::Option& option_;
};

class Options {
 public:
  Options(const std::string& command, const std::string& description, const std::string& examples);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // The variable keeps its value if the flag is not given. For std::string, std::vector<std::string>, int, int64_t,
  // uint64_t, double, std::optional<double> and a path. A name without dashes is that of a positional argument.
  template <typename Value>
  Option* add_option(const std::string& name, Value& value, const std::string& about);
  Option* add_flag(const std::string& name, bool& value, const std::string& about);
  // A flag whose value is handed to `use`.
  Option* add_call(const std::string& name, const std::function<void(const std::string&)>& use,
                   const std::string& about);
  // A flag that may be given several times, one value each.
  Option* add_list(const std::string& name, std::vector<std::string>& values, const std::string& about,
                   const std::string& type);

  // False if --help was asked for and shown: there is nothing more to do.
  [[nodiscard]] bool read(const Arguments& arguments);

  const std::string& log_level() const { return log_level_; }  // as given; "": not given

 private:
  Option* keep(CLI::Option* option);

  std::string command_;
  std::unique_ptr<CLI::App> app_;
  std::deque<Option> options_;
  bool quiet_ = false;
  std::string log_level_;
};

}  // namespace verbund
