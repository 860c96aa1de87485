// SPDX-License-Identifier: Apache-2.0
// bench_what_if RUN FACTOR...: the step time that the replay of a run's traced exchanges predicts for so many times the
// bandwidth, as one line of JSON. bench/what_if.py measures whether that is true.
#include <cstdlib>
#include <iostream>

#include "core/json.h"
#include "report/replay.h"
#include "report/run_data.h"

int main(int argc, char** argv) {
  using namespace verbund;
  if (argc < 2) return 2;
  const RunData run = read_run(argv[1]);
  const std::optional<Replay> replay = Replay::make(run.exchange, run.workers());
  if (!replay) {
    std::cerr << argv[1] << " has no step that was traced by all of its " << run.workers() << " workers\n";
    return 1;
  }
  Json predicted;
  for (int i = 2; i < argc; ++i) predicted[argv[i]] = replay->step_seconds(std::atof(argv[i]));
  std::cout << Json{{"measured", replay->measured()},
                    {"error", replay->error()},
                    {"steps", replay->steps()},
                    {"predicted", predicted}}
            << "\n";
}
