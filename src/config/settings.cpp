// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <map>

namespace verbund {
namespace {

class Flattener final : public FieldVisitor {
 public:
  const Json& object() const { return object_; }
  const std::map<std::string, std::string>& meanings() const { return meanings_; }  // by key

  void field(const char* name, bool& value, const char* about) override { put(name, value, about); }
  void field(const char* name, int64_t& value, Range<int64_t>, const char* about) override { put(name, value, about); }
  void field(const char* name, double& value, Range<double>, const char* about) override { put(name, value, about); }
  void field(const char* name, std::string& value, const char* about) override { put(name, value, about); }
  void field(const char* name, StepWindow& value, const char* about) override { put(name, to_text(value), about); }
  void texts(const char* name, std::vector<std::string>& values, const char* about) override {
    put(name, values, about);
  }
  void overrides(const char* name, Value& section, const char* about) override {
    for (const auto& [key, value] : section.map) put((std::string(name) + "." + key).c_str(), value.scalar, about);
  }
  void field(const char* name, CorpusWeights& value, const char* about) override {
    put(name, weights_text(value), about);
  }
  void automatic(const char* name, int64_t& value, Range<int64_t>, const char* about) override {
    if (value == kAutomatic) {
      put(name, "auto", about);
    } else {
      put(name, value, about);
    }
  }

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
  bool enter(const std::string& name) {
    prefix_ += name + ".";
    return true;
  }
  void leave() {
    prefix_.pop_back();
    prefix_.resize(prefix_.rfind('.') + 1);  // none: 0
  }

  std::string prefix_;  // "corpus.train."
  std::map<std::string, std::string> meanings_;
  Json object_ = Json::object();
};

Flattener visited(Config config) {
  Flattener flattener;
  config.fields(flattener);
  return flattener;
}

}  // namespace

Json flatten(const Config& config) { return visited(config).object(); }

std::vector<Setting> settings_of(const Config& config) {
  const Flattener flattener = visited(config);
  std::vector<Setting> settings;
  for (const auto& [key, value] : flattener.object().items()) {
    settings.push_back(
        {key, value.is_string() ? value.get<std::string>() : dump_json(value), flattener.meanings().at(key)});
  }
  return settings;
}

std::vector<ChangedSetting> changed_settings(const Config& config) {
  std::map<std::string, std::string> usual;
  for (Setting& setting : settings_of(Config())) usual[setting.key] = setting.value;
  std::vector<ChangedSetting> changed;
  for (Setting& setting : settings_of(config)) {
    const auto found = usual.find(setting.key);
    if (found != usual.end() && found->second == setting.value) continue;
    changed.push_back({std::move(setting), found == usual.end() ? "" : found->second});
  }
  return changed;
}

}  // namespace verbund
