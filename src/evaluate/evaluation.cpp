#include "evaluate/evaluation.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/order.h"
#include "decode/translator.h"

namespace verbund {
namespace {

constexpr size_t kBatchTokens = 4096;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Calls use(batch, numbers of its pairs) for all pairs, those of like length together.
template <typename Use>
void for_batches(const TestSet& set, Use use) {
  const std::vector<size_t> order = largest_first(set.size(), [&](size_t i) { return set.reference_tokens[i].size(); });
  Batch batch;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < order.size(); ++i) {
    append(batch, set.source_tokens[order[i]], set.reference_tokens[order[i]], order[i]);
    numbers.push_back(order[i]);
    if (std::max(batch.source_tokens(), batch.target_tokens()) < kBatchTokens && i + 1 < order.size()) continue;
    check_interrupt();
    use(batch, numbers);
    clear(batch);
    numbers.clear();
  }
}

std::string join_pieces(const Subwords& subwords, const TokenId* tokens, size_t count) {
  std::string text;
  for (size_t i = 0; i < count && tokens[i] != kEndOfSentence; ++i) {
    text += (i > 0 ? " " : "") + subwords.piece(tokens[i]);
  }
  return text;
}

double teacher_forced_bleu(DecodableModel& model, const TestSet& set, const Subwords& target) {
  Segments predicted(set.size()), references(set.size());
  for_batches(set, [&](const Batch& batch, const std::vector<size_t>& numbers) {
    const std::vector<TokenId> best = model.predict(batch);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto begin = static_cast<size_t>(batch.target_offsets[i]);
      const size_t count = static_cast<size_t>(batch.target_offsets[i + 1]) - begin;
      predicted[numbers[i]] = join_pieces(target, best.data() + begin, count);
      references[numbers[i]] = join_pieces(target, batch.target_output.data() + begin, count);
    }
  });
  return corpus_bleu(predicted, {references}, {.tokenizer = Tokenizer::kNone}).score;
}

}  // namespace

bool less_is_better(const std::string& metric) {
  if (metric == "loss") return true;
  if (metric == "bleu" || metric == "chrf") return false;
  fail_usage("\"{}\" is not a metric to judge by: take bleu, chrf or loss", metric);
}

double Evaluation::metric(const std::string& name) const {
  if (less_is_better(name)) return smoothed();
  return name == "bleu" ? bleu.score : chrf.score;
}

Evaluation evaluate(DecodableModel& model, const TestSet& set, const Subwords& source, const Subwords& target,
                    const EvaluateConfig& config, const DecodeConfig& decode) {
  Evaluation result;
  const double start = now();
  for_batches(set, [&](const Batch& batch, const std::vector<size_t>&) { result.loss += model.evaluate(batch); });
  if (config.teacher_forced) result.teacher_forced_bleu = teacher_forced_bleu(model, set, target);
  const double translating = now();
  result.loss_seconds = translating - start;

  const size_t count = config.sentences > 0 ? std::min(set.size(), static_cast<size_t>(config.sentences)) : set.size();
  TranslatorConfig translator_config;
  translator_config.search.config = decode;
  const Translator translator({&model}, source, target, translator_config);
  const std::vector<Sentence> sources(set.source_tokens.begin(),
                                      set.source_tokens.begin() + static_cast<std::ptrdiff_t>(count));
  for (const Sentence& tokens : translator.translate_tokens(sources)) {
    result.translations.push_back(target.decode(tokens));
  }
  result.translate_seconds = now() - translating;
  result.translated_tokens = translator.target_tokens();
  const Segments references(set.references.begin(), set.references.begin() + static_cast<std::ptrdiff_t>(count));
  result.bleu = corpus_bleu(result.translations, {references}, {.tokenizer = tokenizer_named(config.tokenize)});
  result.chrf = corpus_chrf(result.translations, {references});
  for (size_t i = 0; i < count; ++i) result.exact += result.translations[i] == references[i] ? 1 : 0;
  return result;
}

}  // namespace verbund
