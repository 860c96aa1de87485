// SPDX-License-Identifier: Apache-2.0
#include "decode/translator.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/order.h"
#include "core/utf8.h"

namespace verbund {
namespace {

// The kv cache holds all tokens of all beams, and each row has logits: this limits the number of short sentences.
constexpr size_t kMaxRows = 512;

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return text.ends_with(ending); });
}

// The quality of a cut before piece `i`: 3 the end of a sentence, 2 of a clause, 1 of a word, 0 none. SentencePiece
// marks the start of a word with U+2581, which some languages do not use.
int cut_quality(const Subwords& subwords, const Sentence& ids, size_t i) {
  std::string before = subwords.piece(ids[i - 1]);
  const bool word = subwords.piece(ids[i]).starts_with(kWordStart);
  if (ends_with_any(before, {"。", "！", "？"})) return 3;
  if (!word) return 0;
  for (const std::string_view quote : {"\"", "'", "”", "“", "»", "«", "’", ")"}) {
    if (before.ends_with(quote) && before.size() > quote.size()) before.resize(before.size() - quote.size());
  }
  if (ends_with_any(before, {".", "!", "?", "…"})) return 3;
  return ends_with_any(before, {",", ";", ":", "–"}) ? 2 : 1;
}

// The end of the next part of a long line, which starts at `first`: the end of its sentence, because a model has
// learned to translate sentences; a sentence of more than `limit` is cut after the last clause, or else word, that
// fits.
size_t segment_end(const Subwords& subwords, const Sentence& ids, size_t first, size_t limit) {
  size_t best = std::min(ids.size(), first + limit);
  int quality = 0;
  for (size_t i = first + 1; i < ids.size() && i <= first + limit; ++i) {
    const int here = cut_quality(subwords, ids, i);
    if (here == 3) return i;
    if (here == 0 || here < quality) continue;
    best = i;
    quality = here;
  }
  return ids.size() - first <= limit ? ids.size() : best;
}

// Whether a piece is a symbol of the vocabulary, as tags are.
bool is_tag(const Subwords& subwords, TokenId token) {
  if (token <= kUnknown || subwords.is_ordinary(token)) return false;
  const std::string piece = subwords.piece(token);
  return subwords.is_symbol(piece.starts_with(kWordStart) ? piece.substr(kWordStart.size()) : piece);
}

void append(Translation& whole, const Translation& segment, int32_t source_pieces) {
  const auto target_pieces = static_cast<int32_t>(whole.pieces.size());
  if (!whole.text.empty() && !segment.text.empty()) whole.text += ' ';
  whole.text += segment.text;
  whole.score += segment.score;
  whole.finished = whole.finished && segment.finished;
  for (const auto& [source, target] : segment.alignment) {
    whole.alignment.emplace_back(source_pieces + source, target_pieces + target);
  }
  whole.pieces.insert(whole.pieces.end(), segment.pieces.begin(), segment.pieces.end());
}

}  // namespace

DecodeConfig decode_config(const Config& config) {
  DecodeConfig decode = config.decode;
  if (decode.max_tokens == 0) decode.max_tokens = config.batch.max_length;
  if (decode.sample_top > 0 && decode.beam != 1) {
    fail_usage("sampling draws one translation: --set decode.beam=1 (it is {})", decode.beam);
  }
  return decode;
}

void check_tag(const std::string& tag, const Subwords& source) {
  if (tag.empty() || source.is_symbol(tag)) return;
  fail_usage(
      "the tag {} is not a symbol of this model's vocabulary: a model has the tags of the corpora it was trained on, "
      "and those of subwords.symbols.",
      tag);
}

Translator::Translator(std::vector<DecodableModel*> models, const Subwords& source, const Subwords& target,
                       const TranslatorConfig& config)
    : models_(std::move(models)), source_(source), target_(target), config_(config) {
  check_tag(config.tag, source);
  if (!config.tag.empty()) tag_ = source.encode(config.tag);
}

