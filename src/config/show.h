// SPDX-License-Identifier: Apache-2.0
// Shower writes a struct as YAML: its values, or every key with default and meaning.
#pragma once

#include <string>

#include "config/fields.h"

namespace verbund {

class Shower final : public FieldVisitor {
 public:
  // With `explain`, each key has its meaning and range as a comment.
  explicit Shower(bool explain) : explain_(explain) {}

  const std::string& text() const { return text_; }

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
  void line(const char* name, const std::string& value, const std::string& about);

  bool explain_;
  std::string text_;
  size_t indent_ = 0;
  bool first_of_item_ = false;  // the next line starts with "- "
};

template <typename Struct>
std::string show(const Struct& value, bool explain = false) {
  Shower shower(explain);
  Struct copy = value;  // visitors take fields by reference; this one only reads
  copy.fields(shower);
  return shower.text();
}

}  // namespace verbund
