// SPDX-License-Identifier: Apache-2.0
#include "data/prepare.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "config/show.h"
#include "core/error.h"
#include "core/file.h"
#include "core/folder_lock.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/pipeline.h"
#include "core/progress.h"
#include "data/corpus_source.h"
#include "data/dataset.h"
#include "data/encoded_text.h"
#include "data/provenance.h"
#include "data/stages.h"
#include "data/statistics.h"
#include "data/write_dataset.h"
#include "text/clean.h"
#include "text/shuffle.h"
#include "text/subword_trainer.h"
#include "text/suspect_sides.h"
#include "text/vocabulary_file.h"

namespace verbund {
namespace {

constexpr uint64_t kFewPairs = 1000;  // from which no model learns to translate

// The key of a stage: a checksum of everything that its result depends on.
template <typename... Parts>
std::string key_of(const Parts&... parts) {
  std::string text;
  ((text += fmt::format("{}\n", parts)), ...);
  return checksum_of(text);
}

std::string content_key(const std::vector<ParallelFiles>& corpora) {
  uint64_t bytes = 0;
  for (const ParallelFiles& files : corpora) {
    for (const std::string* path : {&files.tsv, &files.pairs, &files.source, &files.target}) {
      std::error_code unknown;
      if (const uint64_t size = fs::file_size(*path, unknown); !unknown) bytes += size;
    }
  }
  Progress progress("checksum", bytes, "bytes");
  std::string text;
  for (const ParallelFiles& files : corpora) {
    if (!files.tsv.empty()) text += "tsv " + file_checksum(files.tsv, &progress) + "\n";
    if (!files.pairs.empty()) {
      text += fmt::format("pairs {} {}\n", fmt::join(files.sides(), " "), file_checksum(files.pairs, &progress));
    }
    if (!files.columns.empty()) text += fmt::format("columns {}\n", fmt::join(files.columns, " "));
    if (!files.tag.empty()) text += "tag " + files.tag + "\n";
    if (!files.source.empty()) text += "source " + file_checksum(files.source, &progress) + "\n";
    if (!files.target.empty()) text += "target " + file_checksum(files.target, &progress) + "\n";
  }
  return checksum_of(text);
}

void check(const SubwordConfig& subwords) {
  if (subwords.copies > 1 && subwords.dropout == 0) {
    fail("subwords.copies={} without subwords.dropout would write identical copies of the text. Set both, or none.",
         subwords.copies);
  }
  if (subwords.dropout > 0 && subwords.type != SubwordType::kBpe && subwords.model.empty()) {
    fail("subwords.dropout needs a BPE model, but subwords.type is unigram. Set subwords.type=bpe.");
  }
}

class Preparation {
 public:
  explicit Preparation(const PrepareRequest& request)
      : request_(request),
        config_(request.config),
        out_(request.out),
        work_(request.out / "work"),
        making_(work_ / "dataset"),
        threads_(thread_count(config_.threads)),
        lock_(open_folder()),
        stages_(work_ / "stages.json") {
    if (!lock_.try_lock()) {
      fail("another `verbund prepare` is running in {}. Wait for it, or give another --out.", out_.string());
    }
    remove_partial_files(work_);  // of a run that was killed
  }

  std::string run() {
    check(config_.subwords);
    if (config_.corpus.encoded) check_encoded(config_, request_.export_text);
    if (!config_.corpus.sources.empty() && request_.export_text) {
      fail_usage("--export-text writes one training text, but corpus.sources names several: leave one of them out");
    }
    corpora_ = find_corpora(config_, request_.generator ? &*request_.generator : nullptr, work_, stages_);
    collect_symbols();
    if (!config_.subwords.model.empty()) use_given_models();
    if (config_.corpus.encoded) {
      text_keys_ = {key_of("encoded 1", content_key(corpora_.sources[0].train))};  // neither cleaned nor shuffled
      cleaned_.resize(1);
    } else {
      warn_of_suspect_sides();
      for (const CorpusSource& source : corpora_.sources) {
        const std::string clean_key = key_of("clean 1", show(source.clean), content_key(source.train));
        cleaned_.push_back(clean(source, clean_key));
        text_keys_.push_back(shuffle(source, clean_key));
      }
      warn_of_few_pairs();
    }
    learn();
    encode();
    if (!fs::exists(out_ / kProvenanceFile)) write_provenance();
    return read_file(out_ / kStatisticsFile);
  }

 private:
  // Once the text has been exported, it is exported again whenever the dataset is made again.
  bool exports_text() const {
    if (config_.corpus.encoded || corpora_.named) return false;
    return request_.export_text || fs::exists(out_ / "export") || fs::exists(making_ / "export");
  }

