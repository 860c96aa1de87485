#include "tensorboard/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/error.h"
#include "core/machine.h"
#include "tensorboard/crc32c.h"

namespace verbund {
namespace {

constexpr std::string_view kMark = "tfevents.";  // in every name; the time at which the file was begun follows
constexpr size_t kLengthBytes = 8, kSumBytes = 4, kHeaderBytes = kLengthBytes + kSumBytes;
constexpr size_t kBuffered = 64 * 1024;

// A checksum of bytes that hold checksums themselves is weak, so what is stored is turned and shifted.
uint32_t masked(std::string_view bytes) {
  const uint32_t sum = crc32c(bytes);
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

template <typename Number>
void append(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
Number taken(std::string_view bytes) {
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

int64_t seconds_of(const std::string& name) {
  int64_t seconds = -1;
  const std::string_view digits = std::string_view(name).substr(name.find(kMark) + kMark.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  return seconds;
}

fs::path new_path(const fs::path& folder, int64_t seconds) {
  for (const fs::path& file : event_files(folder)) seconds = std::max(seconds, seconds_of(file.filename()) + 1);
  return folder / fmt::format("events.out.{}{:010}.{}.{}.0", kMark, seconds, host_name(), ::getpid());
}

}  // namespace

std::string framed_record(std::string_view bytes) {
  std::string record;
  record.reserve(kHeaderBytes + bytes.size() + kSumBytes);
  append(record, uint64_t{bytes.size()});
  append(record, masked(record));
  record += bytes;
  append(record, masked(bytes));
  return record;
}

bool RecordReader::stop(std::string_view why) {
  note_ = fmt::format("{} at byte {} of {}", why, position_, file_.size());
  file_ = file_.substr(0, position_);
  return false;
}

bool RecordReader::next(std::string_view& record) {
  const std::string_view rest = file_.substr(position_);
  if (rest.empty()) return false;
  if (rest.size() < kHeaderBytes) return stop("a half-written record");
  if (masked(rest.substr(0, kLengthBytes)) != taken<uint32_t>(rest.substr(kLengthBytes))) {
    return stop("a damaged record");
  }
  const auto length = taken<uint64_t>(rest);
  const size_t room = rest.size() - kHeaderBytes;
  if (room < kSumBytes || length > room - kSumBytes) return stop("a half-written record");
  const std::string_view bytes = rest.substr(kHeaderBytes, length);
  if (masked(bytes) != taken<uint32_t>(rest.substr(kHeaderBytes + length))) return stop("a damaged record");
  position_ += kHeaderBytes + length + kSumBytes;
  record = bytes;
  return true;
}

std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<fs::path> files = list_folder(folder);
  std::erase_if(files, [](const fs::path& path) {
    return path.filename().string().find(kMark) == std::string::npos || !fs::is_regular_file(path);
  });
  std::sort(files.begin(), files.end());
  return files;
}

EventFile::EventFile(const fs::path& folder, int64_t seconds)
    : path_(new_path(folder, seconds)), file_(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND) {
  if (!file_) fail_errno("cannot write {}", path_.string());
}

void EventFile::add(std::string_view record) {
  buffer_ += framed_record(record);
  if (buffer_.size() >= kBuffered) flush();
}

void EventFile::flush() {
  const std::string bytes = std::exchange(buffer_, {});
  if (!bytes.empty()) write_all(file_.descriptor(), bytes, path_);
}

void EventFile::sync() {
  flush();
  if (file_system().fsync(file_.descriptor()) != 0) fail_errno("cannot sync {}", path_.string());
}

}  // namespace verbund
