// SPDX-License-Identifier: Apache-2.0
#include "tensorboard/plugin_values.h"

#include <algorithm>

#include "config/settings.h"
#include "core/protobuf.h"

namespace verbund {
namespace {

struct LayoutChart {
  const char* title;
  std::vector<const char*> tags;
};

struct LayoutCategory {
  const char* title;
  std::vector<LayoutChart> charts;
};

// Numbers of fields, from TensorBoard's layout.proto.
namespace layout_field {
constexpr uint32_t kCategory = 2;                // Layout
constexpr uint32_t kTitle = 1, kChart = 2;       // Category
constexpr uint32_t kChartTitle = 1, kLines = 2;  // Chart
constexpr uint32_t kTag = 1;                     // MultilineChartContent: a regular expression
}  // namespace layout_field

const std::vector<LayoutCategory>& layout() {
  static const std::vector<LayoutCategory> kLayout = {
      {"Loss",
       {{"train and dev loss (cross-entropy)",
         {"train/cross_entropy", "dev/cross_entropy", "train/probe_cross_entropy"}},
        {"label-smoothed train and dev loss", {"train_loss", "eval_loss", "train/probe_loss"}}}},
      {"Translations of the dev set", {{"BLEU", {"dev/BLEU", "best/BLEU"}}, {"chrF", {"dev/chrF", "best/chrF"}}}},
      {"Learning",
       {{"learning rate", {"learning_rate"}}, {"gradient norm", {"Loss_Optimization/global_gradient_norm"}}}},
      {"Speed",
       {{"target tokens per second", {"time/target_tokens_per_second"}},
        {"seconds per step",
         {"time/seconds_per_step", "exchange/seconds_per_step", "exchange/exposed_seconds_per_step"}}}},
  };
  return kLayout;
}

// Settings that are shown even if they have their default.
constexpr std::string_view kAlwaysShown[] = {
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
  return message.add_bytes(hparam_field::kString, text ? value.get<std::string>() : dump_json(value));
}

EventValue plugin_value(const char* tag, const ProtoMessage& content) {
  return {.tag = tag, .plugin = "hparams", .plugin_content = content.bytes()};
}

constexpr size_t kMaxBytes = 4000;  // of a table cell

// Through JSON, whose writer replaces invalid UTF-8.
std::string valid_utf8(std::string_view text) {
  const std::string quoted = dump_json(text);
  return parse_json(quoted).get<std::string>();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool is_punctuation(char c) {
  return c > ' ' && c < '\x7f' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z');
}

}  // namespace

EventValue chart_layout() {
  ProtoMessage message;
  for (const LayoutCategory& category : layout()) {
    ProtoMessage group;
    group.add_bytes(layout_field::kTitle, category.title);
    for (const LayoutChart& chart : category.charts) {
      ProtoMessage lines;
      for (const char* tag : chart.tags) lines.add_bytes(layout_field::kTag, fmt::format("^{}$", tag));
      group.add(layout_field::kChart,
                ProtoMessage().add_bytes(layout_field::kChartTitle, chart.title).add(layout_field::kLines, lines));
    }
    message.add(layout_field::kCategory, group);
  }
  return {.tag = kLayoutTag, .text = {message.bytes()}, .plugin = "custom_scalars"};
}

Json hyper_parameters(const Config& config) {
  const Json defaults = flatten(Config{}), settings = flatten(config);
  Json chosen = Json::object();
  for (const auto& [key, value] : settings.items()) {
    const bool always = std::find(std::begin(kAlwaysShown), std::end(kAlwaysShown), key) != std::end(kAlwaysShown);
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

std::string escape_for_markdown(std::string_view text) {
  constexpr std::string_view kAlways = "&<>`*_{}[]\\|~^=#\"";
  const bool cut = text.size() > kMaxBytes;
  std::string result;
  bool first_word = true;  // lists, headings, quotes and rules begin in it
  for (char c : valid_utf8(text.substr(0, kMaxBytes))) {
    if (is_control(c)) c = ' ';
    if (c == ' ') {
      if (result.empty()) continue;  // four leading blanks would make it code
      first_word = false;
    }
    if (is_punctuation(c) && (first_word || kAlways.find(c) != std::string_view::npos)) {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return cut ? result + " ..." : result;
}

EventValue sample_table(const std::vector<TranslationSample>& samples) {
  EventValue value = {.tag = kSamplesTag, .columns = 3, .plugin = kTextPlugin};
  value.description = "The first sentences of the dev set, as the model translated them.";
  value.text = {"**source**", "**reference**", "**translation**"};
  for (const TranslationSample& sample : samples) {
    for (const std::string* cell : {&sample.source, &sample.reference, &sample.translation}) {
      value.text.push_back(escape_for_markdown(*cell));
    }
  }
  return value;
}

}  // namespace verbund
