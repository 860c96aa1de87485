// SPDX-License-Identifier: Apache-2.0
// show writes a struct as YAML.
#pragma once

#include <functional>
#include <string>

#include "config/fields.h"

namespace verbund {

// With `explain`, each key has its meaning and range as a comment.
std::string show_fields(const std::function<void(FieldVisitor&)>& fields, bool explain);

template <typename Struct>
std::string show(const Struct& value, bool explain = false) {
  Struct copy = value;  // visitors take fields by reference; this one only reads
  return show_fields([&](auto& visit) { copy.fields(visit); }, explain);
}

}  // namespace verbund
