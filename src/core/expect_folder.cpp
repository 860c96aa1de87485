#include "core/expect_folder.h"

#include "core/error.h"

namespace verbund {

void expect_folder(const std::filesystem::path& path, const char* what) {
  if (std::filesystem::is_directory(path)) return;
  if (!std::filesystem::exists(path)) fail("there is no folder {}", path.string());
  fail("{} is a file, but {} is a folder", path.string(), what);
}

}  // namespace verbund
