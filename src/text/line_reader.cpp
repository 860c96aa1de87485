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

// A compressed file. `Stream` is the state of its decoder: zlib's and liblzma's have the same fields.
template <typename Stream>
class DecodedSource : public ByteSource {
 public:
  DecodedSource(std::unique_ptr<PlainSource> file, const Stream& stream) : stream_(stream), file_(std::move(file)) {}
  DecodedSource(const DecodedSource&) = delete;
  DecodedSource& operator=(const DecodedSource&) = delete;

  size_t read(char* bytes, size_t capacity) final {
    stream_.next_out = reinterpret_cast<uint8_t*>(bytes);
    stream_.avail_out = static_cast<decltype(stream_.avail_out)>(capacity);
    while (!done_ && stream_.avail_out == capacity) {
      if (stream_.avail_in == 0 && !file_ended_) {
        const size_t size = file_->read(reinterpret_cast<char*>(input_.data()), input_.size());
        stream_.next_in = input_.data();
        stream_.avail_in = static_cast<decltype(stream_.avail_in)>(size);
        file_ended_ = size == 0;
      }
      decode();
    }
    return capacity - stream_.avail_out;
  }
  bool ready(std::chrono::milliseconds patience) const final { return stream_.avail_in > 0 || file_->ready(patience); }
  uint64_t position() const final { return file_->position(); }

 protected:
  virtual void decode() = 0;  // some of the stream; sets done_ at its end
  std::string path() const { return file_->path().string(); }
  [[noreturn]] void fail_truncated() const {
    fail("{} ends in the middle of its compressed data: it is truncated. Copy or download it again.", path());
  }

  Stream stream_;
  bool file_ended_ = false, done_ = false;

 private:
  std::unique_ptr<PlainSource> file_;
  std::array<uint8_t, kBufferSize> input_;
};

class GzipSource final : public DecodedSource<z_stream> {
 public:
  explicit GzipSource(std::unique_ptr<PlainSource> file) : DecodedSource(std::move(file), {}) {
    constexpr int kLargestWindow = 15, kGzip = 16;
    if (inflateInit2(&stream_, kLargestWindow + kGzip) != Z_OK) {
      fail("cannot decode {}: zlib failed to initialise", path());
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  void decode() override {
    if (file_ended_) {
      if (!between_members_) fail_truncated();
      done_ = true;
      return;
    }
    if (between_members_) inflateReset(&stream_);  // files joined with `cat` are one
    const int result = inflate(&stream_, Z_NO_FLUSH);
    between_members_ = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END) return;
    fail("{} is damaged gzip data: {}", path(), stream_.msg != nullptr ? stream_.msg : "zlib cannot decode it");
  }

  bool between_members_ = false;
};

class XzSource final : public DecodedSource<lzma_stream> {
 public:
  explicit XzSource(std::unique_ptr<PlainSource> file) : DecodedSource(std::move(file), LZMA_STREAM_INIT) {
    if (lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      fail("cannot decode {}: liblzma failed to initialise", path());
    }
  }
  ~XzSource() override { lzma_end(&stream_); }

 private:
  void decode() override {
    const lzma_ret result = lzma_code(&stream_, file_ended_ ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_BUF_ERROR) fail_truncated();
    if (result != LZMA_OK && result != LZMA_STREAM_END) {
      fail("{} is damaged xz data (liblzma error {}). Copy or download it again.", path(), static_cast<int>(result));
    }
    done_ = result == LZMA_STREAM_END;
  }
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
