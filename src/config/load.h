// SPDX-License-Identifier: Apache-2.0
// load fills a struct from a Value. Unknown keys are refused with their line and the key that was probably meant,
// wrong types and ranges with what is allowed. Fields that are not named keep their value.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/fields.h"
#include "config/hints.h"
#include "config/value.h"

namespace verbund {

using FieldsOf = std::function<void(FieldVisitor&)>;

// Every key of a struct, "section.key".
std::vector<std::string> collect_keys(const FieldsOf& fields);

// The keys of `defaults` and the `hints` serve to guess the key that was meant.
void load(const Value& value, const FieldsOf& defaults, const FieldsOf& target, std::span<const Hint> hints);

template <typename Struct>
void load(const Value& value, Struct& target, std::span<const Hint> hints = {}) {
  Struct defaults;
  load(
      value, [&](auto& visit) { defaults.fields(visit); }, [&](auto& visit) { target.fields(visit); }, hints);
}

}  // namespace verbund
