// SPDX-License-Identifier: Apache-2.0
#include "evaluate/evaluation.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "core/elapsed.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/log.h"
#include "core/order.h"
#include "core/progress.h"
#include "data/batch.h"
#include "decode/shared_translation.h"
#include "decode/translator.h"

namespace verbund {
namespace {

using PairNumbers = std::vector<size_t>;

constexpr size_t kBatchTokens = 4096;

// All pairs in batches of similar length, by number.
std::vector<PairNumbers> batches_of(const TestSet& set) {
  std::vector<PairNumbers> batches;
  size_t source = 0, target = 0;  // tokens of the last one
  for (const size_t i : largest_first(set.size(), [&](size_t pair) { return set.reference_tokens[pair].size(); })) {
    if (batches.empty() || std::max(source, target) >= kBatchTokens) {
      batches.emplace_back();
      source = target = 0;
    }
    batches.back().push_back(i);
    source += set.source_tokens[i].size() + 1;
    target += set.reference_tokens[i].size() + 1;
  }
  return batches;
}

// Worker 0 shows the progress of its own share, scaled to the whole.
class SharedProgress {
 public:
  SharedProgress(const char* what, size_t own, size_t all, const Workers& workers) : own_(own), all_(all) {
    if (workers.leads()) progress_.emplace(what, all, "sentences");
  }
  void update(size_t done) {
    if (progress_ && own_ > 0) progress_->update(done * all_ / own_);
  }

 private:
  size_t own_, all_;
  std::optional<Progress> progress_;
};

// Calls use(batch, numbers of its pairs, number of the batch) for this worker's share of all batches.
template <typename Use>
void for_batches(const TestSet& set, const std::vector<PairNumbers>& batches, const Workers& workers, Use use) {
  size_t done = 0;
  SharedProgress progress("evaluating the loss,", batches.size(), set.size(), workers);
  for (auto i = static_cast<size_t>(workers.rank()); i < batches.size(); i += static_cast<size_t>(workers.size())) {
    Batch batch;
    for (const size_t pair : batches[i]) append(batch, set.source_tokens[pair], set.reference_tokens[pair], pair);
    check_interrupt();
    progress.update(done);
    use(batch, batches[i], i);
    done += static_cast<size_t>(workers.size());
  }
}

// Fills in the texts of the other workers; each text is made by one worker.
void share_texts(Segments& texts, const PairNumbers& own, Workers& workers) {
  Json mine = Json::array();
  for (const size_t number : own) mine.push_back({number, texts[number]});
  for (const std::string& part : workers.comm().gather(pack_json(mine))) {
    for (const auto& item : unpack_json(part)) texts[item.at(0)] = item.at(1);
  }
}

std::string join_pieces(const Subwords& subwords, const TokenId* tokens, size_t count) {
  std::string text;
  for (size_t i = 0; i < count && tokens[i] != kEndOfSentence; ++i) {
    text += (i > 0 ? " " : "") + subwords.piece(tokens[i]);
  }
  return text;
}

double teacher_forced_bleu(DecodableModel& model, const TestSet& set, const Subwords& target, Workers& workers) {
  Segments predicted(set.size()), references;
  PairNumbers own;
  for_batches(set, batches_of(set), workers, [&](const Batch& batch, const PairNumbers& numbers, size_t) {
    const std::vector<TokenId> best = model.predict(batch);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto begin = static_cast<size_t>(batch.target_offsets[i]);
      const size_t count = static_cast<size_t>(batch.target_offsets[i + 1]) - begin;
      predicted[numbers[i]] = join_pieces(target, best.data() + begin, count);
    }
    own.insert(own.end(), numbers.begin(), numbers.end());
  });
  share_texts(predicted, own, workers);
  for (const Sentence& tokens : set.reference_tokens) {
    references.push_back(join_pieces(target, tokens.data(), tokens.size()));
  }
  return corpus_bleu(predicted, {references}, {.tokenizer = Tokenizer::kNone}).score;
}

// The first `count` sentences, each translated by one worker; every worker gets sentences of all lengths.
Segments translations_of(const Translator& translator, const TestSet& set, size_t count, const Subwords& target,
                         Workers& workers) {
  const std::vector<size_t> order = largest_first(count, [&](size_t i) { return set.source_tokens[i].size(); });
  PairNumbers own;
  std::vector<Sentence> sources;
  for (auto i = static_cast<size_t>(workers.rank()); i < count; i += static_cast<size_t>(workers.size())) {
    own.push_back(order[i]);
    sources.push_back(set.source_tokens[order[i]]);
  }
  Segments texts(count);
  SharedProgress progress("evaluating", own.size(), count, workers);
  const std::vector<Sentence> translations =
      translator.translate_tokens(sources, [&](size_t done) { progress.update(done); });
  for (size_t i = 0; i < own.size(); ++i) texts[own[i]] = target.decode(translations[i]);
  share_texts(texts, own, workers);
  return texts;
}

template <typename Statistics>
Statistics sum_of(const std::vector<Statistics>& segments) {
  Statistics sum;
  for (const Statistics& segment : segments) sum += segment;
  return sum;
}

}  // namespace

