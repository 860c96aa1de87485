// SPDX-License-Identifier: Apache-2.0
#include "fetch/fetch.h"

#include <algorithm>
#include <cctype>
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
#include "core/json.h"
#include "core/json_file.h"
#include "core/log.h"
#include "fetch/archive.h"
#include "fetch/sgm.h"
#include "fetch/transfer.h"

namespace verbund {
namespace {

// Identifies a file that was verified; null if there is none.
Json mark_of(const fs::path& path) {
  if (!fs::is_regular_file(path)) return nullptr;
  return {{"size", fs::file_size(path)}, {"time", fs::last_write_time(path).time_since_epoch().count()}};
}

Json description_of(const ManifestArchive& archive) {
  return {{"md5", archive.md5}, {"sha256", archive.sha256}, {"size", archive.size}, {"url", archive.url}};
}

bool is_sgm(const std::string& name) {
  return name.ends_with(".sgm") || name.ends_with(".sgm.gz") || name.ends_with(".sgm.xz");
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// CachedArchive is one archive of a corpus in its cache folder, downloaded, verified and extracted as far as necessary.
// ARCHIVE.stamp.json beside it records what has been done.
class CachedArchive {
 public:
  // `listed_in` is the place where the user can change the description, for messages.
  CachedArchive(ManifestArchive archive, const fs::path& folder, std::string listed_in);

  // Path of the plain text of a member, whether it exists yet or not; the member "" is the download itself.
  fs::path text_of(const std::string& member) const;

  // Provides the texts of these members.
  void provide(const std::set<std::string>& members, const DownloadOptions& options);

 private:
  fs::path file_of(const std::string& member) const;
  void obtain(const DownloadOptions& options);
  void verify();
  void unpack(const std::set<std::string>& members);
  [[noreturn]] void set_aside(const std::string& fault) const;
  fs::path stamp_path() const { return path_.string() + ".stamp.json"; }
  void load_stamp();
  void save_stamp() const;

  ManifestArchive archive_;
  fs::path folder_, path_;
  std::string listed_in_;
  Json stamp_;
  bool other_source_ = false;  // the existing file came from another URL
};

CachedArchive::CachedArchive(ManifestArchive archive, const fs::path& folder, std::string listed_in)
    : archive_(std::move(archive)), folder_(folder), path_(folder / archive_.name), listed_in_(std::move(listed_in)) {
  load_stamp();
}

fs::path CachedArchive::file_of(const std::string& member) const {
  return member.empty() ? path_ : folder_ / "extracted" / archive_.name / member;
}

fs::path CachedArchive::text_of(const std::string& member) const {
  const std::string file = file_of(member).string();
  return is_sgm(file) ? file + ".txt" : file;
}

void CachedArchive::provide(const std::set<std::string>& members, const DownloadOptions& options) {
  std::set<std::string> missing;
  for (const std::string& member : members) {
    const Json mark = mark_of(text_of(member));
    if (mark.is_null() || stamp_["members"].value(member, Json()) != mark) missing.insert(member);
  }
  if (missing.empty()) return;  // the archive itself may be gone
  const Json mark = mark_of(path_);
  if (mark.is_null() || stamp_.value("archive", Json()) != mark) obtain(options);
  unpack(missing);
  for (const std::string& member : missing) stamp_["members"][member] = mark_of(text_of(member));
  save_stamp();
}

void CachedArchive::obtain(const DownloadOptions& options) {
  if (fs::exists(path_) && !other_source_) {
    log("{}: found in {}", archive_.name, folder_.string());
    remove_download_note(path_);
  } else {
    const std::string size = archive_.size > 0 ? human_bytes(archive_.size) + " " : "";
    log("{}: downloading {}from {}", archive_.name, size, archive_.url);
    download({archive_.url, path_, archive_.size, listed_in_}, options);
  }
  verify();
  stamp_["archive"] = mark_of(path_);
  save_stamp();
}

void CachedArchive::verify() {
  const uint64_t size = fs::file_size(path_);
  if (archive_.size > 0 && size != archive_.size) {
    set_aside(fmt::format("has {} bytes but should have {}", size, archive_.size));
  }
  const auto check = [&](const char* name, Digest algorithm, const std::string& expected) {
    if (expected.empty()) return;
    const std::string found = file_digest(path_, algorithm);
    if (found != lower_case(expected)) {
      set_aside(fmt::format("has the wrong {}:\n  found    {}\n  expected {}", name, found, expected));
    }
    log("{}: {}, its {} is correct", archive_.name, human_bytes(size), name);
  };
  check("sha256", Digest::kSha256, archive_.sha256);
  check("md5", Digest::kMd5, archive_.md5);
  if (archive_.sha256.empty() && archive_.md5.empty()) {
    log("{}: {}, no checksum is known", archive_.name, human_bytes(size));
  }
}

void CachedArchive::unpack(const std::set<std::string>& members) {
  std::vector<Extraction> wanted;
  for (const std::string& member : members) {
    if (!member.empty()) wanted.push_back({member, file_of(member)});
  }
  if (!wanted.empty()) {
    log("{}: extracting {} of its files", archive_.name, wanted.size());
    try {
      extract(path_, wanted);
    } catch (const DamagedArchive& error) {
      set_aside(fmt::format("cannot be extracted:\n  {}", error.what()));
    }
  }
  for (const std::string& member : members) {
    if (text_of(member) != file_of(member)) convert_sgm(file_of(member), text_of(member));
  }
}

// Renames a wrong file, so that it can be looked at and is not used again.
void CachedArchive::set_aside(const std::string& fault) const {
  const fs::path bad = path_.string() + ".bad";
  rename_path(path_, bad);
  fail(
      "{} {}\nIt was renamed to {} and will not be used. Start again to download {} again; if that gives the same "
      "file, the server has another version: correct the url, size or checksums in {}.",
      path_.string(), fault, bad.string(), archive_.url, listed_in_);
}

// A stamp is valid only for the description that it was made with.
void CachedArchive::load_stamp() {
  use_note(stamp_path(), [this](Json stamp) {
    const Json before = stamp.at("description");
    // Without a checksum, only the URL tells that this is another file.
    const bool has_checksum = !archive_.sha256.empty() || !archive_.md5.empty();
    other_source_ = !has_checksum && before.value("url", archive_.url) != archive_.url;
    if (before == description_of(archive_)) stamp_ = std::move(stamp);
  });
  stamp_["description"] = description_of(archive_);
  if (!stamp_.value("members", Json()).is_object()) stamp_["members"] = Json::object();
}

void CachedArchive::save_stamp() const { write_file(stamp_path(), dump_json(stamp_, 2) + "\n"); }

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
