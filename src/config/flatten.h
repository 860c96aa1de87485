// A struct's fields as one flat object: {"seed": 1, "model.d_model": 512, "corpus.train.0.source": "a.en", ...};
// and what each means.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "config/fields.h"

namespace verbund {

class Flattener final : public FieldVisitor {
 public:
  const nlohmann::ordered_json& object() const { return object_; }
  const std::map<std::string, std::string>& meanings() const { return meanings_; }  // by key

  void field(const char* name, bool& value, const char* about) override { put(name, value, about); }
  void field(const char* name, int64_t& value, Range<int64_t>, const char* about) override { put(name, value, about); }
  void field(const char* name, double& value, Range<double>, const char* about) override { put(name, value, about); }
  void field(const char* name, std::string& value, const char* about) override { put(name, value, about); }
  void field(const char* name, StepWindow& value, const char* about) override { put(name, to_text(value), about); }
  void automatic(const char* name, int64_t& value, Range<int64_t> range, const char* about) override;

 protected:
  void choose(const char* name, size_t& index, Names names, const char* about) override {
    put(name, names.begin()[index], about);
  }
  bool enter_section(const char* name, const char*) override { return enter(name); }
  void leave_section() override { leave(); }
  bool enter_list(const char* name, size_t&, const char*) override { return enter(name); }
  void enter_item(size_t index) override { enter(std::to_string(index)); }
  void leave_list() override { leave(); }

 private:
  template <typename Value>
  void put(const char* name, const Value& value, const char* about) {
    object_[prefix_ + name] = value;
    meanings_[prefix_ + name] = about;
  }
  bool enter(const std::string& name);
  void leave();

  std::string prefix_;  // "corpus.train."
  std::map<std::string, std::string> meanings_;
  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

template <typename Struct>
nlohmann::ordered_json flatten(const Struct& value) {
  Flattener flattener;
  Struct copy = value;  // visitors may change what they visit; this one does not
  copy.fields(flattener);
  return flattener.object();
}

}  // namespace verbund
