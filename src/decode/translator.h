// SPDX-License-Identifier: Apache-2.0
// Translator translates lines of text of any length, in their order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "decode/beam_search.h"
#include "text/subwords.h"

namespace verbund {

// How to treat a line with more tokens than are translated at once.
enum class LongLines { kSplit, kRefuse };

struct TranslatorConfig {
  SearchRequest search;
  LongLines long_lines = LongLines::kSplit;
  std::string tag;  // symbol of the vocabulary that is put before every sentence, such as <2de>; "": none
};

// The settings for translating with a model that was trained with `config`: fills in what it leaves open. Refuses
// settings that conflict.
DecodeConfig decode_config(const Config& config);

// Refuses a tag that is not a symbol of the source vocabulary.
void check_tag(const std::string& tag, const Subwords& source);

struct Line {
  std::string text;
  std::string prefix;   // the translation must begin with it
  uint64_t number = 0;  // in its file, for messages and for the random numbers of sampling
};

struct Translation {
  std::string text;
  double score = 0;
  // Source piece, target piece. A target piece that attends most to the end of the source has no pair.
  std::vector<std::pair<int32_t, int32_t>> alignment;
  std::vector<std::string> pieces;  // of the translation
  bool finished = true;             // false: cut at the maximum length (decode.max_ratio, max_extra)
  bool split = false;               // a line too long for the model, translated sentence by sentence
};

// A line that is too long, in sentences.
struct SplitLine {
  SplitLine(std::vector<std::string> parts, int repeated = 0) : sentences(std::move(parts)), repeated_words(repeated) {}

  std::vector<std::string> sentences;
  int repeated_words;  // of the line's tags, at the start of each sentence but the first as well
};

class Translator {
 public:
  // All models share the vocabularies. Everything must outlive this. Refuses a tag that is not a symbol.
  Translator(std::vector<DecodableModel*> models, const Subwords& source, const Subwords& target,
             const TranslatorConfig& config);

  // Refuses a line that cannot be translated.
  void check(const Line& line) const;
  // The best translations of each line. An empty line has one, which is empty. `tell` counts lines.
  std::vector<std::vector<Translation>> translate(const std::vector<Line>& lines, const TellDone& tell = {}) const;
  // The sentences that a line is translated in: one, unless it is too long. Translated one by one and joined by blanks,
  // they give the translation of the line; a line that cannot be cut without changing its tokens stays whole.
  SplitLine split(const std::string& line) const;
  // As translate() for token ids without </s>: one translation of each, without scores.
  std::vector<Sentence> translate_tokens(const std::vector<Sentence>& sources, const TellDone& tell = {}) const;

  std::vector<std::string> source_pieces(const std::string& text) const { return source_.encode_pieces(text); }

  // The parts of translate(), for OngoingTranslation: the sentences that a line is searched as, none for an empty line;
  // and the translations of a line from those of its sentences.
  std::vector<SearchTask> segments_of(const Line& line) const;
  std::vector<Translation> join(std::span<const SearchTask> segments,
                                std::span<const std::vector<Hypothesis>> found) const;
  BeamSearch begin() const;
  size_t max_sentences() const;  // that are searched at a time
  const TranslatorConfig& config() const { return config_; }

  uint64_t target_tokens() const { return target_tokens_; }  // so far, with </s>

 private:
  size_t max_tokens() const;  // that are translated at once
  std::vector<SearchTask> cut(const Sentence& source, const Sentence& prefix, uint64_t number, size_t limit) const;
  std::vector<SearchTask> segments_of(const Sentence& source, const Sentence& prefix, uint64_t number) const;
  size_t repeated_tags(const Sentence& source, bool is_split) const;
  // `tell` counts lines, of which there are so many.
  std::vector<std::vector<Hypothesis>> search_all(const std::vector<SearchTask>& tasks, size_t lines,
                                                  const TellDone& tell) const;
  // The first `tag_size` pieces of the source are a tag that is not part of the line.
  Translation to_text(const Hypothesis& hypothesis, size_t source_size, size_t tag_size) const;

  std::vector<DecodableModel*> models_;
  const Subwords& source_;
  const Subwords& target_;
  TranslatorConfig config_;
  Sentence tag_;  // pieces of the tag
  mutable uint64_t target_tokens_ = 0;
};

}  // namespace verbund