void Translator::check(const Line& line) const {
  if (!is_utf8(line.text) || !is_utf8(line.prefix)) {
    fail("line {} is not valid UTF-8: convert it first, e.g. with iconv", line.number);
  }
  if (!line.prefix.empty()) {
    const Sentence prefix = target_.encode(line.prefix);
    if (std::find(prefix.begin(), prefix.end(), kUnknown) != prefix.end()) {
      fail("line {}: the prefix \"{}\" has characters that the model's vocabulary lacks", line.number, line.prefix);
    }
  }
  if (config_.long_lines == LongLines::kSplit) return;
  const size_t tokens = source_.encode(line.text).size();
  if (tokens <= max_tokens()) return;
  fail(
      "line {} has {} tokens, but at most {} are translated at once. Raise --max-tokens, or split it into sentences: "
      "--long-lines split.",
      line.number, tokens, max_tokens());
}

size_t Translator::max_tokens() const {
  const auto limit = static_cast<size_t>(config_.search.config.max_tokens);
  return limit > tag_.size() ? limit - tag_.size() : limit > 0 ? 1 : std::numeric_limits<size_t>::max();
}

std::vector<SearchTask> Translator::cut(const Sentence& source, const Sentence& prefix, uint64_t number,
                                        size_t limit) const {
  std::vector<SearchTask> segments;
  for (size_t first = 0; first < source.size();) {
    const size_t end = source.size() <= limit ? source.size() : segment_end(source_, source, first, limit);
    const auto at = [&](size_t i) { return source.begin() + static_cast<std::ptrdiff_t>(i); };
    // Each segment has random numbers of its own.
    segments.push_back({Sentence(at(first), at(end)), first == 0 ? prefix : Sentence(), number << 24 | first});
    first = end;
  }
  return segments;
}

// The number of symbols that a text begins with itself, if they stand before each of its segments, as a given tag does.
size_t Translator::repeated_tags(const Sentence& source, bool is_split) const {
  if (!is_split || !tag_.empty()) return 0;
  const auto first = std::ranges::find_if(source, [&](TokenId token) { return !is_tag(source_, token); });
  const auto tags = static_cast<size_t>(first - source.begin());
  return tags < max_tokens() ? tags : 0;
}

std::vector<SearchTask> Translator::segments_of(const Sentence& source, const Sentence& prefix, uint64_t number) const {
  const size_t limit = max_tokens(), tag_size = repeated_tags(source, source.size() > limit);
  const auto text = source.begin() + static_cast<std::ptrdiff_t>(tag_size);
  const Sentence tag = tag_size > 0 ? Sentence(source.begin(), text) : tag_;
  std::vector<SearchTask> segments = cut(Sentence(text, source.end()), prefix, number, limit - tag_size);
  for (SearchTask& segment : segments) segment.source.insert(segment.source.begin(), tag.begin(), tag.end());
  return segments;
}

std::vector<SearchTask> Translator::segments_of(const Line& line) const {
  return segments_of(source_.encode(line.text), line.prefix.empty() ? Sentence() : target_.encode(line.prefix),
                     line.number);
}

BeamSearch Translator::begin() const {
  return {models_, static_cast<int64_t>(target_.size()), config_.search.config, config_.search.seed};
}

size_t Translator::max_sentences() const {
  return std::max<size_t>(1, kMaxRows / static_cast<size_t>(config_.search.config.beam));
}

// Sentences of similar length are batched; a batch holds as many as its tokens allow.
std::vector<std::vector<Hypothesis>> Translator::search_all(const std::vector<SearchTask>& tasks, size_t lines,
                                                            const TellDone& tell) const {
  const std::vector<size_t> order = largest_first(tasks.size(), [&](size_t i) { return tasks[i].source.size(); });
  std::vector<std::vector<Hypothesis>> results(tasks.size());
  for (size_t first = 0; first < order.size();) {
    const auto budget = static_cast<size_t>(config_.search.config.batch_tokens);
    const size_t longest = tasks[order[first]].source.size() + 1;
    const size_t count = std::min({std::max<size_t>(1, budget / longest), max_sentences(), order.size() - first});
    std::vector<SearchTask> batch;
    for (size_t i = first; i < first + count; ++i) batch.push_back(tasks[order[i]]);
    const auto tell_lines = [&](size_t done) { tell((first + done) * lines / tasks.size()); };
    auto found = search(models_, static_cast<int64_t>(target_.size()), batch, config_.search,
                        tell ? TellDone(tell_lines) : TellDone());
    for (size_t i = 0; i < count; ++i) {
      target_tokens_ += found[i].empty() ? 0 : found[i][0].tokens.size() + 1;
      results[order[first + i]] = std::move(found[i]);
    }
    first += count;
  }
  return results;
}

