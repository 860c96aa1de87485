// verbund prepare: parallel text -> dataset folder.
#include <iostream>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/version_text.h"
#include "config/config.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/process.h"
#include "data/dataset_format.h"
#include "data/prepare.h"
#include "data/statistics.h"
#include "demo/demo_corpus.h"
#include "demo/reversal_corpus.h"
#include "fetch/manifest.h"

namespace verbund {
namespace {

// The flags that name one split's files: --source/--target/--tsv, --dev-source/...
struct SplitFlags {
  std::vector<std::string> source, target, tsv;

  void add_to(Options& options, const std::string& prefix, const std::string& what) {
    options.add_list("--" + prefix + "source", source, "Source side of " + what + " (plain, .gz, .xz; repeatable)",
                     "FILE");
    options.add_list("--" + prefix + "target", target, "Target side, in the same order", "FILE");
    options.add_list("--" + prefix + "tsv", tsv, "Both sides in one file: source TAB target", "FILE");
  }

  void append_to(std::vector<ParallelFiles>& corpora, const std::string& prefix) const {
    if (source.size() != target.size()) {
      fail_usage("--{0}source is given {1} times but --{0}target {2} times: each text needs both sides", prefix,
                 source.size(), target.size());
    }
    for (size_t i = 0; i < source.size(); ++i) corpora.push_back({source[i], target[i], ""});
    for (const std::string& file : tsv) corpora.push_back({"", "", file});
  }
};

// A corpus that the program makes itself has few different words.
struct MadeCorpus {
  const char *name, *description, *source_language, *target_language;
  int vocabulary;
  std::function<GeneratedCorpus(uint64_t seed, const GeneratedSizes& sizes)> make;

  CorpusGenerator generator() const {
    const auto write = [this](uint64_t seed, size_t train_pairs, const fs::path& train, const fs::path& dev,
                              const fs::path& test) {
      const GeneratedCorpus corpus = make(seed, {.train = train_pairs});
      write_tsv(train, corpus.train);
      write_tsv(dev, corpus.dev);
      write_tsv(test, corpus.test);
    };
    return {source_language, target_language, kGeneratorVersion, write};
  }
};

const MadeCorpus kMadeCorpora[] = {
    {"demo", "English-German sentences from a grammar", "en", "de", 1000, demo_corpus},
    {"reversal", "random sequences and their reverse", "sequence", "reverse", 150,
     [](uint64_t seed, const GeneratedSizes& sizes) { return reversal_corpus(seed, sizes); }},
};

const MadeCorpus* find_made_corpus(std::string_view name) {
  for (const MadeCorpus& corpus : kMadeCorpora) {
    if (corpus.name == name) return &corpus;
  }
  return nullptr;
}

void list_corpora() {
  std::cout << "Made by the program itself:\n";
  for (const MadeCorpus& corpus : kMadeCorpora) {
    std::cout << fmt::format("  {:<16} {}\n", corpus.name, corpus.description);
  }
  std::cout << "Fetched by their manifests:\n";
  for (const std::string& name : manifest_names()) {
    std::cout << fmt::format("  {:<16} {}\n", name, load_manifest(name).description);
  }
}

}  // namespace

void run_prepare(const Arguments& arguments) {
  Options options(
      "prepare",
      "Parallel text -> a dataset folder with subword model, token ids and statistics. An interrupted\n"
      "run goes on where it was; a changed setting redoes only what depends on it.",
      "  verbund prepare --config demo --out data/demo\n"
      "  verbund prepare --corpus wmt16-en-de --out data/wmt16 --export-text\n"
      "  verbund prepare --source train.en.gz --target train.de.gz --dev-source dev.en --dev-target dev.de "
      "\\\n"
      "                  --out data/mine --set subwords.vocabulary=16000 --set clean.drop_duplicates=true\n"
      "  verbund prepare --encoded --subwords m_common.vocab --source train.en.tok --target train.de.tok \\\n"
      "                  --dev-source dev.en.tok --dev-target dev.de.tok --out data/mine\n");
  std::string out, file, corpus, subwords, show_manifest;
  std::vector<std::string> overrides;
  bool encoded = false, export_text = false, json = false, list = false;
  SplitFlags train, dev, test;
  options.add_option("--out", out, "The dataset folder to make")->type_name("FOLDER");
  options.add_option("--config", file, "The configuration: a YAML file, or a preset's name (verbund config --list)")
      ->type_name("FILE");
  options.add_list("--set", overrides, "Override a value: section.key=value (repeatable)", "KEY=VALUE");
  options.add_option("--corpus", corpus, "A corpus by name, or a manifest's path")->type_name("NAME");
  train.add_to(options, "", "a training text");
  dev.add_to(options, "dev-", "a validation text");
  test.add_to(options, "test-", "a test text");
  options
      .add_option("--subwords", subwords,
                  "Use this SentencePiece model, or vocabulary file (piece TAB score), instead of learning one")
      ->type_name("FILE");
  options.add_flag("--encoded", encoded,
                   "The texts are encoded already: pieces separated by blanks. They are looked up, not changed");
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
  if (out.empty()) throw UsageError("say where the dataset goes: --out FOLDER\nSee: verbund prepare --help");
  log_config_choice(file);
  Config config = load_config(file, overrides);
  if (!corpus.empty()) config.corpus.name = corpus;
  if (!subwords.empty()) config.subwords.model = subwords;
  if (encoded) config.corpus.encoded = true;
  train.append_to(config.corpus.train, "");
  dev.append_to(config.corpus.dev, "dev-");
  test.append_to(config.corpus.test, "test-");
  PrepareRequest request{config, out, export_text, program_version(), command_line()};
  if (const MadeCorpus* made = find_made_corpus(config.corpus.name)) {
    request.generator = made->generator();
    int64_t& vocabulary = request.config.subwords.vocabulary;
    if (vocabulary == SubwordConfig{}.vocabulary) vocabulary = made->vocabulary;
  }

  const std::string statistics = prepare(request);
  std::cout << (json ? statistics : "\n" + statistics_table(statistics, (fs::path(out) / kStatisticsFile).string()));
  log("\nThe dataset is in {}. Look at it: verbund inspect {}", out, out);
}

}  // namespace verbund
