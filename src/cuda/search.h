// SPDX-License-Identifier: Apache-2.0
// Search lists the places where NVIDIA's libraries may be: the driver's with the system, the others with a toolkit or
// in Python wheels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace verbund::cuda {

// The places, in the order of the search.
struct Search {
  std::vector<std::filesystem::path> first;  // a library in one of these is used, and no other place is tried for it
  bool loader = true;                        // the dynamic loader, by the library's name alone
  std::vector<std::filesystem::path> folders;
};

// The environment variables of the search.
struct SearchVariables {
  std::optional<std::string> cuda_path;            // VERBUND_CUDA_PATH
  std::optional<std::string> virtual_environment;  // VIRTUAL_ENV
  std::optional<std::string> home;                 // HOME
  static SearchVariables of_environment();
};

// VERBUND_CUDA_PATH (a folder with libraries, or a toolkit's), the dynamic loader, the wheels of the virtual
// environment, toolkits with the newest first, the wheels of the user. `root` is another than "/" in tests.
Search usual_search(const SearchVariables& variables, const std::filesystem::path& root = "/");

// This folder alone: the emulated GPU's.
Search search_only(const std::filesystem::path& folder);

// One try: a file, or a name for the dynamic loader.
std::vector<std::filesystem::path> candidates(const Search& search, const std::vector<std::string>& names);

std::string describe(const Search& search);  // "the dynamic loader's folders, /usr/local/cuda/lib64, ..."

}  // namespace verbund::cuda
