// SPDX-License-Identifier: Apache-2.0
#include "migrate/openseq2seq_params.h"

#include <fmt/format.h>

#include "migrate/converted_config.h"

namespace verbund {
namespace {

using Kind = PythonValue::Kind;

struct Reason {
  std::string_view key;
  const char* reason;
};

constexpr Reason kReasons[] = {
    {"logdir", "the run folder is named on the command line: verbund train --run FOLDER"},
    {"use_horovod", "several workers are started with verbund launch or mpirun; they find each other"},
    {"num_gpus", "one worker for each: verbund launch -n N"},
    {"gpu_ids", "workers run on CPUs; their number and threads are what counts"},
    {"save_summaries_steps", "metrics.jsonl gets a line every train.log_every steps"},
    {"summaries", "metrics.jsonl has loss, rate, gradient norm, speed and scores; nothing is to be chosen"},
    {"print_bench_info_steps", "every line of the log has the time per step"},
    {"bench_start", "verbund train --benchmark leaves out the first steps automatically"},
    {"shuffle_buffer_size", "every epoch is a new order of all pairs, not of a buffer"},
    {"repeat", "training continues until max_steps or epochs; an evaluation sees each pair once"},
    {"map_parallel_calls", "the dataset is ready to use; `threads` is for computing"},
    {"prefetch_size", "batches are prefetched automatically"},
    {"pad_vocab_to_eight", "the vocabulary keeps its size; padding it is for GPUs"},
    {"pad_embeddings_2_eight", "the embedding keeps its size; padding it is for GPUs"},
    {"pad_data_to_eight", "nothing is padded"},
    {"remove_padding", "nothing is padded: the tokens of a batch are packed"},
    {"delimiter", "pieces are separated by blanks"},
    {"src_vocab_file", "goes into the dataset: verbund prepare --subwords FILE"},
    {"tgt_vocab_file", "goes into the dataset: verbund prepare --subwords FILE"},
    {"source_file", "goes into the dataset: verbund prepare --source FILE"},
    {"target_file", "goes into the dataset: verbund prepare --target FILE"},
    {"use_start_token", "<s> and </s> are added by the model, not by the data"},
    {"special_tokens_already_in_vocab", "ids 0 to 3 are always <pad>, </s>, <s>, <unk>"},
    {"EOS_ID", "</s> is always 1"},
    {"END_SYMBOL", "</s> is always 1"},
    {"GO_SYMBOL", "<s> is always 2"},
    {"PAD_SYMBOL", "padding is always 0"},
    {"data_layer", "verbund prepare makes the dataset, whatever the text comes from"},
    {"loss", "cross-entropy with model.label_smoothing; their Transformer loss is the same"},
    {"encoder", "the Transformer is the only model here"},
    {"decoder", "the Transformer is the only model here"},
    {"load_model", "their checkpoints cannot be read; train.start_from takes weights of Verbund"},
    {"load_fc", "their checkpoints cannot be read; train.start_from takes weights of Verbund"},
    {"restore_best_checkpoint", "checkpoints/best is kept and named: verbund translate --checkpoint best"},
    {"freeze_variables_regex", "train.freeze is the same, but parameters have other names: docs/checkpoints.md"},
    {"larc_params", "there is no layer-wise rate; optimizer.clip_norm keeps gradients in bounds"},
    {"regularizer", "optimizer.weight_decay is the nearest, and is applied by the optimiser"},
    {"regularizer_params", "optimizer.weight_decay is the nearest, and is applied by the optimiser"},
    {"use_xla_jit", "there is no compiler at run time"},
    {"xla_jit", "there is no compiler at run time"},
    {"automatic_mixed_precision", "train.precision chooses it"},
    {"iter_size", "counts in batch.tokens above; parts of a batch are computed in turn (train.micro_batch_tokens)"},
    {"batch_size_per_gpu", "evaluation makes its own batches; translation: decode.batch_tokens"},
    {"max_length", "only training leaves long pairs out; translation: decode.max_tokens"},
    {"shuffle", "evaluation keeps the order of the text"},
    {"initializer", "weights start as in the Transformer's published settings"},
    {"initializer_params", "weights start as in the Transformer's published settings"},
    {"regularization", "optimizer.weight_decay is the nearest"},
    {"type", "layer norm is the only one here"},
};

void merge(PythonValue& into, const PythonValue& from) {
  into.kind = Kind::kDict;
  for (const auto& [key, value] : from.members) {
    PythonValue& place = into.at_key(key);
    if (place.kind == Kind::kDict && value.kind == Kind::kDict) {
      merge(place, value);
    } else {
      place = value;
    }
  }
}

const PythonValue* find_path(const PythonValue& root, const std::string& path) {
  const size_t dot = path.find('.');
  const PythonValue* found = root.find(path.substr(0, dot));
  return found == nullptr || dot == std::string::npos ? found : find_path(*found, path.substr(dot + 1));
}

void for_values(const PythonValue& value, const std::string& path, const OpenSeq2SeqParams::Use& use) {
  if (value.kind != Kind::kDict) return use(path, value);
  for (const auto& [key, member] : value.members) for_values(member, path.empty() ? key : path + "." + key, use);
}

}  // namespace

OpenSeq2SeqParams::OpenSeq2SeqParams(const PythonFile& file, const std::string& mode) {
  root_.kind = Kind::kDict;
  for (const std::string& name : {std::string("base_params"), mode}) {
    if (const PythonValue* params = file.variables.find(name)) merge(root_, *params);
  }
}

const PythonValue* OpenSeq2SeqParams::find(const std::string& path) const { return find_path(root_, path); }

const PythonValue* OpenSeq2SeqParams::take(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind == Kind::kNone) return nullptr;
  used_.insert(path);
  return found;
}

std::optional<double> OpenSeq2SeqParams::number(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind != Kind::kNumber) return std::nullopt;
  return take(path)->number;
}

std::optional<std::string> OpenSeq2SeqParams::text(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind != Kind::kText) return std::nullopt;
  return take(path)->text;
}

std::optional<std::string> OpenSeq2SeqParams::name(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || (found->kind != Kind::kText && found->kind != Kind::kSymbol)) return std::nullopt;
  const std::string& text = take(path)->text;
  return text.substr(text.rfind('.') + 1);
}

bool OpenSeq2SeqParams::is_none(const std::string& path) {
  const PythonValue* found = find(path);
  if (found == nullptr || found->kind != Kind::kNone) return false;
  used_.insert(path);
  return true;
}

void OpenSeq2SeqParams::for_unused(const Use& use) const {
  for_values(root_, "", [&](const std::string& path, const PythonValue& value) {
    const bool is_set = value.kind != Kind::kNone && !(value.kind == Kind::kText && value.text.empty());
    if (is_set && !used_.contains(path)) use(path, value);
  });
}

const char* reason_without_counterpart(std::string_view key) {
  for (const Reason& known : kReasons) {
    if (known.key == key.substr(key.rfind('.') + 1)) return known.reason;
  }
  return "not known to have a counterpart";
}

std::string shown(const PythonValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.truth ? "True" : "False";
    case Kind::kNumber:
      return fmt::format("{}", value.number);
    case Kind::kText:
      return fmt::format("\"{}\"", comment_text(value.text));
    case Kind::kSymbol:
    case Kind::kOpaque:
      return comment_text(value.text);
    case Kind::kList:
      return fmt::format("[{} values]", value.items.size());
    case Kind::kDict:
      return fmt::format("{{{} values}}", value.members.size());
  }
  return "";
}

}  // namespace verbund
