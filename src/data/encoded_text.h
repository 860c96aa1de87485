// Text that is encoded already (prepare --encoded): its pieces, separated by blanks, are looked up in the vocabulary.
// Nothing is cut again, cleaned or put into another order; only training pairs with an empty side are left out.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "core/hash.h"
#include "data/encode.h"
#include "data/encoded_block.h"
#include "text/parallel_corpus.h"

namespace verbund {

// Refuses settings that would change such text, or that leave its vocabulary open.
void check_encoded(const Config& config, bool export_text);

// The id of each piece. Those of no vocabulary are unknown, and so are <pad>, </s>, <s>: a dataset has none.
class PieceIds {
 public:
  explicit PieceIds(const Subwords& subwords);

  TokenId find(std::string_view piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? kUnknown : found->second;
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view piece) const { return hash64(piece); }
  };
  std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> ids_;
};

// Turns blocks of pieces into ids; one for each thread.
class PieceBlockEncoder {
 public:
  PieceBlockEncoder(const Vocabularies& vocabularies, const PieceIds& source, const PieceIds& target,
                    const EncodeRequest& request)
      : vocabularies_(vocabularies), source_ids_(source), target_ids_(target), request_(request) {}

  EncodedBlock operator()(PairBlock&& block);

 private:
  struct Place {
    const std::string& file;
    uint64_t line;
  };

  // Appends the line's ids, and counts those that are unknown.
  uint32_t look_up(std::string_view line, const PieceIds& ids, const Place& place, EncodedBlock& block,
                   UnknownPieces& unknown);

  const Vocabularies& vocabularies_;
  const PieceIds& source_ids_;
  const PieceIds& target_ids_;
  const EncodeRequest& request_;
};

void add(UnknownPieces& sum, const UnknownPieces& more);

// Names them in a warning, or refuses the text if they are too many for it to be of this vocabulary.
void judge_unknown(const std::string& split, const char* side, const UnknownPieces& unknown);

}  // namespace verbund
