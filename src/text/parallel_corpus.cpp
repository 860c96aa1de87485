// SPDX-License-Identifier: Apache-2.0
#include "text/parallel_corpus.h"

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

}  // namespace

void PairBlock::add(std::string_view source, std::string_view target) {
  source_.append(source);
  target_.append(target);
  source_ends_.push_back(source_.size());
  target_ends_.push_back(target_.size());
}

ParallelReader::ParallelReader(std::vector<ParallelFiles> corpora) : corpora_(std::move(corpora)) {
  for (const ParallelFiles& files : corpora_) {
    if (!files.tsv.empty()) {
      if (!files.source.empty() || !files.target.empty()) {
        fail_usage("corpus {}: give either tsv, or source and target", files.tsv);
      }
      total_ += size_on_disk(files.tsv);
      continue;
    }
    if (files.source.empty() || files.target.empty()) {
      fail_usage("a parallel text needs two files, or a TSV file: source is \"{}\", target is \"{}\"", files.source,
                 files.target);
    }
    total_ += size_on_disk(files.source) + size_on_disk(files.target);
  }
}

std::string ParallelReader::describe(size_t corpus) const {
  const ParallelFiles& files = corpora_[corpus];
  return files.tsv.empty() ? files.source + " + " + files.target : files.tsv;
}

bool ParallelReader::open_next() {
  if (next_corpus_ == corpora_.size()) return false;
  const ParallelFiles& files = corpora_[next_corpus_++];
  if (files.tsv.empty()) {
    source_ = std::make_unique<LineReader>(files.source);
    target_ = std::make_unique<LineReader>(files.target);
  } else {
    source_ = std::make_unique<LineReader>(files.tsv);
    target_.reset();
  }
  return true;
}

std::optional<PairBlock> ParallelReader::next() {
  while (source_ || open_next()) {
    PairBlock block;
    block.corpus = next_corpus_ - 1;
    block.first_line = source_->lines();
    while (block.size() < kBlockPairs && block.source_.size() < kBlockBytes && block.target_.size() < kBlockBytes) {
      if (read_pair(block)) continue;
      before_ += source_->position() + (target_ ? target_->position() : 0);
      source_.reset();
      target_.reset();
      break;
    }
    position_ = before_ + (source_ ? source_->position() : 0) + (target_ ? target_->position() : 0);
    if (block.size() > 0) return block;
  }
  return std::nullopt;
}

bool ParallelReader::read_pair(PairBlock& block) {
  if (target_) {
    const bool more_source = source_->append_line(block.source_);
    const bool more_target = target_->append_line(block.target_);
    if (more_source != more_target) fail_unequal(!more_source);
    if (!more_source) return false;
    block.source_ends_.push_back(block.source_.size());
    block.target_ends_.push_back(block.target_.size());
  } else {
    if (!source_->next_line(line_)) return false;
    const size_t tab = line_.find('\t');
    if (tab == std::string::npos) {
      fail("{} line {} has one column, but source TAB target is needed: \"{:.60}\"", source_->path().string(),
           source_->lines(), line_);
    }
    const std::string_view line(line_);
    // Further columns (scores, origins) are common, and ignored.
    block.add(line.substr(0, tab), line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1));
  }
  block.source_bytes += block.source(block.size() - 1).size() + 1;
  block.target_bytes += block.target(block.size() - 1).size() + 1;
  return true;
}

void ParallelReader::fail_unequal(bool source_ended) {
  LineReader& longer = source_ended ? *target_ : *source_;
  std::string line;
  while (longer.next_line(line)) {
  }
  fail("{} has {} lines but {} has {}: the sides must be parallel, one sentence per line.", source_->path().string(),
       source_->lines(), target_->path().string(), target_->lines());
}

}  // namespace verbund
