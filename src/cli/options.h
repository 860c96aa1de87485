// The flags of one command: CLI11 with the manners all commands share (--help with an
// example, --quiet, errors as UsageError).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command.h"

namespace verbund {

// For counts: a whole number from `least` on.
CLI::Validator at_least(int64_t least);

class Options : public CLI::App {
 public:
  Options(const std::string& command, const std::string& description, const std::string& examples);

  // A flag that may be given several times, one value each.
  void add_list(const std::string& name, std::vector<std::string>& values, const std::string& about,
                const std::string& type);

  // False if --help was asked for and shown: there is nothing more to do.
  [[nodiscard]] bool read(const Arguments& arguments);

 private:
  std::string command_;
  bool quiet_ = false;
};

}  // namespace verbund
