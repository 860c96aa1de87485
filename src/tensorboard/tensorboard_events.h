// What is in the records of an event file: TensorBoard's Event messages, made and read as far as this project uses
// them. docs/tensorboard.md tells what Verbund writes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"

namespace verbund {

// One value of one tag: a number, texts, or data of a plugin.
struct EventValue {
  std::string tag;
  std::optional<double> scalar;
  std::vector<std::string> text;  // cells of a table, row by row
  int64_t columns = 0;            // of that table; 0: a text alone
  // Only the first value of a tag has them: whose it is, the plugin's own data, what the tag means.
  std::string plugin, plugin_content, description;
};

struct Event {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
  std::string file_version;  // of the first event of a file
  bool start = false;        // a (re)start: what was told of this and later steps before is void
  std::vector<EventValue> values;
};

inline constexpr const char* kFileVersion = "brain.Event:2";
inline constexpr const char* kScalarPlugin = "scalars";
inline constexpr const char* kTextPlugin = "text";

// A value with a `scalar` becomes a simple_value, one with `text` a tensor of strings; one with neither carries its
// plugin's data alone.
std::string encode(const Event& event);

// Nothing if these bytes are no event. Numbers are simple_values and float or double tensors of one element, if their
// tag belongs to no other plugin: `plugins` keeps the plugin of each tag over the events of a run.
std::optional<Event> decode_event(std::string_view bytes, std::map<std::string, std::string>& plugins);

// Every event of a file, up to its end or to where it is damaged. Returns why it stopped early, with the file's name
// and the byte, or "".
std::string read_events(const fs::path& file, std::map<std::string, std::string>& plugins,
                        const std::function<void(const Event& event, std::string_view record)>& each);

}  // namespace verbund
