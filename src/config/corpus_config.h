// SPDX-License-Identifier: Apache-2.0
// CorpusConfig, CleanConfig and SubwordConfig: from parallel text to subword pieces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"

namespace verbund {

// A parallel text: two files, or one with both sides.
struct ParallelFiles {
  std::string source;
  std::string target;
  std::string tsv;
  std::string pairs = {};
  std::vector<std::string> columns = {};
  // Properties of its corpus, not of the configuration:
  std::vector<std::string> languages = {};  // source, target
  std::string tag = {};                     // is put before each source sentence

  const std::string& both() const { return tsv.empty() ? pairs : tsv; }  // the one file; "" if there are two
  const std::string& source_file() const { return both().empty() ? source : both(); }
  const std::string& target_file() const { return both().empty() ? target : both(); }
  const std::vector<std::string>& sides() const { return columns.empty() ? languages : columns; }

  void fields(FieldVisitor& visit) {
    visit.field("source", source, "file of source sentences, one per line (plain, .gz, .xz)");
    visit.field("target", target, "file of target sentences, parallel to source");
    visit.field("tsv", tsv, "one file instead of both: source TAB target");
    visit.field("pairs", pairs, "one file instead of both: TMX, JSON lines or TSV, recognised by its content");
    visit.texts("columns", columns,
                "what that file calls the sides: languages of TMX, keys of JSON lines, named columns of TSV; default: "
                "the languages of the corpus");
  }
};

// SourceConfig is one of several corpora of a dataset.
struct SourceConfig {
  std::string name;
  std::string corpus;
  std::string source_language;
  std::string target_language;
  std::vector<ParallelFiles> train;
  std::vector<ParallelFiles> dev;
  std::vector<ParallelFiles> test;
  double weight = 1;
  std::string tag;
  Value clean;

  void fields(FieldVisitor& visit) {
    visit.field("name", name, "name of the source: letters, digits, _ . -");
    visit.field("corpus", corpus, "corpus to fetch, by its name or the path of its manifest");
    visit.field("source_language", source_language, "default: that of the corpus section");
    visit.field("target_language", target_language, "default: that of the corpus section");
    visit.list("train", train, "its parallel texts, as corpus.train");
    visit.list("dev", dev, "its own validation texts, which become the split dev-NAME");
    visit.list("test", test, "its own test texts, which become the split test-NAME");
    visit.field("weight", weight, {1e-6, 1e6}, "weight of its pairs in training, relative to the other sources");
    visit.field("tag", tag, "symbol that is put before each of its source sentences, such as <2de>");
    visit.overrides("clean", clean, "cleaning rules of this source: keys of the section clean that differ");
  }
};

struct CorpusConfig {
  std::string name;
  std::string source_language = "en";
  std::string target_language = "de";
  std::vector<ParallelFiles> train;
  std::vector<ParallelFiles> dev;
  std::vector<ParallelFiles> test;
  std::vector<SourceConfig> sources;
  bool encoded = false;
  std::string cache;
  int64_t generated_pairs = 40000;

  void fields(FieldVisitor& visit) {
    visit.field("name", name,
                "corpus to fetch (wmt16-en-de, multi30k-en-de, or a manifest's path) or to generate (demo, reversal)");
    visit.field("source_language", source_language, "code of the language translated from");
    visit.field("target_language", target_language, "code of the language translated into");
    visit.list("train", train, "parallel texts to train on: [{source: FILE, target: FILE} | {pairs: FILE}, ...]");
    visit.list("dev", dev, "parallel texts to validate on; never cleaned, only encoded");
    visit.list("test", test, "parallel texts to test on; never cleaned, only encoded");
    visit.list("sources", sources,
               "instead of name and train: several corpora, each with a training split, a weight, a tag and cleaning "
               "rules of its own: [{name: general, train: [...], weight: 0.7}, ...]");
    visit.field("encoded", encoded,
                "the texts are subword pieces already, separated by spaces; subwords.model names their vocabulary");
    visit.field("cache", cache, "folder for downloads; empty: ~/.cache/verbund");
    visit.field("generated_pairs", generated_pairs, {100, 10000000},
                "training pairs to generate for demo and reversal");
  }
};

enum class UnicodeForm { kNone, kNfc, kNfkc };
enum class InvalidText { kFail, kDrop };

struct CleanConfig {
  UnicodeForm unicode = UnicodeForm::kNfc;
  InvalidText invalid_utf8 = InvalidText::kFail;
  int64_t min_words = 1;
  int64_t max_words = 80;
  double max_ratio = 9;
  bool drop_duplicates = false;
  bool drop_identical = false;

  void fields(FieldVisitor& visit) {
    visit.choice("unicode", unicode, {"none", "nfc", "nfkc"}, "Unicode normal form of the text");
    visit.choice("invalid_utf8", invalid_utf8, {"fail", "drop"}, "lines that are not UTF-8: fail, or drop the pair");
    visit.field("min_words", min_words, {1, 100000}, "fewest words a side may have");
    visit.field("max_words", max_words, {1, 100000}, "most words a side may have");
    visit.field("max_ratio", max_ratio, {1, 1e9}, "greatest ratio of the lengths of both sides, in words");
    visit.field("drop_duplicates", drop_duplicates, "keep only the first of identical pairs");
    visit.field("drop_identical", drop_identical, "drop pairs whose sides are the same text");
  }
};

enum class SubwordType { kBpe, kUnigram };

struct SubwordConfig {
  SubwordType type = SubwordType::kBpe;
  bool joint = true;
  int64_t vocabulary = 32768;
  double character_coverage = 0.99999;
  int64_t sample_pairs = 1000000;
  double dropout = 0;
  int64_t copies = 1;
  std::vector<std::string> symbols;
  std::string model;
  std::string target_model;

  void fields(FieldVisitor& visit) {
    visit.choice("type", type, {"bpe", "unigram"}, "algorithm by which SentencePiece learns the pieces");
    visit.field("joint", joint, "one model for both sides; false: one per side");
    visit.field("vocabulary", vocabulary, {8, 1000000}, "pieces of a model, including the four special ones");
    visit.field("character_coverage", character_coverage, {0.9, 1}, "share of all characters that become pieces");
    visit.field("sample_pairs", sample_pairs, {1, 20000000}, "most pairs to learn from");
    visit.field("dropout", dropout, {0, 0.9},
                "probability of leaving out a merge in the training text (BPE-dropout), which helps small corpora");
    visit.field("copies", copies, {1, 1000},
                "times the training text is encoded, each time split differently; only with dropout");
    visit.texts("symbols", symbols,
                "texts that are always one piece, such as [<2de>, <formal>]; the tags of corpora are added");
    visit.field(
        "model", model,
        "an existing SentencePiece model, or a vocabulary file of piece TAB score lines (for the source side if "
        "target_model is given)");
    visit.field("target_model", target_model, "the same for the target side");
  }
};

}  // namespace verbund
