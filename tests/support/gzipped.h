// SPDX-License-Identifier: Apache-2.0
// gzipped is the text as the content of a gzip file.
#pragma once

#include <zlib.h>

#include <string>

#include "support/temporary_folder.h"

namespace verbund {

inline std::string gzipped(const std::string& text) {
  TemporaryFolder folder;
  gzFile file = gzopen((folder / "x").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return slurp(folder / "x");
}

}  // namespace verbund
