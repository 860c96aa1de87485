// SPDX-License-Identifier: Apache-2.0
#include "config/flag_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"
#include "config/hints.h"
#include "config/load.h"
#include "core/human.h"

namespace verbund {
namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Words all_keys() {
  Config config;
  return collect_keys([&](FieldVisitor& visit) { config.fields(visit); });
}

// The keys whose last part is this word: model.dropout and subwords.dropout for "dropout".
Words keys_named(std::string_view word) {
  const std::string plain = plain_word(word);
  Words keys = all_keys();
  std::erase_if(keys, [&](const std::string& key) { return plain_word(key) != plain; });
  return keys;
}

// "--set decode.beam=8 or --set ..."
std::string assignments(const Words& keys, const std::string& value) {
  std::string text;
  for (const std::string& key : keys) {
    text += fmt::format("{}--set {}={}", text.empty() ? "" : " or ", key, value.empty() ? "..." : value);
  }
  return text;
}

std::string suggest(const std::string& guess, std::string_view advice) {
  return fmt::format("did you mean {}?{}{}", guess, advice.empty() ? "" : " ", advice);
}

std::string suggestion_for_flag(const std::string& name, const std::string& value, const Words& flags) {
  const Hint* hint = find_hint(config_hints(), name);
  const bool has_advice = hint != nullptr && *hint->advice != '\0';
  if (hint != nullptr && hint->is_flag() && contains(flags, hint->key)) return suggest(hint->key, hint->advice);
  if (contains(flags, "--set")) {
    // Advice is about a value that differs.
    if (hint != nullptr && hint->is_key())
      return suggest(assignments({hint->key}, has_advice ? "" : value), hint->advice);
    if (has_advice) return hint->advice;
    if (const Words keys = keys_named(name); !keys.empty()) return suggest(assignments(keys, value), "");
  }
  if (const std::string guess = nearest(name, flags); !guess.empty()) return suggest(guess, "");
  return has_advice ? hint->advice : "";
}

// "train.step=10", without --set before it.
std::string suggestion_for_assignment(const std::string& key, const std::string& value) {
  const Words keys = all_keys();
  if (contains(keys, key)) return suggest(assignments({key}, value), "");
  const Hint* hint = find_hint(config_hints(), key);
  if (hint != nullptr && hint->is_key()) {
    return suggest(assignments({hint->key}, *hint->advice == '\0' ? value : ""), hint->advice);
  }
  Words meant = keys_named(key);
  if (meant.empty()) meant = {nearest(key, keys)};
  return meant.front().empty() ? "" : suggest(assignments(meant, value), "");
}

}  // namespace

std::optional<UnknownArgument> find_unknown(const std::vector<std::string>& arguments,
                                            const std::vector<std::string>& flags) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (!argument.starts_with("-")) {
      const bool is_value =
          i > 0 && arguments[i - 1].starts_with("-") && arguments[i - 1].find('=') == std::string::npos;
      if (is_value || equals == std::string::npos || !contains(flags, "--set")) continue;
      return UnknownArgument{argument, suggestion_for_assignment(name, argument.substr(equals + 1))};
    }
    // A long word after one dash, as in -src, unless it may be short flags: -n2.
    const bool is_long = name.starts_with("--");
    if (name == "--" || contains(flags, name) || (!is_long && find_hint(config_hints(), name) == nullptr)) continue;
    const bool has_next = i + 1 < arguments.size() && !arguments[i + 1].starts_with("-");
    const std::string value = equals != std::string::npos ? argument.substr(equals + 1)
                              : has_next                  ? arguments[i + 1]
                                                          : "";
    return UnknownArgument{argument, suggestion_for_flag(name, value, flags)};
  }
  return std::nullopt;
}

}  // namespace verbund
