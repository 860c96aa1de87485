// SPDX-License-Identifier: Apache-2.0
// FieldVisitor visits the fields of a configuration struct. Each struct has
//
//   void fields(FieldVisitor& visit) {
//     visit.field("max_words", max_words, {1, 10000}, "longest side that is kept, in words");
//   }
//
// and loading, showing and explaining the struct are visitors over that one list.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "config/corpus_weights.h"
#include "config/number.h"
#include "config/value.h"

namespace verbund {

template <typename Number>
struct Range {
  Number lowest = std::numeric_limits<Number>::lowest();
  Number highest = std::numeric_limits<Number>::max();
};

constexpr int64_t kAutomatic = 0;

class FieldVisitor {
 public:
  using Names = std::initializer_list<const char*>;

  virtual ~FieldVisitor() = default;

  virtual void field(const char* name, bool& value, const char* about) = 0;
  virtual void field(const char* name, int64_t& value, Range<int64_t> range, const char* about) = 0;
  virtual void field(const char* name, double& value, Range<double> range, const char* about) = 0;
  virtual void field(const char* name, std::string& value, const char* about) = 0;
  virtual void field(const char* name, StepWindow& value, const char* about) = 0;
  // A list of texts.
  virtual void texts(const char* name, std::vector<std::string>& values, const char* about) = 0;
  // A section whose keys are read later, because what they override is not known yet.
  virtual void overrides(const char* name, Value& section, const char* about) = 0;
  virtual void field(const char* name, CorpusWeights& value, const char* about) = 0;
  // A count, or "auto", which is kAutomatic.
  virtual void automatic(const char* name, int64_t& value, Range<int64_t> range, const char* about) = 0;

  // One of several names; the enumerators count from 0 in the order of the names.
  template <typename Enum>
  void choice(const char* name, Enum& value, Names names, const char* about) {
    auto index = static_cast<size_t>(value);
    choose(name, index, names, about);
    value = static_cast<Enum>(index);
  }

  template <typename Section>
  void section(const char* name, Section& section, const char* about) {
    if (!enter_section(name, about)) return;
    section.fields(*this);
    leave_section();
  }

  // A list of structs.
  template <typename Item>
  void list(const char* name, std::vector<Item>& items, const char* about) {
    size_t size = items.size();
    if (!enter_list(name, size, about)) return;
    if (size != items.size()) items.assign(size, Item{});
    for (size_t i = 0; i < items.size(); ++i) {
      enter_item(i);
      items[i].fields(*this);
      leave_section();
    }
    leave_list();
  }

 protected:
  virtual void choose(const char* name, size_t& index, Names names, const char* about) = 0;
  // False: the visitor skips what is inside.
  virtual bool enter_section(const char* name, const char* about) = 0;
  virtual void leave_section() = 0;
  virtual bool enter_list(const char* name, size_t& size, const char* about) = 0;
  virtual void enter_item(size_t index) = 0;
  virtual void leave_list() = 0;
};

}  // namespace verbund
