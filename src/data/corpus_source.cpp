// SPDX-License-Identifier: Apache-2.0
#include "data/corpus_source.h"

#include <algorithm>
#include <set>

#include "config/load.h"
#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/user.h"
#include "data/dataset_format.h"
#include "fetch/fetch.h"
#include "fetch/manifest.h"
#include "text/line_reader.h"
#include "text/parallel_corpus.h"

namespace verbund {
namespace {

fs::path cache_folder(const std::string& configured) {
  if (!configured.empty()) return configured;
  if (const auto folder = user_cache_folder()) return *folder;
  fail_usage("there is no home folder to keep downloads in: give one with --set corpus.cache=FOLDER");
}

std::vector<ParallelFiles> to_parallel_files(const std::vector<FetchedText>& texts) {
  std::vector<ParallelFiles> result;
  for (const FetchedText& text : texts) result.push_back({text.source.string(), text.target.string(), ""});
  return result;
}

void append(std::vector<ParallelFiles>& texts, const std::vector<ParallelFiles>& more) {
  texts.insert(texts.end(), more.begin(), more.end());
}

CorpusSource fetched(const std::string& name, const std::string& cache) {
  const CorpusManifest manifest = load_manifest(name);
  const FetchedCorpus files = fetch(manifest, cache_folder(cache));
  CorpusSource source;
  source.name = manifest.name;
  source.source_language = manifest.source_language;
  source.target_language = manifest.target_language;
  if (!manifest.dev_name.empty()) source.dev_name = manifest.dev_name;
  if (!manifest.test_name.empty()) source.test_name = manifest.test_name;
  source.train = to_parallel_files(files.train);
  source.dev = to_parallel_files(files.dev);
  source.test = to_parallel_files(files.test);
  return source;
}

CorpusSource generated(const Config& config, const CorpusGenerator& generator, const fs::path& work, Stages& stages) {
  const fs::path train = work / "generated.train.tsv", dev = work / "generated.dev.tsv",
                 test = work / "generated.test.tsv";
  const std::string key = checksum_of(fmt::format("generate {} {} {} {}", generator.version, config.corpus.name,
                                                  config.seed, config.corpus.generated_pairs));
  stages.run("generate", key, {train, dev, test}, [&] {
    generator.write(static_cast<uint64_t>(config.seed), static_cast<size_t>(config.corpus.generated_pairs), train, dev,
                    test);
    return Json();
  });
  CorpusSource source;
  source.name = config.corpus.name;
  source.source_language = generator.source_language;
  source.target_language = generator.target_language;
  source.train = {{"", "", train.string()}};
  source.dev = {{"", "", dev.string()}};
  source.test = {{"", "", test.string()}};
  return source;
}

// Fails on a missing file before any work is done, and says what was recognised.
void check_files(const std::vector<ParallelFiles>& corpora) {
  for (const ParallelFiles& files : corpora) {
    for (const std::string* path : {&files.source, &files.target, &files.tsv, &files.pairs}) {
      if (*path == "-") fail_usage("prepare reads files, not standard input: a stage may have to read them again");
      if (path->empty()) continue;
      open_bytes(*path);
      if (!fs::is_regular_file(*path))
        fail_usage("prepare may have to read {} again, but it is not a regular file", *path);
    }
    const ParallelReader checked({files});
    if (!files.pairs.empty()) log("{} is {}", files.pairs, describe_format(recognise_format(files), files));
  }
}

CorpusSource single_source(const Config& config, const CorpusGenerator* generator, const fs::path& work,
                           Stages& stages) {
  const CorpusConfig& corpus = config.corpus;
  CorpusSource source;
  if (generator) {
    if (!corpus.train.empty()) {
      fail_usage(
          "the corpus {} is generated, but other text is given as well. To use your text alone: --set "
          "corpus.name=",
          corpus.name);
    }
    source = generated(config, *generator, work, stages);
  } else if (!corpus.name.empty()) {
    source = fetched(corpus.name, corpus.cache);
  } else {
    source.source_language = corpus.source_language;
    source.target_language = corpus.target_language;
  }
  // Files of the user are added to a named corpus.
  append(source.train, corpus.train);
  if (!corpus.dev.empty()) source.dev = corpus.dev;
  if (!corpus.test.empty()) source.test = corpus.test;
  if (source.train.empty()) {
    fail_usage(
        "there is no text to train on: give --corpus NAME, or --source FILE --target FILE, or --pairs FILE (TMX, JSON "
        "lines, TSV)");
  }
  source.clean = config.clean;
  source.tell_files();
  return source;
}

CorpusSource named_source(const SourceConfig& given, const Config& config) {
  if (!is_source_name(given.name)) {
    fail_usage("corpus.sources: \"{}\" cannot be the name of a source: it must be made of letters, digits, _ . and -",
               given.name);
  }
  CorpusSource source;
  if (!given.corpus.empty()) {
    source = fetched(given.corpus, config.corpus.cache);
  } else {
    source.source_language = config.corpus.source_language;
    source.target_language = config.corpus.target_language;
  }
  source.name = given.name;
  if (!given.source_language.empty()) source.source_language = given.source_language;
  if (!given.target_language.empty()) source.target_language = given.target_language;
  append(source.train, given.train);
  if (!given.dev.empty()) source.dev = given.dev;
  if (!given.test.empty()) source.test = given.test;
  if (source.train.empty()) {
    fail_usage("corpus.sources: {} has no text to train on: give it train: [{{pairs: FILE}}] or corpus: NAME",
               given.name);
  }
  source.weight = given.weight;
  source.tag = given.tag;
  source.clean = config.clean;
  load(given.clean, source.clean);
  source.tell_files();
  return source;
}

void add_named_sources(const Config& config, Corpora& corpora) {
  const CorpusConfig& corpus = config.corpus;
  if (!corpus.name.empty() || !corpus.train.empty()) {
    fail_usage("corpus.sources lists the corpora: put {} among them, too",
               corpus.name.empty() ? "the text of corpus.train" : "the corpus " + corpus.name);
  }
  std::set<std::string> names;
  for (const SourceConfig& given : corpus.sources) {
    corpora.name += (corpora.name.empty() ? "" : "+") + given.name;
    if (!names.insert(given.name).second) fail_usage("corpus.sources has two sources of the name {}", given.name);
    corpora.sources.push_back(named_source(given, config));
    append(corpora.dev, corpora.sources.back().dev);
    append(corpora.test, corpora.sources.back().test);
  }
  if (!corpus.dev.empty()) corpora.dev = corpus.dev;
  if (!corpus.test.empty()) corpora.test = corpus.test;
  corpora.named = true;
  corpora.source_language = corpus.source_language;
  corpora.target_language = corpus.target_language;
}

// Evaluation text that belongs to no corpus gets no tag. A model that was trained on tagged text alone needs one.
void warn_of_missing_tags(const Corpora& corpora, const std::vector<ParallelFiles>& texts, const char* key,
                          const char* flag) {
  const std::vector<std::string> tags = corpora.tags();
  if (std::ranges::any_of(corpora.sources, [](const CorpusSource& source) { return source.tag.empty(); })) return;
  std::string line;  // where source sentences have a file of their own
  if (texts.empty() || texts.front().source.empty() || !LineReader(texts.front().source).next_line(line)) return;
  if (std::ranges::any_of(tags, [&](const std::string& tag) { return line.find(tag) != line.npos; })) return;
  warn(
      "the text of {} gets no tag, although all training text begins with one ({}). Put the tag before each of its "
      "lines, or give the text to a corpus: {} NAME=...",
      key, fmt::join(tags, ", "), flag);
}

}  // namespace

void CorpusSource::tell_files() {
  for (auto* texts : {&train, &dev, &test}) {
    for (ParallelFiles& files : *texts) {
      files.languages = {source_language, target_language};
      files.tag = tag;
    }
  }
}

std::vector<std::string> Corpora::tags() const {
  std::vector<std::string> tags;
  for (const CorpusSource& source : sources) {
    if (!source.tag.empty() && std::find(tags.begin(), tags.end(), source.tag) == tags.end())
      tags.push_back(source.tag);
  }
  return tags;
}

Corpora find_corpora(const Config& config, const CorpusGenerator* generator, const fs::path& work, Stages& stages) {
  Corpora corpora;
  if (config.corpus.sources.empty()) {
    const CorpusSource& only = corpora.sources.emplace_back(single_source(config, generator, work, stages));
    corpora.name = only.name;
    corpora.source_language = only.source_language;
    corpora.target_language = only.target_language;
    corpora.dev = only.dev;
    corpora.test = only.test;
  } else {
    add_named_sources(config, corpora);
  }
  for (auto* texts : {&corpora.dev, &corpora.test}) {
    for (ParallelFiles& files : *texts) {
      if (files.languages.empty()) files.languages = {corpora.source_language, corpora.target_language};
    }
  }
  for (const CorpusSource& source : corpora.sources) {
    for (const auto* texts : {&source.train, &source.dev, &source.test}) check_files(*texts);
  }
  if (corpora.named && !config.corpus.dev.empty()) {
    check_files(corpora.dev);
    warn_of_missing_tags(corpora, corpora.dev, "corpus.dev", "--add-dev");
  }
  if (corpora.named && !config.corpus.test.empty()) {
    check_files(corpora.test);
    warn_of_missing_tags(corpora, corpora.test, "corpus.test", "--add-test");
  }
  return corpora;
}

}  // namespace verbund
