// SPDX-License-Identifier: Apache-2.0
#include "core/bus_error.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace verbund {
namespace {

// The handler may interrupt anything, so it only reads: entries are never freed, only used again, and an entry is
// filled before its `begin` is set.
struct Mapping {
  std::atomic<uintptr_t> begin = 0;  // 0: free
  uintptr_t end = 0;
  std::string message;
  Mapping* next = nullptr;
};

std::atomic<Mapping*> newest = nullptr;
std::mutex changing;
static_assert(std::atomic<Mapping*>::is_always_lock_free, "used in a signal handler");

Mapping* find(uintptr_t begin) {
  Mapping* mapping = newest;
  while (mapping != nullptr && mapping->begin != begin) mapping = mapping->next;
  return mapping;
}

void on_bus_error(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Mapping* mapping = newest; mapping != nullptr; mapping = mapping->next) {
    if (mapping->begin == 0 || address < mapping->begin || address >= mapping->end) continue;
    // On a terminal, the cursor may be at the end of a status line.
    const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
    const std::string_view message = std::string_view(mapping->message).substr(on_terminal ? 0 : 1);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
    _exit(1);
  }
  std::signal(signal, SIG_DFL);  // not one of the mapped files: as if there were no handler
  std::raise(signal);
}

}  // namespace

void install_bus_error_handler() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

void note_mapped_file(const void* begin, size_t size, const std::string& path) {
  const std::lock_guard lock(changing);
  Mapping* mapping = find(0);
  const bool is_new = mapping == nullptr;
  if (is_new) mapping = new Mapping;
  const auto first = reinterpret_cast<uintptr_t>(begin);
  mapping->end = first + size;
  mapping->message = "\nverbund: " + path +
                     " was cut short, or can no longer be read, while it was in use. Repair it and start again.\n";
  mapping->begin = first;
  if (!is_new) return;
  mapping->next = newest;
  newest = mapping;
}

void forget_mapped_file(const void* begin) {
  const std::lock_guard lock(changing);
  if (Mapping* mapping = find(reinterpret_cast<uintptr_t>(begin))) mapping->begin = 0;
}

}  // namespace verbund
