// SPDX-License-Identifier: Apache-2.0
// SentencePiece's trainer reports no progress, cannot be interrupted and keeps the memory it allocates. So it runs in a
// child process: its log, read through a pipe, becomes progress; Ctrl-C ends it at once; its memory is freed with it.
#include "text/subword_trainer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "core/child_process.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/progress.h"
#include "core/utf8.h"
#include "text/line_reader.h"
#include "text/subwords.h"

namespace verbund {
namespace {

// The same on every machine: the number is part of the model file, and determines the order in which a unigram model's
// counts are summed.
constexpr const char* kTrainerThreads = "16";

constexpr const char* kOwnError = "error: ";  // marks errors of this file, not of SentencePiece, in the log

// Feeds the trainer the sides of the sample's pairs.
class SampleIterator final : public sentencepiece::SentenceIterator {
 public:
  SampleIterator(const std::vector<SubwordSample>& samples, Sides sides) : samples_(samples), sides_(sides) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    if (sides_ == Sides::kBoth && has_target_) {  // the source of this pair was given before
      value_ = line_.substr(line_.find('\t') + 1);
      has_target_ = false;
      return;
    }
    done_ = !next_pair();
    if (done_) return;
    const size_t tab = line_.find('\t');
    value_ = sides_ == Sides::kTarget ? line_.substr(tab + 1) : line_.substr(0, tab);
    has_target_ = true;
  }

 private:
  bool next_pair() {
    while (left_-- <= 0 || !reader_->next_line(line_)) {
      if (next_sample_ == samples_.size()) return false;
      reader_.emplace(samples_[next_sample_].file);
      left_ = samples_[next_sample_++].pairs;
    }
    return true;
  }

  const std::vector<SubwordSample>& samples_;
  Sides sides_;
  size_t next_sample_ = 0;
  std::optional<LineReader> reader_;
  int64_t left_ = 0;
  std::string line_, value_;
  bool has_target_ = false;
  bool done_ = false;
};

std::unordered_map<std::string, std::string> trainer_settings(const SubwordConfig& config) {
  std::unordered_map<std::string, std::string> settings = {
      {"model_type", config.type == SubwordType::kBpe ? "bpe" : "unigram"},
      {"vocab_size", std::to_string(config.vocabulary)},
      {"character_coverage", fmt::format("{}", config.character_coverage)},
      {"pad_id", "0"},
      {"eos_id", "1"},
      {"bos_id", "2"},
      {"unk_id", "3"},
      {"num_threads", kTrainerThreads},
      {"max_sentence_length", "65536"},
      {"train_extremely_large_corpus", "false"},
  };
  std::vector<std::string> pieces;
  for (const std::string& symbol : config.symbols) {
    pieces.push_back(std::string(kWordStart) + symbol);
    pieces.push_back(symbol);
  }
  if (!pieces.empty()) settings["user_defined_symbols"] = fmt::format("{}", fmt::join(pieces, ","));
  return settings;
}

// Runs in the child process: trains, and writes the model.
int train(const std::vector<SubwordSample>& samples, Sides sides, const SubwordConfig& config, const fs::path& output) {
  try {
    SampleIterator sample(samples, sides);
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_settings(config), &sample, &model);
    if (status.ok()) {
      write_file(output, model);
      return 0;
    }
    fmt::print(stderr, "{}\n", status.message());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}{}\n", kOwnError, error.what());
  }
  return 1;
}

// Turns the trainer's log lines into progress, and remembers its last error.
class TrainerLog {
 public:
  explicit TrainerLog(const SubwordConfig& config)
      : config_(config), progress_("subwords", static_cast<uint64_t>(config.vocabulary), "pieces") {}

  void line(const std::string& text) {
    static const std::regex merged(R"(Added: freq=\d+ size=(\d+))");  // byte pairs: pieces so far
    static const std::regex pruned(R"(EM sub_iter=\d+ size=(\d+))");  // unigram: candidates left
    std::smatch match;
    if (std::regex_search(text, match, merged)) {
      count(std::stoull(match[1]));
    } else if (std::regex_search(text, match, pruned)) {
      // The candidates shrink towards the vocabulary, from about ten times as many.
      const double left = std::stod(match[1]), goal = static_cast<double>(config_.vocabulary);
      count(static_cast<uint64_t>(goal * std::min(1.0, goal / std::max(1.0, left))));
    }
    for (const auto& [mark, words] : kPreparations) {
      if (text.find(mark) != std::string::npos) preparation_ = words;
    }
    if (text.find("LOG(INFO)") == std::string::npos && !text.empty()) complaint_ = text;
  }

  // Called several times a second: the trainer is silent for long before it counts pieces.
  void tick() {
    if (counts_) {
      progress_.add(0);
    } else {
      progress_.waiting(preparation_);
    }
  }

  const std::string& complaint() const { return complaint_; }

 private:
  // Log lines that start a phase, and the name of the phase.
  static constexpr std::pair<const char*, const char*> kPreparations[] = {
      {"Normalizing sentences", "normalising the sample"},
      {"Tokenizing input sentences", "counting the sample's words"},
      {"Making suffix array", "looking for frequent strings"},
      {"Running EM training", "weighing the candidates"}};

  void count(uint64_t pieces) {
    counts_ = true;
    progress_.update(pieces);
  }

  const SubwordConfig& config_;
  Progress progress_;
  std::string preparation_ = "reading the sample";
  bool counts_ = false;
  std::string complaint_;
};

