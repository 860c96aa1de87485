// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/bus_error.h"
#include "core/error.h"
#include "core/file_system.h"
#include "core/folder_lock.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr size_t kBufferSize = 1 << 20;

// False: errno says why.
bool remove_tree(const fs::path& path) {
  FileSystem& files = file_system();
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type == fs::file_type::not_found) return true;
  if (type != fs::file_type::directory) return files.unlink(path) == 0 || errno == ENOENT;
  std::vector<fs::path> entries;
  if (files.list(path, entries) != 0) return false;
  for (const fs::path& entry : entries) {
    if (!remove_tree(entry)) return false;
  }
  return files.rmdir(path) == 0 || errno == ENOENT;
}

bool make_folders(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return true;
  return make_folders(path.parent_path()) && (file_system().mkdir(path) == 0 || errno == EEXIST);
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(path_.string() + kPartialEnding) {
  descriptor_ = file_system().open(temporary_, O_WRONLY | O_CREAT | O_TRUNC);
  if (descriptor_ < 0) fail_errno("cannot create {}", temporary_.string());
  buffer_.reserve(kBufferSize);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;  // committed
  file_system().close(descriptor_);
  file_system().unlink(temporary_);
}

void AtomicFile::write(std::string_view bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() > kBufferSize) {
    write_all(descriptor_, bytes, path_);
  } else {
    buffer_.append(bytes);
  }
}

void AtomicFile::flush() {
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  FileSystem& files = file_system();
  if (files.fsync(descriptor_) != 0) fail_errno("cannot write {}", path_.string());
  if (files.close(std::exchange(descriptor_, -1)) != 0 || files.rename(temporary_, path_) != 0) {
    const int reason = errno;
    files.unlink(temporary_);
    errno = reason;
    fail_errno("cannot write {}", path_.string());
  }
  sync_folder(path_.parent_path());
}

fs::path PartialFolder::content_of(const fs::path& folder) { return folder.string() + kPartialEnding + "/content"; }

bool PartialFolder::may_write(const fs::path& folder) {
  const fs::path partial = folder.string() + kPartialEnding;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(partial, error).type();
  if (type == fs::file_type::not_found) return true;
  // A command that is killed at once leaves an empty one.
  return type == fs::file_type::directory &&
         (fs::exists(partial / kPartialMarker, error) || fs::is_empty(partial, error));
}

PartialFolder::PartialFolder(fs::path folder)
    : folder_(std::move(folder)), partial_(folder_.string() + kPartialEnding), content_(content_of(folder_)) {
  if (partial_.has_parent_path()) make_folder(partial_.parent_path());
  const bool made = file_system().mkdir(partial_) == 0;
  if (!made && errno != EEXIST) fail_errno("cannot create the folder {}", partial_.string());
  if (!made && !may_write(folder_)) {
    fail("{} is in the way, and no command has made it. Remove or rename it, or write the result elsewhere.",
         partial_.string());
  }
  try {
    lock_ = std::make_unique<FolderLock>(partial_);
  } catch (const Error&) {
    if (made) try_remove(partial_);
    throw;
  }
  if (!lock_->try_lock() && (!made || lock_->is_taken())) {
    fail("another command is writing {}. Wait for it, or write the result elsewhere.", partial_.string());
  }
  try {
    take_over();
  } catch (...) {
    try_remove(partial_);
    throw;
  }
}

void PartialFolder::take_over() {
  const fs::path marker = partial_ / kPartialMarker;
  for (const fs::path& left : list_folder(partial_)) {
    if (left != marker) remove_path(left);
  }
  if (!OpenFile(marker, O_WRONLY | O_CREAT)) fail_errno("cannot create {}", marker.string());
  make_folder(content_);
}

PartialFolder::~PartialFolder() {
  try_remove(content_);  // the marker goes last
  try_remove(partial_);
}

void PartialFolder::publish() const {
  sync_folder(content_);
  rename_path(content_, folder_);
  sync_folder(folder_.parent_path());
}

MappedFile::MappedFile(const fs::path& path) {
  const OpenFile file(path, O_RDONLY);
  struct stat status = {};
  if (!file || ::fstat(file.descriptor(), &status) != 0) fail_errno("cannot read {}", path.string());
  if (S_ISDIR(status.st_mode)) fail("{} is a folder, but a file is wanted", path.string());
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0) return;  // an empty file cannot be mapped, and need not be
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (data == MAP_FAILED) fail_errno("cannot read {}", path.string());
  data_ = static_cast<const char*>(data);
  note_mapped_file(data_, size_, path.string());
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  forget_mapped_file(data_);
  ::munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

std::string read_file(const fs::path& path) {
  const MappedFile file(path);
  debug("{}: {} bytes read", path.string(), file.bytes().size());
  return std::string(file.bytes());
}

void write_file(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = file_system().write(file, bytes);
    if (written < 0 && errno != EINTR) fail_errno("cannot write {}", path.string());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void rename_path(const fs::path& from, const fs::path& to) {
  if (file_system().rename(from, to) != 0) fail_errno("cannot rename {} to {}", from.string(), to.string());
}

void remove_path(const fs::path& path) {
  if (!remove_tree(path)) fail_errno("cannot remove {}", path.string());
}

std::error_code try_remove(const fs::path& path) noexcept try {
  return remove_tree(path) ? std::error_code() : std::error_code(errno, std::generic_category());
} catch (const std::exception&) {  // no memory for a name
  return std::make_error_code(std::errc::not_enough_memory);
}

std::vector<fs::path> list_folder(const fs::path& folder) {
  std::vector<fs::path> entries;
  if (file_system().list(folder, entries) != 0) fail_errno("cannot read the folder {}", folder.string());
  return entries;
}

void make_folder(const fs::path& path) {
  if (!make_folders(path)) fail_errno("cannot create the folder {}", path.string());
  std::error_code error;
  if (!fs::is_directory(path, error)) fail("{} is in the way: it is a file, not a folder", path.string());
}

void expect_folder(const fs::path& path, const char* what) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::directory) return;
  if (type == fs::file_type::not_found) fail("there is no folder {}", path.string());
  if (error) throw SystemError(fmt::format("cannot read {}", path.string()), error.value());
  fail("{} is a file, but {} is a folder", path.string(), what);
}

void sync_folder(const fs::path& folder) {
  const auto cannot = [](int error) { return error == EINVAL || error == ENOTSUP || error == EROFS; };
  const OpenFile open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (!open && (cannot(errno) || errno == EACCES)) return;  // a folder may be written to but not read
  if (!open || (file_system().fsync(open.descriptor()) != 0 && !cannot(errno))) {
    fail_errno("cannot sync {}", folder.string());
  }
}

void remove_partial_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  for (const fs::path& path : list_folder(folder)) {
    if (path.extension() == kPartialEnding && fs::is_regular_file(path)) remove_path(path);
  }
}

}  // namespace verbund
