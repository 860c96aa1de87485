// SPDX-License-Identifier: Apache-2.0
#include "text/suspect_sides.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "config/number.h"
#include "core/human.h"
#include "text/head_of_file.h"
#include "text/language.h"
#include "text/parallel_corpus.h"

namespace verbund {
namespace {

constexpr uint64_t kFewestPairs = 20;  // least pairs for a judgement about identical ones
constexpr double kManyIdentical = 0.3;
constexpr double kManyNumbers = 0.9;

struct Sample {
  uint64_t pairs = 0, identical = 0;
  std::array<uint64_t, 2> numbers = {};  // of a side: pairs whose text is a number
  std::string first_pair;
  LanguageGuess source, target;
  bool has_header = false;

  bool has_identical(double share) const {
    return pairs >= kFewestPairs && static_cast<double>(identical) >= share * static_cast<double>(pairs);
  }
};

bool is_number(std::string_view text) {
  double number = 0;
  return parse_real(text, number);
}

Sample take_sample(const ParallelFiles& files, PairFormat format) {
  Sample sample;
  ParallelReader reader({files});
  if (const std::optional<PairBlock> block = reader.next()) {
    sample.pairs = block->size();
    sample.has_header = format == PairFormat::kTsv && is_header(block->source(0), block->target(0));
    sample.first_pair = fmt::format("\"{:.30}\" and \"{:.30}\"", block->source(0), block->target(0));
    for (size_t i = 0; i < block->size(); ++i) {
      sample.numbers[0] += is_number(block->source(i)) ? 1 : 0;
      sample.numbers[1] += is_number(block->target(i)) ? 1 : 0;
      sample.identical += block->source(i) == block->target(i) ? 1 : 0;
      sample.source.add(block->source(i));
      sample.target.add(block->target(i));
    }
  }
  return sample;
}

bool is_same_file(const ParallelFiles& files) {
  std::error_code error;
  return files.both().empty() && std::filesystem::equivalent(files.source, files.target, error);
}

// "a.en", "a.tsv column 1", "a.tmx en"
std::string side_of(const ParallelFiles& files, PairFormat format, size_t side) {
  if (files.both().empty()) return side == 0 ? files.source : files.target;
  if (format == PairFormat::kTsv) return fmt::format("{} column {}", files.both(), side + 1);
  return files.both() + " " + files.sides()[side];
}

// A kind of mistake: the sentence about the first text, the number of texts, and advice.
struct Suspicion {
  std::string first;
  std::string advice;
  size_t texts = 0;

  void add(const std::string& text, const std::string& what_to_do) {
    if (texts++ > 0) return;
    first = text;
    advice = what_to_do;
  }
  std::string sentence() const {
    const std::string others =
        texts == 1 ? "" : fmt::format(" (also {} other text{})", texts - 1, texts == 2 ? "" : "s");
    return first + others + ". " + advice;
  }
};

class Judge {
 public:
  Judge(const std::string& source_language, const std::string& target_language)
      : source_language_(source_language), target_language_(target_language) {}

  void look_at(const ParallelFiles& files) {
    const PairFormat format = recognise_format(files);
    if (format != PairFormat::kTmx && is_markup(files)) return;
    const Sample sample = take_sample(files, format);
    if (sample.has_header) {
      header_.add(
          fmt::format("the first line of {} looks like the names of its columns, not like a pair", files.both()),
          fmt::format("Name the two columns in the configuration, as columns: [en, de], or leave the line out, as "
                      "in: tail -n +2 {} > other.tsv",
                      files.both()));
    }
    for (size_t side = 0; side < 2; ++side) {
      const auto numbers = static_cast<double>(sample.numbers[side]);
      if (sample.pairs == 0 || numbers < kManyNumbers * static_cast<double>(sample.pairs)) continue;
      numbers_.add(fmt::format("{} has nothing but a number in {} of the first {} pairs; the first is {}",
                               side_of(files, format, side), human_count(sample.numbers[side]),
                               human_count(sample.pairs), sample.first_pair),
                   files.both().empty()
                       ? "Is it a file of scores?"
                       : "If the text is in other columns, name them with columns: [SOURCE, TARGET], or cut "
                         "them out, as in: cut -f 2,3 FILE > other.tsv");
    }
    if (is_same_file(files)) {
      same_.add(fmt::format("{} and {} are the same file, {} pairs of the same text", files.source, files.target,
                            human_count(sample.pairs)),
                "Give the other side's file: a model of this would learn to copy.");
    } else if (sample.has_identical(1)) {
      same_.add(fmt::format("all of the first {} pairs of {} have the same text on both sides",
                            human_count(sample.pairs), ParallelReader({files}).describe(0)),
                "Check the files: a model of this would learn to copy.");
    } else {
      if (sample.has_identical(kManyIdentical)) {
        identical_.add(
            fmt::format("{} of the first {} pairs of {} have the same text on both sides",
                        human_count(sample.identical), human_count(sample.pairs), ParallelReader({files}).describe(0)),
            "Check the files, or leave such pairs out: --set clean.drop_identical=true");
      }
      judge_languages(files, format, sample);
    }
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> result;
    for (const Suspicion* suspicion :
         {&markup_, &header_, &numbers_, &same_, &identical_, &swapped_, &source_, &target_}) {
      if (suspicion->texts > 0) result.push_back(suspicion->sentence());
    }
    return result;
  }

 private:
  bool is_markup(const ParallelFiles& files) {
    for (const std::string& path : {files.tsv, files.source, files.target}) {
      const std::string format = path.empty() ? "" : markup_of(head_of_file(path));
      if (format.empty()) continue;
      markup_.add(fmt::format("{} is {}, but a text has one sentence a line", path, format),
                  format == "TMX" ? "Give it as a file of both sides: --pairs FILE."
                                  : "Extract its segments first, as two files with the same number of lines, or as "
                                    "source TAB target.");
      return true;
    }
    return false;
  }

  void judge_languages(const ParallelFiles& files, PairFormat format, const Sample& sample) {
    const std::string source = side_of(files, format, 0), target = side_of(files, format, 1);
    const auto source_seems = sample.source.instead_of(source_language_);
    const auto target_seems = sample.target.instead_of(target_language_);
    if (source_seems && target_seems && language_name(*source_seems) == language_name(target_language_) &&
        language_name(*target_seems) == language_name(source_language_)) {
      swapped_.add(fmt::format("the sides look swapped: {} looks like {}, {} like {}", source,
                               language_name(*source_seems), target, language_name(*target_seems)),
                   fmt::format("Exchange them, or give --set corpus.source_language={} --set corpus.target_language={}",
                               target_language_, source_language_));
      return;
    }
    const auto add = [](Suspicion& suspicion, const std::string& text, const std::string& seems,
                        const std::string& said, const char* key) {
      suspicion.add(fmt::format("{} looks like {}, not {}", text, language_name(seems), language_name(said)),
                    fmt::format("If it is, give --set corpus.{}={}; else check the files.", key, seems));
    };
    if (source_seems) add(source_, source, *source_seems, source_language_, "source_language");
    if (target_seems) add(target_, target, *target_seems, target_language_, "target_language");
  }

  const std::string& source_language_;
  const std::string& target_language_;
  Suspicion markup_, header_, numbers_, same_, identical_, swapped_, source_, target_;
};

}  // namespace

std::vector<std::string> suspect_sides(const std::vector<ParallelFiles>& texts, const std::string& source_language,
                                       const std::string& target_language) {
  Judge judge(source_language, target_language);
  for (const ParallelFiles& files : texts) judge.look_at(files);
  return judge.sentences();
}

}  // namespace verbund
