// SPDX-License-Identifier: Apache-2.0
#include "migrate/openseq2seq.h"

#include <cmath>

#include "core/error.h"
#include "migrate/converted_config.h"
#include "migrate/openseq2seq_params.h"

namespace verbund {
namespace {

constexpr double kAssumedTokens = 30;  // of a sentence of WMT's training text in 32,768 pieces, with </s>

struct Row {
  const char* theirs;
  const char* ours;
  const char* note = "";
  bool none_is_zero = false;  // None means never, which is 0 here
};

constexpr Row kRows[] = {
    {"random_seed", "seed"},
    {"encoder_params.encoder_layers", "model.encoder_layers"},
    {"decoder_params.num_hidden_layers", "model.decoder_layers"},
    {"encoder_params.hidden_size", "model.d_model"},
    {"encoder_params.num_heads", "model.heads"},
    {"encoder_params.filter_size", "model.d_ff"},
    {"encoder_params.layer_postprocess_dropout", "model.dropout"},
    {"encoder_params.attention_dropout", "model.attention_dropout"},
    {"encoder_params.relu_dropout", "model.relu_dropout"},
    {"encoder_params.norm_params.epsilon", "model.norm_epsilon"},
    {"loss_params.label_smoothing", "model.label_smoothing"},
    {"data_layer_params.max_length", "batch.max_length", "; longer pairs are dropped here, not cut"},
    {"max_grad_norm", "optimizer.clip_norm"},
    {"max_steps", "train.max_steps"},
    {"num_epochs", "train.epochs"},
    {"print_loss_steps", "train.log_every"},
    {"eval_steps", "train.eval_every", "", true},
    {"print_samples_steps", "train.sample_every", "", true},
    {"save_checkpoint_steps", "checkpoint.save_every_steps", "", true},
    {"num_checkpoints", "checkpoint.keep_last"},
};

constexpr Row kSearchRows[] = {
    {"decoder_params.beam_size", "decode.beam"},
    {"decoder_params.alpha", "decode.length_penalty"},
    {"decoder_params.extra_decode_length", "decode.max_extra"},
};

// Settings that encoder and decoder have separately there, and share here.
constexpr const char* kTwins[] = {
    "hidden_size",       "num_heads",    "filter_size",        "layer_postprocess_dropout",
    "attention_dropout", "relu_dropout", "norm_params.epsilon"};

class Conversion {
 public:
  Conversion(const PythonFile& file, const OpenSeq2SeqSurroundings& surroundings)
      : file_(file),
        surroundings_(surroundings),
        train_(file, "train_params"),
        eval_(file, "eval_params"),
        infer_(file, "infer_params") {}

  std::string run() {
    check_model();
    for (const Row& row : kRows) convert(row, train_);
    for (const Row& row : kSearchRows) {
      convert(row, infer_);
      train_.take(row.theirs);
    }
    compare_twins();
    judge_saving();
    count_workers();
    convert_batch();
    convert_precision();
    convert_schedule(train_, ours_);
    convert_optimizer(train_, ours_);
    convert_loss_scale(train_, ours_);
    const std::string commands = show_commands();
    name_the_rest();
    return fmt::format(
        "# Made from {} by `verbund config --from-openseq2seq`. After each value: what it was there.\n{}{}",
        comment_text(file_.name, 200), ours_.yaml(), commands);
  }

 private:
  void check_model() {
    if (file_.variables.find("base_params") == nullptr) {
      fail_usage("{} assigns nothing to base_params: it is not a configuration of OpenSeq2Seq", file_.name);
    }
    for (const char* part : {"encoder", "decoder"}) {
      const PythonValue* value = train_.find(part);
      if (value == nullptr || shown(*value).find("Transformer") != std::string::npos) continue;
      fail_usage("{}:{}: the {} is {}, but Verbund trains Transformers only: there is nothing to convert it to",
                 file_.name, value->line, part, shown(*value));
    }
  }

