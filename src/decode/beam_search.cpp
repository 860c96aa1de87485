// SPDX-License-Identifier: Apache-2.0
#include "decode/beam_search.h"

#include <algorithm>
#include <cmath>

#include "core/interrupt.h"
#include "core/random.h"
#include "decode/ensemble.h"

namespace verbund {
namespace {

constexpr int32_t kNoNode = -1;

// A token of a row, and its parent: rows share their beginnings.
struct Node {
  int32_t parent;
  TokenId token;
  int32_t aligned;
};

// An unfinished translation.
struct Row {
  double log_probability = 0;
  int32_t node = kNoNode;
  int32_t parent = 0;  // the row of the batch that it continues
};

struct Candidate {
  double log_probability;
  size_t row;  // of the sentence
  TokenId token;
};

struct OpenSentence {
  size_t task;
  int64_t max_length;  // with </s>
  std::vector<Row> rows;
  size_t first_row;  // in the batch
  std::vector<Hypothesis> finished;
};

class Search {
 public:
  Search(std::span<DecodableModel* const> models, int64_t vocabulary, std::span<const SearchTask> tasks,
         const SearchRequest& request)
      : request_(request),
        tasks_(tasks),
        beam_(static_cast<size_t>(request.config.beam)),
        ensemble_(models, vocabulary) {}

  std::vector<std::vector<Hypothesis>> run(const TellDone& tell) {
    start();
    while (!open_.empty()) {
      check_interrupt();
      ensemble_.step(next_rows_, candidates_per_row(), request_.align);
      next_rows_.clear();
      std::vector<OpenSentence> still_open;
      for (OpenSentence& sentence : open_) {
        extend(sentence);
        if (is_done(sentence)) {
          close(sentence);
        } else {
          still_open.push_back(std::move(sentence));
        }
      }
      open_ = std::move(still_open);
      if (tell) tell(tasks_.size() - open_.size());
      gather_rows();
      ++length_;
    }
    return std::move(results_);
  }

 private:
  void start() {
    results_.resize(tasks_.size());
    std::vector<Sentence> sources;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const auto source_length = static_cast<double>(tasks_[i].source.size() + 1);
      const auto greatest = static_cast<int64_t>(request_.config.max_ratio * source_length) + request_.config.max_extra;
      const auto prefix = static_cast<int64_t>(tasks_[i].prefix.size());  // is never cut
      open_.push_back({i, std::max(prefix + 1, greatest), {Row()}, i, {}});
      next_rows_.push_back({static_cast<int32_t>(i), kStartOfSentence});
      sources.push_back(tasks_[i].source);
    }
    if (!sources.empty()) ensemble_.start(sources);
  }

  size_t candidates_per_row() const {
    const DecodeConfig& config = request_.config;
    return static_cast<size_t>(config.sample_top > 0 ? config.sample_top : 2 * config.beam);
  }

