// dataset.json: the manifest of a dataset, written last and read first.
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_file.h"
#include "data/dataset.h"
#include "data/dataset_format.h"

namespace verbund {

using Json = nlohmann::ordered_json;

namespace {

constexpr char kOwnChecksum[] = "manifest_checksum";  // of everything before it

// Manifests of earlier versions have none.
void check_own_checksum(Json json, const fs::path& path) {
  if (!json.contains(kOwnChecksum)) return;
  const std::string expected = json[kOwnChecksum];
  json.erase(kOwnChecksum);
  if (checksum_of(json.dump()) == expected) return;
  fail("{} is damaged: its own checksum does not fit. Run `verbund prepare` again.", path.string());
}

}  // namespace

std::string DatasetManifest::checksum() const {
  std::string text = fmt::format("{} {} {} {}\n", source_language, target_language, source_model, target_model);
  for (const auto& [file, record] : files) text += fmt::format("{} {} {}\n", file, record.size, record.checksum);
  return checksum_of(text);
}

void write_manifest(const fs::path& folder, const DatasetManifest& manifest) {
  Json json;
  json["format"] = "verbund-dataset";
  json["version"] = kDatasetVersion;
  json["name"] = manifest.name;
  json["source_language"] = manifest.source_language;
  json["target_language"] = manifest.target_language;
  json["source_model"] = manifest.source_model;
  json["target_model"] = manifest.target_model;
  json["source_vocabulary"] = manifest.source_vocabulary;
  json["target_vocabulary"] = manifest.target_vocabulary;
  json["splits"] = manifest.splits;
  for (const auto& [name, record] : manifest.files) {
    json["files"][name] = {{"size", record.size}, {"xxh3_128", record.checksum}};
  }
  json["checksum"] = manifest.checksum();
  json["made_by"] = manifest.made_by;
  json[kOwnChecksum] = checksum_of(json.dump());
  write_file(folder / kDatasetManifest, json.dump(2) + "\n");
}

DatasetManifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / kDatasetManifest;
  expect_folder(folder, "a dataset");
  if (!fs::exists(path)) {
    fail(
        "{} is not a dataset: it has no {}. Make one with `verbund prepare --out {}`; an interrupted one "
        "goes on "
        "with the same command.",
        folder.string(), kDatasetManifest, folder.string());
  }
  DatasetManifest manifest;
  use_json_file(path, "Run `verbund prepare` again.", [&](const Json& json) {
    check_own_checksum(json, path);
    if (json.at("format") != "verbund-dataset") fail("{} is not a dataset's manifest", path.string());
    if (const int version = json.at("version"); version != kDatasetVersion) {
      fail("{} is of format version {}, this program reads version {}. Run `verbund prepare` again.", path.string(),
           version, kDatasetVersion);
    }
    manifest.name = json.at("name");
    manifest.source_language = json.at("source_language");
    manifest.target_language = json.at("target_language");
    manifest.source_model = json.at("source_model");
    manifest.target_model = json.at("target_model");
    manifest.source_vocabulary = json.at("source_vocabulary");
    manifest.target_vocabulary = json.at("target_vocabulary");
    manifest.splits = json.at("splits").get<std::map<std::string, uint64_t>>();
    for (const auto& [name, record] : json.at("files").items()) {
      manifest.files[name] = {record.at("size"), record.at("xxh3_128")};
    }
    manifest.made_by = json.at("made_by");
    if (json.at("checksum") != manifest.checksum()) {
      fail("{} is damaged: its own checksum does not fit. Run `verbund prepare` again.", path.string());
    }
  });
  return manifest;
}

}  // namespace verbund
