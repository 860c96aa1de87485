// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/written_events.h"

#include <algorithm>
#include <set>

#include "tensorboard/event_file.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {

WrittenEvents::WrittenEvents(const fs::path& folder) {
  for (const fs::path& file : event_files(folder)) {
    // The note of a damaged file is ignored: TensorBoard also reads it up to there.
    (void)read_events(file, plugins_, [&](const Event& event, std::string_view record) {
      if (event.start) keep_before(event.step);
      if (event.values.empty()) return;
      for (const EventValue& value : event.values) last_step_[value.tag] = event.step;
      records_.push_back({event.step, std::string(record)});
    });
  }
}

void WrittenEvents::keep_before(int64_t step) {
  std::erase_if(records_, [&](const Record& record) { return record.step >= step; });
}

Event WrittenEvents::event(const Record& record) { return decode_event(record.bytes, plugins_).value_or(Event{}); }

WrittenEvents::Correction WrittenEvents::forget_after(int64_t step) {
  keep_before(step + 1);
  std::set<std::string> undone;
  for (const auto& [tag, last] : last_step_) {
    if (last > step) undone.insert(tag);
  }
  Correction correction;
  correction.start = step + 1;
  for (auto record = records_.rbegin(); record != records_.rend() && !undone.empty(); ++record) {
    for (const EventValue& value : event(*record).values) {
      if (undone.erase(value.tag) > 0) correction.start = std::min(correction.start, record->step);
    }
  }
  for (const Record& record : records_) {
    if (record.step >= correction.start) correction.records.push_back(record.bytes);
  }
  return correction;
}

}  // namespace verbund
