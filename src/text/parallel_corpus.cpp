// SPDX-License-Identifier: Apache-2.0
#include "text/parallel_corpus.h"

#include <filesystem>

#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kBlockBytes = 1 << 19;  // of one side
constexpr size_t kBlockPairs = 4096;

uint64_t size_on_disk(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

void check(const ParallelFiles& files) {
  const bool two = !files.source.empty() || !files.target.empty();
  if (!files.both().empty() && (two || (!files.tsv.empty() && !files.pairs.empty()))) {
    fail_usage("corpus {}: give either one file of both sides (pairs or tsv), or source and target", files.both());
  }
  if (files.both().empty() && (files.source.empty() || files.target.empty())) {
    fail_usage("a parallel text needs two files, or one of both sides (pairs): source is \"{}\", target is \"{}\"",
               files.source, files.target);
  }
  if (!files.columns.empty() && (files.columns.size() != 2 || two)) {
    fail_usage("corpus {}: columns names the two sides of one file, as [en, de], but has {} name{}",
               files.source_file(), files.columns.size(), files.columns.size() == 1 ? "" : "s");
  }
}

}  // namespace

ParallelReader::ParallelReader(std::vector<ParallelFiles> corpora) : corpora_(std::move(corpora)) {
  for (const ParallelFiles& files : corpora_) {
    check(files);
    total_ += size_on_disk(files.source_file()) + (files.both().empty() ? size_on_disk(files.target) : 0);
  }
}

std::string ParallelReader::describe(size_t corpus) const {
  const ParallelFiles& files = corpora_[corpus];
  return files.both().empty() ? files.source + " + " + files.target : files.both();
}

std::optional<PairBlock> ParallelReader::next() {
  while (stream_ || next_corpus_ < corpora_.size()) {
    if (!stream_) stream_ = open_pairs(corpora_[next_corpus_++]);
    PairBlock block;
    block.corpus = next_corpus_ - 1;
    bool more = true;
    while (more && block.size() < kBlockPairs && block.largest_side() < kBlockBytes) more = stream_->read(block);
    position_ = before_ + stream_->position();
    if (!more) {
      before_ += stream_->position();
      skipped_ += stream_->skipped();
      stream_.reset();
    }
    if (block.size() > 0) return block;
  }
  return std::nullopt;
}

}  // namespace verbund
