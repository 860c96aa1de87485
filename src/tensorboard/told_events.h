// What the event files of a run have told so far, and how the end of it is taken back.
//
// TensorBoard has two loaders. The one in Python forgets, at a START event, all points of its step and later ones. The
// one in Rust, its default, ignores START; when a tag gets a point, it drops the tag's points of that step and later
// ones. So a tag that is told rarely, such as one of evaluations, keeps a point that was undone until its next one.
//
// Both forget the same if every tag with undone points is told its last good point again, and START names the
// earliest of these: all good points from there on, of all tags, are then told again, for the loader in Python has
// forgotten them. What remains in the one in Rust is a tag that has undone points only, until its next one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/file.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {

class ToldEvents {
 public:
  // Reads all of the folder's event files, each up to its end or to where it is damaged.
  explicit ToldEvents(const fs::path& folder);

  // What must be told to take back all after `step`.
  struct Correction {
    int64_t start = 0;                 // the step of START
    std::vector<std::string> records;  // events to tell again, as they were
  };
  Correction forget_after(int64_t step);

  // What is still held to be true, in the order in which it was told.
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
  std::map<std::string, int64_t> last_told_;  // by tag: the step of its latest point, undone or not
  std::map<std::string, std::string> plugins_;
};

}  // namespace verbund
