// Where results go that a user wants: standard output, or a file of any kind, with every write checked.
#pragma once

#include <optional>

#include "core/file.h"

namespace verbund {

// Writes a part of the result to standard output. If that is a terminal, the status line makes room for it.
void print_output(std::string_view text);

// Writes what std::cout holds. Throws if that is impossible; a reader that has left, as `head`
// does, counts as the signal SIGPIPE, and ends the program without a word: it has what it wants.
void flush_output();

// The file that a user names. A new or ordinary one is complete or absent; links are followed, and a device or a
// pipe is written to as it is.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  fs::path path_;
  std::optional<AtomicFile> file_;
  int device_ = -1;
};

}  // namespace verbund
