// SPDX-License-Identifier: Apache-2.0
// verbund prepare: parallel text -> dataset folder.
#include <iostream>

#include "cli/command.h"
#include "cli/options.h"
#include "config/config.h"
#include "config/load.h"
#include "config/value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_file.h"
#include "core/log.h"
#include "core/output.h"
#include "core/process.h"
#include "data/dataset_format.h"
#include "data/prepare.h"
#include "data/statistics.h"
#include "decode/trained_model.h"
#include "demo/corpus_generators.h"
#include "fetch/manifest.h"

namespace verbund {
namespace {

// The flags that name one split's files: --source/--target/--tsv/--pairs, --dev-source/...
struct SplitFlags {
  std::vector<std::string> source, target, tsv, pairs;

  void add_to(Options& options, const std::string& prefix, const std::string& what) {
    options.add_list("--" + prefix + "source", source, "Source side of " + what + " (plain, .gz, .xz; repeatable)",
                     "FILE");
    options.add_list("--" + prefix + "target", target, "Target side, in the same order", "FILE");
    options.add_list("--" + prefix + "tsv", tsv, "Both sides in one file: source TAB target", "FILE");
    options.add_list("--" + prefix + "pairs", pairs,
                     "Both sides in one file of TMX, JSON lines or TSV, recognised by its content", "FILE");
  }

  void append_to(std::vector<ParallelFiles>& corpora, const std::string& prefix) const {
    if (source.size() != target.size()) {
      fail_usage("--{0}source is given {1} times but --{0}target {2} times: each text needs both sides", prefix,
                 source.size(), target.size());
    }
    for (size_t i = 0; i < source.size(); ++i) corpora.push_back({source[i], target[i], ""});
    for (const std::string& file : tsv) corpora.push_back({"", "", file});
    for (const std::string& file : pairs) corpora.push_back({.source = "", .target = "", .tsv = "", .pairs = file});
  }
};

// The flags that name several corpora: NAME=FILE, NAME=SOURCE,TARGET, NAME=WEIGHT, NAME=TAG.
struct SourceFlags {
  std::vector<std::string> train, dev, test, weights, tags;

  void add_to(Options& options) {
    options.add_list("--add", train,
                     "One of several corpora, with a name: NAME=FILE for a file of both sides (TMX, JSON lines, TSV), "
                     "NAME=SOURCE,TARGET for two (repeatable, see docs/corpora.md)",
                     "NAME=FILES");
    options.add_list("--add-dev", dev, "Validation text of the corpus NAME", "NAME=FILES");
    options.add_list("--add-test", test, "Test text of the corpus NAME", "NAME=FILES");
    options.add_list("--weight", weights, "Weight of the corpus NAME in training (default: 1)", "NAME=NUMBER");
    options.add_list("--tag", tags, "Symbol before each source sentence of the corpus NAME", "NAME=TAG");
  }

  void append_to(std::vector<SourceConfig>& sources) const {
    for (const auto& [name, files] : split("--add", train)) {
      if (find(sources, name) == nullptr) sources.emplace_back().name = name;
      find(sources, name)->train.push_back(text_of(files));
    }
    const auto change = [&](const char* flag, const std::vector<std::string>& values, const auto& apply) {
      for (const auto& [name, value] : split(flag, values)) {
        SourceConfig* source = find(sources, name);
        if (source == nullptr)
          fail_usage("{} {}={}: there is no corpus of this name. Give --add {}=FILES", flag, name, value, name);
        apply(*source, value);
      }
    };
    change("--add-dev", dev,
           [](SourceConfig& source, const std::string& files) { source.dev.push_back(text_of(files)); });
    change("--add-test", test,
           [](SourceConfig& source, const std::string& files) { source.test.push_back(text_of(files)); });
    change("--tag", tags, [](SourceConfig& source, const std::string& tag) { source.tag = tag; });
    change("--weight", weights,
           [](SourceConfig& source, const std::string& weight) { load(weight_setting(source.name, weight), source); });
  }

