// Some thousand pairs as token ids, on their way from the text to a split's files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/clean.h"
#include "text/subwords.h"

namespace verbund {

// Pieces that an encoded text has and its vocabulary has not.
struct UnknownPieces {
  struct First {
    std::string piece, place;  // "a.tok:17"
  };
  uint64_t pieces = 0;       // of the text
  uint64_t unknown = 0;      // of these
  std::vector<First> named;  // the first few that differ, where each stands first
};

struct EncodedBlock {
  std::vector<TokenId> ids;                  // source, target, source, ...
  std::vector<uint32_t> lengths;             // of each
  std::string source_text, target_text;      // lines for scoring
  std::string source_pieces, target_pieces;  // lines for --export-text

  // Of text that was encoded before:
  UnknownPieces source_unknown, target_unknown;
  CleanReport cleaned;
};

}  // namespace verbund
