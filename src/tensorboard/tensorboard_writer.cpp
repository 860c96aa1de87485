// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_writer.h"

#include <algorithm>
#include <chrono>

#include "core/interrupt.h"
#include "core/log.h"
#include "core/wall_clock.h"
#include "evaluate/evaluation.h"
#include "tensorboard/tensorboard_run.h"

namespace verbund {
namespace {

Json settings_of(const Config& config, int workers) {
  Json settings = hyper_parameters(config);
  settings["workers"] = workers;
  return settings;
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const fs::path& folder, const Config& config, int workers)
    : folder_(folder), run_(folder, settings_of(config, workers)) {}

template <typename Work>
void TensorBoardWriter::unless_failed(Work work) {
  if (failed_) return;
  try {
    work();
  } catch (const std::exception& error) {
    failed_ = true;
    warn(
        "TensorBoard events are no longer written; training continues: {}. `verbund export --format tensorboard` "
        "creates them from the run folder.",
        error.what());
  }
}

void TensorBoardWriter::begin(int64_t step) {
  unless_failed([&] {
    const bool no_events = event_files(folder_).empty();
    run_.begin(step, wall_seconds());
    if (no_events) {  // the run is of an older version, or they were removed
      const DeferInterrupts whole;
      add_run(folder_, step, run_);
    }
    run_.flush();
    begun_ = true;
  });
}

void TensorBoardWriter::evaluation(const EvaluationSeen& seen) {
  unless_failed([&] {
    std::vector<TranslationSample> samples;
    for (size_t i = 0; i < std::min(seen.dev.translations.size(), kMaxSamples); ++i) {
      samples.push_back({seen.set.sources.at(i), seen.set.references.at(i), seen.dev.translations[i]});
    }
    run_.add_samples(seen.step, wall_seconds(), samples);
    run_.flush();
  });
}

void TensorBoardWriter::metrics(const Json& line) {
  unless_failed([&] {
    run_.add_line(line, wall_seconds());
    run_.flush();
  });
}

void TensorBoardWriter::event(const RunEvent& event) {
  if (event.event == "finish") finished_ = true;
}

void TensorBoardWriter::end() {
  unless_failed([&] {
    if (!begun_) return;
    if (finished_) run_.add_end(wall_seconds());
    run_.sync();
  });
}

}  // namespace verbund
