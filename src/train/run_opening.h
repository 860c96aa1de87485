// SPDX-License-Identifier: Apache-2.0
// The steps of opening a run, which open_run (train/run.h) takes one after the other: the devices of the workers, the
// automatic batch size, the frozen parameters, and the checks of a resumed run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/workers.h"
#include "config/config.h"
#include "core/interval.h"
#include "device/device.h"
#include "model/parameters.h"

namespace verbund {

// Collective: refuses a run in which only some workers have a GPU, or in which two share one.
void check_same_device(Workers& workers, const Device& device);

// Collective: connects the GPUs, which then exchange gradients directly (NCCL), as workers.transport says. Null: the
// hosts exchange them.
std::unique_ptr<DeviceCommunicator> connect_devices(Workers& workers, Device& device, const WorkersConfig& config);

// The tokens of a batch that fit into config.batch.memory_limit or, without a limit, into a fair share of the free
// memory for each of the `workers` on this host: found by training on growing batches of the longest sentences. Fails
// if the limit is too small for one longest pair.
int64_t tokens_that_fit(Device& device, const Config& config, VocabularySizes vocabularies, int workers);

// The intervals of the parameters whose names match train.freeze. Refuses a pattern that matches none, or that could
// need excessive time or stack.
std::vector<Interval> frozen_parameters(const ParameterTable& table, const std::string& pattern);

// The differences of a resumed run from its checkpoint that change the result: "model.dropout was 0.1, is now 0.3".
// `mixture` is its description, `plain_mixture` that of no mixture, which runs of older versions had. Settings of the
// length of the training, of logs and of checkpoints may change.
std::vector<std::string> differences_that_matter(const std::string& saved_config, const std::string& config,
                                                 const std::string& saved_state, const std::string& dataset_checksum,
                                                 const std::string& mixture, const std::string& plain_mixture);

}  // namespace verbund