  const fs::path& open_folder() const {
    if (fs::exists(out_) && !fs::is_directory(out_)) fail("--out {} is a file, not a folder", out_.string());
    if (fs::exists(out_) && !fs::is_empty(out_) && !fs::exists(work_) && !fs::exists(out_ / kDatasetManifest)) {
      fail("--out {} is not empty and not a dataset. Give a new or empty folder.", out_.string());
    }
    make_folder(work_);
    return work_;
  }

  // Tags are symbols, too.
  void collect_symbols() {
    symbols_ = config_.subwords.symbols;
    for (const std::string& tag : corpora_.tags()) {
      if (std::find(symbols_.begin(), symbols_.end(), tag) == symbols_.end()) symbols_.push_back(tag);
    }
    check_symbols(symbols_);
  }

  void warn_of_suspect_sides() const {
    if (request_.generator) return;
    for (const CorpusSource& source : corpora_.sources) {
      for (const auto* texts : {&source.train, &source.dev, &source.test}) {
        for (const std::string& sentence : suspect_sides(*texts, source.source_language, source.target_language)) {
          warn("{}", sentence);
        }
      }
    }
  }

  // A vocabulary that is given belongs to a trained model, which may learn from few.
  void warn_of_few_pairs() const {
    uint64_t pairs = 0;
    for (const CleanReport& report : cleaned_) pairs += report.pairs_after;
    if (request_.generator || !config_.subwords.model.empty() || pairs >= kFewPairs) return;
    warn(
        "{} training pairs are very few: translation models are usually trained on 100,000 or more. The commands can "
        "be tried with them, but the model will hardly translate other sentences.",
        pairs);
  }

  // "clean", or "clean NAME" of a named source.
  std::string stage_of(const char* stage, const CorpusSource& source) const {
    return corpora_.named ? fmt::format("{} {}", stage, source.name) : stage;
  }
  fs::path clean_text(const CorpusSource& source) const {
    return work_ / (corpora_.split("train", source) + ".clean.tsv");
  }
  fs::path shuffled_text(const CorpusSource& source) const {
    return work_ / (corpora_.split("train", source) + ".shuffled.tsv");
  }

  CleanReport clean(const CorpusSource& source, const std::string& key) {
    const fs::path output = clean_text(source);
    return clean_report(stages_.run(stage_of("clean", source), key, {output}, [&] {
      return to_json(clean_corpora(source.train, source.clean, threads_, output));
    }));
  }

  // Returns the key of the shuffled text.
  std::string shuffle(const CorpusSource& source, const std::string& clean_key) {
    std::string key = key_of("shuffle 1", clean_key, config_.seed);
    const fs::path output = shuffled_text(source);
    stages_.run(stage_of("shuffle", source), key, {output}, [&] {
      shuffle_lines(clean_text(source), output, static_cast<uint64_t>(config_.seed));
      return Json();
    });
    return key;
  }

  std::string text_key() const { return fmt::format("{}", fmt::join(text_keys_, "\n")); }

  // Samples of each source, in proportion to its pairs.
  std::vector<SubwordSample> subword_samples() const {
    uint64_t all = 0;
    for (const CleanReport& report : cleaned_) all += report.pairs_after;
    std::vector<SubwordSample> samples;
    for (size_t i = 0; i < corpora_.sources.size(); ++i) {
      const auto wanted = static_cast<double>(config_.subwords.sample_pairs);
      const double share = static_cast<double>(cleaned_[i].pairs_after) / static_cast<double>(all);
      samples.push_back({shuffled_text(corpora_.sources[i]), static_cast<int64_t>(std::ceil(wanted * share))});
    }
    return samples;
  }

  void learn() {
    if (!config_.subwords.model.empty()) return;
    SubwordConfig learned = config_.subwords;
    learned.dropout = 0;  // used only for encoding, like the copies
    learned.copies = 1;
    learned.symbols = symbols_;
    subwords_key_ = key_of("subwords 1", text_key(), show(learned));
    source_model_ = work_ / (learned.joint ? "joint.model" : "source.model");
    target_model_ = learned.joint ? source_model_ : work_ / "target.model";
    stages_.run("subwords", subwords_key_, {source_model_, target_model_}, [&] {
      if (learned.joint) {
        learn_subwords(subword_samples(), Sides::kBoth, learned, source_model_);
      } else {
        learn_subwords_of_each_side(subword_samples(), learned, source_model_, target_model_);
      }
      return Json();
    });
  }

  void use_given_models() {
    const SubwordConfig& subwords = config_.subwords;
    const bool one = subwords.target_model.empty() || subwords.target_model == subwords.model;
    source_model_ = given_model("vocabulary", subwords.model);
    target_model_ = one ? source_model_ : given_model("target vocabulary", subwords.target_model);
    subwords_key_ = key_of("given", file_checksum(source_model_), file_checksum(target_model_));
    check_given_symbols();
  }

