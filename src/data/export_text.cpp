// SPDX-License-Identifier: Apache-2.0
#include "data/export_text.h"

#include <fmt/format.h>

#include "core/file.h"
#include "text/vocabulary_file.h"

namespace verbund {

TextExport::TextExport(fs::path folder, const CorpusSource& corpus, const SubwordConfig& config,
                       const Vocabularies& vocabularies, bool joint)
    : folder_(std::move(folder)), corpus_(corpus) {
  make_folder(folder_);
  const size_t size = vocabularies.source.size();
  suffix_ = fmt::format("{}{}.{}.tok", config.type == SubwordType::kBpe ? "BPE" : "UNIGRAM", joint ? "_common" : "",
                        size % 1024 == 0 ? fmt::format("{}K", size / 1024) : std::to_string(size));
  if (joint) {
    write_file(folder_ / "m_common.vocab", vocabulary_file(vocabularies.source));
  } else {
    write_file(folder_ / fmt::format("m_{}.vocab", corpus.source_language), vocabulary_file(vocabularies.source));
    write_file(folder_ / fmt::format("m_{}.vocab", corpus.target_language), vocabulary_file(vocabularies.target));
  }
}

void TextExport::open(const std::string& split, std::optional<PieceFiles>& files) const {
  std::string source, target;
  if (split == "train") {
    source = fmt::format("train.clean.{}.shuffled.{}", corpus_.source_language, suffix_);
    target = fmt::format("train.clean.{}.shuffled.{}", corpus_.target_language, suffix_);
  } else {
    const std::string& name = split == "dev" ? corpus_.dev_name : corpus_.test_name;
    source = fmt::format("{}.src.{}", name, suffix_);
    target = fmt::format("{}.ref.{}", name, suffix_);
  }
  files.emplace(folder_ / source, folder_ / target);
}

void TextExport::close(PieceFiles& files) const {
  files.source.commit();
  files.target.commit();
}

}  // namespace verbund
