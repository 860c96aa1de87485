// SPDX-License-Identifier: Apache-2.0
#include "inspect/checkpoint_contents.h"

#include <algorithm>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/file.h"
#include "core/folder_tree.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/json_file.h"
#include "core/progress.h"

namespace verbund {
namespace {

struct CheckpointFilePurpose {
  const char* file;
  const char* text;
};

constexpr CheckpointFilePurpose kCheckpointFilePurposes[] = {
    {kWeightsFile, "the model: all that translating needs"},
    {kOptimizerFile, "the optimiser's moments: needed to resume"},
    {kAverageFile, "averaged weights: used for evaluating and translating"},
    {kExchangeFile, "residuals of gradients rounded to int8: needed to resume bit for bit"},
    {kOuterFile,
     "momentum of the outer step, and the optimiser's moments of each worker: needed to resume bit for bit"},
    {kStateFile, "step, position in the data, best values: needed to resume"},
    {kConfigFile, "the whole configuration of the run"},
    {kCheckpointManifest, "size and checksum of each file"},
};

std::string purpose_of_checkpoint_file(const std::string& name) {
  for (const CheckpointFilePurpose& purpose : kCheckpointFilePurposes) {
    if (name == purpose.file) return purpose.text;
  }
  return "unknown: not part of a checkpoint";
}

struct PartName {
  const char* word;  // found in a parameter's name
  const char* part;
};

// The first match counts.
constexpr PartName kPartNames[] = {
    {".norm.", "norms"},
    {"embedding", "embeddings"},
    {"output.weight", "output"},
    {".cross.", "decoder's attention to the source"},
};

std::string part_of(const std::string& parameter) {
  for (const PartName& name : kPartNames) {
    if (parameter.find(name.word) != std::string::npos) return name.part;
  }
  const std::string side = parameter.starts_with("encoder.")   ? "encoder"
                           : parameter.starts_with("decoder.") ? "decoder"
                                                               : "";
  if (side.empty()) return "other";
  if (parameter.find(".self.") != std::string::npos) return side + "'s self-attention";
  if (parameter.find(".ff.") != std::string::npos) return side + "'s feed-forward";
  return side + ", other";
}

uint64_t elements(const TensorView& tensor) { return tensor.bytes.size() / dtype_size(tensor.dtype); }

uint64_t bytes_of(const std::vector<CheckpointContents::Part>& parts) {
  uint64_t bytes = 0;
  for (const CheckpointContents::Part& part : parts) bytes += part.bytes;
  return bytes;
}

void add_files(CheckpointContents& contents, const CheckpointManifest& manifest) {
  const auto tree = list_tree(contents.folder);
  contents.folder_bytes = tree_bytes(tree);
  for (const TreeEntry& entry : tree) {
    if (entry.kind == TreeEntry::Kind::kFolder) continue;
    contents.file_bytes += entry.counted ? entry.size : 0;
    contents.files.push_back({entry.name, purpose_of_checkpoint_file(entry.name), entry.size, "", ""});
  }
  for (const auto& [name, expected] : manifest.files) {
    const auto found = std::find_if(contents.files.begin(), contents.files.end(),
                                    [&name = name](const auto& file) { return file.name == name; });
    if (found == contents.files.end()) {
      contents.files.push_back({name, purpose_of_checkpoint_file(name), 0, expected.checksum, "it is missing"});
      continue;
    }
    found->checksum = expected.checksum;
    if (found->size == expected.size) continue;
    found->damage = fmt::format("it has {} bytes, but {} says {}", found->size, kCheckpointManifest, expected.size);
  }
  std::sort(contents.files.begin(), contents.files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

void verify_checksums(CheckpointContents& contents) {
  Progress progress("verify " + contents.folder.filename().string() + ",", contents.file_bytes, "bytes");
  for (CheckpointContents::File& file : contents.files) {
    if (file.checksum.empty() || !file.damage.empty()) continue;
    const std::string checksum = file_checksum(contents.folder / file.name, &progress);
    if (checksum == file.checksum) continue;
    file.damage = fmt::format("its checksum is {}, but {} says {}", checksum, kCheckpointManifest, file.checksum);
  }
  contents.verified = true;
}

CheckpointContents::File* find(CheckpointContents& contents, const std::string& name) {
  for (CheckpointContents::File& file : contents.files) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

// Calls `use` with an intact file; if that fails, the file is marked as damaged. Returns false if it is not intact.
template <typename Use>
bool use_intact(CheckpointContents& contents, const char* name, Use use) {
  CheckpointContents::File* file = find(contents, name);
  if (file == nullptr || !file->damage.empty()) return false;
  try {
    use(contents.folder / name);
    return true;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    file->damage = error.what();
    return false;
  }
}

void add_origin(CheckpointContents& contents) {
  use_intact(contents, kStateFile, [&](const fs::path& path) {
    use_json_file(path, "Use another checkpoint.", [&](const Json& state) {
      const Json origin = state.value(kOriginKey, Json::object());
      contents.run = origin.value("run", "");
      contents.run_folder = origin.value("folder", "");
      contents.program = origin.value("program", "");
      contents.time = origin.value("time", "");
      if (const int64_t step = state.value("step", contents.step); step != contents.step) {
        fail("it says step {}, but {} says {}", step, kCheckpointManifest, contents.step);
      }
      if (!state.contains(kMeanOfKey)) return;
      contents.average_of =
          fmt::format("the mean of steps {}", fmt::join(state.at(kMeanOfKey).get<std::vector<int64_t>>(), ", "));
    });
  });
}

void add_part(std::vector<CheckpointContents::Part>& parts, const std::string& name, const TensorView& tensor) {
  auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.name == name; });
  if (found == parts.end()) found = parts.insert(parts.end(), {name, 0, 0});
  found->parameters += elements(tensor);
  found->bytes += tensor.bytes.size();
}

// Compares the sizes of the tensors with 4 bytes per parameter, moment and average.
void add_tensors(CheckpointContents& contents) {
  uint64_t in_files = 0, in_moments = 0, average_bytes = 0, average_parameters = 0, residual_bytes = 0, outer_bytes = 0;
  const auto read = [&](const char* name, auto each) {
    return use_intact(contents, name, [&](const fs::path& path) {
      const SafetensorsFile file(path);
      for (const TensorView& tensor : file.tensors()) each(tensor);
      in_files += find(contents, name)->size;
    });
  };
  if (!read(kWeightsFile, [&](const TensorView& tensor) { add_part(contents.parts, part_of(tensor.name), tensor); })) {
    contents.parts.clear();
    return;
  }
  for (const CheckpointContents::Part& part : contents.parts) contents.parameters += part.parameters;
  read(kOptimizerFile, [&](const TensorView& tensor) { add_part(contents.moments, tensor.name, tensor); });
  contents.averaged = read(kAverageFile, [&](const TensorView& tensor) {
    average_bytes += tensor.bytes.size();
    average_parameters += elements(tensor);
  });
  read(kExchangeFile, [&](const TensorView& tensor) { residual_bytes += tensor.bytes.size(); });
  read(kOuterFile, [&](const TensorView& tensor) { outer_bytes += tensor.bytes.size(); });

  const uint64_t weight_bytes = 4 * contents.parameters;
  in_moments = bytes_of(contents.moments);
  contents.expected_bytes = weight_bytes * (1 + contents.moments.size() + (contents.averaged ? 1 : 0));
  const auto explain = [&](const std::string& what, uint64_t is, uint64_t expected) {
    if (is != expected) contents.remainder.push_back({what, static_cast<int64_t>(is - expected)});
  };
  explain("weights that are not 4 bytes each", bytes_of(contents.parts), weight_bytes);
  explain("moments of the gaps between parameters", in_moments, weight_bytes * contents.moments.size());
  explain("averages of parameters that the model does not have", average_bytes, contents.averaged ? weight_bytes : 0);
  explain("residuals of gradients rounded to int8, of each host", residual_bytes, 0);
  explain("momentum of the outer step, and each worker's own moments", outer_bytes, 0);
  explain("headers of the safetensors files: names, shapes, places", in_files,
          bytes_of(contents.parts) + in_moments + average_bytes + residual_bytes + outer_bytes);
  for (const CheckpointContents::File& file : contents.files) {
    if (!file.name.ends_with(".safetensors") || !file.damage.empty()) explain(file.name, file.size, 0);
  }
}

void add_links(CheckpointContents& contents) {
  std::error_code unreadable;
  const fs::path name = contents.folder.filename();
  for (const auto& entry : fs::directory_iterator(contents.folder.parent_path(), unreadable)) {
    std::error_code not_a_link;
    if (fs::read_symlink(entry.path(), not_a_link) == name) contents.links.push_back(entry.path().filename().string());
  }
  std::sort(contents.links.begin(), contents.links.end());
}

CheckpointContents contents_of(const fs::path& folder, bool verify) {
  CheckpointContents contents;
  contents.folder = folder;
  const CheckpointManifest manifest = read_checkpoint_manifest(contents.folder);
  contents.step = manifest.step;
  if (const auto named = step_of_folder_name(contents.folder.filename().string()); named && *named != manifest.step) {
    fail("{} is damaged: {} says step {}", contents.folder.string(), kCheckpointManifest, manifest.step);
  }
  add_links(contents);
  add_files(contents, manifest);
  if (verify) verify_checksums(contents);
  add_origin(contents);
  add_tensors(contents);
  return contents;
}

}  // namespace

bool CheckpointContents::damaged() const {
  return std::any_of(files.begin(), files.end(), [](const File& file) { return !file.damage.empty(); });
}

CheckpointContents read_checkpoint_contents(const fs::path& folder, bool verify) {
  const auto find = [&] {
    const std::optional<fs::path> found = follow_checkpoint_link(folder);
    if (!found && fs::is_symlink(folder)) {
      fail("{} points to {}, where there is no checkpoint. Choose another one.", folder.string(),
           fs::read_symlink(folder).string());
    }
    expect_folder(folder, "a checkpoint");
    return std::vector{found.value_or(folder)};
  };
  return read_while_pruned(find, [&](const std::vector<fs::path>& found) {
    CheckpointContents contents = contents_of(found.front(), verify);
    // Then damage was found in what was being deleted.
    if (contents.damaged() && !fs::exists(contents.folder)) {
      fail("{} was deleted while it was read, as training deletes outdated checkpoints", contents.folder.string());
    }
    return contents;
  });
}

}  // namespace verbund
