// What only worker 0 has of a run: its folder, checkpoints and log.
#pragma once

#include <memory>

#include "checkpoint/async_saver.h"
#include "checkpoint/checkpoint_store.h"
#include "config/config.h"
#include "data/dataset.h"
#include "train/run_folder.h"
#include "train/run_log.h"
#include "telemetry/run_record.h"

namespace verbund {

class RunKeeper {
 public:
  // `anew`: refuse a folder that holds an earlier run.
  RunKeeper(const fs::path& folder, bool anew, const CheckpointConfig& config);

  // The newest checkpoint (of the steps before `end`), or none. Refuses to go on if there are some and all are damaged.
  const Checkpoint* find_newest(int64_t end = INT64_MAX);
  // The best one instead, for what comes after it was in vain.
  const Checkpoint* find_best();
  // Goes on from the checkpoint that was found, at this step, or from nothing: what came later is dropped.
  void begin_at(int64_t step);
  // What makes a run's model usable by itself.
  void write_description(const std::string& config_yaml, const Dataset& dataset) const;

  // In run.json.
  void record_start(const RunRecord::Start& start) { record_.start(start); }
  void record_stop(const std::string& reason);
  void record_failure(const std::string& reason);  // in log.txt, too

  void save(const CheckpointSnapshot& snapshot);
  void finish_saving();
  void name(const std::string& link, int64_t step) { store_.name(link, step); }

  RunLog& log();
  // Which run, and where: for its checkpoints.
  CheckpointOrigin origin() const { return {record_.id(), fs::absolute(folder_.path()).lexically_normal().string()}; }
  const fs::path& checkpoints() const { return store_.folder(); }

 private:
  RunFolder folder_;
  RunRecord record_;
  CheckpointStore store_;
  AsyncSaver saver_;
  NewestCheckpoint newest_;
  std::unique_ptr<RunLog> log_;
};

}  // namespace verbund
