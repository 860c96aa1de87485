#include "core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/bus_error.h"
#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kBufferSize = 1 << 20;

void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_errno("cannot write {}", path.string());
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(path_.string() + kPartialEnding) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_errno("cannot create {}", temporary_.string());
  buffer_.reserve(kBufferSize);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;  // committed
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
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
  if (::fsync(descriptor_) != 0) fail_errno("cannot write {}", path_.string());
  const int closing = std::exchange(descriptor_, -1);
  if (::close(closing) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary_.c_str());
    errno = reason;
    fail_errno("cannot write {}", path_.string());
  }
  sync_folder(path_.parent_path());
}

MappedFile::MappedFile(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_errno("cannot read {}", path.string());
  struct stat status = {};
  void* data = nullptr;
  bool ok = ::fstat(descriptor, &status) == 0;
  if (ok && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    fail("{} is a folder, but a file is wanted", path.string());
  }
  size_ = static_cast<size_t>(status.st_size);
  if (ok && size_ > 0) {  // an empty file cannot be mapped, and need not be
    data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    ok = data != MAP_FAILED;
  }
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  if (!ok) fail_errno("cannot read {}", path.string());
  data_ = static_cast<const char*>(data);
  if (data_ != nullptr) note_mapped_file(data_, size_, path.string());
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

std::string read_file(const fs::path& path) { return std::string(MappedFile(path).bytes()); }

void write_file(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("cannot create the folder {}: {}", path.string(), error.message());
  if (!fs::is_directory(path)) fail("{} is in the way: it is a file, not a folder", path.string());
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a file system without folder handles has nothing to sync
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (!synced) fail_errno("cannot sync {}", folder.string());
}

void remove_partial_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == kPartialEnding) fs::remove(entry.path());
  }
}

}  // namespace verbund
