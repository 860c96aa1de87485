// SPDX-License-Identifier: Apache-2.0
// WrittenEvents holds the events that a run has written so far, and retracts the last of them.
//
// TensorBoard has two loaders. The one in Python drops, at a START event, all points of its step and later ones. The
// one in Rust, which is the default, ignores START; when a tag gets a point, it drops the tag's points of that step and
// later ones. So a tag with few points, such as one of evaluations, keeps an undone point until its next one.
//
// Both drop the same points if every tag with undone points gets its last good point again, and START names the
// earliest step of these: all good points of all tags from that step on are then written again, because the Python
// loader has dropped them. The Rust loader only keeps the points of a tag all of whose points are undone, until its
// next one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/file.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {

class WrittenEvents {
 public:
  // Reads all event files of the folder, each up to its end or to its first damaged record.
  explicit WrittenEvents(const fs::path& folder);

  // The events that retract all points after `step`.
  struct Correction {
    int64_t start = 0;                 // the step of START
    std::vector<std::string> records;  // events to write again, unchanged
  };
  Correction forget_after(int64_t step);

  // Calls `use` for the events that are still valid, in the order in which they were written.
  template <typename Use>
  void for_each(Use use) {
    for (const Record& record : records_) use(event(record));
  }

 private:
  struct Record {
    int64_t step = 0;
    std::string bytes;
  };

  void keep_before(int64_t step);
  Event event(const Record& record);

  std::vector<Record> records_;
  std::map<std::string, int64_t> last_step_;  // by tag: the step of its latest point, undone or not
  std::map<std::string, std::string> plugins_;
};

}  // namespace verbund
