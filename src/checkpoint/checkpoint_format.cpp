// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checkpoint_format.h"

#include <array>
#include <charconv>

#include "core/error.h"
#include "core/json.h"
#include "core/json_file.h"

namespace verbund {
namespace {

constexpr const char* kFormatName = "verbund-checkpoint";
constexpr std::string_view kStepPrefix = "step-";
constexpr std::array kNeededFiles = {kWeightsFile, kStateFile, kConfigFile};
constexpr std::array kOptionalFiles = {kOptimizerFile, kAverageFile, kExchangeFile, kOuterFile};

}  // namespace

uint64_t CheckpointSnapshot::tensor_bytes() const {
  uint64_t sum = 0;
  for (const auto* part : {&weights, &optimizer, &average, &exchange, &outer}) {
    for (const TensorView& tensor : *part) sum += tensor.bytes.size();
  }
  return sum;
}

std::string CheckpointManifest::checksum() const {
  std::string text = fmt::format("step {}\n", step);
  for (const auto& [name, file] : files) text += fmt::format("{} {} {}\n", name, file.size, file.checksum);
  return checksum_of(text);
}

void write_checkpoint_manifest(const fs::path& folder, const CheckpointManifest& manifest) {
  Json json;
  json["format"] = kFormatName;
  json["version"] = kCheckpointVersion;
  json["step"] = manifest.step;
  for (const auto& [name, file] : manifest.files) {
    json["files"][name] = {{"size", file.size}, {"xxh3_128", file.checksum}};
  }
  json["checksum"] = manifest.checksum();
  write_file(folder / kCheckpointManifest, dump_json(json, 2) + "\n");
}

CheckpointManifest read_checkpoint_manifest(const fs::path& folder) {
  const fs::path path = folder / kCheckpointManifest;
  std::error_code status;
  if (!fs::is_directory(folder, status)) fail("there is no checkpoint folder {}", folder.string());
  if (fs::status(path, status).type() == fs::file_type::not_found) {
    fail("{} is not a whole checkpoint: {} is missing", folder.string(), kCheckpointManifest);
  }
  CheckpointManifest manifest;
  use_json_file(path, "Use another checkpoint.", [&](const Json& json) {
    if (json.at("format") != kFormatName) fail("{} is damaged: its format is not {}", path.string(), kFormatName);
    if (const int version = json.at("version"); version != kCheckpointVersion) {
      fail("{} is of format version {}, this program reads version {}", path.string(), version, kCheckpointVersion);
    }
    manifest.step = json.at("step");
    for (const auto& [name, file] : json.at("files").items()) {
      manifest.files[name] = {file.at("size"), file.at("xxh3_128")};
    }
    if (json.at("checksum") != manifest.checksum()) {
      fail("{} is damaged: its own checksum does not fit", path.string());
    }
  });
  size_t known = 0;
  for (const char* name : kNeededFiles) {
    if (!manifest.files.contains(name)) fail("{} does not name {}", path.string(), name);
    ++known;
  }
  for (const char* name : kOptionalFiles) known += manifest.files.count(name);
  if (known != manifest.files.size()) fail("{} names files that no checkpoint has", path.string());
  return manifest;
}

std::string step_folder_name(int64_t step) { return fmt::format("{}{:08}", kStepPrefix, step); }

std::optional<int64_t> step_of_folder_name(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kStepPrefix.size());
  int64_t step = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  // Comparing with the name that it would have refuses signs, other digits and endings.
  if (error != std::errc() || step < 0 || step_folder_name(step) != name) return std::nullopt;
  return step;
}

}  // namespace verbund
