// SPDX-License-Identifier: Apache-2.0
#include "record/step_records.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace verbund {
namespace {

constexpr std::string_view kMagic = "VBsteps\n";
constexpr uint32_t kStepRecordVersion = 1;

struct Header {
  char magic[8];
  uint32_t version, record_size;
};
static_assert(sizeof(Header) == 16);

std::string header() {
  Header header = {{}, kStepRecordVersion, sizeof(StepRecord)};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

void check(std::string_view bytes, const std::string& path) {
  Header found;
  std::memcpy(&found, bytes.data(), sizeof found);
  if (std::string_view(found.magic, sizeof found.magic) != kMagic) {
    fail("{} is not a file of step records: it does not begin with \"VBsteps\". Move it away to continue without it.",
         path);
  }
  if (found.version != kStepRecordVersion || found.record_size != sizeof(StepRecord)) {
    fail(
        "{} has format version {} with records of {} bytes, but this program reads version {} with {}. Move it away to "
        "continue without it.",
        path, found.version, found.record_size, kStepRecordVersion, sizeof(StepRecord));
  }
}

}  // namespace

fs::path step_records_path(const fs::path& run, int rank) { return run / "steps" / fmt::format("rank-{}.bin", rank); }

StepRecordWriter::StepRecordWriter(const fs::path& path) : file_(path, header(), sizeof(StepRecord)) {}

StepRecords::StepRecords(const fs::path& path) : file_(path) {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < sizeof(Header) && header().starts_with(bytes)) return;  // its writer was killed
  if (bytes.size() < sizeof(Header))
    fail("{} is not a file of step records: it has {} bytes. Move it away to continue without it.", path.string(),
         bytes.size());
  check(bytes, path.string());
  // The size of the header is a multiple of the alignment of records.
  records_ = {reinterpret_cast<const StepRecord*>(bytes.data() + sizeof(Header)),
              (bytes.size() - sizeof(Header)) / sizeof(StepRecord)};
}

std::vector<StepRecord> read_last_step_records(const fs::path& path, size_t max_count) {
  const OpenFile file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status = {};
  if (!file || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto read = [&](char* bytes, size_t size, uint64_t from) {
    return file_system().pread(file.descriptor(), bytes, size, from) == static_cast<ssize_t>(size);
  };
  std::string begin = header();
  if (!read(begin.data(), begin.size(), 0) || begin != header()) return {};
  const uint64_t count = (static_cast<uint64_t>(status.st_size) - sizeof(Header)) / sizeof(StepRecord);
  std::vector<StepRecord> records(std::min<uint64_t>(max_count, count));
  const uint64_t from = sizeof(Header) + (count - records.size()) * sizeof(StepRecord);
  if (!read(reinterpret_cast<char*>(records.data()), records.size() * sizeof(StepRecord), from)) return {};

  std::vector<StepRecord> kept;  // from the last to the first
  for (size_t i = records.size(); i-- > 0;) {
    if (kept.empty() || records[i].step < kept.back().step) kept.push_back(records[i]);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace verbund
