// SPDX-License-Identifier: Apache-2.0
// Interrupts are clean: the first SIGINT, SIGTERM or SIGHUP (or the one by which `launch` passes it on) is only noted.
// Long loops call `check_interrupt()`, which then throws `Interrupted`, so that destructors remove unfinished files. A
// second signal ends the process at once.
//
// SIGHUP, the end of the terminal, comes once or twice, depending on the shell: it never ends the process at once.
// Under nohup, which ignores it, it stays ignored. Neither ends one that is passed on the process at once as a second
// signal, nor SIGTERM inside a job of Slurm: when a container or job is stopped, a worker gets them from several sides.
#pragma once

#include <cstddef>
#include <vector>

namespace verbund {

// Called once, by main. Writing to a closed pipe and beyond a size limit (SIGPIPE, SIGXFSZ) become errors of the write.
void install_signal_handlers();

// From now on, SIGTERM never ends the process at once.
void expect_repeated_termination();

// The signals that ask this process to stop; SIGHUP only if it is not ignored.
std::vector<int> stop_signal_numbers();

// The signal by which `launch` passes on SIGTERM, SIGINT or SIGHUP to its workers: mpirun and srun would take it as
// meant for themselves, but forward these.
int passed_on_as(int signal);

// The signal that such a one stands for; any other one stands for itself.
int meaning_of(int signal);

// Whether a signal that comes after an earlier one (0: none) asks to end at once, without saving.
bool is_forced_stop(int earlier, int signal);

// The signal that arrived, or 0.
int pending_interrupt();

// Notes a signal that was taken in another way than by the handlers.
void note_interrupt(int signal);

// Whether a signal has arrived or is about to, because it is blocked at the moment.
bool is_asked_to_stop();

// Throws `Interrupted` if a signal has arrived.
void check_interrupt();

// The same for iteration `i` of a tight loop: checks every 4096 iterations.
inline void check_interrupt_now_and_then(size_t i) {
  if (i % 4096 == 0) check_interrupt();
}

// While it lives, check_interrupt() of this thread ignores signals, which stay pending: in work that several workers do
// together, none may leave alone.
class DeferInterrupts {
 public:
  DeferInterrupts();
  ~DeferInterrupts();
  DeferInterrupts(const DeferInterrupts&) = delete;
  DeferInterrupts& operator=(const DeferInterrupts&) = delete;
};

// For a forked child: signals end it, as if no handler had been installed.
void restore_default_signals();

}  // namespace verbund
