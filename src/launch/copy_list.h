// SPDX-License-Identifier: Apache-2.0
// The copy list is what a host needs to take part in a job: the program, the configuration file and the dataset, under
// the same paths everywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace verbund {

struct CopyFile {
  std::filesystem::path path;  // absolute
  uint64_t size = 0;
  std::string sha256;
  bool executable = false;
  std::filesystem::path manifest;  // of its dataset, which is not whole while this file changes; "": of none
};

// The files to copy for a command such as {"/usr/bin/verbund", "train", "--config", "my.yaml", "--data", "data/demo"};
// `folder` is where it runs, and `more` are datasets that it does not name. A dataset's manifest comes last: a folder
// without it is not a dataset.
std::vector<CopyFile> list_for_copy(const std::vector<std::string>& command, const std::filesystem::path& folder,
                                    const std::vector<std::filesystem::path>& more);

// The values of `--name value` and `--name=value`, in their order.
std::vector<std::string> values_of(const std::vector<std::string>& command, const std::string& name);

}  // namespace verbund
