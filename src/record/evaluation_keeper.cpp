#include "record/evaluation_keeper.h"

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "record/evaluation_file.h"

namespace verbund {

void EvaluationKeeper::begin(int64_t step) {
  const fs::path folder = evaluations_folder(run_);
  try {
    if (!fs::exists(folder)) return;
    remove_partial_files(folder);
    for (const fs::path& file : list_folder(folder)) {
      if (const auto of = evaluation_step(file); of && *of > step) remove_path(file);
    }
  } catch (const Error& error) {
    warn("evaluations of steps that are done again may stay in {}: {}", folder.string(), error.what());
  }
}

void EvaluationKeeper::evaluation(const EvaluationSeen& seen) {
  try {
    make_folder(evaluations_folder(run_));
    keep_dev(seen.set);
    write_file(evaluation_file(run_, seen.step), evaluation_text(seen.dev));
  } catch (const Error& error) {
    warn("what the evaluation of step {} found for each sentence is not kept: {}", seen.step, error.what());
  }
}

// Once; anew if the run goes on with other pairs.
void EvaluationKeeper::keep_dev(const TestSet& set) {
  if (dev_is_kept_) return;
  const fs::path file = dev_file(run_);
  const std::string text = dev_text(set);
  if (!fs::exists(file) || read_file(file) != text) write_file(file, text);
  dev_is_kept_ = true;
}

}  // namespace verbund