  void convert(const Row& row, OpenSeq2SeqParams& theirs) {
    if (const auto value = theirs.number(row.theirs)) {
      ours_.set(row.ours, number_text(*value), std::string(row.theirs) + row.note);
    } else if (row.none_is_zero && theirs.is_none(row.theirs)) {
      ours_.set(row.ours, "0", std::string(row.theirs) + ": None");
    }
  }

  void compare_twins() {
    for (const std::string name : kTwins) {
      const auto of_encoder = train_.number("encoder_params." + name),
                 of_decoder = train_.number("decoder_params." + name);
      if (!of_encoder || !of_decoder || *of_encoder == *of_decoder) continue;
      ours_.remark(fmt::format("decoder_params.{}: {}", name, *of_decoder),
                   fmt::format("encoder and decoder have the same here: {}, as the encoder there", *of_encoder));
    }
  }

  // Their sample configurations save once, at the very end.
  void judge_saving() {
    const auto every = train_.number("save_checkpoint_steps"), steps = train_.number("max_steps");
    if (!every || !steps || *every < 10000 || *every * 10 < *steps) return;
    ours_.remark(fmt::format("save_checkpoint_steps: {}", *every),
                 "a stopped run saves by itself, but a power cut loses all steps since: better 5000");
  }

  // One for each of their GPUs. Horovod ignores num_gpus: mpirun's -np sets the number, which the file does not have.
  void count_workers() {
    const auto in_file = train_.number("num_gpus");
    const PythonValue* horovod = train_.find("use_horovod");
    const bool by_mpirun = horovod != nullptr && horovod->truth;
    workers_ = surroundings_.workers > 0 ? static_cast<double>(surroundings_.workers) : in_file.value_or(1);
    if (surroundings_.workers == 0) {
      workers_origin_ = !by_mpirun ? " (or --workers N)"
                        : in_file  ? " (num_gpus, which Horovod ignores: --workers N if mpirun -np was another number)"
                                   : " (assumed: under Horovod, mpirun -np is the number: --workers N)";
    } else if (in_file && *in_file != workers_) {
      ours_.remark(fmt::format("num_gpus: {}", *in_file), fmt::format("{} workers are given", workers_));
    }
  }

  void convert_batch() {
    convert_batch_size();
    if (const PythonValue* shuffle = train_.take("data_layer_params.shuffle")) {
      ours_.set("batch.shuffle", shuffle->truth ? "true" : "false", "data_layer_params.shuffle");
    }
  }

  // Sentences on each GPU -> tokens of all workers.
  void convert_batch_size() {
    const auto sentences = train_.number("batch_size_per_gpu");
    if (!sentences) return;
    const double parts = train_.number("iter_size").value_or(1);
    const bool known = surroundings_.average_tokens > 0;
    if (!known && !surroundings_.assumes) {
      return ours_.remark(fmt::format("batch_size_per_gpu: {}", *sentences),
                          "sentences on each GPU; how many tokens they had is not known");
    }
    const double average = known ? surroundings_.average_tokens : kAssumedTokens;
    const std::string gpus = fmt::format("{} GPU{}{}", workers_, workers_ == 1 ? "" : "s", workers_origin_);
    ours_.set("batch.tokens", number_text(std::round(*sentences * workers_ * parts * average)),
              fmt::format("batch_size_per_gpu {} x {}{} x {:.1f} tokens, {}", *sentences, gpus,
                          parts == 1 ? "" : fmt::format(" x iter_size {}", parts), average,
                          known ? fmt::format("the average of {} with </s>", comment_text(surroundings_.data))
                                : "assumed (or --data FOLDER)"));
  }

  void convert_precision() {
    const auto dtype = train_.name("dtype");
    if (!dtype) return;
    if (*dtype == "float32") return ours_.set("train.precision", "fp32", "dtype");
    if (*dtype != "mixed" && *dtype != "float16")
      return ours_.remark("dtype: " + comment_text(*dtype), "fp32 is taken");
    ours_.set("train.precision", "bf16",
              "dtype: " + *dtype +
                  "; for CPUs with AVX512-BF16 and GPUs from Ampere on. On any GPU: fp16 with loss_scale.type backoff; "
                  "on other CPUs: fp32");
  }

