#include "core/partial_folder.h"

#include <cstdio>

#include "core/error.h"

namespace verbund {

PartialFolder::PartialFolder(fs::path folder) : folder_(std::move(folder)), path_(folder_.string() + kPartialEnding) {
  fs::remove_all(path_);
  make_folder(path_);
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void PartialFolder::publish() const {
  sync_folder(path_);
  rename_folder(path_, folder_);
  sync_folder(folder_.parent_path());
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_errno("cannot rename {} to {}", from.string(), to.string());
}

}  // namespace verbund
