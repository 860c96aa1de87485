#include "fetch/fetch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_lock.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "fetch/cached_archive.h"

namespace verbund {
namespace {

// Only one process at a time works in the folder of a corpus; a second one waits.
void wait_for(FolderLock& lock, const fs::path& folder) {
  bool told = false;
  while (!lock.try_lock()) {
    if (!std::exchange(told, true)) log("waiting for another process that fetches into {}", folder.string());
    check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Names become paths in the cache and must stay inside it.
void check_path(const CorpusManifest& manifest, const std::string& name, bool folders_allowed) {
  const fs::path path = name;
  const bool leads_out = path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
  if (leads_out || (!folders_allowed && (name.empty() || path != path.filename()))) {
    fail("the manifest of {} has \"{}\" instead of a plain {}", manifest.name, name,
         folders_allowed ? "path inside the archive" : "name");
  }
}

using WantedMembers = std::map<std::string, std::set<std::string>>;  // of each archive

// Finds all mistakes of a manifest before the first download.
WantedMembers check_manifest(const CorpusManifest& manifest) {
  check_path(manifest, manifest.name, false);
  std::vector<std::string> names;
  for (const ManifestArchive& archive : manifest.archives) {
    check_path(manifest, archive.name, false);
    names.push_back(archive.name);
  }
  WantedMembers wanted;
  const auto want = [&](const ManifestSide& side) {
    if (std::find(names.begin(), names.end(), side.archive) == names.end()) {
      const std::string guess = nearest(side.archive, names);
      fail("the manifest of {} uses a text from {}, which is not among its archives{}", manifest.name, side.archive,
           guess.empty() ? "" : fmt::format(": did you mean {}?", guess));
    }
    check_path(manifest, side.member, true);
    wanted[side.archive].insert(side.member);
  };
  for (const auto* texts : {&manifest.train, &manifest.dev, &manifest.test}) {
    for (const auto& [source, target] : *texts) {
      want(source);
      want(target);
      if (source.archive == target.archive && source.member == target.member) {
        fail("the manifest of {} has {} {} as both source and target of a text", manifest.name, source.archive,
             source.member);
      }
    }
  }
  return wanted;
}

}  // namespace

FetchedCorpus fetch(const CorpusManifest& manifest, const fs::path& cache_folder, const DownloadOptions& options) {
  const WantedMembers wanted = check_manifest(manifest);
  const fs::path folder = cache_folder / manifest.name;
  make_folder(folder);
  FolderLock lock(folder);
  wait_for(lock, folder);
  log("corpus {}: {} files in {}", manifest.name, wanted.size(), folder.string());

  std::map<std::string, CachedArchive> archives;
  for (const ManifestArchive& archive : manifest.archives) {
    const auto members = wanted.find(archive.name);
    if (members == wanted.end()) continue;
    const auto [entry, _] = archives.try_emplace(
        archive.name, archive, folder, fmt::format("the manifest of {} (see docs/corpora.md)", manifest.name));
    entry->second.provide(members->second, options);
  }

  const auto locate = [&](const std::vector<ManifestText>& texts) {
    std::vector<FetchedText> result;
    for (const auto& [source, target] : texts) {
      result.push_back(
          {archives.at(source.archive).text_of(source.member), archives.at(target.archive).text_of(target.member)});
    }
    return result;
  };
  return {locate(manifest.train), locate(manifest.dev), locate(manifest.test)};
}

}  // namespace verbund
