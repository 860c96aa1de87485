// SPDX-License-Identifier: Apache-2.0
// Results are written to standard output or to a file of any type, and every write is checked.
#pragma once

#include <optional>

#include "core/file.h"

namespace verbund {

// Writes a part of the result to standard output. If that is a terminal, the status line makes room for it.
void print_output(std::string_view text);

// Writes to stdout or stderr at once. Waits for the reader of a full pipe, but not once this process is asked to stop:
// then what does not fit is dropped. Never fails.
void write_or_drop(int descriptor, std::string_view text);

// The width of the terminal that standard output is; without limit if it is a file or a pipe.
size_t output_columns();

// Writes rows for people to standard output: on a terminal, those that are too long are wrapped (core/columns.h).
void print_rows(std::string_view rows);

// Flushes std::cout. Throws if that is impossible; a reader that has closed the pipe, as `head` does, counts as the
// signal SIGPIPE and ends the program without a message.
void flush_output();

// OutputFile is a file that the user names. A new or regular one is complete or absent; links are followed, and a
// device or a pipe is written directly.
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
