// SPDX-License-Identifier: Apache-2.0
// TextExport writes the encoded text and the vocabulary under the names of OpenSeq2Seq:
// export/train.clean.en.shuffled.BPE_common.32K.tok, export/wmt13-en-de.src.BPE_common.32K.tok,
// export/m_common.vocab, ...
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/corpus_config.h"
#include "data/corpus_source.h"
#include "data/encode.h"

namespace verbund {

class TextExport {
 public:
  TextExport(fs::path folder, const CorpusSource& corpus, const SubwordConfig& config, const Vocabularies& vocabularies,
             bool joint);

  // Opens the two files of a split, which are written while it is encoded.
  void open(const std::string& split, std::optional<PieceFiles>& files) const;
  void close(PieceFiles& files) const;

 private:
  fs::path folder_;
  const CorpusSource& corpus_;
  std::string suffix_;  // "BPE_common.32K.tok"
};

}  // namespace verbund
