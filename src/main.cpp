// SPDX-License-Identifier: Apache-2.0
// The main program has the table of commands. An error becomes one message on stderr and an exit code:
// 0 done, 1 the work failed, 2 the command line was wrong, 3 a worker was lost, 128 + n stopped by signal n.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/command.h"
#include "collectives/mpi_transport.h"
#include "core/bus_error.h"
#include "core/columns.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/output.h"
#include "core/process.h"

namespace verbund {
namespace {

constexpr Command kCommands[] = {
    {"prepare", "parallel text -> dataset folder (subword model, token ids, statistics)", run_prepare},
    {"train", "dataset folder -> a trained model: checkpoints, log, metrics", run_train},
    {"launch", "data-parallel training on several hosts: starts, watches and restarts the workers", run_launch},
    {"doctor", "checks whether hosts can train together, and says how to repair what is wrong", run_doctor},
    {"plan", "predicts a training run on given hosts: time, cost, its bottleneck, better settings", run_plan},
    {"report", "run folders -> a page of verdicts with their evidence, or a comparison", run_report},
    {"board", "a live page over all runs in the browser, and metrics for Prometheus", run_board},
    {"evaluate", "loss, BLEU and chrF of a trained model on a test set", run_evaluate},
    {"average", "several checkpoints of a run -> one, with the mean of their weights", run_average},
    {"translate", "text from stdin or files -> translations, with a trained model", run_translate},
    {"serve", "a trained model as an HTTP service, compatible with LibreTranslate", run_serve},
    {"export", "a trained model -> CTranslate2 or Hugging Face; a run -> TensorBoard", run_export},
    {"score-pairs", "source + given translations -> their log-probabilities by a trained model", run_score_pairs},
    {"score", "translations + references -> BLEU, chrF, TER, and significance of differences", run_score},
    {"import", "a model of OPUS-MT or Marian, or the logs and curves of another program -> a run folder", run_import},
    {"inspect", "shows the content of a dataset, a run or a checkpoint, and verifies it", run_inspect},
    {"config", "explains every configuration key, or shows a file as understood", run_config},
};

std::string usage() {
  std::string text =
      "Verbund trains neural machine translation models on one machine or many.\n\n"
      "Usage: verbund COMMAND [options]\n\nCommands:\n";
  for (const Command& command : kCommands) text += fmt::format("  {:<11}  {}\n", command.name, command.summary);
  text +=
      "\n  verbund COMMAND --help   explains one command, with examples\n"
      "  verbund --version        names the commit and what is linked\n";
  return text;
}

void run(const Arguments& arguments) {
  if (arguments.empty()) throw UsageError(usage());
  const std::string& name = arguments.front();
  if (name == "help" && arguments.size() > 1) return run({arguments[1], "--help"});
  if (name == "--help" || name == "-h" || name == "help") {
    print_rows(usage());
    return;
  }
  if (name == "--version") {
    print_rows(version_text());
    return;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(Arguments(arguments.begin() + 1, arguments.end()));
    names.emplace_back(command.name);
  }
  const std::string guess = nearest(name, names);
  fail_usage("unknown command {}{}\nSee: verbund --help", name,
             guess.empty() ? "" : fmt::format(": did you mean {}?", guess));
}

// Never fails, even if stderr is closed.
void complain(const std::string& message) {
  clear_status();
  print_line("verbund: " + printable(message));
}

}  // namespace
}  // namespace verbund

int main(int argc, char** argv) {
  using namespace verbund;
  fill_standard_descriptors();
  wait_briefly_for_threads(argv);
  install_signal_handlers();
  if (std::getenv("SLURM_JOB_ID") != nullptr) expect_repeated_termination();
  install_bus_error_handler();
  set_terminal(terminal_at(STDERR_FILENO));
  tell_launch({WorkerEvent::kStarted, launched_rank()});
  try {
    const char* const level = std::getenv(kLogLevelVariable);
    if (level != nullptr && *level != '\0') set_log_level(log_level_named(level, kLogLevelVariable));
    run(Arguments(argv + 1, argv + argc));
    clear_status();
    flush_output();
    return 0;
  } catch (const Error& error) {
    if (error.what()[0] != '\0') complain(error.what());
    return error.exit_code();
  } catch (const fs::filesystem_error& error) {
    complain(fmt::format("cannot use {}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return 1;
}