  // The command lines that the files of the three modes become.
  std::string show_commands() {
    std::string prepare = "#   verbund prepare --encoded";
    const auto add = [&](OpenSeq2SeqParams& mode, const std::string& key, const std::string& flag) {
      const auto path = mode.text("data_layer_params." + key);
      if (path) prepare += fmt::format(" \\\n#     {} {}", flag, quoted(*path));
      return path.has_value();
    };
    if (!add(train_, "src_vocab_file", "--subwords")) prepare += " \\\n#     --subwords FILE";
    const auto target = train_.text("data_layer_params.tgt_vocab_file");
    if (target && target != train_.text("data_layer_params.src_vocab_file")) {
      prepare += fmt::format(" \\\n#     --set subwords.target_model={}", quoted(*target));
    }
    const bool has_text = add(train_, "source_file", "--source") && add(train_, "target_file", "--target");
    if (add(eval_, "source_file", "--dev-source")) add(eval_, "target_file", "--dev-target");
    if (!has_text) return "";
    const auto logdir = train_.text("logdir");
    const std::string run = logdir ? quoted(*logdir) : "FOLDER";
    std::string text =
        fmt::format("\n# Its data as a dataset, and the training:\n{} \\\n#     --out data/mine\n", prepare);
    const std::string launch = workers_ > 1 ? fmt::format("launch -n {} -- ", workers_) : "";
    text += fmt::format("#   verbund {}train --config THIS.yaml --data data/mine --run {}\n", launch, run);
    if (const auto input = infer_.text("data_layer_params.source_file")) {
      infer_.text("data_layer_params.target_file");
      text +=
          fmt::format("#   verbund translate -m {} RAW_TEXT       (not {}, which is pieces)\n", run, quoted(*input));
    }
    return text;
  }

  // For a shell, within one line of a comment.
  static std::string quoted(const std::string& path) {
    std::string text = comment_text(path, 1000);
    const bool plain =
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+=:,@") ==
            std::string::npos &&
        !text.empty();
    if (plain) return text;
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  }

  void name_the_rest() {
    train_.for_unused([&](const std::string& path, const PythonValue& value) { name_unused("", path, value); });
    for (auto* mode : {&eval_, &infer_}) {
      const std::string prefix = mode == &eval_ ? "eval_params." : "infer_params.";
      const PythonValue* own = file_.variables.find(prefix.substr(0, prefix.size() - 1));
      mode->for_unused([&](const std::string& path, const PythonValue& value) {
        const PythonValue* same = train_.find(path);
        const bool is_own = own != nullptr && (same == nullptr || shown(*same) != shown(value));
        if (is_own) name_unused(prefix, path, value);
      });
    }
    for (const auto& [line, text] : file_.unread) {
      ours_.remark(fmt::format("line {}: {}", line, comment_text(text)), "a statement, which is never executed");
    }
  }

  void name_unused(const std::string& prefix, const std::string& path, const PythonValue& value) {
    const bool opaque = value.kind == PythonValue::Kind::kOpaque;
    ours_.remark(fmt::format("{}{}: {}", prefix, comment_text(path), shown(value)),
                 opaque ? "would have to be executed, which is never done: set the value by hand"
                        : reason_without_counterpart(path));
  }

  const PythonFile& file_;
  const OpenSeq2SeqSurroundings& surroundings_;
  OpenSeq2SeqParams train_, eval_, infer_;
  ConvertedConfig ours_;
  double workers_ = 1;
  std::string workers_origin_;  // a remark on their number
};

}  // namespace

std::string convert_openseq2seq(const PythonFile& file, const OpenSeq2SeqSurroundings& surroundings) {
  return Conversion(file, surroundings).run();
}

}  // namespace verbund
