#include "data/encode.h"

#include <optional>

#include "core/error.h"
#include "core/pipeline.h"
#include "core/progress.h"
#include "core/utf8.h"
#include "text/parallel_corpus.h"
#include "text/word_encoder.h"

namespace verbund {
namespace {

struct EncodedBlock {
  PairBlock text;
  std::vector<TokenId> ids;       // source, target, source, ...
  std::vector<uint32_t> lengths;  // of each
  std::string source_pieces, target_pieces;
};

class BlockEncoder {
 public:
  BlockEncoder(const Vocabularies& vocabularies, const ParallelReader& reader, bool with_pieces)
      : vocabularies_(vocabularies),
        reader_(reader),
        source_(vocabularies.source),
        target_(vocabularies.target),
        with_pieces_(with_pieces) {}

  EncodedBlock operator()(PairBlock&& block) {
    EncodedBlock result;
    for (size_t i = 0; i < block.size(); ++i) {
      if (!is_utf8(block.source(i)) || !is_utf8(block.target(i))) {
        fail(
            "line {} of {} is not UTF-8. Convert the file (iconv); validation and test text is never "
            "dropped.",
            block.first_line + i + 1, reader_.describe(block.corpus));
      }
      result.lengths.push_back(static_cast<uint32_t>(source_.encode(block.source(i), result.ids)));
      result.lengths.push_back(static_cast<uint32_t>(target_.encode(block.target(i), result.ids)));
      if (!with_pieces_) continue;
      append_pieces(vocabularies_.source, block.source(i), result.source_pieces);
      append_pieces(vocabularies_.target, block.target(i), result.target_pieces);
    }
    result.text = std::move(block);
    return result;
  }

 private:
  static void append_pieces(const Subwords& subwords, std::string_view text, std::string& pieces) {
    fmt::format_to(std::back_inserter(pieces), "{}\n", fmt::join(subwords.encode_pieces(text), " "));
  }

  const Vocabularies& vocabularies_;
  const ParallelReader& reader_;
  WordEncoder source_, target_;
  bool with_pieces_;
};

}  // namespace

void encode_split(const EncodeRequest& request, const Vocabularies& vocabularies, const fs::path& folder,
                  PieceFiles* pieces, DatasetStatistics& statistics, FileRecords& records) {
  SplitWriter writer(folder, request.split, std::max(vocabularies.source.size(), vocabularies.target.size()));
  std::optional<ChecksummedFile> source_text, target_text;
  if (request.keep_text) {
    source_text.emplace(folder / (request.split + ".source.txt"));
    target_text.emplace(folder / (request.split + ".target.txt"));
  }
  SplitStatistics& split = statistics.splits[request.split];
  ParallelReader reader(request.corpora);
  Progress progress("encode", reader.total(), "bytes");
  ordered_pipeline(
      request.threads, [&] { return reader.next(); },
      [&] { return BlockEncoder(vocabularies, reader, pieces != nullptr); },
      [&](EncodedBlock&& block) {
        writer.add(block.ids, block.lengths);
        split.add(block.ids, block.lengths);
        if (request.split == "train") statistics.count_pieces(block.ids, block.lengths);
        if (pieces != nullptr) {
          pieces->source.write(block.source_pieces);
          pieces->target.write(block.target_pieces);
        }
        for (size_t i = 0; request.keep_text && i < block.text.size(); ++i) {
          source_text->write(std::string(block.text.source(i)) + "\n");
          target_text->write(std::string(block.text.target(i)) + "\n");
        }
        progress.update(reader.position());
      });
  if (split.pairs == 0) fail("{} has no lines to make the {} pairs from", reader.describe(0), request.split);
  writer.commit(records);
  if (request.keep_text) {
    commit(*source_text, records);
    commit(*target_text, records);
  }
}

}  // namespace verbund
