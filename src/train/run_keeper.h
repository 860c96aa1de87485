// SPDX-License-Identifier: Apache-2.0
// RunKeeper is the access to the run folder with its record and checkpoints. Only worker 0 has a FolderKeeper; that of
// the other workers keeps nothing and finds nothing, so that all workers run the same code.
#pragma once

#include <chrono>
#include <memory>

#include "checkpoint/async_saver.h"
#include "checkpoint/checkpoint_store.h"
#include "config/config.h"
#include "core/file.h"
#include "core/folder_lock.h"
#include "data/dataset.h"
#include "record/run_record.h"

namespace verbund {

// The folder of a run: new, empty or of an earlier run, and used by one trainer at a time.
class RunFolder {
 public:
  // `is_new`: refuses the folder of an earlier run. Waits for another trainer that has it, but not for long.
  RunFolder(const fs::path& path, bool is_new, std::chrono::seconds patience = std::chrono::seconds(10));

  // Fails if the folder was moved or removed: everything written to its path would be lost.
  void check_in_place() const;

  const fs::path& path() const { return path_; }
  fs::path checkpoints() const;
  fs::path config() const;

 private:
  fs::path path_;
  std::unique_ptr<FolderLock> lock_;
};

class RunKeeper {
 public:
  virtual ~RunKeeper() = default;

  // The newest checkpoint (of the steps before `end`), or none. Fails if there are some and all are damaged.
  virtual const Checkpoint* find_newest(int64_t /*end*/ = INT64_MAX) { return nullptr; }
  // The best checkpoint, to discard the steps after it.
  virtual const Checkpoint* find_best() { return nullptr; }
  // Continues after this step: drops later checkpoints, and makes these links name these steps.
  virtual void begin_at(int64_t /*step*/, const std::map<std::string, int64_t>& /*links*/) {}
  // Writes the files that make the model of the run usable without the dataset.
  virtual void write_description(const std::string& /*config_yaml*/, const Dataset& /*dataset*/) const {}

  // The starts and stops in run.json.
  virtual int64_t starts() const { return 0; }  // so far
  virtual void record_start(const RunRecord::Start& /*start*/) {}
  virtual void record_stop(const std::string& /*reason*/) {}

  virtual void save(const CheckpointSnapshot& /*snapshot*/) {}
  virtual void finish_saving() {}
  virtual void name(const std::string& /*link*/, int64_t /*step*/) {}

  // Fails if the folder was moved or removed.
  virtual void check_in_place() {}
  // The id and the folder of the run, for its checkpoints.
  virtual CheckpointOrigin origin() const { return {}; }
  // The checkpoint that is used by default.
  virtual std::string model() const { return ""; }
};

class FolderKeeper : public RunKeeper {
 public:
  // `is_new`: refuses the folder of an earlier run.
  FolderKeeper(const fs::path& folder, bool is_new, const CheckpointConfig& config);

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
  void check_in_place() override {
    folder_.check_in_place();
    saver_.check();
  }
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