  void check_given_symbols() const {
    if (symbols_.empty()) return;
    const Subwords given(source_model_);
    for (const std::string& symbol : symbols_) {
      if (given.is_symbol(symbol)) continue;
      fail_usage(
          "{} is not a symbol of the vocabulary {}, which would cut it into {} pieces. A model learns its symbols when "
          "its vocabulary is made: leave out this tag or symbol, or prepare with a new vocabulary.",
          symbol, source_model_.string(), given.encode(symbol).size());
    }
  }

  // Uses a model as it is; makes one from a vocabulary file.
  fs::path given_model(const std::string& stage, const fs::path& given) {
    if (!is_vocabulary_file(given)) return given;
    fs::path model = work_ / (stage + ".model");
    stages_.run(stage, key_of("vocabulary 1", file_checksum(given)), {model}, [&] {
      make_subword_model(given, work_, model);
      return Json();
    });
    return model;
  }

  void encode() {
    std::string sources;
    for (const CorpusSource& source : corpora_.sources) {
      if (!corpora_.named) break;
      sources += fmt::format("{} {} {} {} {}\n", source.name, source.weight, source.tag, content_key(source.dev),
                             content_key(source.test));
    }
    const std::string key =
        key_of("encode 2", text_key(), subwords_key_, config_.subwords.dropout, config_.subwords.copies,
               content_key(corpora_.dev), content_key(corpora_.test), corpora_.name, corpora_.source_language,
               corpora_.target_language, exports_text(), sources);
    std::vector<fs::path> outputs;
    stages_.run("encode", key, outputs, [&] {
      const DatasetParts parts = {.config = config_,
                                  .corpora = corpora_,
                                  .cleaned = cleaned_,
                                  .splits = splits(),
                                  .source_model = source_model_,
                                  .target_model = target_model_,
                                  .with_text = exports_text(),
                                  .threads = threads_,
                                  .made_by = request_.made_by};
      write_dataset(parts, making_, out_);
      outputs = dataset_files();
      return Json();
    });
  }

  // All files of the dataset: if one of them is missing or damaged, the dataset is made again.
  std::vector<fs::path> dataset_files() const {
    std::vector<fs::path> files = {out_ / kDatasetManifest, out_ / kStatisticsFile, out_ / kPrepareFile};
    for (const auto& [name, record] : read_manifest(out_).files) files.push_back(out_ / name);
    if (!exports_text()) return files;
    for (const fs::path& path : list_folder(out_ / "export")) files.push_back(path);
    return files;
  }

  std::vector<ParallelFiles> training_text(const CorpusSource& source) const {
    if (config_.corpus.encoded) return source.train;
    const ParallelFiles shuffled = {"", "", shuffled_text(source).string()};
    return std::vector<ParallelFiles>(static_cast<size_t>(config_.subwords.copies), shuffled);
  }

  std::vector<SplitText> splits() const {
    std::vector<SplitText> result;
    const auto add = [&](const std::string& split, const std::vector<ParallelFiles>& texts) {
      if (!texts.empty()) result.push_back({split, texts});
    };
    for (const CorpusSource& source : corpora_.sources) {
      result.push_back({corpora_.split("train", source), training_text(source), true});
    }
    add("dev", corpora_.dev);
    add("test", corpora_.test);
    for (const CorpusSource& source : corpora_.sources) {
      if (!corpora_.named) break;
      add(corpora_.split("dev", source), source.dev);
      add(corpora_.split("test", source), source.test);
    }
    return result;
  }

  void write_provenance() const {
    std::vector<ProvenanceInput> inputs;
    for (size_t i = 0; i < corpora_.sources.size(); ++i) {
      const CorpusSource& source = corpora_.sources[i];
      const std::vector<uint64_t>& lines = cleaned_[i].lines;
      for (size_t j = 0; j < source.train.size(); ++j) {
        inputs.push_back({corpora_.split("train", source), source.train[j]});
        if (lines.size() == source.train.size()) inputs.back().lines = lines[j];
      }
    }
    for (const auto& [split, texts, train] : splits()) {
      for (const ParallelFiles& files : texts) {
        if (!train) inputs.push_back({split, files});
      }
    }
    const Json provenance = dataset_provenance({request_.made_by, request_.command}, inputs, stages_.memory());
    write_file(out_ / kProvenanceFile, dump_json(provenance, 2) + "\n");
  }

  const PrepareRequest& request_;
  const Config& config_;
  fs::path out_, work_;
  fs::path making_;  // the dataset, until it is complete and moved to its place
  int threads_;
  FolderLock lock_;
  Stages stages_;
  Corpora corpora_;
  std::vector<CleanReport> cleaned_;    // of each source
  std::vector<std::string> symbols_;    // of the vocabulary
  std::vector<std::string> text_keys_;  // of the training text of each source
  std::string subwords_key_;
  fs::path source_model_, target_model_;
};

}  // namespace

std::string prepare(const PrepareRequest& request) { return Preparation(request).run(); }

}  // namespace verbund
