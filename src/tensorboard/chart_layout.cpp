#include "tensorboard/chart_layout.h"

#include "tensorboard/protobuf.h"

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
       {{"train and dev loss", {"train_loss", "eval_loss", "train/probe_loss"}},
        {"cross-entropy, without label smoothing",
         {"train/cross_entropy", "dev/cross_entropy", "train/probe_cross_entropy"}}}},
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

}  // namespace

EventValue chart_layout() {
  ProtoMessage message;
  for (const LayoutCategory& category : layout()) {
    ProtoMessage group;
    group.add_bytes(layout_field::kTitle, category.title);
    for (const LayoutChart& chart : category.charts) {
      ProtoMessage lines;
      for (const char* tag : chart.tags) lines.add_bytes(layout_field::kTag, fmt::format("^{}$", tag));
      group.add(layout_field::kChart, ProtoMessage().add_bytes(layout_field::kChartTitle, chart.title).add(layout_field::kLines, lines));
    }
    message.add(layout_field::kCategory, group);
  }
  return {.tag = kLayoutTag, .text = {message.bytes()}, .plugin = "custom_scalars"};
}

}  // namespace verbund
