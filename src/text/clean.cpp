// SPDX-License-Identifier: Apache-2.0
#include "text/clean.h"

#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/human.h"
#include "core/log.h"
#include "core/pipeline.h"
#include "core/progress.h"
#include "core/utf8.h"
#include "text/parallel_corpus.h"

namespace verbund {
namespace {

constexpr size_t kNamedLines = 10;  // bad lines that are named; the others are counted

// The result of cleaning one block.
struct CleanBlock {
  std::string text;              // "source TAB target \n" of the pairs that passed
  std::vector<size_t> ends;      // end of each pair's line in text
  std::vector<uint64_t> hashes;  // of each line, if duplicates are to be dropped
  size_t corpus = 0;             // index of the corpus it belongs to
  CleanReport counts;
};

class BlockCleaner {
 public:
  BlockCleaner(const CleanConfig& config, const std::vector<ParallelFiles>& corpora)
      : config_(config), corpora_(corpora) {}

  CleanBlock operator()(const PairBlock& block) {
    CleanBlock result;
    result.corpus = block.corpus;
    result.counts.pairs_before = block.size();
    result.counts.source_bytes_before = block.source_bytes;
    result.counts.target_bytes_before = block.target_bytes;
    for (size_t i = 0; i < block.size(); ++i) {
      Rule broken{};
      if (clean_pair(block, i, result, broken)) {
        append(corpora_[block.corpus].tag, result);
      } else {
        ++result.counts.dropped[static_cast<size_t>(broken)];
      }
    }
    return result;
  }

 private:
  bool clean_pair(const PairBlock& block, size_t i, CleanBlock& result, Rule& broken) {
    if (!is_valid(block, i, result)) {
      broken = Rule::kInvalidUtf8;
      return false;
    }
    normalize_line(block.source(i), config_.unicode, source_);
    normalize_line(block.target(i), config_.unicode, target_);
    return passes(config_, source_, target_, broken);
  }

  bool is_valid(const PairBlock& block, size_t i, CleanBlock& result) const {
    const ParallelFiles& files = corpora_[block.corpus];
    const auto check = [&](std::string_view text, const std::string& file) {
      if (is_utf8(text)) return true;
      if (result.counts.invalid_lines.size() < kNamedLines) {
        result.counts.invalid_lines.push_back(fmt::format("{}:{}", file, block.line(i)));
      }
      return false;
    };
    const bool source = check(block.source(i), files.source_file());
    if (!source && !files.both().empty()) return false;  // the same line
    return check(block.target(i), files.target_file()) && source;
  }

  void append(const std::string& tag, CleanBlock& result) const {
    const size_t begin = result.text.size();
    if (!tag.empty()) result.text.append(tag).append(1, ' ');
    result.text.append(source_).append(1, '\t').append(target_).append(1, '\n');
    result.ends.push_back(result.text.size());
    if (config_.drop_duplicates) result.hashes.push_back(hash64(std::string_view(result.text).substr(begin)));
    ++result.counts.pairs_after;
    result.counts.source_bytes_after += source_.size() + 1;
    result.counts.target_bytes_after += target_.size() + 1;
  }

