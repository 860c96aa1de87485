// verbund translate: text from stdin or files -> translations.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/file_progress.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "collectives/agreement.h"
#include "collectives/threads.h"
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "core/output.h"
#include "core/process.h"
#include "decode/shared_translation.h"
#include "decode/trained_model.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

struct TranslateCommand {
  std::vector<std::string> files = {"-"};
  std::vector<std::string> models;
  ModelPlace place;
  std::vector<std::string> overrides;
  TranslatorConfig translator;
  int64_t column = 0;         // 0: the whole line
  int64_t prefix_column = 0;  // 0: none
  std::string prefix;
  int64_t window = 2000;
  int64_t max_tokens = 0;
  bool interactive = false, scores = false, json = false, benchmark = false;
};

void declare_flags(Options& options, TranslateCommand& command) {
  options.add_option("files", command.files, "Text to translate, one sentence a line (plain, .gz, .xz); stdin if none")
      ->type_name("FILE");
  options.add_list("-m,--model", command.models, "A run or checkpoint folder; several vote (ensemble)", "FOLDER");
  add_checkpoint_flags(options, command.place);
  add_device_flags(options, command.place);
  options.add_list("--set", command.overrides, "Override a value of the configuration: decode.beam=5 (repeatable)",
                   "KEY=VALUE");
  options.add_flag("-i,--interactive", command.interactive, "A prompt that answers line by line");
  options.add_option("--nbest", command.translator.search.nbest, "So many translations of each line, best first")
      ->type_name("N");
  options.add_flag("--scores", command.scores, "Print each translation's score before it");
  options.add_flag("--alignment", command.translator.search.align,
                   "Print behind each translation which source piece each of its pieces attends to: 0-0 1-2 ...");
  options.add_flag("--json", command.json, "One JSON object a line");
  options
      .add_option("--tsv", command.column,
                  "Lines have columns with tabs between; translate column N, append the result")
      ->type_name("N")
      ->check(at_least(1));
  options.add_option("--prefix", command.prefix, "Every translation begins with this text")->type_name("TEXT");
  options.add_option("--prefix-column", command.prefix_column, "With --tsv: column N says how the translation begins")
      ->type_name("N")
      ->check(at_least(1));
  options
      .add_option("--max-tokens", command.max_tokens,
                  "Longest source line that is translated at once; as long as those it was trained with if not given")
      ->type_name("N")
      ->check(at_least(1));
  options
      .add_call(
          "--long-lines",
          [&](const std::string& value) {
            command.translator.long_lines = value == "refuse" ? LongLines::kRefuse : LongLines::kSplit;
          },
          "Longer ones: split (default; each sentence for itself) or refuse")
      ->check(one_of({"split", "refuse"}));
  options
      .add_option("--window", command.window,
                  "At most so many lines are read ahead and sorted by length; fewer if the input pauses")
      ->check(at_least(1))
      ->capture_default_str();
  options.add_flag("--benchmark", command.benchmark,
                   "At the end, say on stderr how many target tokens a second it made");
  options.add_option("--seed", command.translator.search.seed, "Of sampling (decode.sample_top)");
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == '\t') {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  return columns;
}

Line parse(const TranslateCommand& command, const std::string& text, uint64_t number) {
  Line line = {text, command.prefix, number};
  if (command.column == 0) return line;
  const std::vector<std::string> columns = columns_of(text);
  const auto most = static_cast<size_t>(std::max(command.column, command.prefix_column));
  if (columns.size() < most) fail("line {} has {} columns, but column {} is wanted", number, columns.size(), most);
  line.text = columns[static_cast<size_t>(command.column) - 1];
  if (command.prefix_column > 0) line.prefix = columns[static_cast<size_t>(command.prefix_column) - 1];
  return line;
}

std::string show_alignment(const Translation& translation) {
  std::vector<std::string> pairs;
  for (const auto& [source, target] : translation.alignment) pairs.push_back(fmt::format("{}-{}", source, target));
  return fmt::format("{}", fmt::join(pairs, " "));
}

