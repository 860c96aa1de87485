#include "core/interrupt.h"

#include <unistd.h>
#include <atomic>
#include <csignal>

#include "core/error.h"

namespace verbund {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

thread_local int deferrals = 0;

void on_signal(int signal) {
  if (signal == SIGUSR1) signal = SIGTERM;
  if (received.exchange(signal) != 0) _exit(128 + signal);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
  // Writing to a closed pipe (`verbund ... | head`) is an error of the write, not a death.
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

int pending_interrupt() { return received.load(); }

void check_interrupt() {
  if (deferrals > 0) return;
  if (const int signal = pending_interrupt()) throw Interrupted(signal);
}

DeferInterrupts::DeferInterrupts() { ++deferrals; }
DeferInterrupts::~DeferInterrupts() { --deferrals; }

void restore_default_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) std::signal(signal, SIG_DFL);
}

}  // namespace verbund
