// SPDX-License-Identifier: Apache-2.0
// Loader fills a struct from a Value. Unknown keys are refused with their line and the key that was probably meant,
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

class Loader final : public FieldVisitor {
 public:
  // `known_keys` (every key there is, "clean.max_words") and `hints` serve to guess the key that was meant.
  Loader(const Value& root, std::vector<std::string> known_keys, std::span<const Hint> hints);

  // Called by `load` after the root's fields.
  void finish() { check_unknown(); }

  void field(const char* name, bool& value, const char* about) override;
  void field(const char* name, int64_t& value, Range<int64_t> range, const char* about) override;
  void field(const char* name, double& value, Range<double> range, const char* about) override;
  void field(const char* name, std::string& value, const char* about) override;
  void field(const char* name, StepWindow& value, const char* about) override;
  void automatic(const char* name, int64_t& value, Range<int64_t> range, const char* about) override;

 protected:
  void choose(const char* name, size_t& index, Names names, const char* about) override;
  bool enter_section(const char* name, const char* about) override;
  void leave_section() override;
  bool enter_list(const char* name, size_t& size, const char* about) override;
  void enter_item(size_t index) override;
  void leave_list() override;

 private:
  struct Level {
    const Value* value;
    std::string prefix;              // "clean."
    std::vector<std::string> known;  // keys that fields asked for
  };

  const Value* find(const char* name);
  const Value* find_scalar(const char* name, const std::string& allowed);
  int64_t whole_number(const Value& value, const char* name, Range<int64_t> range, const std::string& allowed) const;
  [[noreturn]] void refuse(const Value& value, const char* name, const std::string& allowed,
                           const char* why = "") const;
  void push(const Value& value, std::string prefix, const std::string& what);
  void check_unknown() const;
  std::string suggestion(const std::string& key) const;  // a sentence, or ""

  std::vector<Level> levels_;
  std::vector<std::string> known_keys_;
  std::span<const Hint> hints_;
};

// Every key of a struct, "section.key".
std::vector<std::string> collect_keys(const std::function<void(FieldVisitor&)>& fields);

template <typename Struct>
void load(const Value& value, Struct& target, std::span<const Hint> hints = {}) {
  Struct defaults;
  Loader loader(value, collect_keys([&](FieldVisitor& visit) { defaults.fields(visit); }), hints);
  target.fields(loader);
  loader.finish();
}

}  // namespace verbund
