// CachedArchive is one archive of a corpus in its cache folder, downloaded, verified and extracted as far as necessary.
// ARCHIVE.stamp.json beside it records what has been done.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "fetch/download.h"
#include "fetch/manifest.h"

namespace verbund {

class CachedArchive {
 public:
  // `listed_in` is the place where the user can change the description, for messages.
  CachedArchive(ManifestArchive archive, const std::filesystem::path& folder, std::string listed_in);

  // Path of the plain text of a member, whether it exists yet or not; the member "" is the download itself.
  std::filesystem::path text_of(const std::string& member) const;

  // Provides the texts of these members.
  void provide(const std::set<std::string>& members, const DownloadOptions& options);

 private:
  std::filesystem::path file_of(const std::string& member) const;
  void obtain(const DownloadOptions& options);
  void verify();
  void unpack(const std::set<std::string>& members);
  [[noreturn]] void set_aside(const std::string& fault) const;
  std::filesystem::path stamp_path() const { return path_.string() + ".stamp.json"; }
  void load_stamp();
  void save_stamp() const;

  ManifestArchive archive_;
  std::filesystem::path folder_, path_;
  std::string listed_in_;
  nlohmann::json stamp_;
  bool other_source_ = false;  // the existing file came from another URL
};

}  // namespace verbund
