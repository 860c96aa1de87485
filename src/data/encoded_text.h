// SPDX-License-Identifier: Apache-2.0
// Encoded text (prepare --encoded): its pieces, separated by spaces, are looked up in the vocabulary. The text is
// neither split again nor cleaned nor shuffled; only training pairs with an empty side are left out.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "core/hash.h"
#include "data/encode.h"
#include "text/parallel_corpus.h"

namespace verbund {

// Refuses settings that would change such text, or that do not name its vocabulary.
void check_encoded(const Config& config, bool export_text);

// PieceIds maps pieces to ids. Other pieces are unknown, and so are <pad>, </s>, <s>, which a dataset never contains.
class PieceIds {
 public:
  explicit PieceIds(const Subwords& subwords);

  TokenId find(std::string_view piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? kUnknown : found->second;
  }

 private:
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> ids_;
};

// PieceBlockEncoder turns blocks of pieces into ids; one per thread.
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

  // Appends the ids of the line, and counts the unknown ones.
  uint32_t look_up(std::string_view line, const PieceIds& ids, const Place& place, EncodedBlock& block,
                   UnknownPieces& unknown);

  const Vocabularies& vocabularies_;
  const PieceIds& source_ids_;
  const PieceIds& target_ids_;
  const EncodeRequest& request_;
};

void add(UnknownPieces& sum, const UnknownPieces& more);

// Warns about unknown pieces, or refuses the text if there are too many of them.
void report_unknown(const std::string& split, const char* side, const UnknownPieces& unknown);

}  // namespace verbund
