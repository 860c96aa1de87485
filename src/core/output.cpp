// SPDX-License-Identifier: Apache-2.0
#include "core/output.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <iostream>
#include <limits>

#include "core/columns.h"
#include "core/error.h"
#include "core/file_system.h"
#include "core/interrupt.h"
#include "core/log.h"

namespace verbund {

void print_output(std::string_view text) {
  static const bool terminal = ::isatty(STDOUT_FILENO) == 1;  // once: it would overwrite the errno of a write
  if (terminal) clear_status();
  std::cout << text;
}

void write_or_drop(int descriptor, std::string_view text) {
  if (descriptor < 0) return;
  static std::atomic<bool> is_stuck{false};  // the last text was dropped
  while (!text.empty()) {
    pollfd room = {descriptor, POLLOUT, 0};
    const int ready = ::poll(&room, 1, is_stuck ? 0 : 100);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      is_stuck = is_asked_to_stop();
      if (is_stuck) return;
      continue;
    }
    const ssize_t written = ::write(descriptor, text.data(), std::min<size_t>(text.size(), PIPE_BUF));  // fits
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;  // the reader is gone
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
    is_stuck = false;
  }
}

size_t output_columns() {
  return ::isatty(STDOUT_FILENO) == 1 ? terminal_columns(STDOUT_FILENO) : std::numeric_limits<size_t>::max();
}

void print_rows(std::string_view rows) { print_output(wrap_rows(rows, output_columns())); }

void flush_output() {
  if (std::cout.flush()) return;
  if (errno == EPIPE) throw Interrupted::in_silence(SIGPIPE);
  check_interrupt();  // a closed terminal is the reason
  fail_errno("cannot write to standard output");
}

OutputFile::OutputFile(const fs::path& path) : path_(path) {
  const bool device = path.string().starts_with("/dev/") || (fs::exists(path) && !fs::is_regular_file(path));
  if (!device) {
    while (fs::is_symlink(path_))
      path_ = path_.parent_path() / fs::read_symlink(path_);  // the target may not exist yet
    file_.emplace(path_);
    return;
  }
  device_ = file_system().open(path_, O_WRONLY);
  if (device_ < 0) fail_errno("cannot write to {}", path_.string());
}

OutputFile::~OutputFile() {
  if (device_ >= 0) file_system().close(device_);
}

void OutputFile::write(std::string_view bytes) {
  if (file_) return file_->write(bytes);
  write_all(device_, bytes, path_);
}

void OutputFile::commit() {
  if (file_) file_->commit();
}

}  // namespace verbund
