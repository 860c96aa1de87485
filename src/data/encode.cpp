// SPDX-License-Identifier: Apache-2.0
#include "data/encode.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "core/pipeline.h"
#include "core/progress.h"
#include "core/random.h"
#include "core/utf8.h"
#include "data/encoded_text.h"
#include "text/parallel_corpus.h"
#include "text/subwords.h"

namespace verbund {
namespace {

// Encodes one side of the text. Each line has its own random stream, so that the splits do not depend on the thread.
class SideEncoder {
 public:
  SideEncoder(const Subwords& subwords, const SubwordSampler* sampler, uint64_t seed)
      : subwords_(subwords), words_(subwords), sampler_(sampler), seed_(seed) {}

  // Appends the ids of `line` to `ids`; returns their number.
  uint32_t encode(std::string_view line, uint64_t stream, std::vector<TokenId>& ids) {
    if (sampler_ == nullptr) return static_cast<uint32_t>(words_.encode(line, ids));
    line_.clear();
    words_.encode(line, line_);
    Random random(seed_, stream);
    line_ = sampler_->sample(line_, random);
    ids.insert(ids.end(), line_.begin(), line_.end());
    return static_cast<uint32_t>(line_.size());
  }

  // Appends the pieces of the line that was encoded last.
  void append_pieces(std::string_view line, std::string& pieces) const {
    std::vector<std::string> parts;
    const bool plain = sampler_ == nullptr || std::find(line_.begin(), line_.end(), kUnknown) != line_.end();
    if (plain) {
      parts = subwords_.encode_pieces(line);
    } else {
      for (const TokenId id : line_) parts.push_back(subwords_.piece(id));
    }
    fmt::format_to(std::back_inserter(pieces), "{}\n", fmt::join(parts, " "));
  }

 private:
  const Subwords& subwords_;
  WordEncoder words_;
  const SubwordSampler* sampler_;
  uint64_t seed_;
  std::vector<TokenId> line_;
};

// Dev and test pairs with an empty side. They stay, because scores are those of all lines, but may be mistakes.
class EmptySides {
 public:
  void count(const PairBlock& block) {
    const auto is_empty = [](std::string_view side) { return side.find_first_not_of(" \t\r") == side.npos; };
    for (size_t i = 0; i < block.size(); ++i) {
      if (!is_empty(block.source(i)) && !is_empty(block.target(i))) continue;
      if (pairs_++ == 0) first_ = {block.line(i), block.corpus};
    }
  }
  void report(const EncodeRequest& request) const {
    if (pairs_ == 0) return;
    const auto& [line, corpus] = first_;
    warn("{} {} of the {} text {} an empty side, which counts in its scores: the first is line {} of {}", pairs_,
         pairs_ == 1 ? "pair" : "pairs", request.split, pairs_ == 1 ? "has" : "have", line,
         ParallelReader(request.corpora).describe(corpus));
  }

 private:
  uint64_t pairs_ = 0;
  std::pair<uint64_t, size_t> first_;  // line and corpus
};

class BlockEncoder {
 public:
  BlockEncoder(const Vocabularies& vocabularies, const EncodeRequest& request, bool with_pieces)
      : request_(request),
        source_(vocabularies.source, request.samplers != nullptr ? &request.samplers->source : nullptr, seed()),
        target_(vocabularies.target, request.samplers != nullptr ? &request.samplers->target : nullptr, seed()),
        with_pieces_(with_pieces) {}

  EncodedBlock operator()(PairBlock&& block) {
    EncodedBlock result;
    const std::string& tag = request_.corpora[block.corpus].tag;
    std::string tagged;
    for (size_t i = 0; i < block.size(); ++i) {
      if (!is_utf8(block.source(i)) || !is_utf8(block.target(i))) {
        fail("line {} of {} is not UTF-8. Convert the file (iconv); lines of dev and test text are never dropped.",
             block.line(i), ParallelReader(request_.corpora).describe(block.corpus));
      }
      const uint64_t stream = uint64_t{block.corpus} << 40 | (block.line(i) - 1) << 1;
      std::string_view source = block.source(i);
      if (!tag.empty()) source = tagged.assign(tag).append(1, ' ').append(source);
      result.lengths.push_back(source_.encode(source, stream, result.ids));
      result.lengths.push_back(target_.encode(block.target(i), stream + 1, result.ids));
      if (!request_.train) {
        result.source_text.append(source).append(1, '\n');
        result.target_text.append(block.target(i)).append(1, '\n');
      }
      if (!with_pieces_) continue;
      source_.append_pieces(source, result.source_pieces);
      target_.append_pieces(block.target(i), result.target_pieces);
    }
    return result;
  }

 private:
  uint64_t seed() const { return request_.samplers != nullptr ? request_.samplers->seed : 0; }

  const EncodeRequest& request_;
  SideEncoder source_, target_;
  bool with_pieces_;
};

}  // namespace

void encode_split(const EncodeRequest& request, const Vocabularies& vocabularies, const fs::path& folder,
                  PieceFiles* pieces, DatasetStatistics& statistics, FileRecords& records) {
  SplitWriter writer(folder, request.split, std::max(vocabularies.source.size(), vocabularies.target.size()));
  std::optional<ChecksummedFile> source_text, target_text;
  if (!request.train) {
    source_text.emplace(folder / (request.split + ".source.txt"));
    target_text.emplace(folder / (request.split + ".target.txt"));
  }
  SplitStatistics& split = statistics.splits[request.split];
  ParallelReader reader(request.corpora);
  Progress progress("encode", reader.total(), "bytes");
  UnknownPieces source_unknown, target_unknown;
  EmptySides empty_sides;
  const auto read = [&] {
    std::optional<PairBlock> block = reader.next();
    if (block && !request.train) empty_sides.count(*block);
    return block;
  };
  const auto write = [&](EncodedBlock&& block) {
    writer.add(block.ids, block.lengths);
    split.add(block.ids, block.lengths);
    if (request.train) statistics.count_pieces(block.ids, block.lengths);
    if (request.train) statistics.clean.add(block.cleaned);
    if (pieces != nullptr) {
      pieces->source.write(block.source_pieces);
      pieces->target.write(block.target_pieces);
    }
    if (!request.train) {
      source_text->write(block.source_text);
      target_text->write(block.target_text);
    }
    add(source_unknown, block.source_unknown);
    add(target_unknown, block.target_unknown);
    progress.update(reader.position());
  };
  if (request.encoded) {
    const PieceIds source_ids(vocabularies.source), target_ids(vocabularies.target);
    ordered_pipeline(
        request.threads, read, [&] { return PieceBlockEncoder(vocabularies, source_ids, target_ids, request); }, write);
    report_unknown(request.split, "source", source_unknown);
    report_unknown(request.split, "target", target_unknown);
  } else {
    const bool with_pieces = pieces != nullptr;
    ordered_pipeline(
        request.threads, read, [&] { return BlockEncoder(vocabularies, request, with_pieces); }, write);
  }
  empty_sides.report(request);
  if (!request.train && reader.skipped() > 0) {
    warn("{} units of the {} text lack one of the two languages: left out", human_count(reader.skipped()),
         request.split);
  }
  if (split.pairs == 0) fail("{} has no lines for the {} pairs", reader.describe(0), request.split);
  writer.commit(records);
  if (!request.train) {
    commit(*source_text, records);
    commit(*target_text, records);
  }
}

}  // namespace verbund
