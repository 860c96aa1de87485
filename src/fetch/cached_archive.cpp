#include "fetch/cached_archive.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"
#include "core/log.h"
#include "fetch/archive.h"
#include "fetch/digest.h"
#include "fetch/partial_file.h"
#include "fetch/sgm.h"

namespace verbund {
namespace {

using nlohmann::json;

// What tells that a file is still the one that was verified; null if there is none.
json mark_of(const fs::path& path) {
  if (!fs::is_regular_file(path)) return nullptr;
  return {{"size", fs::file_size(path)}, {"time", fs::last_write_time(path).time_since_epoch().count()}};
}

json description_of(const ManifestArchive& archive) {
  return {{"url", archive.url}, {"size", archive.size}, {"sha256", archive.sha256}, {"md5", archive.md5}};
}

bool is_sgm(const std::string& name) {
  return name.ends_with(".sgm") || name.ends_with(".sgm.gz") || name.ends_with(".sgm.xz");
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

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
    const json mark = mark_of(text_of(member));
    if (mark.is_null() || stamp_["members"].value(member, json()) != mark) missing.insert(member);
  }
  debug("{}: {} of {} texts are in the cache, unchanged", archive_.name, members.size() - missing.size(),
        members.size());
  if (missing.empty()) return;  // then the archive itself may even be gone
  const json mark = mark_of(path_);
  if (mark.is_null() || stamp_.value("archive", json()) != mark) obtain(options);
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
    log("{}: {}, its {} is right", archive_.name, human_bytes(size), name);
  };
  check("sha256", Digest::kSha256, archive_.sha256);
  check("md5", Digest::kMd5, archive_.md5);
  if (archive_.sha256.empty() && archive_.md5.empty()) {
    log("{}: {}, no checksum of it is known", archive_.name, human_bytes(size));
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

// A file that is not what it should be is kept for a look at it, and not used again.
void CachedArchive::set_aside(const std::string& fault) const {
  const fs::path bad = path_.string() + ".bad";
  rename_path(path_, bad);
  fail(
      "{} {}\nIt is now {} and will not be used. Start again to download {} anew; if that gives the same, "
      "the server "
      "has another version: correct the url, size or checksums in {}.",
      path_.string(), fault, bad.string(), archive_.url, listed_in_);
}

// A stamp counts only for the description that it was made with.
void CachedArchive::load_stamp() {
  use_note(stamp_path(), [this](json stamp) {
    const json before = stamp.at("description");
    // Without a checksum nothing else would tell that another URL means another file.
    const bool has_checksum = !archive_.sha256.empty() || !archive_.md5.empty();
    other_source_ = !has_checksum && before.value("url", archive_.url) != archive_.url;
    if (before == description_of(archive_)) stamp_ = std::move(stamp);
  });
  stamp_["description"] = description_of(archive_);
  if (!stamp_.value("members", json()).is_object()) stamp_["members"] = json::object();
}

void CachedArchive::save_stamp() const { write_file(stamp_path(), stamp_.dump(2) + "\n"); }

}  // namespace verbund
