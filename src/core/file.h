// SPDX-License-Identifier: Apache-2.0
// AtomicFile and PartialFolder are complete or absent: written beside their name, synced, renamed. Every write is
// checked, so that a full disk is an error and not a short file. MappedFile reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace verbund {

namespace fs = std::filesystem;

inline constexpr const char* kPartialEnding = ".partial";          // of a file or folder that is being made
inline constexpr const char* kPartialMarker = ".verbund-partial";  // in such a folder: a command has made it

// A new file under a temporary name. `commit()` gives it its name; without it, the destructor removes it.
class AtomicFile {
 public:
  explicit AtomicFile(fs::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);

  template <typename T>
  void write_values(std::span<const T> values) {
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  uint64_t size() const { return size_; }
  const fs::path& path() const { return path_; }

  void commit();

 private:
  void flush();

  fs::path path_;
  fs::path temporary_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  std::string buffer_;
};

class FolderLock;

// A new folder that is written as FOLDER.partial/content, until it is published. FOLDER.partial is removed with this
// object. It has a marker inside and is locked, so that the next command takes over what a killed one has left.
class PartialFolder {
 public:
  // Fails if another command is writing there, or if FOLDER.partial is something else: then it is not touched.
  explicit PartialFolder(fs::path folder);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const fs::path& path() const { return content_; }

  // Gives it its name, for good. The name must be free.
  void publish() const;

  static fs::path content_of(const fs::path& folder);  // while it is being written
  // True if nothing is in the way of writing this folder, or only what a killed command has left.
  static bool may_write(const fs::path& folder);

 private:
  void take_over();

  fs::path folder_, partial_, content_;
  std::unique_ptr<FolderLock> lock_;
};

// A whole file mapped read-only into memory.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const fs::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// The error of each names the path.
void write_all(int file, std::string_view bytes, const fs::path& path);
void rename_path(const fs::path& from, const fs::path& to);
void remove_path(const fs::path& path);  // a file, a link, or a folder with its content; it need not exist
std::vector<fs::path> list_folder(const fs::path& folder);

// The same for callers that continue whatever happens, such as destructors. Returns the error.
std::error_code try_remove(const fs::path& path) noexcept;

std::string read_file(const fs::path& path);
void write_file(const fs::path& path, std::string_view content);  // atomic

// Creates the folder and its parents; says which one cannot be made and why.
void make_folder(const fs::path& path);
// Fails if there is nothing of that name, or a file where `what` ("a run") is a folder.
void expect_folder(const fs::path& path, const char* what);

// Makes renames in the folder durable. A file system that cannot sync folders is trusted.
void sync_folder(const fs::path& folder);

// Removes the files that a crashed run has left unfinished (*.partial).
void remove_partial_files(const fs::path& folder);

}  // namespace verbund
