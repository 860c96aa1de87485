#include "text/line_reader.h"

#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "core/interrupt.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;
constexpr size_t kBufferSize = 1 << 18;

class PlainSource final : public ByteSource {
 public:
  PlainSource(std::FILE* file, fs::path path) : file_(file), path_(std::move(path)) {}
  ~PlainSource() override {
    if (file_ != stdin) std::fclose(file_);
  }
  PlainSource(const PlainSource&) = delete;
  PlainSource& operator=(const PlainSource&) = delete;

  // What is there: a pipe or a terminal is not waited for until the buffer is full.
  size_t read(char* bytes, size_t capacity) override {
    ssize_t count = 0;
    while ((count = ::read(::fileno(file_), bytes, capacity)) < 0) {
      if (errno != EINTR) fail_errno("cannot read {}", path_.string());
      check_interrupt();
    }
    position_ += static_cast<uint64_t>(count);
    return static_cast<size_t>(count);
  }
  uint64_t position() const override { return position_; }

 private:
  std::FILE* file_;
  fs::path path_;
  uint64_t position_ = 0;
};

[[noreturn]] void fail_truncated(const fs::path& path) {
  fail("{} ends in the middle of its compressed data: it is truncated. Copy or download it again.", path.string());
}

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(fs::path path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (file_ == nullptr) fail_errno("cannot read {}", path_.string());
    gzbuffer(file_, kBufferSize);
  }
  ~GzipSource() override { gzclose(file_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  size_t read(char* bytes, size_t capacity) override {
    const int count = gzread(file_, bytes, static_cast<unsigned>(capacity));
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (code == Z_BUF_ERROR) fail_truncated(path_);
    if (count < 0) fail("{} is not intact gzip data: {}", path_.string(), message);
    return static_cast<size_t>(count);
  }
  uint64_t position() const override { return static_cast<uint64_t>(gzoffset(file_)); }

 private:
  fs::path path_;
  gzFile file_;
};

class XzSource final : public ByteSource {
 public:
  explicit XzSource(const fs::path& path) : path_(path), file_(std::fopen(path.c_str(), "rb"), path) {
    if (lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      fail("cannot decode {}: liblzma does not start", path_.string());
    }
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  size_t read(char* bytes, size_t capacity) override {
    stream_.next_out = reinterpret_cast<uint8_t*>(bytes);
    stream_.avail_out = capacity;
    while (!done_ && stream_.avail_out > 0) {
      if (stream_.avail_in == 0 && action_ == LZMA_RUN) {
        stream_.next_in = input_.data();
        stream_.avail_in = file_.read(reinterpret_cast<char*>(input_.data()), input_.size());
        if (stream_.avail_in == 0) action_ = LZMA_FINISH;
      }
      const lzma_ret result = lzma_code(&stream_, action_);
      if (result == LZMA_STREAM_END) {
        done_ = true;
      } else if (result == LZMA_BUF_ERROR) {
        fail_truncated(path_);
      } else if (result != LZMA_OK) {
        fail("{} is not intact xz data (liblzma error {}). Copy or download it again.", path_.string(),
             static_cast<int>(result));
      }
    }
    return capacity - stream_.avail_out;
  }
  uint64_t position() const override { return file_.position(); }

 private:
  fs::path path_;
  PlainSource file_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  lzma_action action_ = LZMA_RUN;
  std::array<uint8_t, kBufferSize> input_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const fs::path& path) {
  if (path == "-") return std::make_unique<PlainSource>(stdin, "standard input");
  if (fs::is_directory(path)) fail("cannot read {}: it is a folder, not a file", path.string());
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail_errno("cannot read {}", path.string());
  std::array<char, 6> magic = {};
  const size_t count = std::fread(magic.data(), 1, magic.size(), file);
  const auto starts_with = [&](std::string_view bytes) {
    return count >= bytes.size() && std::memcmp(magic.data(), bytes.data(), bytes.size()) == 0;
  };
  if (starts_with("\x1f\x8b")) {
    std::fclose(file);
    return std::make_unique<GzipSource>(path);
  }
  if (starts_with(std::string_view("\xFD"
                                   "7zXZ\0",
                                   6))) {
    std::fclose(file);
    return std::make_unique<XzSource>(path);
  }
  ::lseek(::fileno(file), 0, SEEK_SET);
  return std::make_unique<PlainSource>(file, path);
}

LineReader::LineReader(const fs::path& path)
    : path_(path), source_(open_bytes(path)), buffer_(std::make_unique<char[]>(kBufferSize)) {}

bool LineReader::append_line(std::string& line) {
  const size_t start = line.size();
  bool found = false;  // an end of line, or at least something before the end of the file
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
