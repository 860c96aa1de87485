// The calls by which the program reads and changes files, in one place: the seam where a test lets any of them fail
// at any moment (tests/support/failing_file_system.h). Asking for a file's kind, size or time is not among them: that
// changes nothing.
//
// There is one for the whole process, and not one that is handed to every writer: files are written at the bottom of
// everything, so it would stand in nearly every constructor of the program, always the same but in these tests. A test
// puts its own in place for a while, for all threads and for processes forked then.
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

  virtual int open(const Path& path, int flags);  // closed on exec; a new file gets the rights of the umask
  virtual ssize_t read(int file, char* bytes, size_t size);
  virtual ssize_t pread(int file, char* bytes, size_t size, uint64_t offset);
  virtual ssize_t write(int file, std::string_view bytes);
  virtual ssize_t pwrite(int file, std::string_view bytes, uint64_t offset);
  virtual int ftruncate(int file, uint64_t size);
  virtual int fsync(int file);
  virtual int close(int file);

  virtual int rename(const Path& from, const Path& to);
  virtual int exchange(const Path& one, const Path& other);  // renameat2: both change names at once
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

// `other` in its place, while this object lives.
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