 private:
  // The setting as in a configuration, so that its range is checked.
  static Value weight_setting(const std::string& name, const std::string& weight) {
    Value setting = parse_override("weight=" + weight);
    setting.where = setting.map.front().value.where = fmt::format("--weight {}={}", name, weight);
    return setting;
  }

  using NameAndValue = std::pair<std::string, std::string>;

  static std::vector<NameAndValue> split(const char* flag, const std::vector<std::string>& values) {
    std::vector<NameAndValue> result;
    for (const std::string& value : values) {
      const size_t sign = value.find('=');
      if (sign == std::string::npos)
        fail_usage("{} {}: the name of the corpus is missing, as in NAME={}", flag, value, value);
      result.emplace_back(value.substr(0, sign), value.substr(sign + 1));
    }
    return result;
  }

  static ParallelFiles text_of(const std::string& files) {
    const size_t comma = files.find(',');
    if (comma == std::string::npos) return {.source = "", .target = "", .tsv = "", .pairs = files};
    return {files.substr(0, comma), files.substr(comma + 1), ""};
  }

  static SourceConfig* find(std::vector<SourceConfig>& sources, const std::string& name) {
    for (SourceConfig& source : sources) {
      if (source.name == name) return &source;
    }
    return nullptr;
  }
};

void list_corpora() {
  std::string rows = "Generated by the program:\n";
  for (const NamedGenerator& corpus : corpus_generators()) {
    rows += fmt::format("  {:<16}  {}\n", corpus.name, corpus.description);
  }
  rows += "Downloaded by their manifests:\n";
  for (const std::string& name : manifest_names()) {
    rows += fmt::format("  {:<16}  {}\n", name, load_manifest(name).description);
  }
  print_rows(rows);
}

// Takes over the subword model of a run, and how its dataset was made: languages, cleaning, subword settings. --set can
// change all but the model.
void prepare_like(const fs::path& run, const std::vector<std::string>& overrides, Config& config) {
  ModelPlace place;
  place.folder = run;
  const ModelFiles model = open_model(place);
  fs::path dataset;
  use_note(model.run / "run.json",
           [&](const Json& record) { dataset = record.at("dataset").at("path").get<std::string>(); });
  if (dataset.empty()) {
    warn("{} does not say on which dataset it was trained: only its subword model is taken over", model.run.string());
  } else if (fs::exists(dataset / kPrepareFile)) {
    Config earlier;
    load(parse_yaml(read_file(dataset / kPrepareFile), (dataset / kPrepareFile).string()), earlier);
    const DatasetManifest manifest = read_manifest(dataset);
    config.corpus.source_language = manifest.source_language;
    config.corpus.target_language = manifest.target_language;
    config.clean = earlier.clean;
    config.subwords = earlier.subwords;
    config.subwords.symbols.clear();  // the model has them
    override_config(config, overrides);
    log("Languages, cleaning and subwords are as in {}", dataset.string());
  } else {
    warn("the dataset of the run is not there ({}): only its subword model is taken over", dataset.string());
  }
  const bool joint = file_checksum(model.source_vocabulary) == file_checksum(model.target_vocabulary);
  config.subwords.model = model.source_vocabulary.string();
  config.subwords.target_model = joint ? "" : model.target_vocabulary.string();
}

}  // namespace

void run_prepare(const Arguments& arguments) {
  Options options(
      "prepare",
      "Parallel text -> a dataset folder with subword model, token ids and statistics. An interrupted run resumes "
      "where it was; after a change of settings, only the stages that depend on them run again.",
      "  verbund prepare --config demo --out data/demo\n"
      "  verbund prepare --corpus wmt16-en-de --out data/wmt16 --export-text\n"
      "  verbund prepare --source train.en.gz --target train.de.gz --dev-source dev.en --dev-target dev.de "
      "\\\n"
      "                  --out data/mine --set subwords.vocabulary=16000 --set clean.drop_duplicates=true\n"
      "  verbund prepare --pairs memory.tmx --dev-pairs dev.jsonl.gz --out data/memory\n"
      "  verbund prepare --add general=europarl.en,europarl.de --add talks=talks.tmx --weight talks=3 --out data/both\n"
      "  verbund prepare --like runs/general --source law.en --target law.de --out data/law\n"
      "  verbund prepare --encoded --subwords m_common.vocab --source train.en.tok --target train.de.tok \\\n"
      "                  --dev-source dev.en.tok --dev-target dev.de.tok --out data/mine\n");
  std::string out, file, corpus, subwords, like, show_manifest;
  std::vector<std::string> overrides;
  bool encoded = false, export_text = false, json = false, list = false;
  SplitFlags train, dev, test;
  SourceFlags sources;
  options.add_option("--out", out, "The dataset folder to make")->type_name("FOLDER");
  options.add_option("--config", file, "The configuration: a YAML file, or a preset's name (verbund config --list)")
      ->type_name("FILE");
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  options.add_option("--corpus", corpus, "A corpus by name, or a manifest's path")->type_name("NAME");
  train.add_to(options, "", "a training text");
  dev.add_to(options, "dev-", "a validation text");
  test.add_to(options, "test-", "a test text");
  sources.add_to(options);
  options
      .add_option("--subwords", subwords,
                  "Use this SentencePiece model, or vocabulary file (piece TAB score), instead of learning one")
      ->type_name("FILE");
  options
      .add_option("--like", like,
                  "Use the subword model of this run, and the languages, cleaning and subword settings of its dataset, "
                  "to fine-tune its model on other text")
      ->type_name("RUN");
  options.add_flag(
      "--encoded", encoded,
      "The texts are already encoded: subword pieces separated by blanks. They are looked up, not changed");
  options.add_flag("--export-text", export_text,
                   "Also write the encoded text and the vocabulary that OpenSeq2Seq reads");
  options.add_flag("--json", json, "Print the statistics as JSON");
  options.add_flag("--list-corpora", list, "List the corpora that --corpus knows");
  options.add_option("--show-corpus", show_manifest, "Print a corpus's manifest, to edit and use as a file")
      ->type_name("NAME");
  if (!options.read(arguments)) return;

  if (list) return list_corpora();
  if (!show_manifest.empty()) {
    std::cout << manifest_text(show_manifest);
    return;
  }
  if (out.empty()) throw UsageError("the dataset folder is missing: --out FOLDER\nSee: verbund prepare --help");
  log_config_choice(file);
  Config config = load_config(file, overrides);
  if (!corpus.empty()) config.corpus.name = corpus;
  if (!like.empty() && !subwords.empty()) fail_usage("--like takes the subword model of the run: leave --subwords out");
  if (!like.empty()) prepare_like(like, overrides, config);
  if (!subwords.empty()) config.subwords.model = subwords;
  if (encoded) config.corpus.encoded = true;
  train.append_to(config.corpus.train, "");
  dev.append_to(config.corpus.dev, "dev-");
  test.append_to(config.corpus.test, "test-");
  sources.append_to(config.corpus.sources);
  PrepareRequest request{config, out, export_text, program_version(), command_line()};
  if (const NamedGenerator* generated = find_generator(config.corpus.name)) {
    request.generator = generated->generator;
    int64_t& vocabulary = request.config.subwords.vocabulary;
    if (vocabulary == SubwordConfig{}.vocabulary) vocabulary = generated->vocabulary;
  }

  const std::string statistics = prepare(request);
  std::cout << (json ? statistics : "\n" + statistics_table(statistics, (fs::path(out) / kStatisticsFile).string()));
  log("\nThe dataset is in {}. To look at it: verbund inspect {}", out, out);
}

}  // namespace verbund
