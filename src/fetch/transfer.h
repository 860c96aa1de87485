// SPDX-License-Identifier: Apache-2.0
// transfer() makes one attempt to fetch the missing bytes of a PartialFile. Only this file uses libcurl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fetch/download.h"

namespace verbund {

// PartialFile holds what has arrived of a download: the bytes in PATH.download, and the version of the file on the
// server in PATH.download.json.
class PartialFile {
 public:
  // Uses what an earlier run left for this URL, unless its version is unknown.
  PartialFile(const std::filesystem::path& path, std::string url);
  ~PartialFile();  // keeps the bytes if the next run can use them
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  uint64_t size() const { return size_; }
  uint64_t total() const { return total_; }  // size of the whole file; 0 if unknown
  bool complete() const { return total_ > 0 && size_ == total_; }
  const std::filesystem::path& path() const { return path_; }

  // The ETag or Last-Modified of the response; "" if it had none: then the download cannot be resumed.
  const std::string& version() const { return version_; }
  bool can_resume() const { return size_ > 0 && !version_.empty(); }

  // Drops all bytes; those of `version` follow.
  void restart(std::string version, uint64_t total);

  void append(std::string_view bytes);

  // Gives the complete file its name, or another one if it is the wrong file.
  void finish(const std::filesystem::path& name);

 private:
  void read_note();

  std::filesystem::path path_, note_;
  std::string url_, version_;
  int descriptor_ = -1;
  uint64_t total_ = 0, size_ = 0;
};

// Removes the note of a complete file, which a kill may have left.
void remove_download_note(const std::filesystem::path& path);

// The end of an attempt. Errors that no further attempt can fix are thrown.
struct Outcome {
  bool done = false;
  std::string reason;
  double wait = 0;  // seconds that the server asked to wait
};

// Appends the rest of the server's file to `partial`, or restarts it if the server now has another version.
Outcome transfer(const DownloadRequest& request, const DownloadOptions& options, PartialFile& partial);

}  // namespace verbund
