// SPDX-License-Identifier: Apache-2.0
// Section with sentences over the evaluations: most improved, most forgotten, typical and hardest.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/order.h"
#include "page/escape.h"
#include "page/number_format.h"
#include "report/run_page.h"
#include "report/run_parts.h"

namespace verbund {
namespace {

constexpr size_t kMaxEvaluations = 5;   // with translations
constexpr size_t kLongestText = 600;    // characters
constexpr double kWorthTelling = 0.05;  // nats per token

struct Choice {
  size_t sentence;
  std::string why;
};

double per_token(const SentenceLosses& losses, size_t sentence) {
  return losses.tokens[sentence] > 0 ? losses.cross_entropy[sentence] / losses.tokens[sentence] : kNotKnown;
}

// Number of sentences that all evaluations have.
size_t common_size(const RunData& run) {
  size_t size = SIZE_MAX;
  for (const SentenceLosses& losses : run.sentence_losses)
    size = std::min({size, losses.cross_entropy.size(), losses.tokens.size()});
  return size == SIZE_MAX ? 0 : size;
}

// Sentences by this measure, largest first; those without a value are omitted.
std::vector<size_t> in_order_of(const std::vector<double>& measure) {
  const double last = -std::numeric_limits<double>::infinity();
  std::vector<size_t> order =
      largest_first(measure.size(), [&](size_t i) { return is_known(measure[i]) ? measure[i] : last; });
  std::erase_if(order, [&](size_t i) { return !is_known(measure[i]); });
  return order;
}

// Chooses among the first `translated` sentences.
std::vector<Choice> choose_sentences(const RunData& run, size_t translated) {
  const size_t size = std::min(common_size(run), translated);
  std::vector<double> improved(size, kNotKnown), forgotten(size, kNotKnown), last(size, kNotKnown);
  for (size_t i = 0; i < size; ++i) {
    double best = kNotKnown;
    for (const SentenceLosses& losses : run.sentence_losses) best = std::fmin(best, per_token(losses, i));
    last[i] = per_token(run.sentence_losses.back(), i);
    improved[i] = per_token(run.sentence_losses.front(), i) - last[i];
    forgotten[i] = last[i] - best;
  }
  std::vector<Choice> choices;
  const auto add = [&](size_t sentence, const std::string& why) {
    const bool is_new =
        std::none_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.sentence == sentence; });
    if (is_new) choices.push_back({sentence, why});
  };
  const std::vector<size_t> by_gain = in_order_of(improved), by_loss = in_order_of(forgotten),
                            by_last = in_order_of(last);
  for (size_t i = 0; i < std::min<size_t>(1, by_gain.size()); ++i) {
    if (improved[by_gain[i]] > kWorthTelling)
      add(by_gain[i], fmt::format("Most improved: {:.2f} nats per token less", improved[by_gain[i]]));
  }
  for (size_t i = 0; i < std::min<size_t>(2, by_loss.size()); ++i) {
    if (forgotten[by_loss[i]] > kWorthTelling)
      add(by_loss[i],
          fmt::format("Most forgotten: {:.2f} nats per token more than at its best", forgotten[by_loss[i]]));
  }
  if (!by_last.empty()) {
    add(by_last[by_last.size() / 2], "Median: as many sentences are easier as harder");
    add(by_last.front(), "Hardest of all");
  }
  return choices;
}

// The first, the last, and some between.
std::vector<std::pair<int64_t, fs::path>> some_files(const RunData& run) {
  std::vector<std::pair<int64_t, fs::path>> files = run.evaluation_files, some;
  // A run that begins with random weights translates nothing before its first step.
  std::erase_if(files, [](const auto& file) {
    return file.first == 0 && read_evaluated_sentences(file.second).translations.empty();
  });
  for (size_t i = 0; i < std::min(kMaxEvaluations, files.size()); ++i) {
    const size_t last = files.size() - 1, count = std::min(kMaxEvaluations, files.size()) - 1;
    some.push_back(files[count == 0 ? last : i * last / count]);
  }
  return some;
}

Chart history_chart(const RunData& run, const std::vector<Choice>& choices) {
  Chart chart{"sentences", "Cross-entropy of these sentences", "step", "nats per token",
              "A sentence whose curve turns up while the others fall is being forgotten, or its reference is wrong."};
  for (const Choice& choice : choices) {
    Series series;
    series.name = fmt::format("sentence {}", choice.sentence + 1);
    for (const SentenceLosses& losses : run.sentence_losses) {
      series.x.push_back(static_cast<double>(losses.step));
      series.y.push_back(per_token(losses, choice.sentence));
    }
    chart.series.push_back(series);
  }
  return chart;
}

}  // namespace

Section samples_section(const RunData& run) {
  Section section = {"samples", "Sentences over time", {}};
  if (run.sentence_losses.empty()) return section;
  const std::vector<DevSentence> dev = read_dev_sentences(run.folder);
  std::map<int64_t, EvaluatedSentences> evaluations;
  for (const auto& [step, file] : some_files(run)) evaluations[step] = read_evaluated_sentences(file);
  size_t translated = std::numeric_limits<size_t>::max();
  for (const auto& [step, sentences] : evaluations) translated = std::min(translated, sentences.translations.size());
  const std::vector<Choice> choices = choose_sentences(run, translated);
  if (choices.empty()) return section;
  if (run.sentence_losses.size() > 1) section.blocks.push_back(history_chart(run, choices));
  for (const Choice& choice : choices) {
    Table table;
    table.id = fmt::format("sentence_{}", choice.sentence + 1);
    table.columns = {{"step", true}, {"text", false, true}, {"loss", true}, {"chrF", true}};
    if (choice.sentence < dev.size()) {
      table.rows.push_back({"source", shortened(dev[choice.sentence].source, kLongestText), "", ""});
      table.rows.push_back({"reference", shortened(dev[choice.sentence].reference, kLongestText), "", ""});
    }
    for (const auto& [step, sentences] : evaluations) {
      if (choice.sentence >= sentences.translations.size()) continue;
      const double loss = sentences.loss[choice.sentence], score = chrf_score(sentences.chrf[choice.sentence], 1).score;
      table.rows.push_back({{counted(static_cast<double>(step)), static_cast<double>(step)},
                            shortened(sentences.translations[choice.sentence], kLongestText),
                            {fmt::format("{:.2f}", loss), loss},
                            {fmt::format("{:.0f}", score), score}});
    }
    if (table.rows.empty()) continue;
    section.blocks.push_back(Heading{fmt::format("{} (sentence {})", choice.why, choice.sentence + 1)});
    section.blocks.push_back(table);
  }
  return section;
}

}  // namespace verbund
