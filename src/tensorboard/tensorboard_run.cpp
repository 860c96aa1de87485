// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_run.h"

#include <cmath>

#include "core/wall_clock.h"
#include "tensorboard/written_events.h"

namespace verbund {
namespace {

std::vector<TaggedValue> scalars_of(const Event& event) {
  std::vector<TaggedValue> values;
  for (const EventValue& value : event.values) {
    if (value.scalar) values.push_back({value.tag, *value.scalar});
  }
  return values;
}

}  // namespace

void TensorBoardRun::begin(int64_t step, double time) {
  if (file_) file_->flush();
  WrittenEvents earlier(folder_);
  const WrittenEvents::Correction correction = earlier.forget_after(step);
  best_ = {};
  written_.clear();
  earlier.for_each([&](const Event& event) {
    (void)best_.after(event.step, scalars_of(event));
    for (const EventValue& value : event.values) written_.insert(value.tag);
  });

  file_.emplace(folder_, static_cast<int64_t>(time));
  file_->add(encode({.wall_time = time, .file_version = kFileVersion}));
  file_->add(encode({.wall_time = time, .step = correction.start, .start = true}));
  for (const std::string& record : correction.records) file_->add(record);
  if (!written_.contains(kRunBeginTag)) add(0, time, {run_begin(settings_, time)});
  if (!written_.contains(kLayoutTag)) add(0, time, {chart_layout()});
  file_->flush();
}

void TensorBoardRun::add_line(const Json& line, double time) {
  const auto step = line.find("step");
  if (step == line.end() || !step->is_number_integer()) return;
  if (const auto at = line.find("time"); at != line.end() && at->is_string()) {
    if (const double seconds = parse_utc_time(at->get<std::string>()); std::isfinite(seconds)) time = seconds;
  }
  std::vector<TaggedValue> values = tagged_values(line);
  for (TaggedValue& best : best_.after(*step, values)) values.push_back(std::move(best));
  std::vector<EventValue> scalars;
  for (TaggedValue& value : values) scalars.push_back({.tag = std::move(value.tag), .scalar = value.value});
  add(*step, time, std::move(scalars));
}

void TensorBoardRun::add_samples(int64_t step, double time, const std::vector<TranslationSample>& samples) {
  if (!samples.empty()) add(step, time, {sample_table(samples)});
}

void TensorBoardRun::add_end(double time) {
  if (!written_.contains(kRunEndTag)) add(0, time, {run_end(time)});
}

void TensorBoardRun::add(int64_t step, double time, std::vector<EventValue> values) {
  if (values.empty()) return;
  for (EventValue& value : values) {
    if (!written_.insert(value.tag).second || !value.scalar) continue;
    value.plugin = kScalarPlugin;
    value.description = tag_description(value.tag);
  }
  file_->add(encode({.wall_time = time, .step = step, .values = std::move(values)}));
}

}  // namespace verbund
