// SPDX-License-Identifier: Apache-2.0
#include "core/interrupt.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

std::atomic<bool> repeats_termination{false};
thread_local int deferrals = 0;

struct PassedOn {
  int signal, as;
};
constexpr PassedOn kPassedOn[] = {{SIGTERM, SIGUSR1}, {SIGINT, SIGUSR2}, {SIGHUP, SIGALRM}};

void on_signal(int number) {
  const int signal = meaning_of(number);
  const bool passed_on = signal != number;
  int earlier = 0;
  if (received.compare_exchange_strong(earlier, signal) || passed_on || !is_forced_stop(earlier, signal)) return;
  clear_status_at_once();
  _exit(128 + signal);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int signal : stop_signal_numbers()) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
}

std::vector<int> stop_signal_numbers() {
  std::vector<int> signals = {SIGINT, SIGTERM};
  for (const PassedOn& pair : kPassedOn) signals.push_back(pair.as);
  if (!is_ignored(SIGHUP)) signals.push_back(SIGHUP);
  return signals;
}

int passed_on_as(int signal) {
  for (const PassedOn& pair : kPassedOn) {
    if (pair.signal == signal) return pair.as;
  }
  return signal;
}

int meaning_of(int signal) {
  for (const PassedOn& pair : kPassedOn) {
    if (pair.as == signal) return pair.signal;
  }
  return signal;
}

void expect_repeated_termination() { repeats_termination = true; }

bool is_forced_stop(int earlier, int signal) {
  return earlier != 0 && signal != SIGHUP && !(signal == SIGTERM && repeats_termination);
}

int pending_interrupt() { return received.load(); }

void note_interrupt(int signal) {
  int earlier = 0;
  received.compare_exchange_strong(earlier, signal);
}

bool is_asked_to_stop() {
  if (pending_interrupt() != 0) return true;
  sigset_t blocked;
  if (::sigpending(&blocked) != 0) return false;
  const std::vector<int> signals = stop_signal_numbers();
  return std::any_of(signals.begin(), signals.end(), [&](int signal) { return ::sigismember(&blocked, signal) == 1; });
}

void check_interrupt() {
  if (deferrals > 0) return;
  if (const int signal = pending_interrupt()) throw Interrupted(signal);
}

DeferInterrupts::DeferInterrupts() { ++deferrals; }
DeferInterrupts::~DeferInterrupts() { --deferrals; }

void restore_default_signals() {
  for (const int signal : stop_signal_numbers()) std::signal(signal, SIG_DFL);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
}

}  // namespace verbund
