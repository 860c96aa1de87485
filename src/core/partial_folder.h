// A new folder under a temporary name, FOLDER.partial, which goes away with this object unless
// it was renamed: a folder is there as a whole, or not at all.
#pragma once

#include "core/file.h"

namespace verbund {

class PartialFolder {
 public:
  // Fails if something has the temporary name: nobody knows whose it is, so it is not touched.
  explicit PartialFolder(fs::path folder);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Gives it its name, for good. Nothing may have that name.
  void publish() const;

 private:
  fs::path folder_, path_;
};

}  // namespace verbund
