// SPDX-License-Identifier: Apache-2.0
#include "data/corpus_source.h"

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/user.h"
#include "fetch/fetch.h"
#include "fetch/manifest.h"
#include "text/line_reader.h"

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

CorpusSource fetched(const CorpusConfig& config) {
  const CorpusManifest manifest = load_manifest(config.name);
  const FetchedCorpus files = fetch(manifest, cache_folder(config.cache));
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

// Fails on a missing file before any work is done.
void check_readable(const std::vector<ParallelFiles>& corpora) {
  for (const ParallelFiles& files : corpora) {
    for (const std::string* path : {&files.source, &files.target, &files.tsv}) {
      if (*path == "-") fail_usage("prepare reads files, not standard input: a stage may have to read them again");
      if (path->empty()) continue;
      open_bytes(*path);
      if (!fs::is_regular_file(*path))
        fail_usage("prepare may have to read {} again, but it is not a regular file", *path);
    }
  }
}

}  // namespace

CorpusSource find_corpus(const Config& config, const CorpusGenerator* generator, const fs::path& work, Stages& stages) {
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
    source = fetched(corpus);
  } else {
    source.source_language = corpus.source_language;
    source.target_language = corpus.target_language;
  }
  // Files of the user are added to a named corpus.
  source.train.insert(source.train.end(), corpus.train.begin(), corpus.train.end());
  if (!corpus.dev.empty()) source.dev = corpus.dev;
  if (!corpus.test.empty()) source.test = corpus.test;
  if (source.train.empty()) {
    fail_usage("there is no text to train on: give --corpus NAME, or --source FILE --target FILE, or --tsv FILE");
  }
  for (const auto* corpora : {&source.train, &source.dev, &source.test}) check_readable(*corpora);
  return source;
}

}  // namespace verbund
