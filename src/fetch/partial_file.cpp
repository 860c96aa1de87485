// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "fetch/transfer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/file_system.h"
#include "core/human.h"
#include "core/json_file.h"

namespace verbund {
namespace {

fs::path partial_path(const fs::path& path) { return path.string() + ".download"; }
fs::path note_path(const fs::path& path) { return path.string() + ".download.json"; }

}  // namespace

PartialFile::PartialFile(const fs::path& path, std::string url)
    : path_(partial_path(path)), note_(note_path(path)), url_(std::move(url)) {
  read_note();
  descriptor_ = file_system().open(path_, O_RDWR | O_CREAT);
  if (descriptor_ < 0) fail_errno("cannot create {}", path_.string());
  if (!version_.empty()) size_ = static_cast<uint64_t>(::lseek(descriptor_, 0, SEEK_END));
}

PartialFile::~PartialFile() {
  file_system().close(descriptor_);
  if (can_resume()) return;
  try_remove(path_);
  try_remove(note_);
}

void PartialFile::read_note() {
  use_note(note_, [this](const auto& note) {
    if (note.at("url") != url_) return;
    total_ = note.at("size");
    version_ = note.at("version");
  });
}

void PartialFile::restart(std::string version, uint64_t total) {
  if (file_system().ftruncate(descriptor_, 0) != 0) fail_errno("cannot write {}", path_.string());
  size_ = 0;
  version_ = std::move(version);
  total_ = total;
  write_file(note_, dump_json(Json{{"url", url_}, {"version", version_}, {"size", total_}}) + "\n");
}

void PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = file_system().pwrite(descriptor_, bytes, size_);
    if (written < 0) {
      if (errno == EINTR) continue;
      const int reason = errno;
      fail("cannot write {} after its first {}: {}. {}, then start again.", path_.string(), human_bytes(size_),
           std::strerror(reason), reason == ENOSPC || reason == EDQUOT ? "Free some space" : "Fix that");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    size_ += static_cast<uint64_t>(written);
  }
}

void PartialFile::finish(const fs::path& name) {
  if (file_system().fsync(descriptor_) != 0 || file_system().rename(path_, name) != 0) {
    fail_errno("cannot write {}", name.string());
  }
  remove_path(note_);
  sync_folder(name.parent_path());
}

void remove_download_note(const fs::path& path) { remove_path(note_path(path)); }

}  // namespace verbund
