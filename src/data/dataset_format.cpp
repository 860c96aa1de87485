// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_format.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/json_file.h"

namespace verbund {

namespace {

constexpr char kOwnChecksum[] = "manifest_checksum";  // of everything before it

// Manifests of earlier versions have no checksum.
void check_own_checksum(Json json, const fs::path& path) {
  if (!json.contains(kOwnChecksum)) return;
  const std::string expected = json[kOwnChecksum];
  json.erase(kOwnChecksum);
  if (checksum_of(dump_json(json)) == expected) return;
  fail("{} is damaged: its own checksum is wrong. Run `verbund prepare` again.", path.string());
}

// The sources of a manifest; none in a dataset without named ones.
std::vector<DatasetSource> read_sources(const Json& json, const fs::path& path) {
  std::vector<DatasetSource> sources;
  std::set<std::string> names;
  for (const Json& entry : json.value("sources", Json::array())) {
    DatasetSource source;
    source.name = entry.at("name");
    source.weight = entry.at("weight");
    source.tag = entry.at("tag");
    source.split = "train-" + source.name;
    const bool usable = is_source_name(source.name) && names.insert(source.name).second && source.weight > 0 &&
                        json.at("splits").contains(source.split);
    if (!usable) {
      fail(
          "{} is damaged: its source \"{}\" is named twice, has no split {}, or no weight. Run `verbund prepare` "
          "again.",
          path.string(), source.name, source.split);
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

void write_header(ChecksummedFile& file, ArrayKind kind, uint32_t element_bytes) {
  ArrayHeader header;
  header.kind = kind;
  header.element_bytes = element_bytes;
  file.write_values(std::span<const ArrayHeader>(&header, 1));
}

}  // namespace

std::vector<DatasetSource> DatasetManifest::sources() const {
  if (!named_sources.empty()) return named_sources;
  return {{.name = name.empty() ? "train" : name, .tag = "", .split = "train"}};
}

std::string DatasetManifest::checksum() const {
  std::string text = fmt::format("{} {} {} {}\n", source_language, target_language, source_model, target_model);
  for (const DatasetSource& source : named_sources) {
    text += fmt::format("source {} {} {}\n", source.name, source.weight, source.tag);
  }
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
  for (const DatasetSource& source : manifest.named_sources) {
    json["sources"].push_back({{"name", source.name}, {"weight", source.weight}, {"tag", source.tag}});
  }
  json["splits"] = manifest.splits;
  for (const auto& [name, record] : manifest.files) {
    json["files"][name] = {{"size", record.size}, {"xxh3_128", record.checksum}};
  }
  json["checksum"] = manifest.checksum();
  json["made_by"] = manifest.made_by;
  json[kOwnChecksum] = checksum_of(dump_json(json));
  write_file(folder / kDatasetManifest, dump_json(json, 2) + "\n");
}

DatasetManifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / kDatasetManifest;
  expect_folder(folder, "a dataset");
  if (!fs::exists(path)) {
    fail(
        "{} is not a dataset: it has no {}. Make one with `verbund prepare --out {}`; the same "
        "command resumes an interrupted one.",
        folder.string(), kDatasetManifest, folder.string());
  }
  DatasetManifest manifest;
  use_json_file(path, "Run `verbund prepare` again.", [&](const Json& json) {
    check_own_checksum(json, path);
    if (json.at("format") != "verbund-dataset") fail("{} is not a dataset's manifest", path.string());
    if (const int version = json.at("version"); version != kDatasetVersion) {
      fail("{} has format version {}, but this program reads version {}. Run `verbund prepare` again.", path.string(),
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
    manifest.named_sources = read_sources(json, path);
    for (const auto& [name, record] : json.at("files").items()) {
      manifest.files[name] = {record.at("size"), record.at("xxh3_128")};
    }
    manifest.made_by = json.at("made_by");
    if (json.at("checksum") != manifest.checksum()) {
      fail("{} is damaged: its own checksum is wrong. Run `verbund prepare` again.", path.string());
    }
  });
  return manifest;
}

void commit(ChecksummedFile& file, FileRecords& records) { records[file.path().filename().string()] = file.commit(); }

SplitWriter::SplitWriter(const fs::path& folder, const std::string& split, uint64_t vocabulary)
    : token_bytes_(token_bytes(vocabulary)),
      ids_(folder / (split + ".ids")),
      offsets_(folder / (split + ".offsets")),
      lengths_(folder / (split + ".lengths")) {
  write_header(ids_, ArrayKind::kIds, token_bytes_);
  write_header(offsets_, ArrayKind::kOffsets, sizeof(uint64_t));
  write_header(lengths_, ArrayKind::kLengths, sizeof(uint32_t));
  offsets_.write_values(std::span<const uint64_t>(&offset_, 1));
}

void SplitWriter::add(std::span<const TokenId> ids, std::span<const uint32_t> lengths) {
  if (token_bytes_ == sizeof(uint16_t)) {
    narrow_.assign(ids.begin(), ids.end());
    ids_.write_values(std::span<const uint16_t>(narrow_));
  } else {
    ids_.write_values(ids);
  }
  lengths_.write_values(lengths);
  pair_offsets_.clear();
  for (size_t i = 0; i < lengths.size(); i += 2) {
    offset_ += lengths[i] + lengths[i + 1];
    pair_offsets_.push_back(offset_);
  }
  offsets_.write_values(std::span<const uint64_t>(pair_offsets_));
}

void SplitWriter::commit(FileRecords& records) {
  verbund::commit(ids_, records);
  verbund::commit(offsets_, records);
  verbund::commit(lengths_, records);
}

}  // namespace verbund
