#include "decode/translator.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "core/order.h"
#include "core/utf8.h"

namespace verbund {
namespace {

// The keys of all tokens of all beams are kept: short sentences must not become too many.
constexpr size_t kMostSentences = 128;

// Where to end a piece that begins at `first`: behind the last piece of at most `limit` that ends a sentence,
// else a word, else at the limit. SentencePiece marks the begin of a word with U+2581.
size_t piece_end(const Subwords& subwords, const Sentence& ids, size_t first, size_t limit) {
  if (ids.size() - first <= limit) return ids.size();
  const auto begins_word = [&](size_t i) { return subwords.piece(ids[i]).rfind(kWordStart, 0) == 0; };
  size_t word = 0;
  for (size_t i = first + limit; i > first + limit / 2; --i) {
    if (!begins_word(i)) continue;
    const std::string before = subwords.piece(ids[i - 1]);
    if (!before.empty() && std::string(".!?;:,").find(before.back()) != std::string::npos) return i;
    if (word == 0) word = i;
  }
  return word > 0 ? word : first + limit;
}

void append(Translation& whole, const Translation& piece, int32_t source_pieces) {
  const auto target_pieces = static_cast<int32_t>(whole.pieces.size());
  if (!whole.text.empty() && !piece.text.empty()) whole.text += ' ';
  whole.text += piece.text;
  whole.score += piece.score;
  for (const auto& [source, target] : piece.alignment) {
    whole.alignment.emplace_back(source_pieces + source, target_pieces + target);
  }
  whole.pieces.insert(whole.pieces.end(), piece.pieces.begin(), piece.pieces.end());
}

}  // namespace

void Translator::add_pieces(const Line& line, size_t index, std::vector<Piece>& pieces) const {
  if (!is_utf8(line.text) || !is_utf8(line.prefix))
    fail("line {} is not valid UTF-8: convert it first, e.g. with iconv", line.number);
  const Sentence ids = source_.encode(line.text);
  const auto limit = static_cast<size_t>(config_.max_tokens);
  if (ids.size() > limit && config_.long_lines == LongLines::kRefuse) {
    fail(
        "line {} has {} tokens, but at most {} are translated at once. Raise --max-tokens, or let it be cut into "
        "pieces: --long-lines split.",
        line.number, ids.size(), limit);
  }
  if (ids.size() > limit) {
    warn("line {} has {} tokens: it is translated in pieces of at most {}", line.number, ids.size(), limit);
  }
  const Sentence prefix = line.prefix.empty() ? Sentence() : target_.encode(line.prefix);
  for (size_t first = 0; first < ids.size();) {
    const size_t end = piece_end(source_, ids, first, limit);
    pieces.push_back(
        {index,
         {Sentence(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.begin() + static_cast<std::ptrdiff_t>(end)),
          first == 0 ? prefix : Sentence(), line.number}});
    first = end;
  }
}

// Sentences of like length go together; a batch holds as many as its tokens allow.
std::vector<std::vector<Hypothesis>> Translator::search_all(const std::vector<SearchTask>& tasks) const {
  const std::vector<size_t> order = largest_first(tasks.size(), [&](size_t i) { return tasks[i].source.size(); });
  std::vector<std::vector<Hypothesis>> results(tasks.size());
  for (size_t first = 0; first < order.size();) {
    const auto budget = static_cast<size_t>(config_.search.config.batch_tokens);
    const size_t longest = tasks[order[first]].source.size() + 1;
    const size_t count = std::min({std::max<size_t>(1, budget / longest), kMostSentences, order.size() - first});
    std::vector<SearchTask> batch;
    for (size_t i = first; i < first + count; ++i) batch.push_back(tasks[order[i]]);
    auto found = search(models_, static_cast<int64_t>(target_.size()), batch, config_.search);
    for (size_t i = 0; i < count; ++i) {
      target_tokens_ += found[i].empty() ? 0 : found[i][0].tokens.size() + 1;
      results[order[first + i]] = std::move(found[i]);
    }
    first += count;
  }
  return results;
}

Translation Translator::to_text(const Hypothesis& hypothesis, size_t source_size) const {
  Translation translation;
  translation.text = target_.decode(hypothesis.tokens);
  translation.score = hypothesis.score;
  for (size_t i = 0; i < hypothesis.alignment.size(); ++i) {
    if (hypothesis.alignment[i] == static_cast<int32_t>(source_size)) continue;  // </s>: no piece of the source
    translation.alignment.emplace_back(hypothesis.alignment[i], static_cast<int32_t>(i));
  }
  for (const TokenId token : hypothesis.tokens) translation.pieces.push_back(target_.piece(token));
  return translation;
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<Line>& lines) const {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < lines.size(); ++i) add_pieces(lines[i], i, pieces);
  std::vector<SearchTask> tasks;
  for (const Piece& piece : pieces) tasks.push_back(piece.task);
  const std::vector<std::vector<Hypothesis>> found = search_all(tasks);

  std::vector<std::vector<Translation>> results(lines.size());
  for (size_t i = 0; i < pieces.size();) {
    const size_t line = pieces[i].line;
    if (i + 1 == pieces.size() || pieces[i + 1].line != line) {  // the usual case: one piece
      for (const Hypothesis& hypothesis : found[i])
        results[line].push_back(to_text(hypothesis, tasks[i].source.size()));
      ++i;
      continue;
    }
    Translation whole;
    int32_t source_pieces = 0;
    for (; i < pieces.size() && pieces[i].line == line; ++i) {
      append(whole, to_text(found[i].at(0), tasks[i].source.size()), source_pieces);
      source_pieces += static_cast<int32_t>(tasks[i].source.size());
    }
    results[line].push_back(std::move(whole));
  }
  for (auto& translations : results) {
    if (translations.empty()) translations.emplace_back();
  }
  return results;
}

std::vector<Sentence> Translator::translate_tokens(const std::vector<Sentence>& sources) const {
  std::vector<SearchTask> tasks;
  for (const Sentence& source : sources) tasks.push_back({source, {}, tasks.size()});
  std::vector<Sentence> results;
  for (std::vector<Hypothesis>& found : search_all(tasks)) {
    results.push_back(found.empty() ? Sentence() : std::move(found[0].tokens));
  }
  return results;
}

}  // namespace verbund
