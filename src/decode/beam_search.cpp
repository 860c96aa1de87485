// SPDX-License-Identifier: Apache-2.0
#include "decode/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/interrupt.h"
#include "core/random.h"

namespace verbund {
namespace {

constexpr int32_t kNoNode = -1;

}  // namespace

BeamSearch::BeamSearch(std::span<DecodableModel* const> models, int64_t vocabulary, const DecodeConfig& config,
                       uint64_t seed)
    : config_(config), seed_(seed), beam_(static_cast<size_t>(config.beam)), ensemble_(models, vocabulary) {
  ensemble_.start();
}

size_t BeamSearch::add(SearchTask task, const TranslationNeeds& needs) {
  const auto source_length = static_cast<double>(task.source.size() + 1);
  const auto greatest = static_cast<int64_t>(config_.max_ratio * source_length) + config_.max_extra;
  const auto prefix = static_cast<int64_t>(task.prefix.size());  // is never cut
  joining_.push_back({added_, std::move(task), needs, std::max(prefix + 1, greatest)});
  return added_++;
}

std::vector<BeamSearch::Done> BeamSearch::step() {
  std::vector<Done> done;
  join();
  if (open_.empty()) return done;
  gather_rows();
  const bool align = std::any_of(open_.begin(), open_.end(), [](const auto& sentence) { return sentence.needs.align; });
  ensemble_.step(rows_, candidates_per_row(), align);
  std::vector<OpenSentence> still_open;
  for (OpenSentence& sentence : open_) {
    extend(sentence);
    if (is_done(sentence)) {
      done.push_back(close(sentence));
    } else {
      ++sentence.length;
      still_open.push_back(std::move(sentence));
    }
  }
  open_ = std::move(still_open);
  forget_rows();
  return done;
}

// The models know joining sentences as parents after the rows of the last step.
void BeamSearch::join() {
  std::vector<Sentence> sources;
  for (OpenSentence& sentence : joining_) {
    sentence.rows[0].parent = static_cast<int32_t>(rows_.size() + sources.size());
    sources.push_back(sentence.task.source);
    open_.push_back(std::move(sentence));
  }
  joining_.clear();
  if (!sources.empty()) ensemble_.join(sources);
}

void BeamSearch::gather_rows() {
  rows_.clear();
  for (OpenSentence& sentence : open_) {
    sentence.first_row = rows_.size();
    for (const Row& row : sentence.rows) {
      rows_.push_back(
          {row.parent, row.node == kNoNode ? kStartOfSentence : sentence.nodes[static_cast<size_t>(row.node)].token});
    }
  }
  rows_of_steps_.push_back(rows_.size());
}

// The models keep the steps since the oldest sentence joined.
void BeamSearch::forget_rows() {
  size_t longest = 0;
  for (const OpenSentence& sentence : open_) longest = std::max(longest, sentence.length);
  while (rows_of_steps_.size() > longest) rows_of_steps_.pop_front();
}

size_t BeamSearch::cached_rows() const {
  return std::accumulate(rows_of_steps_.begin(), rows_of_steps_.end(), size_t{0});
}

size_t BeamSearch::source_tokens() const {
  size_t tokens = 0;
  for (const auto* sentences : {&open_, &joining_}) {
    for (const OpenSentence& sentence : *sentences) tokens += sentence.task.source.size() + 1;
  }
  return tokens;
}

// Enough for `beam` rows besides </s> and the tokens that are not possible.
size_t BeamSearch::candidates_per_row() const {
  return static_cast<size_t>(config_.sample_top > 0 ? config_.sample_top + 2
                                                    : std::max(2 * config_.beam, config_.beam + 3));
}

// The most likely next tokens of a row. A model that begins with <pad> (Hugging Face's Marian) may give it a
// probability.
std::vector<TokenScore> BeamSearch::possible_tokens(size_t row) const {
  std::vector<TokenScore> possible;
  for (const TokenScore& score : ensemble_.best(row)) {
    if (score.token != kStartOfSentence && score.token != kPad) possible.push_back(score);
  }
  const auto most = static_cast<size_t>(config_.sample_top > 0 ? config_.sample_top : 2 * config_.beam);
  if (possible.size() > most) possible.resize(most);
  return possible;
}

// The possible continuations of the rows of a sentence, the most likely first.
std::vector<BeamSearch::Candidate> BeamSearch::candidates(const OpenSentence& sentence) const {
  const Sentence& prefix = sentence.task.prefix;
  std::vector<Candidate> all;
  for (size_t r = 0; r < sentence.rows.size(); ++r) {
    const size_t row = sentence.first_row + r;
    const double before = sentence.rows[r].log_probability;
    if (sentence.length < prefix.size()) {
      const TokenId token = prefix[sentence.length];
      all.push_back({before + ensemble_.log_probability(row, token), r, token});
    } else if (config_.sample_top > 0) {
      all.push_back(draw(sentence, r));
    } else {
      for (const auto& [token, log_probability] : possible_tokens(row)) {
        all.push_back({before + static_cast<double>(log_probability), r, token});
      }
    }
  }
  // Rows and tokens are already in order, so ties are always resolved in the same way.
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.log_probability > b.log_probability; });
  if (all.size() > 2 * beam_) all.resize(2 * beam_);
  return all;
}