  // The possible continuations of the rows of a sentence, the likeliest first.
  std::vector<Candidate> candidates(const OpenSentence& sentence) {
    const SearchTask& task = tasks_[sentence.task];
    std::vector<Candidate> all;
    for (size_t r = 0; r < sentence.rows.size(); ++r) {
      const size_t row = sentence.first_row + r;
      const double before = sentence.rows[r].log_probability;
      if (length_ < task.prefix.size()) {
        all.push_back({before + ensemble_.log_probability(row, task.prefix[length_]), r, task.prefix[length_]});
      } else if (request_.config.sample_top > 0) {
        all.push_back(draw(task, row, before, r));
      } else {
        for (const auto& [token, log_probability] : ensemble_.best(row)) {
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

  Candidate draw(const SearchTask& task, size_t row, double before, size_t r) {
    const auto best = ensemble_.best(row);
    std::vector<double> weights;
    double total = 0;
    for (const TokenScore& token : best) {
      weights.push_back(
          std::exp(static_cast<double>(token.log_probability - best[0].log_probability) / request_.config.temperature));
      total += weights.back();
    }
    const RandomBlock block = philox(request_.seed, task.number, length_);
    double point = total * (static_cast<double>(block[0]) * 0x1p-32);
    size_t chosen = 0;
    while (chosen + 1 < weights.size() && point >= weights[chosen]) point -= weights[chosen++];
    return {before + static_cast<double>(best[chosen].log_probability), r, best[chosen].token};
  }

  void extend(OpenSentence& sentence) {
    const bool last = static_cast<int64_t>(length_) + 1 >= sentence.max_length;
    std::vector<Row> rows;
    const std::vector<Candidate> all = candidates(sentence);
    for (size_t i = 0; i < all.size() && rows.size() < beam_; ++i) {
      const Candidate& candidate = all[i];
      const Row& parent = sentence.rows[candidate.row];
      if (candidate.token == kEndOfSentence) {
        if (i < beam_) finish(sentence, parent.node, candidate.log_probability, true);
        continue;
      }
      const int32_t aligned = request_.align ? ensemble_.aligned(sentence.first_row + candidate.row) : 0;
      nodes_.push_back({parent.node, candidate.token, aligned});
      const auto node = static_cast<int32_t>(nodes_.size() - 1);
      if (last) finish(sentence, node, candidate.log_probability, false);
      rows.push_back({candidate.log_probability, node, static_cast<int32_t>(sentence.first_row + candidate.row)});
    }
    sentence.rows = last ? std::vector<Row>() : std::move(rows);
  }

  void finish(OpenSentence& sentence, int32_t node, double log_probability, bool finished) {
    Hypothesis hypothesis;
    for (; node != kNoNode; node = nodes_[static_cast<size_t>(node)].parent) {
      hypothesis.tokens.push_back(nodes_[static_cast<size_t>(node)].token);
      if (request_.align) hypothesis.alignment.push_back(nodes_[static_cast<size_t>(node)].aligned);
    }
    std::reverse(hypothesis.tokens.begin(), hypothesis.tokens.end());
    std::reverse(hypothesis.alignment.begin(), hypothesis.alignment.end());
    hypothesis.log_probability = log_probability;
    hypothesis.finished = finished;
    hypothesis.score =
        log_probability / length_penalty(static_cast<int64_t>(length_) + 1, request_.config.length_penalty);
    sentence.finished.push_back(std::move(hypothesis));
  }

  bool is_done(OpenSentence& sentence) const {
    if (sentence.rows.empty() || (beam_ == 1 && !sentence.finished.empty())) return true;
    const auto wanted = static_cast<size_t>(request_.nbest);
    if (sentence.finished.size() < wanted) return false;
    std::vector<double> scores;
    for (const Hypothesis& hypothesis : sentence.finished) scores.push_back(hypothesis.score);
    std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(wanted - 1), scores.end(),
                     std::greater<>());
    // Log-probabilities only fall; the penalty is largest at the maximum length. When there are enough finished
    // ones, it is enough that no row would be better if it ended now.
    const int64_t length = sentence.finished.size() >= beam_ ? static_cast<int64_t>(length_) + 2 : sentence.max_length;
    const double hope = sentence.rows[0].log_probability / length_penalty(length, request_.config.length_penalty);
    return hope <= scores[wanted - 1];
  }

  void close(OpenSentence& sentence) {
    // A cut translation has no probability of its end yet: it ranks after those that have one.
    std::stable_sort(sentence.finished.begin(), sentence.finished.end(), [](const Hypothesis& a, const Hypothesis& b) {
      return a.finished != b.finished ? a.finished : a.score > b.score;
    });
    if (sentence.finished.size() > static_cast<size_t>(request_.nbest)) {
      sentence.finished.resize(static_cast<size_t>(request_.nbest));
    }
    results_[sentence.task] = std::move(sentence.finished);
  }

  void gather_rows() {
    for (OpenSentence& sentence : open_) {
      sentence.first_row = next_rows_.size();
      for (const Row& row : sentence.rows) {
        next_rows_.push_back({row.parent, nodes_[static_cast<size_t>(row.node)].token});
      }
    }
  }

  const SearchRequest& request_;
  std::span<const SearchTask> tasks_;
  size_t beam_;
  Ensemble ensemble_;
  size_t length_ = 0;  // tokens of all rows
  std::vector<Node> nodes_;
  std::vector<OpenSentence> open_;
  std::vector<NextRow> next_rows_;
  std::vector<std::vector<Hypothesis>> results_;
};

}  // namespace

double length_penalty(int64_t length, double alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
}

std::vector<std::vector<Hypothesis>> search(std::span<DecodableModel* const> models, int64_t vocabulary,
                                            std::span<const SearchTask> tasks, const SearchRequest& request,
                                            const TellDone& tell) {
  return Search(models, vocabulary, tasks, request).run(tell);
}

}  // namespace verbund
