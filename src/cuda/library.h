// One shared library that is loaded while the program runs, and filling a table of function pointers from it.
#pragma once

#include <filesystem>
#include <string>

namespace verbund::cuda {

// Once loaded, a library stays until the process ends: NVIDIA's start threads and have handlers of their own for the
// end of the process, so that unloading them is not safe.
class Library {
 public:
  // A path, or a name alone, which the dynamic loader looks for where it always does (LD_LIBRARY_PATH, ldconfig's
  // folders). Throws Error with what the dynamic loader said.
  explicit Library(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }  // of the file that was loaded
  void* find(const char* symbol) const;                        // nullptr: there is none

 private:
  void* handle_;
  std::filesystem::path path_;
};

// Fills a table's member from the library; `missing` collects the names that it lacks.
template <typename Function>
void fill(const Library& library, const char* name, Function*& member, std::string& missing) {
  member = reinterpret_cast<Function*>(library.find(name));
  if (member == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

}  // namespace verbund::cuda
