// SPDX-License-Identifier: Apache-2.0
// CheckpointMean is the mean of several checkpoints of one run, often a better model than each of them. It becomes a
// checkpoint without optimiser, under a name that no step has, so that a run neither resumes from it nor deletes it.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/checkpoint_reader.h"

namespace verbund {

// The folders of the newest `count` steps; the error tells how many there are if they are fewer.
std::vector<fs::path> last_checkpoints(const fs::path& checkpoints, int64_t count);

// The folders of these names, links such as `best` included; the error lists the existing ones if one is missing.
std::vector<fs::path> named_checkpoints(const fs::path& checkpoints, const std::vector<std::string>& names);

class CheckpointMean {
 public:
  // Two or more whole checkpoints of one model. Their exponentially averaged weights are used if they have them. The
  // order of the folders does not matter.
  explicit CheckpointMean(std::vector<fs::path> folders);

  const std::vector<int64_t>& steps() const { return steps_; }  // ascending
  bool exponential() const { return exponential_; }             // made of exponential averages

  // The average as a snapshot of the newest step; it refers to this object's numbers. `program`: version and commit of
  // this program.
  CheckpointSnapshot snapshot(const std::string& program) const;

 private:
  struct Tensor {
    std::string name;
    std::vector<int64_t> shape;
    std::vector<float> values;
  };

  std::vector<int64_t> steps_;
  bool exponential_ = false;
  std::vector<Tensor> tensors_;
  std::string config_yaml_;
  std::string vocabularies_;  // as JSON; "" if no checkpoint has them
  std::string origins_;       // as JSON: of each checkpoint, with its step
};

// Refuses what save_mean would refuse: a name that could be mistaken for a step's checkpoint or for a leftover, or a
// folder that holds anything but an earlier mean.
void check_place_of_mean(const fs::path& folder);

// Replaces an earlier mean.
void save_mean(const fs::path& folder, const CheckpointMean& mean, const std::string& program);

}  // namespace verbund