std::string show_json(const TranslateCommand& command, const Translator& translator, const std::string& input,
                      const Line& line, const std::vector<Translation>& translations) {
  using Json = nlohmann::ordered_json;
  const bool align = command.translator.search.align;
  Json object = {{"line", line.number}, {"source", line.text}};
  if (command.column > 0) object["columns"] = columns_of(input);
  if (align) object["source_pieces"] = translator.source_pieces(line.text);
  for (const Translation& translation : translations) {
    Json each = {{"text", translation.text}, {"score", translation.score}};
    if (!translation.finished) each["finished"] = false;
    if (align) {
      each["pieces"] = translation.pieces;
      each["alignment"] = translation.alignment;
    }
    object["translations"].push_back(each);
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";  // other columns may be any bytes
}

// Columns, each only if asked for: the line's number (n-best), score, translation, alignment.
std::string show(const TranslateCommand& command, const Translator& translator, const std::string& input,
                 const Line& line, const std::vector<Translation>& translations) {
  if (command.json) return show_json(command, translator, input, line, translations);
  std::string text;
  for (const Translation& translation : translations) {
    if (command.column > 0) text += input + "\t";
    if (command.translator.search.nbest > 1) text += fmt::format("{}\t", line.number);
    if (command.scores) text += fmt::format("{:.4f}\t", translation.score);
    text += translation.text;
    if (command.translator.search.align) text += "\t" + show_alignment(translation);
    text += "\n";
  }
  return text;
}

// At most `most` lines: those that are there, and as long as no more than a moment passes before the next one.
struct Window {
  std::vector<std::string> inputs;
  std::vector<Line> lines;
  std::string bad_line;  // what is wrong with the line behind these, if anything
  bool more = true;
};

Window read_window(const TranslateCommand& command, const Translator& translator, LineReader& reader, size_t most,
                   uint64_t& number) {
  constexpr std::chrono::milliseconds kMoment(100);
  Window window;
  while (window.lines.size() < most && (window.lines.empty() || reader.ready(kMoment))) {
    std::string text;
    if (!(window.more = reader.next_line(text))) break;
    try {
      Line line = parse(command, text, reader.lines());
      translator.check(line);
      line.number = ++number;
      window.lines.push_back(line);
      window.inputs.push_back(text);
    } catch (const Error& error) {
      window.bad_line = fmt::format("{}{}", reader.path() == "-" ? "" : reader.path().string() + ": ", error.what());
      break;
    }
  }
  return window;
}

// What is said at the end, once.
struct Tally {
  uint64_t lines = 0;
  uint64_t cut = 0;
  uint64_t split = 0, first_split = 0;

  void add(const Line& line, const std::vector<Translation>& translations) {
    for (const Translation& each : translations) cut += each.finished ? 0 : 1;
    if (translations.front().split && split++ == 0) first_split = line.number;
  }

  void report() const {
    if (split > 0) {
      warn("{} translated sentence by sentence, being longer than decode.max_tokens allows at once",
           split == 1 ? fmt::format("line {} was", first_split)
                      : fmt::format("{} lines (the first is line {}) were", split, first_split));
    }
    if (cut > 0) warn("{} translations were cut at their greatest length (decode.max_ratio, decode.max_extra)", cut);
  }
};

void translate_file(const TranslateCommand& command, const Translator& translator, SharedTranslation& translation,
                    const std::string& file, FileProgress& progress, Tally& tally) {
  LineReader reader(file);
  const bool prompt = command.interactive && ::isatty(STDIN_FILENO) == 1;
  const size_t most = command.interactive ? 1 : static_cast<size_t>(command.window);
  for (bool more = true; more;) {
    if (prompt) std::cout << "> ";
    flush_output();
    const Window window = read_window(command, translator, reader, most, tally.lines);
    const auto translations = translation.translate(
        window.lines, [&](size_t done) { progress.update(reader.position(), done, window.lines.size()); });
    progress.end_window(reader.position());
    for (size_t i = 0; i < window.lines.size(); ++i) {
      print_output(show(command, translator, window.inputs[i], window.lines[i], translations[i]));
      tally.add(window.lines[i], translations[i]);
    }
    flush_output();
    if (!window.bad_line.empty() && !command.interactive) fail("{}", window.bad_line);
    if (!window.bad_line.empty()) warn("{}", window.bad_line);
    more = window.more;
  }
  progress.end_file(reader.position());
}

void check(const TranslateCommand& command) {
  if (command.prefix_column > 0 && command.column == 0) fail_usage("--prefix-column needs --tsv");
  if (command.prefix_column > 0 && !command.prefix.empty()) fail_usage("give --prefix or --prefix-column, not both");
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
  fail("{} and {} have different vocabularies: they cannot vote together", first.checkpoint.string(),
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
      "  verbund translate -m runs/a -m runs/b text.en      # an ensemble\n"
      "  mpirun -n 4 --bind-to none verbund translate -m runs/a text.en    # the lines are shared\n");
  declare_flags(options, command);
  if (!options.read(arguments)) return;
  if (command.models.empty()) fail_usage("say which model: --model RUN");
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
  keep_freed_memory();
  const Translator translator(models, trained.front().source, trained.front().target, command.translator);
  with_workers([&](Workers& workers) {
    use_threads(workers, config.threads);
    for (const TrainedModel& each : trained) agree_on_model(workers, each.step, each.model->weights().values());
    workers.watchdog().report_phase(0, "reading and writing text", true);
    SharedTranslation translation(translator, workers);
    if (!workers.leads()) return translation.assist();
    // Translations are read by people and programs that want nothing else, so the usual case goes without saying.
    const Device& device = *trained.front().device;
    if (!device.is_host() || device.precision() != Precision::kFp32) log_device(device);
    Tally tally;
    const auto start = std::chrono::steady_clock::now();
    {
      FileProgress progress("translating", {command.files.begin(), command.files.end()});
      for (const std::string& file : command.files) {
        translate_file(command, translator, translation, file, progress, tally);
      }
    }
    translation.finish();
    tally.report();
    if (!command.benchmark) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    log("benchmark: {} target tokens, {:.3f} seconds, {:.0f} tokens per second", translation.target_tokens(), seconds,
        static_cast<double>(translation.target_tokens()) / seconds);
  });
}

}  // namespace verbund
