// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/error.h"
#include "core/machine.h"

namespace verbund {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // its bits reversed, because the lowest bit of a byte comes first

// tables[k][b]: the effect of byte b on the checksum when k more bytes follow it. Eight tables process eight bytes at
// once.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ kPolynomial : sum >> 1;
    tables[0][byte] = sum;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

uint8_t at(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

constexpr std::string_view kMark = "tfevents.";  // in every name, before the time at which the file was created
constexpr size_t kLengthBytes = 8, kSumBytes = 4, kHeaderBytes = kLengthBytes + kSumBytes;
constexpr size_t kBuffered = 64 * 1024;

// CRCs of data that contains CRCs are weak, so the format stores them rotated and shifted.
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

uint32_t crc32c(std::string_view bytes) {
  uint32_t sum = ~0u;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint32_t next = 0;
    for (size_t i = 0; i < 4; ++i) next ^= kTables[7 - i][(sum >> 8 * i & 255) ^ at(bytes, i)];
    for (size_t i = 4; i < 8; ++i) next ^= kTables[7 - i][at(bytes, i)];
    sum = next;
  }
  for (size_t i = 0; i < bytes.size(); ++i) sum = sum >> 8 ^ kTables[0][(sum ^ at(bytes, i)) & 255];
  return ~sum;
}

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
