// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "config/flag_hints.h"
#include "core/columns.h"
#include "core/error.h"
#include "core/log.h"
#include "core/output.h"

namespace verbund {
namespace {

std::vector<std::string> long_flags(const CLI::App& options) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : options.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// The lines of a paragraph, for the reader's terminal.
std::string paragraph(const std::string& text) {
  constexpr size_t kWidest = 100;
  return fmt::format("{}", fmt::join(wrap_words(text, std::min(output_columns(), kWidest)), "\n"));
}

}  // namespace

Check at_least(int64_t min) {
  return [min](const std::string& text) {
    int64_t value = 0;
    const bool whole = CLI::detail::lexical_cast(text, value);
    return whole && value >= min ? "" : fmt::format("must be a whole number, {} or more (it is {})", min, text);
  };
}

Check between(int64_t min, int64_t max) {
  return [min, max](const std::string& text) {
    int64_t value = 0;
    const bool whole = CLI::detail::lexical_cast(text, value);
    return whole && value >= min && value <= max
               ? ""
               : fmt::format("{} is not a whole number from {} to {}", text, min, max);
  };
}

Check number_between(double min, double max) {
  return [min, max](const std::string& text) {
    double value = 0;
    const bool read = CLI::detail::lexical_cast(text, value) && value >= min && value <= max;
    return read ? "" : fmt::format("{} is not a number from {} to {}", text, min, max);
  };
}

Check one_of(std::vector<std::string> names) { return CLI::IsMember(std::move(names)); }

Option* Option::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

Option* Option::required(bool is_required) {
  option_.required(is_required);
  return this;
}

Option* Option::check(const Check& check) {
  option_.check(CLI::Validator(check, ""));
  return this;
}

Option* Option::excludes(const Option* other) {
  option_.excludes(&other->option_);
  return this;
}

Option* Option::environment(const std::string& variable) {
  option_.envname(variable);
  return this;
}

Option* Option::capture_default_str() {
  option_.capture_default_str();
  return this;
}

Option* Option::repeatable() {
  option_.multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->expected(1)->allow_extra_args(false);
  return this;
}

Option* Option::separated_by(char separator) {
  option_.delimiter(separator);
  return this;
}

Option* Option::one_or_more() {
  option_.expected(1, -1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

Option* Option::hidden() {
  option_.group("");
  return this;
}

Options::Options(const std::string& command, const std::string& description, const std::string& examples)
    : command_(command), app_(std::make_unique<CLI::App>(paragraph(description), "verbund " + command)) {
  app_->footer("Examples:\n" + examples);
  add_flag("-q,--quiet", quiet_, "Only warnings and results, no progress");
  add_option("--log-level", log_level_, "Messages to show: debug, info (default), warning or error")
      ->type_name("LEVEL");
  app_->get_formatter()->column_width(34);
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

Options::~Options() = default;

Option* Options::keep(CLI::Option* option) { return &options_.emplace_back(*option); }

template <typename Value>
Option* Options::add_option(const std::string& name, Value& value, const std::string& about) {
  return keep(app_->add_option(name, value, about));
}

template Option* Options::add_option(const std::string&, std::string&, const std::string&);
template Option* Options::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* Options::add_option(const std::string&, int&, const std::string&);
template Option* Options::add_option(const std::string&, int64_t&, const std::string&);
template Option* Options::add_option(const std::string&, uint64_t&, const std::string&);
template Option* Options::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Option* Options::add_option(const std::string&, double&, const std::string&);
template Option* Options::add_option(const std::string&, std::optional<double>&, const std::string&);

Option* Options::add_flag(const std::string& name, bool& value, const std::string& about) {
  return keep(app_->add_flag(name, value, about));
}

Option* Options::add_call(const std::string& name, const std::function<void(const std::string&)>& use,
                          const std::string& about) {
  return keep(app_->add_option_function<std::string>(name, use, about));
}

Option* Options::add_list(const std::string& name, std::vector<std::string>& values, const std::string& about,
                          const std::string& type) {
  return add_option(name, values, about)->type_name(type)->repeatable();
}

bool Options::read(const Arguments& arguments) {
  try {
    app_->parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    print_rows(app_->help());
    return false;
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    if (const auto unknown = find_unknown(arguments, long_flags(*app_))) {
      message = "unknown option " + unknown->text + (unknown->suggestion.empty() ? "" : ": " + unknown->suggestion);
    }
    throw UsageError(message + "\nSee: verbund " + command_ + " --help");
  }
  if (quiet_ && !log_level_.empty()) fail_usage("--quiet and --log-level {} cannot be combined: give one", log_level_);
  if (quiet_) set_log_level(LogLevel::kWarning);
  if (!log_level_.empty()) set_log_level(log_level_named(log_level_, "--log-level"));
  return true;
}

}  // namespace verbund
