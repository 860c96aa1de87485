// SPDX-License-Identifier: Apache-2.0
#include "text/shuffle.h"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/file_system.h"
#include "core/progress.h"
#include "core/random.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

// Random streams, so that dealing and shuffling are independent.
constexpr uint64_t kDealStream = 0x6465616c;
constexpr uint64_t kBucketStream = 0x62756b74;

// A temporary file without a name, which disappears with the process, however that ends. All buckets use the same name
// one after the other, so that a kill leaves at most one file, which the next run removes.
class Bucket {
 public:
  explicit Bucket(const fs::path& beside) : name_(beside.string() + ".bucket" + kPartialEnding) {
    descriptor_ = file_system().open(name_, O_RDWR | O_CREAT | O_TRUNC);
    if (descriptor_ < 0) fail_errno("cannot create {}", name_.string());
    if (file_system().unlink(name_) == 0) return;
    const int reason = errno;
    file_system().close(descriptor_);
    errno = reason;
    fail_errno("cannot remove {}", name_.string());
  }
  ~Bucket() {
    if (descriptor_ >= 0) file_system().close(descriptor_);
  }
  Bucket(Bucket&& other) noexcept
      : name_(std::move(other.name_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_),
        buffer_(std::move(other.buffer_)) {}
  Bucket& operator=(Bucket&&) = delete;

  void add(std::string_view line) {
    buffer_.append(line);
    if (buffer_.size() >= kBuffer) flush();
  }

  std::string take() {
    flush();
    std::string text(size_, '\0');
    for (size_t done = 0; done < size_;) {
      const ssize_t count = file_system().pread(descriptor_, text.data() + done, size_ - done, done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_errno("cannot read {}", name_.string());
      if (count == 0) fail("{} has {} bytes, but {} were written to it", name_.string(), done, size_);
      done += static_cast<size_t>(count);
    }
    file_system().close(std::exchange(descriptor_, -1));  // its disk space is free again
    return text;
  }

 private:
  static constexpr size_t kBuffer = 128 << 10;

  void flush() {
    write_all(descriptor_, buffer_, name_);
    size_ += buffer_.size();
    buffer_.clear();
  }

  fs::path name_;
  int descriptor_ = -1;
  size_t size_ = 0;
  std::string buffer_;
};

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

}  // namespace

void shuffle_lines(const fs::path& input, const fs::path& output, uint64_t seed, uint64_t bucket_bytes) {
  const uint64_t size = fs::file_size(input);
  const uint64_t bucket_count = size / bucket_bytes + 1;
  Progress progress("shuffle", 2 * size, "bytes");

  std::vector<Bucket> buckets;
  for (uint64_t i = 0; i < bucket_count; ++i) buckets.emplace_back(output);
  Random deal(seed, kDealStream);
  LineReader reader(input);
  uint64_t done = 0;
  for (std::string line; reader.next_line(line);) {
    line.push_back('\n');
    buckets[deal.below(bucket_count)].add(line);
    done += line.size();
    progress.update(done);
  }

  AtomicFile file(output);
  for (uint64_t i = 0; i < bucket_count; ++i) {
    const std::string text = buckets[i].take();
    std::vector<std::string_view> lines = split_lines(text);
    Random random(seed, kBucketStream + i);
    shuffle(lines.begin(), lines.end(), random);
    for (const std::string_view line : lines) {
      file.write(line);
      done += line.size();
      progress.update(done);
    }
  }
  file.commit();
}

}  // namespace verbund
