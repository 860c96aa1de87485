// SPDX-License-Identifier: Apache-2.0
// verbund evaluate: loss, BLEU and chrF of a trained model on a test set.
#include <cmath>
#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "collectives/agreement.h"
#include "collectives/threads.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/json.h"
#include "core/output.h"
#include "core/process.h"
#include "data/dataset.h"
#include "decode/trained_model.h"
#include "decode/translator.h"
#include "evaluate/extra_dev_sets.h"
#include "score/score_report.h"

namespace verbund {
namespace {

struct EvaluateCommand {
  ModelPlace place;
  std::string data, split = "test", source, reference, tag, output;
  std::vector<std::string> overrides;
  bool json = false;
};

void declare_flags(Options& options, EvaluateCommand& command) {
  add_model_flags(options, command.place);
  add_device_flags(options, command.place);
  options
      .add_option("--data", command.data, "Dataset folder with the pairs to evaluate on (or --source and --reference)")
      ->type_name("FOLDER");
  options
      .add_option("--split", command.split, "Part of --data: test, dev or train, or test-NAME, dev-NAME of one corpus")
      ->capture_default_str();
  options.add_option("--source", command.source, "Source sentences, one a line (plain, .gz, .xz); needs --reference")
      ->type_name("FILE");
  options.add_option("--reference", command.reference, "Reference translations of --source, line by line")
      ->type_name("FILE");
  options
      .add_option("--tag", command.tag,
                  "With --source: symbol to put before every source sentence, such as <2de>, as in translate")
      ->type_name("TAG");
  options.add_option("--output", command.output, "Write the translations there")->type_name("FILE");
  options.add_list("--set", command.overrides, "Override a value: decode.beam=5, evaluate.tokenize=none (repeatable)",
                   "KEY=VALUE");
  options.add_flag("--json", command.json, "Print JSON");
}

// The sets to evaluate on: the one that was asked for, and those of its corpora, if it has several.
struct WantedSets {
  TestSet main;
  std::vector<ExtraDevSet> parts;
};

WantedSets read_sets(const EvaluateCommand& command, const TrainedModel& trained) {
  if (!command.data.empty()) {
    const Dataset dataset(command.data);
    verify(dataset, command.split);
    for (const std::string& part : names_of_parts(dataset.manifest(), command.split)) verify(dataset, part);
    if (read_file(dataset.source_model()) != read_file(trained.source_vocabulary) ||
        read_file(dataset.target_model()) != read_file(trained.target_vocabulary)) {
      fail(
          "the dataset {} has another vocabulary than the model {}. Evaluate on its text: --source FILE --reference "
          "FILE",
          command.data, trained.checkpoint.string());
    }
    WantedSets sets{read_test_set(dataset, command.split, trained.source, trained.target), {}};
    sets.parts = read_parts(dataset, command.split, sets.main, trained.source, trained.target);
    return sets;
  }
  check_tag(command.tag, trained.source);
  return {read_test_set(command.source, command.reference, command.tag, trained.source, trained.target), {}};
}

Json part_json(const Evaluation& result) {
  return {{"cross_entropy", result.cross_entropy()}, {"perplexity", std::exp(result.cross_entropy())},
          {"target_tokens", result.loss.tokens},     {"bleu", score_json(report(result.bleu))},
          {"chrf", score_json(report(result.chrf))}, {"exact_sentences", result.exact_share()},
          {"sentences", result.translations.size()}};
}

Json to_json(const TrainedModel& trained, const Evaluation& result) {
  return {{"checkpoint", trained.checkpoint.string()},
          {"step", trained.step},
          {"averaged_weights", trained.averaged},
          {"loss", result.smoothed()},  // the older name
          {"smoothed_loss", result.smoothed()},
          {"cross_entropy", result.cross_entropy()},
          {"perplexity", std::exp(result.cross_entropy())},
          {"target_tokens", result.loss.tokens},
          {"bleu", score_json(report(result.bleu))},
          {"chrf", score_json(report(result.chrf))},
          {"exact_sentences", result.exact_share()},
          {"sentences", result.translations.size()},
          {"loss_seconds", result.loss_seconds},
          {"translate_seconds", result.translate_seconds},
          {"translated_tokens", result.translated_tokens}};
}

void print(const TrainedModel& trained, const Evaluation& result, size_t pairs) {
  std::cout << fmt::format("{} (step {}{})\n", trained.checkpoint.string(), trained.step,
                           trained.averaged ? ", averaged weights" : "")
            << fmt::format("loss {:.4f}, perplexity {:.3f}, label-smoothed loss {:.4f} on {} target tokens\n",
                           result.cross_entropy(), std::exp(result.cross_entropy()), result.smoothed(),
                           human_count(static_cast<uint64_t>(result.loss.tokens)))
            << (result.translations.size() < pairs
                    ? fmt::format("BLEU and chrF of the first {} of {} sentences:\n", result.translations.size(), pairs)
                    : "")
            << score_line(report(result.bleu), 2) << "\n"
            << score_line(report(result.chrf), 2) << "\n"
            << fmt::format("exact sentences {:.1f} % of {}; translated in {}, {:.0f} target tokens per second\n",
                           100 * result.exact_share(), human_count(result.translations.size()),
                           human_duration(result.translate_seconds),
                           static_cast<double>(result.translated_tokens) / result.translate_seconds);
}

void print_part(const std::string& name, const Evaluation& result) {
  std::cout << fmt::format("\n{}: loss {:.4f}, perplexity {:.3f}, exact sentences {:.1f} % of {}\n", name,
                           result.cross_entropy(), std::exp(result.cross_entropy()), 100 * result.exact_share(),
                           human_count(result.translations.size()))
            << score_line(report(result.bleu), 2) << "\n"
            << score_line(report(result.chrf), 2) << "\n";
}

}  // namespace

void run_evaluate(const Arguments& arguments) {
  EvaluateCommand command;
  Options options("evaluate", "Loss, BLEU and chrF of a trained model on a test set.",
                  "  verbund evaluate -m runs/demo --data data/demo\n"
                  "  verbund evaluate -m runs/base --checkpoint best-loss --source news.en --reference news.de \\\n"
                  "                   --output news.out --set decode.beam=8\n"
                  "  verbund evaluate -m runs/many --tag \"<2de>\" --source news.en --reference news.de\n"
                  "  mpirun -n 4 --bind-to none verbund evaluate -m runs/base --data data/wmt16   # each a part\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  const bool files = !command.source.empty() || !command.reference.empty();
  if (files == !command.data.empty() || command.source.empty() != command.reference.empty()) {
    fail_usage("say what to evaluate on: --data FOLDER, or --source FILE and --reference FILE");
  }
  if (!command.tag.empty() && !files) {
    fail_usage("--tag is for --source and --reference: the text of a dataset has the tags of its corpora already");
  }
  TrainedModel trained = load_trained_model(command.place);
  trained.config.evaluate.sentences = 0;  // what was enough while training is not a test
  override_use(trained.config, command.overrides);
  const DecodeConfig decode = decode_config(trained.config);
  tokenizer_named(trained.config.evaluate.tokenize);  // refuses an unknown one
  std::optional<OutputFile> output;                   // worker 0's
  keep_freed_memory();
  const WantedSets sets = read_sets(command, trained);
  Evaluation result;
  std::vector<Evaluation> parts;
  bool leads = true;
  with_workers([&](Workers& workers) {
    leads = workers.leads();
    if (leads && !command.output.empty()) output.emplace(command.output);  // before the work, not after it
    if (leads) log_device(*trained.device);
    use_threads(workers, trained.config.threads);
    workers.watchdog().set_limits(trained.config.workers);
    agree_on_model(workers, trained.step, trained.model->weights().values());
    workers.must_agree("the test set",
                       fmt::format("one of {} pairs with the checksum {}", sets.main.size(), checksum(sets.main)));
    std::optional<DeferInterrupts> together;
    if (workers.size() > 1) together.emplace();
    const auto evaluate_set = [&](const TestSet& set) {
      return evaluate(*trained.model, set, trained.source, trained.target, trained.config.evaluate, decode, workers);
    };
    result = evaluate_set(sets.main);
    parts = evaluate_extra(sets.parts, result, trained.config.evaluate, evaluate_set);
  });
  if (!leads) return;
  if (command.json) {
    Json json = to_json(trained, result);
    for (size_t i = 0; i < parts.size(); ++i) json["sets"][sets.parts[i].name] = part_json(parts[i]);
    std::cout << dump_json(json, 1) << "\n";
  } else {
    print(trained, result, sets.main.size());
    for (size_t i = 0; i < parts.size(); ++i) print_part(command.split + "-" + sets.parts[i].name, parts[i]);
  }
  if (!output) return;
  for (const std::string& line : result.translations) output->write(line + "\n");
  output->commit();
}

}  // namespace verbund
