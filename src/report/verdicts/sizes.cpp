// SPDX-License-Identifier: Apache-2.0
// Verdicts 10 to 12: the size of the training set, and the size and files of a checkpoint.
#include <algorithm>

#include "core/human.h"
#include "data/dataset_record.h"
#include "page/number_format.h"
#include "report/corpora_seen.h"
#include "report/json_values.h"
#include "report/judge.h"

namespace verbund {
namespace {

std::string both_units(double bytes) {
  return fmt::format("{} MB ({} MiB)", short_number(bytes / 1e6), short_number(bytes / 1048576));
}

std::string times(double epochs) { return short_number(epochs) + (epochs == 1 ? " time" : " times"); }

// How often the run saw the pairs; "" if that is not known.
std::string how_often(const std::vector<CorpusSeen>& corpora, bool are_others) {
  if (!std::ranges::all_of(corpora, [](const CorpusSeen& corpus) { return is_known(corpus.epochs); })) return "";
  const char* which = are_others ? "the others" : "them";
  if (corpora.size() == 1) return fmt::format(" The run saw {} {}.", which, times(corpora[0].epochs));
  std::vector<std::string> each;
  for (const CorpusSeen& corpus : corpora) each.push_back(fmt::format("{} {}", corpus.name, times(corpus.epochs)));
  return fmt::format(" The run saw {}: {}.", which, list_text(each));
}

constexpr const char* kNone = "the run folder has no complete checkpoint.";

Verdict& none(const RunData& run, Verdict& verdict) {
  return cannot_tell(verdict, run.imported ? kNotImported : kNone);
}

}  // namespace

Verdict training_set(const RunData& run) {
  Verdict verdict = ask("training_set", "How big was the training set?");
  verdict.rule =
      "Counted when the datasets were prepared: pairs and bytes of text after cleaning, tokens after segmentation into "
      "pieces. 1 MB is 1,000,000 bytes, 1 MiB 1,048,576. Training leaves out pairs longer than batch.max_length. An "
      "epoch of a corpus is one pass over its other pairs.";
  verdict.would_change = "Use another corpus, or other cleaning rules (the section `clean` of the configuration).";
  const DatasetRecord data = read_dataset_record(object_at(run.record, "dataset"));
  const std::vector<CorpusSeen> corpora = corpora_seen(run);
  double pairs = 0, usable = 0;
  for (const CorpusSeen& corpus : corpora) pairs += corpus.pairs, usable += corpus.usable;
  if (!is_known(pairs)) {
    return cannot_tell(verdict, run.imported ? kNotImported : "the run's record has no statistics of its dataset.");
  }
  const double source = data.sum(&FolderRecord::source_bytes), target = data.sum(&FolderRecord::target_bytes);
  const double source_tokens = data.sum(&FolderRecord::source_tokens);
  const double target_tokens = data.sum(&FolderRecord::target_tokens);
  const double before = data.sum(&FolderRecord::pairs_before);
  const double left_out = pairs - usable;
  if (before > 0) {
    verdict.would_change = fmt::format(
        "Cleaning kept {} of {} pairs: use another corpus, or other rules (the section `clean` of the configuration).",
        percent(pairs / before), human_number(before));
  }
  if (left_out > 0) {
    verdict.would_change +=
        fmt::format(" {} of the pairs are longer than batch.max_length{}.", percent(left_out / pairs),
                    run.config ? fmt::format(", {}", run.config->batch.max_length) : "");
  }
  verdict.sentence = fmt::format("{} sentence pairs", human_number(pairs));
  if (corpora.size() > 1) verdict.sentence += fmt::format(" in {} corpora", corpora.size());
  if (is_known(source + target)) {
    verdict.sentence +=
        fmt::format(", {} of text: {} in the source and {} in the target language", both_units(source + target),
                    human_bytes(static_cast<uint64_t>(source)), human_bytes(static_cast<uint64_t>(target)));
  }
  if (is_known(target_tokens)) verdict.sentence += fmt::format("; {} target tokens", human_number(target_tokens));
  verdict.sentence += ".";
  if (left_out > 0) {
    verdict.sentence += fmt::format(" {} of the pairs were left out, because they are too long{}.", counted(left_out),
                                    run.config ? fmt::format(" (over {} tokens)", run.config->batch.max_length) : "");
  }
  verdict.sentence += how_often(corpora, left_out > 0);
  verdict.figures = {figure("pairs", pairs, ""),
                     figure("text", (source + target) / 1e6, "MB"),
                     figure("text", (source + target) / 1048576, "MiB"),
                     figure("source text", source, "bytes"),
                     figure("target text", target, "bytes"),
                     figure("source tokens", source_tokens, ""),
                     figure("target tokens", target_tokens, ""),
                     figure("pairs before cleaning", before, ""),
                     figure("pairs left out as too long", left_out, "")};
  for (const CorpusSeen& corpus : corpora) {
    const std::string of = corpora.size() > 1 ? " of " + corpus.name : "";
    if (corpora.size() > 1) verdict.add("pairs" + of, corpus.pairs, "");
    verdict.add("epochs" + of, corpus.epochs, "");
  }
  return verdict;
}

Verdict checkpoint_files(const RunData& run) {
  Verdict verdict = ask("checkpoint_files", "Which files make up a checkpoint?");
  verdict.in_short = "a checkpoint is damaged";
  verdict.rule = "The folder of the newest checkpoint, file by file; manifest.json lists each with size and checksum.";
  verdict.would_change = "Averaged weights (average.decay) add a file.";
  if (!run.newest_checkpoint) return none(run, verdict);
  const CheckpointContents& contents = *run.newest_checkpoint;
  std::string list;
  for (const CheckpointContents::File& file : contents.files) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", file.name, file.purpose);
    verdict.add(file.name, static_cast<double>(file.size), "bytes");
  }
  verdict.sentence =
      fmt::format("{} files in {}: {}.", contents.files.size(), contents.folder.filename().string(), list);
  if (contents.damaged()) {
    verdict.finding = Grade::kBad;
    for (const CheckpointContents::File& file : contents.files) {
      if (!file.damage.empty()) verdict.sentence += fmt::format(" {} is damaged: {}.", file.name, file.damage);
    }
  }
  verdict.would_change =
      fmt::format("Averaged weights (average.decay) are one more than these {}.", contents.files.size());
  verdict.add("checkpoints in the run folder", static_cast<double>(run.checkpoints.size()), "");
  return verdict;
}

