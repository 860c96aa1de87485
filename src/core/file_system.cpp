// SPDX-License-Identifier: Apache-2.0
#include "core/file_system.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace verbund {
namespace {

FileSystem real;
std::atomic<FileSystem*> current = &real;

}  // namespace

int FileSystem::open(const Path& path, int flags) { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); }

ssize_t FileSystem::read(int file, char* bytes, size_t size) { return ::read(file, bytes, size); }

ssize_t FileSystem::pread(int file, char* bytes, size_t size, uint64_t offset) {
  return ::pread(file, bytes, size, static_cast<off_t>(offset));
}

ssize_t FileSystem::write(int file, std::string_view bytes) { return ::write(file, bytes.data(), bytes.size()); }

ssize_t FileSystem::pwrite(int file, std::string_view bytes, uint64_t offset) {
  return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

int FileSystem::ftruncate(int file, uint64_t size) { return ::ftruncate(file, static_cast<off_t>(size)); }

int FileSystem::fsync(int file) { return ::fsync(file); }

int FileSystem::close(int file) { return ::close(file); }

int FileSystem::rename(const Path& from, const Path& to) { return ::rename(from.c_str(), to.c_str()); }

int FileSystem::exchange(const Path& one, const Path& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
}

int FileSystem::unlink(const Path& path) { return ::unlink(path.c_str()); }

int FileSystem::rmdir(const Path& folder) { return ::rmdir(folder.c_str()); }

int FileSystem::mkdir(const Path& folder) { return ::mkdir(folder.c_str(), 0777); }

int FileSystem::symlink(const Path& target, const Path& link) { return ::symlink(target.c_str(), link.c_str()); }

int FileSystem::list(const Path& folder, std::vector<Path>& entries) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) errno = error.value();
  return error ? -1 : 0;
}

FileSystem& file_system() { return *current.load(std::memory_order_acquire); }

OpenFile::~OpenFile() {
  const int error = errno;
  if (descriptor_ >= 0) file_system().close(descriptor_);
  errno = error;
}

FileSystemInPlace::FileSystemInPlace(FileSystem& other) : before_(current.exchange(&other)) {}

FileSystemInPlace::~FileSystemInPlace() { current = before_; }

}  // namespace verbund
