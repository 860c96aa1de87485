// Brings a corpus from the network into a folder: downloads, verifies and extracts what
// its manifest names and what is not there yet.
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

// The files are kept in `cache_folder`/NAME: each archive under its name in the manifest,
// its members below extracted/ARCHIVE. What has been verified once is not looked at again
// as long as its size and time stay; an interrupted fetch goes on where it stopped.
FetchedCorpus fetch(const CorpusManifest& manifest, const std::filesystem::path& cache_folder,
                    const DownloadOptions& options = {});

}  // namespace verbund
