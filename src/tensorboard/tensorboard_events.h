// SPDX-License-Identifier: Apache-2.0
// Encoder and decoder of TensorBoard's Event messages, which are the records of an event file, as far as this project
// uses them. docs/tensorboard.md describes what Verbund writes.
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
  int64_t columns = 0;            // of that table; 0: a single text
  // Only the first value of a tag has them: the name of the plugin, its data, the meaning of the tag.
  std::string plugin, plugin_content, description;
};

struct Event {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
  std::string file_version;  // of the first event of a file
  bool start = false;        // a (re)start: earlier events of this and later steps are void
  std::vector<EventValue> values;
};

inline constexpr const char* kFileVersion = "brain.Event:2";
inline constexpr const char* kScalarPlugin = "scalars";
inline constexpr const char* kTextPlugin = "text";

// A value with a `scalar` becomes a simple_value, one with `text` a tensor of strings; one with neither carries only
// the data of its plugin.
std::string encode(const Event& event);

// Returns nothing if the bytes are not an event. Numbers are simple_values, and float or double tensors of one element
// if their tag belongs to no other plugin: `plugins` holds the plugin of each tag over all events of a run.
std::optional<Event> decode_event(std::string_view bytes, std::map<std::string, std::string>& plugins);

// Calls `each` for every event of a file, up to its end or to the first damaged record. Returns the reason for stopping
// early, with the file's name and the byte, or "".
std::string read_events(const fs::path& file, std::map<std::string, std::string>& plugins,
                        const std::function<void(const Event& event, std::string_view record)>& each);

}  // namespace verbund
