// The run's folder with its record and checkpoints. Worker 0 alone has one; what all workers hold is a RunKeeper, which
// by itself keeps nothing and finds nothing, so that they all run the same code.
#pragma once

#include <memory>

#include "checkpoint/async_saver.h"
#include "checkpoint/checkpoint_store.h"
#include "config/config.h"
#include "data/dataset.h"
#include "record/run_record.h"
#include "train/run_folder.h"

namespace verbund {

class RunKeeper {
 public:
  virtual ~RunKeeper() = default;

  // The newest checkpoint (of the steps before `end`), or none. Refuses to go on if there are some and all are damaged.
  virtual const Checkpoint* find_newest(int64_t /*end*/ = INT64_MAX) { return nullptr; }
  // The best one instead, for what comes after it was in vain.
  virtual const Checkpoint* find_best() { return nullptr; }
  // Goes on from the checkpoint that was found: later ones are dropped, and these links name these steps.
  virtual void begin_at(int64_t /*step*/, const std::map<std::string, int64_t>& /*links*/) {}
  // What makes a run's model usable by itself.
  virtual void write_description(const std::string& /*config_yaml*/, const Dataset& /*dataset*/) const {}

  // In run.json.
  virtual int64_t starts() const { return 0; }  // so far
  virtual void record_start(const RunRecord::Start& /*start*/) {}
  virtual void record_stop(const std::string& /*reason*/) {}

  virtual void save(const CheckpointSnapshot& /*snapshot*/) {}
  virtual void finish_saving() {}
  virtual void name(const std::string& /*link*/, int64_t /*step*/) {}

  // Fails if the folder was moved or removed.
  virtual void check_in_place() const {}
  // Which run, and where: for its checkpoints.
  virtual CheckpointOrigin origin() const { return {}; }
  // The checkpoint that is used if none is named.
  virtual std::string model() const { return ""; }
};

class FolderKeeper : public RunKeeper {
 public:
  // `anew`: refuse a folder that holds an earlier run.
  FolderKeeper(const fs::path& folder, bool anew, const CheckpointConfig& config);

  const Checkpoint* find_newest(int64_t end = INT64_MAX) override;
  const Checkpoint* find_best() override;
  void begin_at(int64_t step, const std::map<std::string, int64_t>& links) override;
  void write_description(const std::string& config_yaml, const Dataset& dataset) const override;
  int64_t starts() const override { return record_.starts(); }
  void record_start(const RunRecord::Start& start) override { record_.start(start); }
  void record_stop(const std::string& reason) override;
  void save(const CheckpointSnapshot& snapshot) override;
  void finish_saving() override;
  void name(const std::string& link, int64_t step) override { store_.name(link, step); }
  void check_in_place() const override { folder_.check_in_place(); }
  CheckpointOrigin origin() const override;
  std::string model() const override;

 private:
  RunFolder folder_;
  RunRecord record_;
  CheckpointStore store_;
  AsyncSaver saver_;
  NewestCheckpoint newest_;
};

}  // namespace verbund