  CleanConfig config_;
  const std::vector<ParallelFiles>& corpora_;
  std::string source_, target_;
};

// Drops lines whose hash was seen in this or an earlier block. (Among 5 million pairs, two different ones have the same
// 64-bit hash with a probability of one in a million.)
void drop_duplicates(CleanBlock& block, const std::string& tag, std::unordered_set<uint64_t>& seen) {
  std::string kept;
  size_t begin = 0;
  for (size_t i = 0; i < block.ends.size(); ++i) {
    const std::string_view line = std::string_view(block.text).substr(begin, block.ends[i] - begin);
    begin = block.ends[i];
    if (seen.insert(block.hashes[i]).second) {
      kept.append(line);
      continue;
    }
    const size_t source = line.find('\t') + 1;
    --block.counts.pairs_after;
    block.counts.source_bytes_after -= source - (tag.empty() ? 0 : tag.size() + 1);
    block.counts.target_bytes_after -= line.size() - source;
    ++block.counts.dropped[static_cast<size_t>(Rule::kDuplicate)];
  }
  block.text = std::move(kept);
}

void report_invalid(const CleanReport& report, InvalidText policy) {
  const uint64_t invalid = report.dropped[static_cast<size_t>(Rule::kInvalidUtf8)];
  if (invalid == 0) return;
  const std::string lines =
      fmt::format("{} of {} pairs {} not UTF-8: {}{}", invalid, report.pairs_before, invalid == 1 ? "is" : "are",
                  fmt::join(report.invalid_lines, ", "), invalid > report.invalid_lines.size() ? ", ..." : "");
  if (policy == InvalidText::kFail) {
    fail("{}\nConvert the files (iconv), or leave these pairs out with --set clean.invalid_utf8=drop", lines);
  }
  warn("{} (dropped)", lines);
}

}  // namespace

void CleanReport::add(const CleanReport& part) {
  pairs_before += part.pairs_before;
  pairs_after += part.pairs_after;
  source_bytes_before += part.source_bytes_before;
  source_bytes_after += part.source_bytes_after;
  target_bytes_before += part.target_bytes_before;
  target_bytes_after += part.target_bytes_after;
  for (size_t i = 0; i < kRules.size(); ++i) dropped[i] += part.dropped[i];
  for (const std::string& line : part.invalid_lines) {
    if (invalid_lines.size() < kNamedLines) invalid_lines.push_back(line);
  }
}

const char* rule_name(Rule rule) {
  switch (rule) {
    case Rule::kInvalidUtf8:
      return "invalid_utf8";
    case Rule::kEmpty:
      return "empty";
    case Rule::kTooShort:
      return "too_short";
    case Rule::kTooLong:
      return "too_long";
    case Rule::kRatio:
      return "ratio";
    case Rule::kIdentical:
      return "identical";
    case Rule::kDuplicate:
      return "duplicate";
  }
  return "";
}

bool passes(const CleanConfig& config, std::string_view source, std::string_view target, Rule& broken) {
  const auto source_words = static_cast<int64_t>(count_words(source));
  const auto target_words = static_cast<int64_t>(count_words(target));
  const auto [fewer, more] = std::minmax(source_words, target_words);
  if (fewer == 0) {
    broken = Rule::kEmpty;
  } else if (fewer < config.min_words) {
    broken = Rule::kTooShort;
  } else if (more > config.max_words) {
    broken = Rule::kTooLong;
  } else if (static_cast<double>(more) > config.max_ratio * static_cast<double>(fewer)) {
    broken = Rule::kRatio;
  } else if (config.drop_identical && source == target) {
    broken = Rule::kIdentical;
  } else {
    return true;
  }
  return false;
}

CleanReport clean_corpora(const std::vector<ParallelFiles>& corpora, const CleanConfig& config, int threads,
                          const fs::path& output) {
  CleanReport report;
  report.lines.resize(corpora.size());
  std::unordered_set<uint64_t> seen;
  AtomicFile file(output);
  ParallelReader reader(corpora);
  Progress progress("clean", reader.total(), "bytes");
  ordered_pipeline(
      threads, [&] { return reader.next(); }, [&] { return BlockCleaner(config, corpora); },
      [&](CleanBlock&& block) {
        if (config.drop_duplicates) drop_duplicates(block, corpora[block.corpus].tag, seen);
        file.write(block.text);
        report.add(block.counts);
        report.lines[block.corpus] += block.counts.pairs_before;
        progress.update(reader.position());
      });
  report_invalid(report, config.invalid_utf8);
  if (reader.skipped() > 0) log("{} units lack one of the two languages: left out", human_count(reader.skipped()));
  if (report.pairs_before == 0) fail("the corpus is empty: {} has no lines", reader.describe(0));
  if (report.pairs_after == 0) {
    std::string reasons;
    for (const Rule rule : kRules) {
      if (const uint64_t count = report.dropped[static_cast<size_t>(rule)]) {
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", rule_name(rule), count);
      }
    }
    fail(
        "none of {} pairs is left after cleaning (dropped: {}). Loosen the rules under clean:, "
        "or check that these are the right files.",
        report.pairs_before, reasons);
  }
  file.commit();
  return report;
}

}  // namespace verbund
