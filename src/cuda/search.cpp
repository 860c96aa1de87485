// SPDX-License-Identifier: Apache-2.0
#include "cuda/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace verbund::cuda {
namespace {

namespace fs = std::filesystem;

// The folders in `parent` whose names begin so, the highest version first: cuda-12.10 before cuda-12.9.
std::vector<fs::path> versions(const fs::path& parent, const std::string& begin) {
  std::vector<std::pair<std::vector<int>, fs::path>> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, none)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(begin)) continue;
    std::vector<int> version = {0};
    for (const char c : name.substr(begin.size())) {
      if (c == '.') version.push_back(0);
      if (c >= '0' && c <= '9') version.back() = version.back() * 10 + (c - '0');
    }
    found.emplace_back(version, entry.path());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a > b; });
  std::vector<fs::path> paths;
  for (const auto& [version, path] : found) paths.push_back(path);
  return paths;
}

void add(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code none;
  if (fs::is_directory(folder, none)) folders.push_back(folder);
}

// Wheels of CUDA 13 share the folder cu13, those of 12 have one each.
void add_wheels(std::vector<fs::path>& folders, const fs::path& lib, const char* packages) {
  for (const fs::path& python : versions(lib, "python3")) {
    for (const char* wheel : {"cu13", "cuda_nvrtc", "cublas", "nccl"}) {
      add(folders, python / packages / "nvidia" / wheel / "lib");
    }
  }
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

SearchVariables SearchVariables::of_environment() {
  return {variable("VERBUND_CUDA_PATH"), variable("VIRTUAL_ENV"), variable("HOME")};
}

Search usual_search(const SearchVariables& variables, const fs::path& root) {
  Search search;
  if (variables.cuda_path) {
    const fs::path path = *variables.cuda_path;
    search.first = {path, path / "lib64", path / "lib"};
  }
  std::vector<fs::path>& folders = search.folders;
  if (variables.virtual_environment) {
    add_wheels(folders, fs::path(*variables.virtual_environment) / "lib", "site-packages");
  }
  add(folders, root / "usr/local/cuda/lib64");
  for (const fs::path& toolkit : versions(root / "usr/local", "cuda-")) add(folders, toolkit / "lib64");
  for (const char* folder : {"opt/cuda/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib/wsl/lib"}) {
    add(folders, root / folder);
  }
  if (variables.home) add_wheels(folders, fs::path(*variables.home) / ".local/lib", "site-packages");
  add_wheels(folders, root / "usr/local/lib", "dist-packages");
  return search;
}

Search search_only(const fs::path& folder) { return {{folder}, false, {}}; }

std::vector<fs::path> candidates(const Search& search, const std::vector<std::string>& names) {
  std::vector<fs::path> found;
  std::error_code none;
  const auto look_in = [&](const fs::path& folder) {
    for (const std::string& name : names) {
      if (fs::exists(folder / name, none)) found.push_back(folder / name);
    }
  };
  for (const fs::path& folder : search.first) look_in(folder);
  if (!found.empty()) return {found.front()};
  if (search.loader) found.insert(found.end(), names.begin(), names.end());
  for (const fs::path& folder : search.folders) look_in(folder);
  return found;
}

std::string describe(const Search& search) {
  std::vector<std::string> places;
  if (!search.first.empty()) places.push_back(search.first.front());
  if (search.loader) places.push_back("the dynamic loader's folders");
  places.insert(places.end(), search.folders.begin(), search.folders.end());
  return fmt::format("{}", fmt::join(places, ", "));
}

}  // namespace verbund::cuda
