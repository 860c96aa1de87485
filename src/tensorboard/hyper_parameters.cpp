#include "tensorboard/hyper_parameters.h"

#include <algorithm>

#include "config/settings.h"
#include "tensorboard/protobuf.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAlways[] = {
    "seed",           "model.encoder_layers", "model.decoder_layers",   "model.d_model",
    "model.heads",    "model.d_ff",           "model.dropout",          "model.label_smoothing",
    "batch.tokens",   "schedule.policy",      "schedule.learning_rate", "schedule.warmup_steps",
    "optimizer.type", "train.max_steps"};

// Numbers of fields, from TensorBoard's plugin_data.proto and protobuf's struct.proto.
namespace hparam_field {
constexpr uint32_t kRunBegin = 3, kRunEnd = 4;           // HParamsPluginData
constexpr uint32_t kSettings = 1, kBeginSeconds = 5;     // SessionStartInfo
constexpr uint32_t kStatus = 1, kEndSeconds = 2;         // SessionEndInfo
constexpr uint32_t kKey = 1, kValue = 2;                 // of an entry of a map
constexpr uint32_t kNumber = 2, kString = 3, kBool = 4;  // Value
}  // namespace hparam_field
constexpr int64_t kSuccess = 1;

ProtoMessage encode_setting(const Json& value) {
  ProtoMessage message;
  if (value.is_boolean()) return message.add_integer(hparam_field::kBool, value.get<bool>());
  if (value.is_number()) return message.add_double(hparam_field::kNumber, value.get<double>());
  const bool text = value.is_string();
  return message.add_bytes(hparam_field::kString, text ? value.get<std::string>()
                                                       : value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

EventValue plugin_value(const char* tag, const ProtoMessage& content) {
  return {.tag = tag, .plugin = "hparams", .plugin_content = content.bytes()};
}

}  // namespace

Json hyper_parameters(const Config& config) {
  const Json defaults = flatten(Config{}), settings = flatten(config);
  Json chosen = Json::object();
  for (const auto& [key, value] : settings.items()) {
    const bool always = std::find(std::begin(kAlways), std::end(kAlways), key) != std::end(kAlways);
    if (always || !defaults.contains(key) || defaults[key] != value) chosen[key] = value;
  }
  return chosen;
}

EventValue run_begin(const Json& settings, double seconds) {
  ProtoMessage begin;
  for (const auto& [key, value] : settings.items()) {
    ProtoMessage entry;
    entry.add_bytes(hparam_field::kKey, key).add(hparam_field::kValue, encode_setting(value));
    begin.add(hparam_field::kSettings, entry);
  }
  begin.add_double(hparam_field::kBeginSeconds, seconds);
  return plugin_value(kRunBeginTag, ProtoMessage().add(hparam_field::kRunBegin, begin));
}

EventValue run_end(double seconds) {
  ProtoMessage end;
  end.add_integer(hparam_field::kStatus, kSuccess).add_double(hparam_field::kEndSeconds, seconds);
  return plugin_value(kRunEndTag, ProtoMessage().add(hparam_field::kRunEnd, end));
}

}  // namespace verbund
