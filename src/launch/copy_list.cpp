// SPDX-License-Identifier: Apache-2.0
#include "launch/copy_list.h"

#include <algorithm>

#include "core/file.h"
#include "data/dataset.h"
#include "fetch/archive.h"

namespace verbund {
namespace {

CopyFile file_for_copy(const fs::path& path, bool executable = false) {
  return {path, fs::file_size(path), file_digest(path, Digest::kSha256), executable, {}};
}

// Its files without the folder `work`, which only prepare needs.
std::vector<fs::path> dataset_files(const fs::path& folder) {
  const Dataset whole(folder);  // every file exists and has its size
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool is_partial = entry.path().extension() == kPartialEnding;
    if (entry.is_regular_file() && !is_partial && entry.path().filename() != kDatasetManifest) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  files.push_back(folder / kDatasetManifest);
  return files;
}

}  // namespace

std::vector<std::string> values_of(const std::vector<std::string>& command, const std::string& name) {
  std::vector<std::string> values;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == name && i + 1 < command.size()) values.push_back(command[i + 1]);
    if (command[i].starts_with(name + "=")) values.push_back(command[i].substr(name.size() + 1));
  }
  return values;
}

std::vector<CopyFile> list_for_copy(const std::vector<std::string>& command, const fs::path& folder,
                                    const std::vector<fs::path>& more) {
  const auto absolute = [&](const std::string& path) { return (folder / path).lexically_normal(); };
  std::vector<CopyFile> files = {file_for_copy(absolute(command.front()), true)};
  const std::vector<std::string> configs = values_of(command, "--config");
  if (!configs.empty() && fs::is_regular_file(absolute(configs.back()))) {
    files.push_back(file_for_copy(absolute(configs.back())));
  }
  const std::vector<std::string> named = values_of(command, "--data");
  std::vector<fs::path> datasets(named.begin(), named.end());
  datasets.insert(datasets.end(), more.begin(), more.end());
  for (const fs::path& data : datasets) {
    for (const fs::path& path : dataset_files(absolute(data))) {
      files.push_back(file_for_copy(path));
      if (path.filename() != kDatasetManifest) files.back().manifest = path.parent_path() / kDatasetManifest;
    }
  }
  return files;
}

}  // namespace verbund
