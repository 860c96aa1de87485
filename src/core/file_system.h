// SPDX-License-Identifier: Apache-2.0
// FileSystem has the system calls that read and change files: the seam where a test makes any of them fail at any
// moment (tests/support/failing_file_system.h). Calls that only ask for the type, size or time of a file are not among
// them.
//
// There is one FileSystem for the whole process. Files are written at the lowest level, so handing it over would add it
// to nearly every constructor of the program, for the sake of these tests alone. A test replaces it for a while, for
// all threads and for processes forked then.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace verbund {

// Each call is the system's of the same name: -1 and `errno` when it fails.
class FileSystem {
 public:
  using Path = std::filesystem::path;

  virtual ~FileSystem() = default;

  virtual int open(const Path& path, int flags);  // closed on exec; a new file has the mode 0666 without the umask
  virtual ssize_t read(int file, char* bytes, size_t size);
  virtual ssize_t pread(int file, char* bytes, size_t size, uint64_t offset);
  virtual ssize_t write(int file, std::string_view bytes);
  virtual ssize_t pwrite(int file, std::string_view bytes, uint64_t offset);
  virtual int ftruncate(int file, uint64_t size);
  virtual int fsync(int file);
  virtual int close(int file);

  virtual int rename(const Path& from, const Path& to);
  virtual int exchange(const Path& one, const Path& other);  // renameat2: both change names at the same moment
  virtual int unlink(const Path& path);
  virtual int rmdir(const Path& folder);
  virtual int mkdir(const Path& folder);
  virtual int symlink(const Path& target, const Path& link);
  virtual int list(const Path& folder, std::vector<Path>& entries);  // in no order
};

// The real one, unless a test has put another in its place.
FileSystem& file_system();

// An open file, closed with this object; `errno` stays what it is.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags) : descriptor_(file_system().open(path, flags)) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }  // false: errno says why
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Replaces the file system by `other` while this object lives.
class FileSystemInPlace {
 public:
  explicit FileSystemInPlace(FileSystem& other);
  ~FileSystemInPlace();
  FileSystemInPlace(const FileSystemInPlace&) = delete;
  FileSystemInPlace& operator=(const FileSystemInPlace&) = delete;

 private:
  FileSystem* before_;
};

}  // namespace verbund
