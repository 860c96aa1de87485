// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/tensorboard_events.h"

#include "core/protobuf.h"
#include "tensorboard/event_file.h"

namespace verbund {
namespace {

// Field numbers and enum values, from TensorBoard's and TensorFlow's message definitions.
namespace field {
constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;        // Event
constexpr uint32_t kStatus = 1;                                                                      // SessionLog
constexpr uint32_t kValue = 1;                                                                       // Summary
constexpr uint32_t kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;                           // Summary.Value
constexpr uint32_t kPluginData = 1, kDescription = 3, kDataClass = 4;                                // SummaryMetadata
constexpr uint32_t kPluginName = 1, kContent = 2;                                                    // PluginData
constexpr uint32_t kType = 1, kShape = 2, kRawContent = 4, kFloats = 5, kDoubles = 6, kStrings = 8;  // TensorProto
constexpr uint32_t kDimension = 2, kSize = 1;  // TensorShapeProto, Dim
}  // namespace field

constexpr int64_t kStartStatus = 1;
constexpr int64_t kFloat = 1, kDouble = 2, kString = 7;  // types of tensors
constexpr int64_t kScalarClass = 1, kTensorClass = 2;    // classes of data
constexpr size_t kMaxElements = 1 << 20;                 // of a tensor of text

ProtoMessage shape(std::initializer_list<int64_t> dimensions) {
  ProtoMessage message;
  for (const int64_t size : dimensions) message.add(field::kDimension, ProtoMessage().add_integer(field::kSize, size));
  return message;
}

ProtoMessage text_tensor(const EventValue& value) {
  ProtoMessage tensor;
  tensor.add_integer(field::kType, kString);
  const auto cells = static_cast<int64_t>(value.text.size());
  tensor.add(field::kShape, value.columns > 0 ? shape({cells / value.columns, value.columns}) : shape({}));
  for (const std::string& cell : value.text) tensor.add_bytes(field::kStrings, cell);
  return tensor;
}

// The tensor of a value whose plugin keeps everything in its metadata.
ProtoMessage no_tensor() {
  ProtoMessage tensor;
  tensor.add_integer(field::kType, kFloat).add(field::kShape, shape({1})).add_float(field::kFloats, 0);
  return tensor;
}

ProtoMessage encode_value(const EventValue& value) {
  ProtoMessage message;
  message.add_bytes(field::kTag, value.tag);
  if (value.scalar) {
    message.add_float(field::kSimpleValue, static_cast<float>(*value.scalar));
  } else {
    message.add(field::kTensor, value.text.empty() ? no_tensor() : text_tensor(value));
  }
  if (value.plugin.empty()) return message;
  ProtoMessage plugin;
  plugin.add_bytes(field::kPluginName, value.plugin).add_bytes(field::kContent, value.plugin_content);
  ProtoMessage metadata;
  metadata.add(field::kPluginData, plugin).add_bytes(field::kDescription, value.description);
  metadata.add_integer(field::kDataClass, value.scalar ? kScalarClass : kTensorClass);
  return message.add(field::kMetadata, metadata);
}

struct Tensor {
  int64_t type = 0;
  std::vector<int64_t> shape;
  std::vector<double> numbers;
  std::vector<std::string> strings;
};

void read_shape(std::string_view bytes, std::vector<int64_t>& dimensions) {
  ProtoReader reader(bytes);
  while (const auto found = reader.next()) {
    if (found->number != field::kDimension) continue;
    int64_t size = 0;
    ProtoReader dimension(found->bytes());
    while (const auto part = dimension.next()) {
      if (part->number == field::kSize) size = part->integer();
    }
    dimensions.push_back(size);
  }
}

template <typename Number>
void read_packed(std::string_view bytes, std::vector<double>& numbers) {
  // Callers need one number; a second one shows that there are more.
  for (size_t i = 0; i < 2 && (i + 1) * sizeof(Number) <= bytes.size(); ++i) {
    numbers.push_back(number_at<Number>(bytes, i));
  }
}

Tensor read_tensor(std::string_view bytes) {
  Tensor tensor;
  std::string_view raw;
  ProtoReader reader(bytes);
  while (const auto found = reader.next()) {
    const bool packed = !found->bytes().empty();
    switch (found->number) {
      case field::kType:
        tensor.type = found->integer();
        break;
      case field::kShape:
        read_shape(found->bytes(), tensor.shape);
        break;
      case field::kRawContent:
        raw = found->bytes();
        break;
      case field::kFloats:
        if (packed)
          read_packed<float>(found->bytes(), tensor.numbers);
        else
          tensor.numbers.push_back(found->float_value());
        break;
      case field::kDoubles:
        if (packed)
          read_packed<double>(found->bytes(), tensor.numbers);
        else
          tensor.numbers.push_back(found->double_value());
        break;
      case field::kStrings:
        if (tensor.strings.size() < kMaxElements) tensor.strings.emplace_back(found->bytes());
        break;
      default:
        break;
    }
  }
  if (tensor.type == kFloat) read_packed<float>(raw, tensor.numbers);
  if (tensor.type == kDouble) read_packed<double>(raw, tensor.numbers);
  return tensor;
}

void use_tensor(const Tensor& tensor, const std::string& plugin, EventValue& value) {
  const bool number = tensor.type == kFloat || tensor.type == kDouble;
  bool one_element = true;
  for (const int64_t size : tensor.shape) one_element = one_element && size == 1;
  if (number && one_element && (plugin.empty() || plugin == kScalarPlugin)) {
    // The encoding may omit a zero.
    if (tensor.numbers.size() <= 1) value.scalar = tensor.numbers.empty() ? 0 : tensor.numbers[0];
  } else if (tensor.type == kString && (plugin.empty() || plugin == kTextPlugin)) {
    value.text = tensor.strings;
    const int64_t columns = tensor.shape.size() == 2 ? tensor.shape[1] : 0;
    value.columns = columns > 0 && value.text.size() % static_cast<size_t>(columns) == 0 ? columns : 0;
  }
}

void read_metadata(std::string_view bytes, EventValue& value) {
  ProtoReader reader(bytes);
  while (const auto found = reader.next()) {
    if (found->number == field::kDescription) value.description = found->bytes();
    if (found->number != field::kPluginData) continue;
    ProtoReader plugin(found->bytes());
    while (const auto part = plugin.next()) {
      if (part->number == field::kPluginName) value.plugin = part->bytes();
      if (part->number == field::kContent) value.plugin_content = part->bytes();
    }
  }
}

EventValue read_value(std::string_view bytes, std::map<std::string, std::string>& plugins) {
  EventValue value;
  std::optional<std::string_view> tensor;
  ProtoReader reader(bytes);
  while (const auto found = reader.next()) {
    switch (found->number) {
      case field::kTag:
        value.tag = found->bytes();
        break;
      case field::kSimpleValue:
        value.scalar = found->float_value();
        break;
      case field::kTensor:
        tensor = found->bytes();
        break;
      case field::kMetadata:
        read_metadata(found->bytes(), value);
        break;
      default:
        break;
    }
  }
  const auto known = plugins.try_emplace(value.tag, value.plugin).first;
  if (tensor) use_tensor(read_tensor(*tensor), known->second, value);
  return value;
}

bool is_start(std::string_view session_log) {
  ProtoReader reader(session_log);
  int64_t status = 0;
  while (const auto found = reader.next()) {
    if (found->number == field::kStatus) status = found->integer();
  }
  return status == kStartStatus;
}

}  // namespace

std::string encode(const Event& event) {
  ProtoMessage message;
  message.add_double(field::kWallTime, event.wall_time).add_integer(field::kStep, event.step);
  if (!event.file_version.empty()) message.add_bytes(field::kFileVersion, event.file_version);
  if (event.start) message.add(field::kSessionLog, ProtoMessage().add_integer(field::kStatus, kStartStatus));
  if (event.values.empty()) return message.bytes();
  ProtoMessage summary;
  for (const EventValue& value : event.values) summary.add(field::kValue, encode_value(value));
  return message.add(field::kSummary, summary).bytes();
}

std::optional<Event> decode_event(std::string_view bytes, std::map<std::string, std::string>& plugins) {
  Event event;
  ProtoReader reader(bytes);
  while (const auto found = reader.next()) {
    switch (found->number) {
      case field::kWallTime:
        event.wall_time = found->double_value();
        break;
      case field::kStep:
        event.step = found->integer();
        break;
      case field::kFileVersion:
        event.file_version = found->bytes();
        break;
      case field::kSessionLog:
        event.start = is_start(found->bytes());
        break;
      case field::kSummary: {
        ProtoReader summary(found->bytes());
        while (const auto value = summary.next()) {
          if (value->number == field::kValue) event.values.push_back(read_value(value->bytes(), plugins));
        }
        if (summary.damaged()) return std::nullopt;
        break;
      }
      default:
        break;
    }
  }
  if (reader.damaged()) return std::nullopt;
  return event;
}

std::string read_events(const fs::path& file, std::map<std::string, std::string>& plugins,
                        const std::function<void(const Event&, std::string_view)>& each) {
  const std::string bytes = read_file(file);  // not mapped: it may be truncated during the run
  RecordReader records(bytes);
  for (std::string_view record; records.next(record);) {
    const std::optional<Event> event = decode_event(record, plugins);
    if (!event) return fmt::format("{}: a record is not a TensorBoard event", file.string());
    each(*event, record);
  }
  return records.note().empty() ? "" : fmt::format("{}: {}", file.string(), records.note());
}

}  // namespace verbund