Verdict checkpoint_size(const RunData& run) {
  Verdict verdict = ask("checkpoint_size", "How big is a checkpoint?");
  verdict.rule =
      "Sum of its files, as `du -b` counts them, compared with the expected size: 4 bytes per parameter, once for the "
      "weights, once for each moment of the optimiser, and once for averaged weights if they are kept.";
  verdict.would_change =
      "Change the size of the model, the optimiser, or averaging; for translation alone weights.safetensors is enough.";
  if (!run.newest_checkpoint) return none(run, verdict);
  const CheckpointContents& contents = *run.newest_checkpoint;
  uint64_t all = 0;
  for (const CheckpointOnDisk& checkpoint : run.checkpoints) all += checkpoint.bytes;
  for (const CheckpointContents::File& file : contents.files) {
    if (file.name != "weights.safetensors") continue;
    verdict.would_change = fmt::format(
        "To translate, weights.safetensors, {}, is enough. The rest changes with the optimiser and with averaging.",
        human_bytes(file.size));
  }
  verdict.sentence = fmt::format("{} ({} MiB)", human_bytes(contents.file_bytes),
                                 short_number(static_cast<double>(contents.file_bytes) / 1048576));
  if (contents.parameters > 0) {
    verdict.sentence += fmt::format(
        ": {} parameters of 4 bytes, {} times: the weights{}{}", human_number(static_cast<double>(contents.parameters)),
        1 + contents.moments.size() + (contents.averaged ? 1 : 0),
        contents.moments.empty() ? ""
                                 : ", " + counted(static_cast<double>(contents.moments.size()),
                                                  "moment of the optimiser", "moments of the optimiser"),
        contents.averaged ? ", their average" : "");
    const int64_t rest = static_cast<int64_t>(contents.file_bytes) - static_cast<int64_t>(contents.expected_bytes);
    if (rest > 0) {
      std::string more;
      for (const CheckpointContents::File& file : contents.files) {
        if (file.name == "exchange.safetensors") more += ", residuals of rounding";
        if (file.name == "outer.safetensors") more += ", outer momentum and moments of each worker";
      }
      verdict.sentence += fmt::format("; the other {} are headers, state and settings{}",
                                      human_bytes(static_cast<uint64_t>(rest)), more);
    }
  }
  verdict.sentence += ".";
  if (run.checkpoints.size() > 1) {
    verdict.sentence += fmt::format(" The {} checkpoints kept take {}.", run.checkpoints.size(), human_bytes(all));
  }
  verdict.figures = {figure("files of a checkpoint", static_cast<double>(contents.file_bytes), "bytes"),
                     figure("with the folder's own entry", static_cast<double>(contents.folder_bytes), "bytes")};
  if (contents.parameters > 0) {
    verdict.add("parameters", static_cast<double>(contents.parameters), "");
    verdict.add("expected", static_cast<double>(contents.expected_bytes), "bytes");
  }
  for (const CheckpointContents::Share& share : contents.remainder) {
    verdict.add("of the rest: " + share.what, static_cast<double>(share.bytes), "bytes");
  }
  verdict.add("all checkpoints kept", static_cast<double>(all), "bytes");
  return verdict;
}

}  // namespace verbund
