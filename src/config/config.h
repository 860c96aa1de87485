// The configuration: one struct per part, each field with its default, what is allowed
// and its meaning. Parts receive their own struct and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/batch_config.h"
#include "config/checkpoint_config.h"
#include "config/decode_config.h"
#include "config/evaluate_config.h"
#include "config/fields.h"
#include "config/model_config.h"
#include "config/optim_config.h"
#include "config/train_config.h"
#include "config/workers_config.h"

namespace verbund {

// One parallel text: two files, or one with the sides between a tab.
struct ParallelFiles {
  std::string source;
  std::string target;
  std::string tsv;

  void fields(FieldVisitor& visit) {
    visit.field("source", source, "file of source sentences, one a line (plain, .gz, .xz)");
    visit.field("target", target, "file of target sentences, line by line the same");
    visit.field("tsv", tsv, "instead of both: one file, source TAB target");
  }
};

struct CorpusConfig {
  std::string name;
  std::string source_language = "en";
  std::string target_language = "de";
  std::vector<ParallelFiles> train;
  std::vector<ParallelFiles> dev;
  std::vector<ParallelFiles> test;
  bool encoded = false;
  std::string cache;
  int64_t generated_pairs = 40000;

  void fields(FieldVisitor& visit) {
    visit.field("name", name,
                "corpus to fetch (wmt16-en-de, multi30k-en-de, or a manifest's path) or to make (demo, reversal)");
    visit.field("source_language", source_language, "code of the language translated from");
    visit.field("target_language", target_language, "code of the language translated into");
    visit.list("train", train, "parallel texts to train on: [{source: FILE, target: FILE} | {tsv: FILE}, ...]");
    visit.list("dev", dev, "parallel texts to validate on; never cleaned, only encoded");
    visit.list("test", test, "parallel texts to test on; never cleaned, only encoded");
    visit.field("encoded", encoded,
                "the texts are pieces already, separated by blanks; subwords.model names their vocabulary");
    visit.field("cache", cache, "folder for downloads; empty: ~/.cache/verbund");
    visit.field("generated_pairs", generated_pairs, {100, 10000000}, "training pairs that demo and reversal make");
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
    visit.choice("invalid_utf8", invalid_utf8, {"fail", "drop"}, "what to do with lines that are not UTF-8");
    visit.field("min_words", min_words, {1, 100000}, "fewest words a side may have");
    visit.field("max_words", max_words, {1, 100000}, "most words a side may have");
    visit.field("max_ratio", max_ratio, {1, 1e9}, "how many times longer one side may be than the other, in words");
    visit.field("drop_duplicates", drop_duplicates, "keep only the first of equal pairs");
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
  std::string model;
  std::string target_model;

  void fields(FieldVisitor& visit) {
    visit.choice("type", type, {"bpe", "unigram"}, "how SentencePiece learns the pieces");
    visit.field("joint", joint, "one model for both sides; false: one per side");
    visit.field("vocabulary", vocabulary, {8, 1000000}, "number of pieces of a model, with the four special ones");
    visit.field("character_coverage", character_coverage, {0.9, 1}, "share of all characters that become pieces");
    visit.field("sample_pairs", sample_pairs, {1, 20000000}, "at most so many pairs are learned from");
    visit.field("dropout", dropout, {0, 0.9},
                "share of the merges left out at random in the training text (BPE-dropout), which helps small corpora");
    visit.field("copies", copies, {1, 1000},
                "times the training text is encoded, each time with other splits; with dropout only");
    visit.field(
        "model", model,
        "an existing SentencePiece model, or a vocabulary file of piece TAB score lines (of the source side, if "
        "target_model is given)");
    visit.field("target_model", target_model, "the same of the target side");
  }
};

struct Config {
  int64_t seed = 1;
  int64_t threads = 0;
  DeviceChoice device = DeviceChoice::kAuto;
  CorpusConfig corpus;
  CleanConfig clean;
  SubwordConfig subwords;
  ModelConfig model;
  BatchConfig batch;
  ScheduleConfig schedule;
  OptimizerConfig optimizer;
  AverageConfig average;
  LossScaleConfig loss_scale;
  TrainConfig train;
  WorkersConfig workers;
  EvaluateConfig evaluate;
  CheckpointConfig checkpoint;
  DecodeConfig decode;

  void fields(FieldVisitor& visit) {
    visit.field("seed", seed, {0, INT64_MAX}, "of everything random: the same seed gives the same result");
    visit.field("threads", threads, {0, 4096},
                "threads of a worker; 0: all cores, shared fairly by the workers of a host");
    visit.choice(
        "device", device, {"auto", "cpu", "cuda", "emulated"},
        "what computes: cuda: NVIDIA's GPUs, one for each worker; auto: those, if there are any; emulated: the "
        "GPU that the tests are run on");
    visit.section("corpus", corpus, "Where the text comes from.");
    visit.section("clean", clean, "Which training pairs are kept, and in what form.");
    visit.section("subwords", subwords, "How words are cut into pieces.");
    visit.section("model", model, "The Transformer's shape and loss.");
    visit.section("batch", batch, "How training pairs become batches.");
    visit.section("schedule", schedule, "The learning rate of each step.");
    visit.section("optimizer", optimizer, "How gradients change weights.");
    visit.section("average", average, "Exponential averaging of weights.");
    visit.section("loss_scale", loss_scale, "Loss scaling, for devices that compute gradients in 16 bits.");
    visit.section("train", train, "How long, how often, when to stop.");
    visit.section("workers", workers, "How several workers keep together.");
    visit.section("evaluate", evaluate, "How the model is judged while it trains, and when to stop.");
    visit.section("checkpoint", checkpoint, "When to save, what to keep.");
    visit.section("decode", decode, "How translations are searched for.");
  }
};

// Defaults, then the file (if any), then each "section.key=value" in order.
Config load_config(const std::string& file, const std::vector<std::string>& overrides);
void override_config(Config& config, const std::vector<std::string>& overrides);

}  // namespace verbund
