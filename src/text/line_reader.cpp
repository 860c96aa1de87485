// SPDX-License-Identifier: Apache-2.0
#include "text/line_reader.h"

#include <fcntl.h>
#include <lzma.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/file_system.h"
#include "core/human.h"
#include "core/interrupt.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;
constexpr size_t kBufferSize = 1 << 18;
constexpr size_t kMaxLineBytes = 64 << 20;

class PlainSource final : public ByteSource {
 public:
  PlainSource(int descriptor, fs::path path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PlainSource() override {
    if (descriptor_ != STDIN_FILENO) file_system().close(descriptor_);
  }
  PlainSource(const PlainSource&) = delete;
  PlainSource& operator=(const PlainSource&) = delete;

  // Returns what is available: does not wait for a pipe or a terminal to fill the buffer.
  size_t read(char* bytes, size_t capacity) override {
    if (!seen_.empty()) {
      const size_t count = std::min(capacity, seen_.size());
      std::memcpy(bytes, seen_.data(), count);
      seen_.erase(0, count);
      return count;
    }
    ssize_t count = 0;
    while ((count = file_system().read(descriptor_, bytes, capacity)) < 0) {
      if (errno != EINTR) fail_errno("cannot read {}", path_.string());
      check_interrupt();
    }
    position_ += static_cast<uint64_t>(count);
    return static_cast<size_t>(count);
  }
  bool ready(std::chrono::milliseconds patience) const override {
    pollfd descriptor = {descriptor_, POLLIN, 0};
    return !seen_.empty() || ::poll(&descriptor, 1, static_cast<int>(patience.count())) != 0;
  }
  uint64_t position() const override { return position_; }
  const fs::path& path() const { return path_; }

  // Whether the file starts with these bytes, which `read` will still return. Reads no more of a terminal than
  // necessary.
  bool starts_with(std::string_view magic) {
    while (seen_.size() < magic.size() && magic.substr(0, seen_.size()) == seen_) {
      std::string before = std::exchange(seen_, {});
      char more[16];
      const size_t count = read(more, sizeof(more));
      seen_ = before.append(more, count);
      if (count == 0) return false;
    }
    return std::string_view(seen_).substr(0, magic.size()) == magic;
  }

 private:
  int descriptor_;
  fs::path path_;
  std::string seen_;  // read, but not yet returned
  uint64_t position_ = 0;
};

[[noreturn]] void fail_truncated(const fs::path& path) {
  fail("{} ends in the middle of its compressed data: it is truncated. Copy or download it again.", path.string());
}

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<PlainSource> file) : file_(std::move(file)) {
    constexpr int kLargestWindow = 15, kGzip = 16;
    if (inflateInit2(&stream_, kLargestWindow + kGzip) != Z_OK) {
      fail("cannot decode {}: zlib failed to initialise", file_->path().string());
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  size_t read(char* bytes, size_t capacity) override {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_out = static_cast<uInt>(capacity);
    while (!done_ && stream_.avail_out == capacity) {
      if (stream_.avail_in == 0) {
        stream_.next_in = input_.data();
        stream_.avail_in = static_cast<uInt>(file_->read(reinterpret_cast<char*>(input_.data()), input_.size()));
      }
      if (stream_.avail_in == 0) {
        if (!between_members_) fail_truncated(file_->path());
        done_ = true;
        break;
      }
      if (between_members_) inflateReset(&stream_);  // files joined with `cat` are one
      const int result = inflate(&stream_, Z_NO_FLUSH);
      between_members_ = result == Z_STREAM_END;
      if (result == Z_OK || result == Z_STREAM_END) continue;
      fail("{} is damaged gzip data: {}", file_->path().string(),
           stream_.msg != nullptr ? stream_.msg : "zlib cannot decode it");
    }
    return capacity - stream_.avail_out;
  }
  bool ready(std::chrono::milliseconds patience) const override {
    return stream_.avail_in > 0 || file_->ready(patience);
  }
  uint64_t position() const override { return file_->position(); }

 private:
  std::unique_ptr<PlainSource> file_;
  z_stream stream_ = {};
  std::array<Bytef, kBufferSize> input_;
  bool between_members_ = false, done_ = false;
};

class XzSource final : public ByteSource {
 public:
  explicit XzSource(std::unique_ptr<PlainSource> file) : file_(std::move(file)) {
    if (lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      fail("cannot decode {}: liblzma failed to initialise", file_->path().string());
    }
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  size_t read(char* bytes, size_t capacity) override {
    stream_.next_out = reinterpret_cast<uint8_t*>(bytes);
    stream_.avail_out = capacity;
    while (!done_ && stream_.avail_out == capacity) {
      if (stream_.avail_in == 0 && action_ == LZMA_RUN) {
        stream_.next_in = input_.data();
        stream_.avail_in = file_->read(reinterpret_cast<char*>(input_.data()), input_.size());
        if (stream_.avail_in == 0) action_ = LZMA_FINISH;
      }
      const lzma_ret result = lzma_code(&stream_, action_);
      if (result == LZMA_STREAM_END) {
        done_ = true;
      } else if (result == LZMA_BUF_ERROR) {
        fail_truncated(file_->path());
      } else if (result != LZMA_OK) {
        fail("{} is damaged xz data (liblzma error {}). Copy or download it again.", file_->path().string(),
             static_cast<int>(result));
      }
    }
    return capacity - stream_.avail_out;
  }
  bool ready(std::chrono::milliseconds patience) const override {
    return stream_.avail_in > 0 || file_->ready(patience);
  }
  uint64_t position() const override { return file_->position(); }

 private:
  std::unique_ptr<PlainSource> file_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  lzma_action action_ = LZMA_RUN;
  std::array<uint8_t, kBufferSize> input_;
  bool done_ = false;
};

// Chooses the decoder at the first read, not before: a terminal has no bytes yet.
class AnySource final : public ByteSource {
 public:
  explicit AnySource(std::unique_ptr<PlainSource> file) : plain_(std::move(file)) {}

  size_t read(char* bytes, size_t capacity) override {
    if (!source_) decide();
    return source_->read(bytes, capacity);
  }
  bool ready(std::chrono::milliseconds patience) const override {
    return source_ ? source_->ready(patience) : plain_->ready(patience);
  }
  uint64_t position() const override { return source_ ? source_->position() : 0; }

 private:
  void decide() {
    if (plain_->starts_with("\x1f\x8b")) {
      source_ = std::make_unique<GzipSource>(std::move(plain_));
    } else if (plain_->starts_with(std::string_view("\xFD"
                                                    "7zXZ\0",
                                                    6))) {
      source_ = std::make_unique<XzSource>(std::move(plain_));
    } else {
      source_ = std::move(plain_);
    }
  }

  std::unique_ptr<PlainSource> plain_;  // until the decoder is chosen
  std::unique_ptr<ByteSource> source_;  // after that
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const fs::path& path) {
  if (path == "-") return std::make_unique<AnySource>(std::make_unique<PlainSource>(STDIN_FILENO, "standard input"));
  if (fs::is_directory(path)) fail("cannot read {}: it is a folder, not a file", path.string());
  const int descriptor = file_system().open(path, O_RDONLY);
  if (descriptor < 0) fail_errno("cannot read {}", path.string());
  return std::make_unique<AnySource>(std::make_unique<PlainSource>(descriptor, path));
}

LineReader::LineReader(const fs::path& path)
    : path_(path), source_(open_bytes(path)), buffer_(std::make_unique<char[]>(kBufferSize)) {}

bool LineReader::append_line(std::string& line) {
  const size_t start = line.size();
  bool found = false;  // a line end, or anything before the end of the file
  while (true) {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = source_->read(buffer_.get(), kBufferSize);
      if (end_ == 0) break;
    }
    found = true;
    const char* from = buffer_.get() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    if (newline != nullptr) {
      line.append(from, newline);
      begin_ += static_cast<size_t>(newline - from) + 1;
      break;
    }
    line.append(from, end_ - begin_);
    begin_ = end_;
    if (line.size() - start > kMaxLineBytes) {
      fail("{}: line {} has more than {}: this is not text", path_.string(), lines_ + 1, human_bytes(kMaxLineBytes));
    }
  }
  if (!found) return false;
  if (line.size() > start && line.back() == '\r') line.pop_back();
  ++lines_;
  return true;
}

bool LineReader::next_line(std::string& line) {
  line.clear();
  return append_line(line);
}

}  // namespace verbund
