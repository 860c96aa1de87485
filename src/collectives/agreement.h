// SPDX-License-Identifier: Apache-2.0
// check_agreement makes sure, before the first step, that all workers run the same program for the same purpose on the
// same data with the same configuration. A worker that differs is named, on all of them.
#pragma once

#include <string>

#include "collectives/workers.h"
#include "data/dataset.h"
#include "device/buffer.h"

namespace verbund {

struct Identity {
  std::string program;  // version and commit
  std::string request;  // the purpose, by the command line: "--resume auto"
  std::string dataset;  // its checksum
  std::string config;   // YAML
};

void check_agreement(Workers& workers, const Identity& own);

// Verifies the dataset (data/dataset.h). Of the workers of one host that share a copy, the first reads it;
// damage on one host is reported on all. A copy that this job has verified before (`notes`, see data/verified_note.h)
// is not read again if it is unchanged. Returns a line for the log.
std::string verify_together(Workers& workers, const Dataset& dataset, const std::string& notes);

// For work that all workers share on one trained model: fails if their models differ.
void agree_on_model(Workers& workers, int64_t step, const Buffer& weights);

// Fails unless the weights of all workers have the same bits, and names those that differ.
void check_weights(Workers& workers, const Buffer& weights, int64_t step);

// The workers and their hosts, for the log.
std::string describe(Workers& workers, const WorkersConfig& config, bool by_devices = false);

// Warns if there are more threads than cores that the workers may use, which is slow.
void warn_of_crowding(const Workers& workers, int threads);

}  // namespace verbund
