#include "text/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"

namespace verbund {

PartialFile::PartialFile(const fs::path& path, std::string url)
    : path_(path.string() + ".download"), note_(path_.string() + ".json"), url_(std::move(url)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_errno("cannot create {}", path_.string());
  read_note();
  if (!version_.empty()) size_ = static_cast<uint64_t>(::lseek(descriptor_, 0, SEEK_END));
}

PartialFile::~PartialFile() {
  ::close(descriptor_);
  if (can_go_on()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
  fs::remove(note_, ignored);
}

void PartialFile::read_note() {
  use_note(note_, [this](const auto& note) {
    if (note.at("url") != url_) return;
    total_ = note.at("size");
    version_ = note.at("version");
  });
}

void PartialFile::restart(std::string version, uint64_t total) {
  if (::ftruncate(descriptor_, 0) != 0) fail_errno("cannot write {}", path_.string());
  size_ = 0;
  version_ = std::move(version);
  total_ = total;
  write_file(note_, nlohmann::json{{"url", url_}, {"version", version_}, {"size", total_}}.dump() + "\n");
}

void PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0) {
      if (errno == EINTR) continue;
      const int reason = errno;
      fail("cannot write {} behind its first {}: {}. {}, then start again.", path_.string(), human_bytes(size_),
           std::strerror(reason), reason == ENOSPC || reason == EDQUOT ? "Make room" : "Mend that");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    size_ += static_cast<uint64_t>(written);
  }
}

void PartialFile::finish(const fs::path& name) {
  if (::fsync(descriptor_) != 0 || ::rename(path_.c_str(), name.c_str()) != 0) {
    fail_errno("cannot write {}", name.string());
  }
  fs::remove(note_);
  sync_folder(name.parent_path());
}

}  // namespace verbund
