// SPDX-License-Identifier: Apache-2.0
// The command `verbund translate` translates text from stdin or files.
#include <chrono>

#include "cli/command.h"
#include "cli/file_progress.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "collectives/agreement.h"
#include "collectives/threads.h"
#include "core/error.h"
#include "core/log.h"
#include "core/process.h"
#include "decode/trained_model.h"
#include "decode/translation_stream.h"

namespace verbund {
namespace {

struct TranslateCommand {
  std::vector<std::string> files = {"-"};
  std::vector<std::string> models;
  ModelPlace place;
  std::vector<std::string> overrides;
  TranslatorConfig translator;
  LineFormat format;
  int64_t window = 2000;
  int64_t max_tokens = 0;
  bool interactive = false, benchmark = false;
};

void declare_flags(Options& options, TranslateCommand& command) {
  options.add_option("files", command.files, "Text to translate, one sentence a line (plain, .gz, .xz); stdin if none")
      ->type_name("FILE");
  options.add_list("-m,--model", command.models, "A run or checkpoint folder; several form an ensemble", "FOLDER");
  add_checkpoint_flags(options, command.place);
  add_device_flags(options, command.place);
  options.add_list("--set", command.overrides, "Override a value of the configuration: decode.beam=5 (repeatable)",
                   "KEY=VALUE");
  options.add_flag("-i,--interactive", command.interactive, "Translate each line as it is typed, at a prompt");
  options.add_option("--nbest", command.translator.search.nbest, "Number of translations of each line, best first")
      ->type_name("N");
  options.add_flag("--scores", command.format.scores, "Print each translation's score before it");
  options.add_flag("--alignment", command.translator.search.align,
                   "Print after each translation which source piece each of its pieces attends to: 0-0 1-2 ...");
  options.add_flag("--json", command.format.json, "One JSON object a line");
  options
      .add_option("--tsv", command.format.column,
                  "Lines have columns separated by tabs; translate column N, append the result")
      ->type_name("N")
      ->check(at_least(1));
  options
      .add_option(
          "--tag", command.translator.tag,
          "Symbol to put before every sentence, such as <2de>: the tag of a corpus that the model was trained on")
      ->type_name("TAG");
  options.add_option("--prefix", command.format.prefix, "Every translation begins with this text")->type_name("TEXT");
  options
      .add_option("--prefix-column", command.format.prefix_column,
                  "With --tsv: column N is the beginning of the translation")
      ->type_name("N")
      ->check(at_least(1));
  options
      .add_option("--max-tokens", command.max_tokens,
                  "Longest source line, in tokens, that is translated as a whole; by default the length the model was "
                  "trained with")
      ->type_name("N")
      ->check(at_least(1));
  options
      .add_call(
          "--long-lines",
          [&](const std::string& value) {
            command.translator.long_lines = value == "refuse" ? LongLines::kRefuse : LongLines::kSplit;
          },
          "Longer lines: split (default; sentence by sentence) or refuse")
      ->check(one_of({"split", "refuse"}));
  options
      .add_option("--window", command.window,
                  "Number of lines that are read ahead and sorted by length; fewer if the input pauses")
      ->check(at_least(1))
      ->capture_default_str();
  options.add_flag("--benchmark", command.benchmark,
                   "Print the throughput, in target tokens per second, to stderr at the end");
  options.add_option("--seed", command.translator.search.seed, "Seed of sampling (decode.sample_top)");
}

void check(const TranslateCommand& command) {
  if (command.format.prefix_column > 0 && command.format.column == 0) fail_usage("--prefix-column needs --tsv");
  if (command.format.prefix_column > 0 && !command.format.prefix.empty())
    fail_usage("give --prefix or --prefix-column, not both");
  const DecodeConfig& decode = command.translator.search.config;
  if (command.translator.search.nbest < 1 || command.translator.search.nbest > decode.beam) {
    fail_usage("--nbest {} must be from 1 to the beam, {}: --set decode.beam=N", command.translator.search.nbest,
               decode.beam);
  }
}

void check_same_vocabulary(const TrainedModel& first, const TrainedModel& other) {
  if (read_file(first.target_vocabulary) == read_file(other.target_vocabulary) &&
      read_file(first.source_vocabulary) == read_file(other.source_vocabulary)) {
    return;
  }
  fail("{} and {} have different vocabularies: they cannot form an ensemble", first.checkpoint.string(),
       other.checkpoint.string());
}

}  // namespace

void run_translate(const Arguments& arguments) {
  TranslateCommand command;
  Options options(
      "translate", "Translates text with a trained model, line by line, in the order of the input.",
      "  verbund translate -m runs/demo < text.en > text.de\n"
      "  verbund translate -m runs/demo --interactive\n"
      "  verbund translate -m runs/base --checkpoint best --nbest 4 --scores --set decode.beam=8 news.en.gz\n"
      "  verbund translate -m runs/many --tag \"<2de>\" text.en\n"
      "  verbund translate -m runs/a -m runs/b text.en      # an ensemble\n"
      "  mpirun -n 4 --bind-to none verbund translate -m runs/a text.en    # the lines are shared\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  if (command.models.empty()) fail_usage("name a model: --model RUN");
  std::vector<TrainedModel> trained;
  std::vector<DecodableModel*> models;
  for (const std::string& folder : command.models) {
    command.place.folder = folder;
    trained.push_back(load_trained_model(command.place, trained.empty() ? nullptr : trained.front().device));
    check_same_vocabulary(trained.front(), trained.back());
  }
  for (TrainedModel& each : trained) models.push_back(each.model.get());
  Config config = trained.front().config;
  override_use(config, command.overrides);
  if (command.max_tokens > 0) config.decode.max_tokens = command.max_tokens;
  command.translator.search.config = decode_config(config);
  check(command);
  command.format.numbers = command.translator.search.nbest > 1;
  command.format.alignment = command.translator.search.align;
  keep_freed_memory();
  const Translator translator(models, trained.front().source, trained.front().target, command.translator);
  with_workers([&](Workers& workers) {
    use_threads(workers, config.threads);
    for (const TrainedModel& each : trained) agree_on_model(workers, each.step, each.model->weights().values());
    workers.watchdog().report_phase(0, "reading and writing text", true);
    SharedTranslation translation(translator, workers);
    if (!workers.leads()) return translation.assist();
    // The output is for people and programs that want translations alone, so the usual device is not reported.
    const Device& device = *trained.front().device;
    if (!device.is_host() || device.precision() != Precision::kFp32) log_device(device);
    const bool tagged = !command.translator.tag.empty();
    TranslationStream stream(translator, translation, command.format, static_cast<size_t>(command.window),
                             command.interactive,
                             tagged ? std::vector<std::string>() : tags_of_training(trained.front().run));
    const auto start = std::chrono::steady_clock::now();
    {
      FileProgress progress("translating", {command.files.begin(), command.files.end()});
      const StreamProgress parts = {
          [&](uint64_t position, size_t done, size_t lines) { progress.update(position, done, lines); },
          [&](uint64_t position) { progress.end_window(position); },
          [&](uint64_t position) { progress.end_file(position); }};
      for (const std::string& file : command.files) stream.translate_file(file, parts);
    }
    translation.finish();
    stream.warn_of_cut_lines();
    if (!command.benchmark) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    log("benchmark: {} target tokens, {:.3f} seconds, {:.0f} tokens per second", translation.target_tokens(), seconds,
        static_cast<double>(translation.target_tokens()) / seconds);
  });
}

}  // namespace verbund
