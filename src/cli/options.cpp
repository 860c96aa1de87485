#include "cli/options.h"

#include <iostream>

#include "config/hints.h"
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"

namespace verbund {
namespace {

// What an unknown flag may have meant, as a sentence; or "".
std::string what_was_meant(const CLI::App& options, const std::string& unknown) {
  const Hint* hint = find_hint(config_hints(), unknown);
  if (hint != nullptr && *hint->key != '\0' && options.get_option_no_throw("--set") != nullptr) {
    return fmt::format("did you mean --set {}=...? {}", hint->key, hint->advice);
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : options.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string guess = nearest(unknown, known);
  if (!guess.empty()) return "did you mean " + guess + "?";
  return hint != nullptr ? hint->advice : "";
}

}  // namespace

CLI::Validator at_least(int64_t least) {
  return CLI::Validator(
      [least](const std::string& text) {
        int64_t value = 0;
        const bool whole = CLI::detail::lexical_cast(text, value);
        return whole && value >= least ? "" : fmt::format("{} is not a whole number from {} on", text, least);
      },
      "");
}

Options::Options(const std::string& command, const std::string& description, const std::string& examples)
    : CLI::App(description, "verbund " + command), command_(command) {
  footer("Examples:\n" + examples);
  add_flag("-q,--quiet", quiet_, "Only warnings and results, no progress");
  get_formatter()->column_width(34);
  option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void Options::add_list(const std::string& name, std::vector<std::string>& values, const std::string& about,
                       const std::string& type) {
  add_option(name, values, about)
      ->type_name(type)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
}

bool Options::read(const Arguments& arguments) {
  try {
    parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << help();
    return false;
  } catch (const CLI::ParseError& error) {
    std::string message = error.what();
    for (const std::string& argument : arguments) {
      // CLI11 does not say what the unknown flag may have meant.
      if (argument.rfind("--", 0) != 0 || get_option_no_throw(argument.substr(0, argument.find('='))) != nullptr) {
        continue;
      }
      const std::string meant = what_was_meant(*this, argument.substr(0, argument.find('=')));
      message = "unknown option " + argument + (meant.empty() ? "" : ": " + meant);
      break;
    }
    throw UsageError(message + "\nSee: verbund " + command_ + " --help");
  }
  if (quiet_) set_log_level(LogLevel::kQuiet);
  return true;
}

}  // namespace verbund
