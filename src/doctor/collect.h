// What a worker can find out about itself and its host without asking anybody.
#pragma once

#include <string>
#include <vector>

#include "comm/worker.h"
#include "doctor/facts.h"

namespace verbund {

struct Training {           // that is planned
  std::string program;      // version and commit of this one
  std::string config_file;  // "": none
  std::vector<std::string> overrides;
  std::string data;  // folder; "": none
  std::string run;   // folder; "": none
};

// A configuration or dataset that is missing or wrong is a fact like any other.
WorkerFacts collect_worker_facts(const Worker& self, int workers, const Training& training);

}  // namespace verbund
