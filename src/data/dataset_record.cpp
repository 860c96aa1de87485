// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_record.h"

#include "config/show.h"
#include "core/error.h"
#include "core/json_file.h"
#include "core/log.h"
#include "data/dataset_format.h"

namespace verbund {
namespace {

constexpr const char *kFurther = "further", *kSettings = "settings";

Json describe_folder(const fs::path& folder) {
  Json json = {{"path", fs::absolute(folder).lexically_normal().string()}};
  const auto warn_of = [&](const char* file) {
    warn("{} is damaged: it is missing in the record of the run", (folder / file).string());
  };
  const auto copy = [&](const char* key, const char* file) {
    if (use_note(folder / file, [&](const Json& content) { json[key] = content; }) || !fs::exists(folder / file))
      return;
    warn_of(file);
  };
  use_note(folder / kDatasetManifest, [&](const Json& manifest) {
    json["source_language"] = manifest.at("source_language");
    json["target_language"] = manifest.at("target_language");
  });
  copy("statistics", kStatisticsFile);
  copy("provenance", kProvenanceFile);
  if (!fs::exists(folder / kPrepareFile)) return json;
  try {
    json[kSettings] = dataset_settings(load_config((folder / kPrepareFile).string(), {}));
  } catch (const Error&) {
    warn_of(kPrepareFile);
  }
  return json;
}

const Json* value_at(const Json& json, const char* pointer) {
  const Json::json_pointer place{std::string(pointer)};
  return json.is_object() && json.contains(place) ? &json.at(place) : nullptr;
}

double number_at(const Json& json, const char* pointer) {
  const Json* found = value_at(json, pointer);
  return found && found->is_number() ? found->get<double>() : FolderRecord::kUnknown;
}

std::string text_at(const Json& json, const char* pointer) {
  const Json* found = value_at(json, pointer);
  return found && found->is_string() ? found->get<std::string>() : "";
}

// The sum over the splits with training pairs, "train" or "train-NAME" of each corpus.
double sum_of_training(const Json& folder, const char* pointer) {
  const Json* splits = value_at(folder, "/statistics/splits");
  double sum = FolderRecord::kUnknown;
  if (splits == nullptr || !splits->is_object()) return sum;
  for (const auto& [name, split] : splits->items()) {
    if (name != "train" && !name.starts_with("train-")) continue;
    sum = (std::isnan(sum) ? 0 : sum) + number_at(split, pointer);
  }
  return sum;
}

FolderRecord read_folder(const Json& json) {
  FolderRecord folder;
  folder.path = text_at(json, "/path");
  folder.settings = text_at(json, "/settings");
  if (const Json* command = value_at(json, "/provenance/command"); command && command->is_array()) {
    for (const Json& word : *command) folder.command.push_back(word.is_string() ? word.get<std::string>() : "");
  }
  folder.pairs = sum_of_training(json, "/pairs");
  folder.pairs_before = number_at(json, "/statistics/clean/pairs_before");
  folder.source_bytes = number_at(json, "/statistics/clean/source_bytes_after");
  folder.target_bytes = number_at(json, "/statistics/clean/target_bytes_after");
  folder.source_tokens = sum_of_training(json, "/source/tokens");
  folder.target_tokens = sum_of_training(json, "/target/tokens");
  return folder;
}

}  // namespace

std::string dataset_settings(Config config) {
  return show_fields(
      [&](FieldVisitor& visit) {
        visit.section("corpus", config.corpus, "");
        visit.section("clean", config.clean, "");
        visit.section("subwords", config.subwords, "");
      },
      false);
}

Json describe_datasets(std::span<const fs::path> folders, const std::string& checksum) {
  Json json = describe_folder(folders.front());
  json["checksum"] = checksum;
  json[kFurther] = Json::array();
  for (const fs::path& folder : folders.subspan(1)) json[kFurther].push_back(describe_folder(folder));
  return json;
}

double DatasetRecord::sum(double FolderRecord::*value) const {
  double all = folders.empty() ? FolderRecord::kUnknown : 0;
  for (const FolderRecord& folder : folders) all += folder.*value;
  return all;
}

DatasetRecord read_dataset_record(const Json& dataset) {
  DatasetRecord record;
  record.source_language = text_at(dataset, "/source_language");
  record.target_language = text_at(dataset, "/target_language");
  if (dataset.is_object() && !dataset.empty()) record.folders.push_back(read_folder(dataset));
  if (const Json* further = value_at(dataset, "/further"); further && further->is_array()) {
    for (const Json& folder : *further) record.folders.push_back(read_folder(folder));
  }
  // Older versions kept only the paths of further folders.
  if (const Json* paths = value_at(dataset, "/folders"); paths && paths->is_array()) {
    for (size_t i = record.folders.size(); i < paths->size(); ++i) {
      record.folders.emplace_back().path = (*paths)[i].is_string() ? (*paths)[i].get<std::string>() : "";
    }
  }
  if (const Json* corpora = value_at(dataset, "/corpora"); corpora && corpora->is_array()) {
    for (const Json& corpus : *corpora) {
      record.corpora.push_back(
          {text_at(corpus, "/name"), number_at(corpus, "/pairs"), number_at(corpus, "/usable_pairs")});
    }
  }
  return record;
}

}  // namespace verbund