Translation Translator::to_text(const Hypothesis& hypothesis, size_t source_size, size_t tag_size) const {
  Translation translation;
  translation.text = target_.decode(hypothesis.tokens);
  translation.score = hypothesis.score;
  translation.finished = hypothesis.finished;
  const auto tag = static_cast<int32_t>(tag_size);
  for (size_t i = 0; i < hypothesis.alignment.size(); ++i) {
    const int32_t source = hypothesis.alignment[i];
    if (source == static_cast<int32_t>(source_size) || source < tag) continue;  // </s> or tag: not a piece of the line
    translation.alignment.emplace_back(source - tag, static_cast<int32_t>(i));
  }
  for (const TokenId token : hypothesis.tokens) translation.pieces.push_back(target_.piece(token));
  return translation;
}

std::vector<Translation> Translator::join(std::span<const SearchTask> segments,
                                          std::span<const std::vector<Hypothesis>> found) const {
  if (segments.size() <= 1) {  // the usual case
    std::vector<Translation> translations;
    for (const std::vector<Hypothesis>& all : found) {
      for (const Hypothesis& hypothesis : all) {
        translations.push_back(to_text(hypothesis, segments[0].source.size(), tag_.size()));
      }
    }
    if (translations.empty()) translations.emplace_back();
    return translations;
  }
  Translation whole;
  whole.split = true;
  const size_t repeated = repeated_tags(segments[0].source, true);
  int32_t source_pieces = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    const size_t size = segments[i].source.size(), tag_size = i == 0 ? tag_.size() : tag_.size() + repeated;
    append(whole, to_text(found[i].at(0), size, tag_size), source_pieces);
    source_pieces += static_cast<int32_t>(size - tag_size);
  }
  return {whole};
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<Line>& lines,
                                                            const TellDone& tell) const {
  for (const Line& line : lines) check(line);
  std::vector<SearchTask> tasks;
  std::vector<size_t> ends;  // of the lines' segments
  for (const Line& line : lines) {
    for (SearchTask& segment : segments_of(line)) tasks.push_back(std::move(segment));
    ends.push_back(tasks.size());
  }
  const std::vector<std::vector<Hypothesis>> found = search_all(tasks, lines.size(), tell);
  std::vector<std::vector<Translation>> results;
  size_t first = 0;
  for (const size_t end : ends) {
    results.push_back(join(std::span(tasks).subspan(first, end - first), std::span(found).subspan(first, end - first)));
    first = end;
  }
  return results;
}

SplitLine Translator::split(const std::string& line) const {
  const Sentence ids = source_.encode(line);
  if (ids.size() <= max_tokens()) return {{line}};
  const std::vector<std::string> text = source_.encode_pieces(line);
  if (text.size() != ids.size()) return {{line}};
  const auto tags = static_cast<std::ptrdiff_t>(repeated_tags(ids, true));
  const std::string tag = tags > 0 ? source_.decode_pieces({text.begin(), text.begin() + tags}) + " " : "";
  SplitLine sentences({}, static_cast<int>(tags));
  auto begin = text.begin() + tags;
  for (const SearchTask& segment : tags > 0 ? segments_of(ids, {}, 0) : cut(ids, {}, 0, max_tokens())) {
    const auto end = begin + static_cast<std::ptrdiff_t>(segment.source.size()) - tags;
    sentences.sentences.push_back(tag + source_.decode_pieces({begin, end}));
    if (source_.encode(sentences.sentences.back()) != segment.source) return {{line}};
    begin = end;
  }
  return sentences;
}

std::vector<Sentence> Translator::translate_tokens(const std::vector<Sentence>& sources, const TellDone& tell) const {
  std::vector<SearchTask> tasks;
  std::vector<size_t> lines;  // of the tasks
  for (size_t i = 0; i < sources.size(); ++i) {
    for (SearchTask& segment : segments_of(sources[i], {}, i)) tasks.push_back(std::move(segment));
    lines.resize(tasks.size(), i);
  }
  const std::vector<std::vector<Hypothesis>> found = search_all(tasks, sources.size(), tell);
  std::vector<Sentence> results(sources.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Sentence& tokens = found[i].at(0).tokens;
    results[lines[i]].insert(results[lines[i]].end(), tokens.begin(), tokens.end());
  }
  return results;
}

}  // namespace verbund
