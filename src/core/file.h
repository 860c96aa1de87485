// Files that are complete or absent: written beside their name, synced, renamed.
// Every write is checked, so that a full disk is an error and not a short file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace verbund {

namespace fs = std::filesystem;

inline constexpr const char* kPartialEnding = ".partial";  // of a file or folder that is being made

// A new file under a temporary name. `commit()` gives it its name; without it, the
// destructor removes it.
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

// Each says in its error which path it was about.
void write_all(int file, std::string_view bytes, const fs::path& path);
void rename_path(const fs::path& from, const fs::path& to);
void remove_path(const fs::path& path);  // a file, a link, or a folder with all in it; none there is fine
std::vector<fs::path> list_folder(const fs::path& folder);

// The same for those who go on whatever happens, such as destructors. Returns what went wrong.
std::error_code try_remove(const fs::path& path) noexcept;

std::string read_file(const fs::path& path);
void write_file(const fs::path& path, std::string_view content);  // atomic

// Creates the folder and its parents; says which one cannot be made and why.
void make_folder(const fs::path& path);

// Renames are durable once the folder that holds the name is synced. A file system that cannot sync
// folders is trusted.
void sync_folder(const fs::path& folder);

// A file from a crashed earlier run that no one will finish (*.partial) is removed.
void remove_partial_files(const fs::path& folder);

}  // namespace verbund
