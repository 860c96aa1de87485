// SPDX-License-Identifier: Apache-2.0
#include "core/process.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/control_groups.h"

namespace verbund {

namespace {

// The value of a line such as "VmHWM:  1234 kB".
uint64_t read_bytes(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key, 0) == 0) return std::stoull(line.substr(key.size())) * 1024;
  }
  return 0;
}

}  // namespace

uint64_t peak_memory() { return read_bytes("/proc/self/status", "VmHWM:"); }

uint64_t free_memory() { return std::min(read_bytes("/proc/meminfo", "MemAvailable:"), memory_left_in_groups()); }

std::vector<std::string> command_line() {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline");
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // see proc(5); if it fails, the peak is that of the whole process
}

uint64_t peak_memory_of_children() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void fill_standard_descriptors() {
  const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};  // reading text from it fails, and writing results to it
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int opened = ::open("/dev/null", modes[descriptor]);  // the lowest free descriptor: this one
    if (opened != descriptor) ::_exit(1);                       // there is no place for a message
  }
}

void wait_briefly_for_threads(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  ::setenv("GOMP_SPINCOUNT", "1000", 1);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);  // the name that `top` shows
  ::execv(program.c_str(), argv);  // if it fails, the program is only slower
}

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum of glibc
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void allow_many_files() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace verbund
