// Before the first step: do all workers run the same program for the same purpose on the same data with
// the same configuration? Whoever differs is named, on all of them.
#pragma once

#include <string>

#include "collectives/workers.h"
#include "data/dataset.h"
#include "device/buffer.h"

namespace verbund {

struct Identity {
  std::string program;  // version and commit
  std::string request;  // what the command line asks for: "--resume auto"
  std::string dataset;  // its checksum
  std::string config;   // YAML
};

void check_agreement(Workers& workers, const Identity& own);

// Is the dataset whole? Of the workers that share one, on one host, the first reads it (data/dataset_verification.h);
// what is wrong on one host is said on all. Returns what it took, for the log.
std::string verify_together(Workers& workers, const Dataset& dataset);

// Before work is shared that needs a trained model.
void agree_on_model(Workers& workers, int64_t step, const Buffer& weights);

// All workers' weights must be the same bits; a worker whose are not is named.
void check_weights(Workers& workers, const Buffer& weights, int64_t step);

// Who they are, for the log.
std::string describe(const Workers& workers, const WorkersConfig& config, bool by_devices = false);

// More threads than the cores that the workers may use: it works, but slowly.
void warn_of_crowding(const Workers& workers, int threads);

}  // namespace verbund