void read_log(ChildProcess& trainer, TrainerLog& log) {
  std::string pending;
  while (!trainer.at_end()) {
    log.tick();
    pending += trainer.read(std::chrono::milliseconds(100));
    for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      log.line(pending.substr(0, end));
    }
  }
  if (!pending.empty()) log.line(pending);
}

// Why a vocabulary of the size asked for cannot be made: the text has fewer pieces, or more characters.
struct Misfit {
  bool too_large;
  int64_t bound;  // what is possible at most, or needed at least
};

constexpr int64_t kFewestPieces = 8;  // that subwords.vocabulary may be

[[noreturn]] void fail_misfit(const Misfit& misfit, const SubwordConfig& config) {
  if (misfit.too_large && misfit.bound < kFewestPieces) {
    fail("this text allows {} pieces, but a vocabulary has at least {}: more text is needed", misfit.bound,
         kFewestPieces);
  }
  if (misfit.too_large) {
    fail(
        "a vocabulary of {} pieces is too large for this text: at most {} are possible. "
        "Use --set subwords.vocabulary={} or more text.",
        config.vocabulary, misfit.bound, misfit.bound);
  }
  fail(
      "a vocabulary of {} pieces is too small: the characters of this text alone need {}. "
      "Use --set subwords.vocabulary={} or more. (A smaller subwords.character_coverage needs fewer.)",
      config.vocabulary, misfit.bound, misfit.bound);
}

// Parses the trainer's error; fails if it is of another kind.
Misfit parse_misfit(const std::string& complaint) {
  std::smatch match;
  if (std::regex_search(complaint, match, std::regex(R"(too high.*<= ?(\d+))"))) return {true, std::stoll(match[1])};
  if (std::regex_search(complaint, match, std::regex(R"(smaller than required_chars\. \d+ vs (\d+))"))) {
    return {false, std::stoll(match[1])};
  }
  if (complaint.rfind(kOwnError, 0) == 0) fail("{}", complaint.substr(std::strlen(kOwnError)));
  fail("SentencePiece cannot learn a model: {}", complaint.empty() ? "its process died" : complaint);
}

void check_learned(const Subwords& subwords, const std::vector<std::string>& symbols) {
  for (const std::string& symbol : symbols) {
    if (subwords.encode(symbol).size() == 1 && subwords.is_symbol(symbol)) continue;
    fail("SentencePiece does not keep the symbol {} in one piece. Choose a simpler one, such as <2de>.", symbol);
  }
}

// Returns nothing on success.
std::optional<Misfit> learn(const std::vector<SubwordSample>& samples, Sides sides, const SubwordConfig& config,
                            const fs::path& output) {
  ChildProcess trainer([&] { return train(samples, sides, config, output); }, {.own_group = false});
  TrainerLog log(config);
  read_log(trainer, log);
  const int code = trainer.wait();
  check_interrupt();
  if (code == 128 + SIGKILL) {
    fail(
        "the subword trainer was killed, probably for lack of memory. Learn from less: "
        "--set subwords.sample_pairs={}",
        std::max<int64_t>(1, config.sample_pairs / 2));
  }
  if (code == 0) {
    check_learned(Subwords(output), config.symbols);
    return std::nullopt;
  }
  return parse_misfit(log.complaint());
}

}  // namespace

void check_symbols(const std::vector<std::string>& symbols) {
  for (const std::string& symbol : symbols) {
    const bool special = symbol == "<pad>" || symbol == "<s>" || symbol == "</s>" || symbol == "<unk>";
    const bool separable =
        symbol.find_first_of(" \t\r\n,\"") != std::string::npos || symbol.find(kWordStart) != std::string::npos;
    if (!symbol.empty() && !special && !separable && is_utf8(symbol)) continue;
    fail_usage("\"{}\" cannot be a symbol of the vocabulary: {}", symbol,
               special ? "SentencePiece uses it itself"
                       : "it must be UTF-8 without blanks, commas and quotation marks, such as <2de>");
  }
  if (std::set<std::string>(symbols.begin(), symbols.end()).size() != symbols.size()) {
    fail_usage("subwords.symbols has a symbol twice: {}", fmt::join(symbols, ", "));
  }
}

void learn_subwords(const std::vector<SubwordSample>& samples, Sides sides, const SubwordConfig& config,
                    const fs::path& output) {
  if (const std::optional<Misfit> misfit = learn(samples, sides, config, output)) fail_misfit(*misfit, config);
}

void learn_subwords_of_each_side(const std::vector<SubwordSample>& samples, const SubwordConfig& config,
                                 const fs::path& source_output, const fs::path& target_output) {
  const std::optional<Misfit> source = learn(samples, Sides::kSource, config, source_output);
  const std::optional<Misfit> target = learn(samples, Sides::kTarget, config, target_output);
  if (!source && !target) return;
  if (!source || !target) fail_misfit(source ? *source : *target, config);
  if (source->too_large != target->too_large) {
    fail(
        "no vocabulary fits both sides: the {} side's characters alone need {}, but the {} side allows {}. "
        "Use --set subwords.joint=true, or more text.",
        source->too_large ? "target" : "source", source->too_large ? target->bound : source->bound,
        source->too_large ? "source" : "target", source->too_large ? source->bound : target->bound);
  }
  const auto [less, more] = std::minmax(source->bound, target->bound);
  fail_misfit({source->too_large, source->too_large ? less : more}, config);
}

}  // namespace verbund
