// SPDX-License-Identifier: Apache-2.0
// LineReader reads a plain, gzip or xz file line by line. The format is recognised by the first bytes, not by the name.
// A truncated file is an error, not an end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace verbund {

// ByteSource is the decompressed stream of bytes of a file.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at most `capacity` bytes; returns 0 at the end.
  virtual size_t read(char* bytes, size_t capacity) = 0;
  // Whether `read` would return within `patience`; files always do.
  virtual bool ready(std::chrono::milliseconds) const { return true; }
  // Bytes of the file on disk that have been read, for progress.
  virtual uint64_t position() const = 0;
};

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

class LineReader {
 public:
  // "-" is standard input.
  explicit LineReader(const std::filesystem::path& path);

  // Appends the next line without its end ("\n" or "\r\n") to `line`, so that many lines can share one buffer. False at
  // the end of the file.
  bool append_line(std::string& line);
  bool next_line(std::string& line);

  // False if nothing arrives within `patience`: a pipe or a terminal pauses.
  bool ready(std::chrono::milliseconds patience) const { return begin_ < end_ || source_->ready(patience); }

  uint64_t lines() const { return lines_; }
  uint64_t position() const { return source_->position(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0, end_ = 0;  // unread part of the buffer
  uint64_t lines_ = 0;
};

}  // namespace verbund