// The losses of each batch and each sentence are computed by one worker and are zero on the others. They are added in
// the order of the batches, so the bits of the sum are those of a single worker.
SetLoss loss_on(DecodableModel& model, const TestSet& set, Workers& workers) {
  const std::vector<PairNumbers> batches = batches_of(set);
  std::vector<double> known(4 * batches.size() + set.size());
  const std::span losses = std::span(known).first(4 * batches.size()), sentences = std::span(known).last(set.size());
  std::vector<double> tokens;  // cross-entropies of a batch
  for_batches(set, batches, workers, [&](const Batch& batch, const PairNumbers& numbers, size_t number) {
    tokens.resize(batch.target_tokens());
    const Loss loss = model.evaluate(batch, tokens);
    const double values[] = {loss.smoothed, loss.cross_entropy, static_cast<double>(loss.tokens),
                             static_cast<double>(loss.correct)};
    std::ranges::copy(values, losses.begin() + static_cast<std::ptrdiff_t>(4 * number));
    for (size_t i = 0; i < numbers.size(); ++i) {
      sentences[numbers[i]] =
          std::accumulate(tokens.begin() + batch.target_offsets[i], tokens.begin() + batch.target_offsets[i + 1], 0.0);
    }
  });
  workers.comm().sum(known);
  SetLoss result;
  for (size_t i = 0; i < losses.size(); i += 4) {
    result.sum +=
        Loss{losses[i], losses[i + 1], static_cast<int64_t>(losses[i + 2]), static_cast<int64_t>(losses[i + 3])};
  }
  for (size_t i = 0; i < set.size(); ++i) {
    result.sentences.push_back({sentences[i], static_cast<int64_t>(set.reference_tokens[i].size()) + 1});
  }
  return result;
}

bool less_is_better(const std::string& metric) {
  if (metric == "loss") return true;
  if (metric == "bleu" || metric == "chrf") return false;
  fail_usage("\"{}\" is not a metric: use bleu, chrf or loss", metric);
}

double Evaluation::metric(const std::string& name) const {
  if (less_is_better(name)) return cross_entropy();
  return name == "bleu" ? bleu.score : chrf.score;
}

Evaluation evaluate(DecodableModel& model, const TestSet& set, const Subwords& source, const Subwords& target,
                    const EvaluateConfig& config, const DecodeConfig& decode, Workers& workers, Judge judge) {
  Evaluation result;
  const double start = monotonic_seconds();
  SetLoss loss = loss_on(model, set, workers);
  result.loss = loss.sum;
  result.sentences = std::move(loss.sentences);
  if (config.teacher_forced && judge == Judge::kAll)
    result.teacher_forced_bleu = teacher_forced_bleu(model, set, target, workers);
  const double translating = monotonic_seconds();
  result.loss_seconds = translating - start;
  debug("evaluation: loss of {} pairs in {:.3f} s", set.size(), result.loss_seconds);
  if (judge == Judge::kLossAlone) return result;

  const size_t count = config.sentences > 0 ? std::min(set.size(), static_cast<size_t>(config.sentences)) : set.size();
  TranslatorConfig translator_config;
  translator_config.search.config = decode;
  const Translator translator({&model}, source, target, translator_config);
  result.translations = translations_of(translator, set, count, target, workers);
  result.translate_seconds = monotonic_seconds() - translating;
  auto translated = static_cast<double>(translator.target_tokens());
  workers.comm().sum({&translated, 1});
  result.translated_tokens = static_cast<uint64_t>(translated);
  debug("evaluation: {} sentences translated in {:.3f} s, {} tokens", count, result.translate_seconds,
        result.translated_tokens);
  const Segments references(set.references.begin(), set.references.begin() + static_cast<std::ptrdiff_t>(count));
  result.bleu_statistics =
      bleu_statistics(result.translations, {references}, {.tokenizer = tokenizer_named(config.tokenize)});
  result.chrf_statistics = chrf_statistics(result.translations, {references});
  score(result, references, config);
  return result;
}

void score(Evaluation& result, const Segments& references, const EvaluateConfig& config) {
  result.bleu = bleu_score(sum_of(result.bleu_statistics), 1, {.tokenizer = tokenizer_named(config.tokenize)});
  result.chrf = chrf_score(sum_of(result.chrf_statistics), 1);
  for (size_t i = 0; i < result.translations.size(); ++i) {
    result.exact += result.translations[i] == references[i] ? 1 : 0;
  }
}

}  // namespace verbund
