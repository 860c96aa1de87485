// SPDX-License-Identifier: Apache-2.0
// fetch() downloads, verifies and extracts the files of a corpus that are not in its cache folder yet.
#pragma once

#include <filesystem>
#include <vector>

#include "fetch/download.h"
#include "fetch/manifest.h"

namespace verbund {

// The two sides of a parallel text; plain, .gz or .xz.
struct FetchedText {
  std::filesystem::path source, target;
};

struct FetchedCorpus {
  std::vector<FetchedText> train, dev, test;
};

// The files are kept in `cache_folder`/NAME: each archive under its name in the manifest, its members below
// extracted/ARCHIVE. A verified file is not verified again while its size and time are unchanged; an interrupted fetch
// resumes where it stopped.
FetchedCorpus fetch(const CorpusManifest& manifest, const std::filesystem::path& cache_folder,
                    const DownloadOptions& options = {});

}  // namespace verbund
