// What a worker can find out about itself and its host without asking anybody.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/worker.h"
#include "device/device.h"
#include "doctor/facts.h"

namespace verbund {

struct Training {           // that is planned
  std::string program;      // version and commit of this one
  std::string config_file;  // "": none
  std::vector<std::string> overrides;
  std::string data;  // folder; "": none
  std::string run;   // folder; "": none
};

struct Collected {
  WorkerFacts facts;
  std::unique_ptr<Device> gpu;  // the worker's own, if it has one that works and is to be used
};

// A configuration, dataset or GPU that is missing or wrong is a fact like any other.
Collected collect_worker_facts(const Worker& self, int workers, const Training& training);

}  // namespace verbund