BeamSearch::Candidate BeamSearch::draw(const OpenSentence& sentence, size_t r) const {
  const std::vector<TokenScore> best = possible_tokens(sentence.first_row + r);
  std::vector<double> weights;
  double total = 0;
  for (const TokenScore& token : best) {
    weights.push_back(
        std::exp(static_cast<double>(token.log_probability - best[0].log_probability) / config_.temperature));
    total += weights.back();
  }
  const RandomBlock block = philox(seed_, sentence.task.number, sentence.length);
  double point = total * (static_cast<double>(block[0]) * 0x1p-32);
  size_t chosen = 0;
  while (chosen + 1 < weights.size() && point >= weights[chosen]) point -= weights[chosen++];
  return {sentence.rows[r].log_probability + static_cast<double>(best[chosen].log_probability), r, best[chosen].token};
}

void BeamSearch::extend(OpenSentence& sentence) const {
  const bool last = static_cast<int64_t>(sentence.length) + 1 >= sentence.max_length;
  std::vector<Row> rows;
  const std::vector<Candidate> all = candidates(sentence);
  for (size_t i = 0; i < all.size() && rows.size() < beam_; ++i) {
    const Candidate& candidate = all[i];
    const Row& parent = sentence.rows[candidate.row];
    if (candidate.token == kEndOfSentence) {
      if (i < beam_) finish(sentence, parent.node, candidate.log_probability, true);
      continue;
    }
    const int32_t aligned = sentence.needs.align ? ensemble_.aligned(sentence.first_row + candidate.row) : 0;
    sentence.nodes.push_back({parent.node, candidate.token, aligned});
    const auto node = static_cast<int32_t>(sentence.nodes.size() - 1);
    if (last) finish(sentence, node, candidate.log_probability, false);
    rows.push_back({candidate.log_probability, node, static_cast<int32_t>(sentence.first_row + candidate.row)});
  }
  sentence.rows = last ? std::vector<Row>() : std::move(rows);
}

void BeamSearch::finish(OpenSentence& sentence, int32_t node, double log_probability, bool finished) const {
  Hypothesis hypothesis;
  while (node != kNoNode) {
    const Node& last = sentence.nodes[static_cast<size_t>(node)];
    hypothesis.tokens.push_back(last.token);
    if (sentence.needs.align) hypothesis.alignment.push_back(last.aligned);
    node = last.parent;
  }
  std::reverse(hypothesis.tokens.begin(), hypothesis.tokens.end());
  std::reverse(hypothesis.alignment.begin(), hypothesis.alignment.end());
  hypothesis.log_probability = log_probability;
  hypothesis.finished = finished;
  hypothesis.score = log_probability / length_penalty(static_cast<int64_t>(sentence.length) + 1, config_);
  sentence.finished.push_back(std::move(hypothesis));
}

bool BeamSearch::is_done(const OpenSentence& sentence) const {
  if (sentence.rows.empty() || (beam_ == 1 && !sentence.finished.empty())) return true;
  const auto wanted = static_cast<size_t>(sentence.needs.nbest);
  if (sentence.finished.size() < wanted) return false;
  std::vector<double> scores;
  for (const Hypothesis& hypothesis : sentence.finished) scores.push_back(hypothesis.score);
  std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(wanted - 1), scores.end(),
                   std::greater<>());
  // Log-probabilities only fall; the penalty is largest at the maximum length. When there are enough finished
  // ones, it is enough that no row would be better if it ended now.
  const int64_t length =
      sentence.finished.size() >= beam_ ? static_cast<int64_t>(sentence.length) + 2 : sentence.max_length;
  const double hope = sentence.rows[0].log_probability / length_penalty(length, config_);
  return hope <= scores[wanted - 1];
}

BeamSearch::Done BeamSearch::close(OpenSentence& sentence) {
  // A cut translation has no probability of its end yet: it ranks after those that have one.
  std::stable_sort(sentence.finished.begin(), sentence.finished.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  const auto wanted = static_cast<size_t>(sentence.needs.nbest);
  if (sentence.finished.size() > wanted) sentence.finished.resize(wanted);
  return {sentence.number, std::move(sentence.finished)};
}

double length_penalty(int64_t length, const DecodeConfig& config) {
  return std::pow((config.length_offset + static_cast<double>(length)) / (config.length_offset + 1),
                  config.length_penalty);
}

std::vector<std::vector<Hypothesis>> search(std::span<DecodableModel* const> models, int64_t vocabulary,
                                            std::span<const SearchTask> tasks, const SearchRequest& request,
                                            const TellDone& tell) {
  std::vector<std::vector<Hypothesis>> results(tasks.size());
  BeamSearch beam_search(models, vocabulary, request.config, request.seed);
  for (const SearchTask& task : tasks) beam_search.add(task, {request.nbest, request.align});
  while (beam_search.sentences() > 0) {
    check_interrupt();
    for (BeamSearch::Done& done : beam_search.step()) results[done.number] = std::move(done.hypotheses);
    if (tell) tell(tasks.size() - beam_search.sentences());
  }
  return results;
}

}  // namespace verbund
