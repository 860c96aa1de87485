#include "import/event_folder.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/human.h"
#include "core/interrupt.h"
#include "import/scalar_tags.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {
namespace {

// A start voids what was told of its step and later ones before it.
void undo_from(std::vector<ImportedPoint>& points, int64_t step) {
  std::erase_if(points, [&](const ImportedPoint& point) { return point.step >= step; });
}

}  // namespace

ImportedRun read_event_files(const std::vector<fs::path>& files) {
  ImportedRun run;
  run.kind = "tensorboard-events";
  std::map<std::string, std::string> plugins;
  size_t untimed = 0, without_value = 0, undone = 0, texts = 0;
  bool started = false;
  for (const fs::path& file : files) {
    const std::string trouble = read_events(file, plugins, [&](const Event& event, std::string_view) {
      check_interrupt();
      if (event.start && std::exchange(started, true)) {
        const size_t before = run.points.size();
        undo_from(run.points, event.step);
        undone += before - run.points.size();
      }
      for (const EventValue& value : event.values) {
        texts += value.text.empty() ? 0 : 1;
        if (!value.scalar || event.step < 0) continue;
        const auto scalar = translate_scalar(value.tag, *value.scalar);
        without_value += scalar ? 0 : 1;
        if (!scalar) continue;
        ImportedPoint point{scalar->key, event.step, scalar->value};
        if (is_time(event.wall_time)) {
          point.time = event.wall_time;
        } else {
          ++untimed;
        }
        run.points.push_back(point);
      }
    });
    if (!trouble.empty()) run.notes.push_back(trouble);
  }
  const auto note = [&](size_t count, const char* what) {
    if (count > 0) run.notes.push_back(fmt::format("{} {}", human_count(count), what));
  };
  note(undone, "values were void, because the run began again at an earlier step");
  note(untimed, "values have no time that can be");
  note(without_value, "values tell of no steps per second that can be");
  note(texts, "texts are left out: only numbers are imported");
  return run;
}

}  // namespace verbund
