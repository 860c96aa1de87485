// Reads a text file line by line, whether it is plain, gzip or xz (told by its first
// bytes, not by its name). A file that ends in the middle is an error, not an end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace verbund {

// A stream of bytes behind whatever compression a file has.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills at most `capacity` bytes; 0 at the end.
  virtual size_t read(char* bytes, size_t capacity) = 0;
  // Whether `read` would return within `patience`; files always do.
  virtual bool ready(std::chrono::milliseconds) const { return true; }
  // Bytes of the file on disk that have been used, for progress.
  virtual uint64_t position() const = 0;
};

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

class LineReader {
 public:
  // "-" is standard input.
  explicit LineReader(const std::filesystem::path& path);

  // The next line without its end ("\n" or "\r\n"); false at the end of the file. The
  // text is appended to `line`, so that many lines can share one buffer.
  bool append_line(std::string& line);
  bool next_line(std::string& line);

  // False if nothing more has come for so long: a pipe or a terminal pauses.
  bool ready(std::chrono::milliseconds patience) const { return begin_ < end_ || source_->ready(patience); }

  uint64_t lines() const { return lines_; }
  uint64_t position() const { return source_->position(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0, end_ = 0;  // what of the buffer has not been read
  uint64_t lines_ = 0;
};

}  // namespace verbund
