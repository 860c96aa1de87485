// SPDX-License-Identifier: Apache-2.0
#include "config/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace verbund {
namespace {

constexpr const char* kSentencesToTokens =
    "It counts the tokens of all workers, not the sentences of one: sentences x workers x the average length of a "
    "target sentence, which `verbund inspect DATASET` shows (64 sentences x 4 workers x 28 tokens: 7168).";
constexpr const char* kTokensOfAll =
    "It counts the tokens of a whole step, of all workers: tokens of one worker x workers x accumulated updates.";
constexpr const char* kNoAccumulation =
    "Gradients are always accumulated over parts of a batch that fit (train.micro_batch_tokens): set the whole batch.";
constexpr const char* kEvaluationsToWait = "It counts evaluations; evaluate.stop_on=bleu (or loss) turns it on.";
constexpr const char* kLaunch =
    "The number of workers is set at launch, one per GPU, or any number on CPUs: verbund launch -n 4 -- train ...";
constexpr const char* kWorkers =
    "Workers are set at launch: verbund launch -n 4 -- train ...; the threads of one process: --set threads=N";
constexpr const char* kTexts =
    "prepare takes --source FILE --target FILE, and --dev-source, --test-source and so on; translate takes files as "
    "arguments.";
constexpr const char* kPrefix = "Both files are named in full: --source data/train.en --target data/train.de";
constexpr const char* kWholeModel =
    "A model of known size is a preset: --config transformer-base; train.start_from=RUN begins with a trained one.";
constexpr const char* kDevice = "device=cuda requires a GPU, cpu uses none, auto uses one if there is one.";
constexpr const char* kHalf =
    "On a GPU: train.precision=fp16 with loss_scale.type=backoff; from Ampere on, and on CPUs with AVX512-BF16: bf16.";
constexpr const char* kFewerBytes =
    "bf16 and fp16 halve the bytes between hosts; int8 quarters them, with error feedback.";
constexpr const char* kRounds =
    "It counts the steps that workers train on their own before they take an outer step together: 1 exchanges "
    "gradients in every step, 32 is for slow networks.";
constexpr const char* kRunFolder = "The folder of a run is a flag: verbund train --run FOLDER";
constexpr const char* kDatasetFolder =
    "Text becomes a dataset first: verbund prepare --source FILE --target FILE --out FOLDER; then train --data FOLDER";
constexpr const char* kFactor = "With transformer_policy it is a factor (2.0), not the rate itself.";
constexpr const char* kEpochSteps = "It counts steps, not epochs: the log shows the batches of an epoch.";
constexpr const char* kSampling = "The number of most likely tokens to sample from (top-k), with decode.beam=1.";

// Words of OpenSeq2Seq, Marian, fairseq, Sockeye, OpenNMT, JoeyNMT and Hugging Face. None of them is a Verbund key of
// another section, unless it means something else there.
constexpr Hint kHints[] = {
    // Length and intervals
    {"num_epochs", "train.epochs", ""},
    {"num_train_epochs", "train.epochs", ""},
    {"epoch", "train.epochs", ""},
    {"max_epoch", "train.epochs", ""},
    {"max_epochs", "train.epochs", ""},
    {"max_num_epochs", "train.epochs", ""},
    {"after_epochs", "train.epochs", ""},
    {"after_batches", "train.max_steps", ""},
    {"after", "train.max_steps", "As a plain number of steps: 100k, not 100ku."},
    {"max_update", "train.max_steps", ""},
    {"max_updates", "train.max_steps", ""},
    {"train_steps", "train.max_steps", ""},
    {"training_steps", "train.max_steps", ""},
    {"num_steps", "train.max_steps", ""},
    {"step", "train.max_steps", ""},
    {"steps", "train.max_steps", ""},
    {"updates", "train.max_steps", ""},
    {"iterations", "train.max_steps", ""},
    {"eval_steps", "train.eval_every", ""},
    {"evaluate_every", "train.eval_every", ""},
    {"valid_steps", "train.eval_every", ""},
    {"valid_freq", "train.eval_every", ""},
    {"validation_freq", "train.eval_every", ""},
    {"validate_every", "train.eval_every", ""},
    {"validate_interval_updates", "train.eval_every", ""},
    {"validate_interval", "train.eval_every", kEpochSteps},
    {"save_checkpoint_steps", "checkpoint.save_every_steps", ""},
    {"save_every", "checkpoint.save_every_steps", ""},
    {"save_steps", "checkpoint.save_every_steps", ""},
    {"save_freq", "checkpoint.save_every_steps", ""},
    {"checkpoint_interval", "checkpoint.save_every_steps", ""},
    {"checkpoint_every", "checkpoint.save_every_steps", ""},
    {"save_interval_updates", "checkpoint.save_every_steps", ""},
    {"save_interval", "checkpoint.save_every_steps", kEpochSteps},
    {"num_checkpoints", "checkpoint.keep_last", ""},
    {"keep_checkpoint", "checkpoint.keep_last", ""},
    {"keep_checkpoints", "checkpoint.keep_last", ""},
    {"keep_last_ckpts", "checkpoint.keep_last", ""},
    {"keep_last_params", "checkpoint.keep_last", ""},
    {"keep_last_epochs", "checkpoint.keep_last", ""},
    {"save_total_limit", "checkpoint.keep_last", ""},
    {"keep_interval_updates", "checkpoint.keep_last", ""},
    {"print_loss_steps", "train.log_every", ""},
    {"save_summaries_steps", "train.log_every", ""},
    {"print_bench_info_steps", "train.log_every", ""},
    {"disp_freq", "train.log_every", ""},
    {"log_interval", "train.log_every", ""},
    {"logging_freq", "train.log_every", ""},
    {"report_every", "train.log_every", ""},
    {"log_steps", "train.log_every", ""},
    {"logging_steps", "train.log_every", ""},
    {"print_samples_steps", "train.sample_every", ""},
    {"print_valid_sents", "evaluate.samples", ""},
    // Evaluation and early stopping
    {"valid_metrics", "evaluate.best",
     "The dev pairs are always scored by loss, BLEU and chrF; best names the checkpoints kept."},
    {"best_checkpoint_metric", "evaluate.best", ""},
    {"keep_best", "evaluate.best", "The best checkpoint is kept by each of its metrics."},
    {"overwrite", "checkpoint.keep_last", "checkpoint.keep_last=1 keeps one checkpoint."},
    {"early_stopping_metric", "evaluate.stop_on", ""},
    {"optimized_metric", "evaluate.stop_on", ""},
    {"metric_for_best_model", "evaluate.best", ""},
    {"early_stopping", "evaluate.patience", kEvaluationsToWait},
    {"max_num_checkpoint_not_improved", "evaluate.patience", kEvaluationsToWait},
    // Batches
    {"batch_size_per_gpu", "batch.tokens", kSentencesToTokens},
    {"batch_size", "batch.tokens", kSentencesToTokens},
    {"mini_batch", "batch.tokens", kSentencesToTokens},
    {"mini_batch_words", "batch.tokens", kTokensOfAll},
    {"mini_batch_fit", "batch.tokens", "batch.tokens=auto finds what fits into memory."},
    {"max_tokens", "batch.tokens", kTokensOfAll},
    {"batch_tokens", "batch.tokens", kTokensOfAll},
    {"tokens_per_batch", "batch.tokens", kTokensOfAll},
    {"max_sentences", "batch.tokens", kSentencesToTokens},
    {"per_device_train_batch_size", "batch.tokens", kSentencesToTokens},
    {"batch_type", "batch.tokens", "Batches are always counted in tokens."},
    {"iter_size", "batch.tokens", kNoAccumulation},
    {"update_freq", "batch.tokens", kNoAccumulation},
    {"optimizer_delay", "batch.tokens", kNoAccumulation},
    {"update_interval", "batch.tokens", kNoAccumulation},
    {"accum_count", "batch.tokens", kNoAccumulation},
    {"batch_multiplier", "batch.tokens", kNoAccumulation},
    {"gradient_accumulation_steps", "batch.tokens", kNoAccumulation},
    {"workspace", "batch.memory_limit", "With batch.tokens=auto; in bytes with a unit: 8GB."},
    {"max_seq_len", "batch.max_length", ""},
    {"max_length_crop", "batch.max_length", "Longer pairs are dropped and counted, not cut."},
    {"max_sent_length", "batch.max_length", ""},
    {"max_source_positions", "batch.max_length", ""},
    {"max_target_positions", "batch.max_length", ""},
    {"maxi_batch", "batch.bucket_batches", ""},
    {"shuffle_buffer_size", "batch.shuffle", "The whole text is shuffled again in every epoch, without a buffer."},
    {"no_shuffle", "batch.shuffle", "batch.shuffle=false"},
    // Learning rate and optimiser
    {"lr", "schedule.learning_rate", kFactor},
    {"learn_rate", "schedule.learning_rate", kFactor},
    {"initial_learning_rate", "schedule.learning_rate", kFactor},
    {"lr_policy", "schedule.policy", "Its names are OpenSeq2Seq's: transformer_policy, poly_decay, ..."},
    {"lr_policy_params", "schedule.policy", "Its parameters are the keys of schedule: verbund config --explain"},
    {"lr_scheduler", "schedule.policy", ""},
    {"lr_scheduler_type", "schedule.policy", ""},
    {"scheduling", "schedule.policy", ""},
    {"decay_method", "schedule.policy", "noam is transformer_policy here."},
    {"learning_rate_scheduler_type", "schedule.policy", ""},
    {"lr_warmup", "schedule.warmup_steps", ""},
    {"warmup", "schedule.warmup_steps", ""},
    {"warmup_updates", "schedule.warmup_steps", ""},
    {"learning_rate_warmup", "schedule.warmup_steps", ""},
    {"warmup_ratio", "schedule.warmup_steps", "It counts steps."},
    {"warmup_init_lr", "schedule.warmup_steps", "The rate always rises from 0."},
    {"lr_decay_inv_sqrt", "schedule.warmup_steps",
     "transformer_policy decays with the inverse square root after the warmup."},
    {"min_learning_rate", "schedule.min_lr", ""},
    {"stop_min_lr", "schedule.min_lr", "Training continues at this rate; train.max_steps or evaluate.stop_on ends it."},
    {"max_grad_norm", "optimizer.clip_norm", ""},
    {"gradient_clipping_threshold", "optimizer.clip_norm", ""},
    {"clip_grad_norm", "optimizer.clip_norm", ""},
    {"optim", "optimizer.type", ""},
    {"optimizer", "optimizer.type", ""},
    {"optimizer_params", "optimizer.beta1", "Its parameters are the keys of optimizer: beta1, beta2, epsilon, ..."},
    {"adam_betas", "optimizer.beta1", "And optimizer.beta2."},
    {"optimizer_betas", "optimizer.beta1", "And optimizer.beta2."},
    {"adam_beta1", "optimizer.beta1", ""},
    {"adam_beta2", "optimizer.beta2", ""},
    {"adam_eps", "optimizer.epsilon", ""},
    {"optimizer_epsilon", "optimizer.epsilon", ""},
    {"adam_epsilon", "optimizer.epsilon", ""},
    {"l2_norm", "optimizer.weight_decay", ""},
    {"exponential_smoothing", "average.decay", "average.decay = 1 - exponential-smoothing: 0.9999 for 1e-4."},
    {"ema_decay", "average.decay", ""},
    {"average_decay", "average.decay", "average.decay = 1 - average_decay: 0.9999 for 1e-4."},
    {"loss_scaling", "loss_scale.type", ""},
    {"fp16", "train.precision", kHalf},
    {"use_fp16", "train.precision", kHalf},
    {"half", "train.precision", kHalf},
    {"amp", "train.precision", kHalf},
    {"use_amp", "train.precision", kHalf},
    {"mixed_precision", "train.precision", kHalf},
    {"dtype", "train.precision", kHalf},
    {"model_dtype", "train.precision", kHalf},
    {"bf16", "train.precision", "train.precision=bf16"},
    {"tf32", "train.precision", "train.precision=tf32"},
    {"gpu", "device", kDevice},
    {"use_gpu", "device", kDevice},
    {"cuda", "device", kDevice},
    {"use_cuda", "device", kDevice},
    {"no_cuda", "device", kDevice},
    {"use_cpu", "device", kDevice},
    {"accelerator", "device", kDevice},
    {"gradient_dropping_rate", "workers.wire", kFewerBytes},
    {"bucket_cap_mb", "workers.bucket_kb", "In KiB; without it, the size is tuned in the first steps."},
    {"zero_sharding", "workers.shard_optimizer", "workers.shard_optimizer=true"},
    {"gradient_compression_type", "workers.wire", kFewerBytes},
    {"localsgd_frequency", "workers.sync_every", kRounds},
    {"local_sgd_frequency", "workers.sync_every", kRounds},
    {"local_sgd_steps", "workers.sync_every", kRounds},
    {"slowmo_frequency", "workers.sync_every", kRounds},
    {"slowmo_momentum", "workers.outer_momentum", "workers.sync_every turns the outer step on."},
    {"slowmo_lr", "workers.outer_rate", "workers.sync_every turns the outer step on."},
    {"outer_lr", "workers.outer_rate", "workers.sync_every turns the outer step on."},
    {"outer_learning_rate", "workers.outer_rate", "workers.sync_every turns the outer step on."},
    {"diloco", "workers.sync_every", kRounds},
    {"fragment_sync_delay", "workers.sync_delay", ""},
    {"freeze_variables_regex", "train.freeze", ""},
    {"fixed_param_names", "train.freeze", ""},
    {"load_model", "train.start_from", ""},
    {"pretrained_model", "train.start_from", ""},
    {"params", "train.start_from", ""},
    {"restore_file", "train.start_from", ""},
    {"finetune_from_model", "train.start_from", ""},
    {"random_seed", "seed", ""},
    // The model
    {"enc_depth", "model.encoder_layers", ""},
    {"dec_depth", "model.decoder_layers", ""},
    {"enc_layers", "model.encoder_layers", ""},
    {"dec_layers", "model.decoder_layers", ""},
    {"num_layers", "model.encoder_layers", "And model.decoder_layers."},
    {"layers", "model.encoder_layers", "And model.decoder_layers."},
    {"dim_emb", "model.d_model", ""},
    {"num_embed", "model.d_model", ""},
    {"embed_dim", "model.d_model", ""},
    {"encoder_embed_dim", "model.d_model", ""},
    {"decoder_embed_dim", "model.d_model", ""},
    {"hidden_size", "model.d_model", ""},
    {"rnn_size", "model.d_model", ""},
    {"word_vec_size", "model.d_model", ""},
    {"transformer_model_size", "model.d_model", ""},
    {"filter_size", "model.d_ff", ""},
    {"ff_size", "model.d_ff", ""},
    {"transformer_ff", "model.d_ff", ""},
    {"transformer_dim_ffn", "model.d_ff", ""},
    {"encoder_ffn_embed_dim", "model.d_ff", ""},
    {"decoder_ffn_embed_dim", "model.d_ff", ""},
    {"transformer_feed_forward_num_hidden", "model.d_ff", ""},
    {"num_heads", "model.heads", ""},
    {"transformer_heads", "model.heads", ""},
    {"encoder_attention_heads", "model.heads", ""},
    {"decoder_attention_heads", "model.heads", ""},
    {"transformer_attention_heads", "model.heads", ""},
    {"transformer_dropout", "model.dropout", ""},
    {"transformer_dropout_prepost", "model.dropout", ""},
    {"layer_postprocess_dropout", "model.dropout", ""},
    {"transformer_dropout_attention", "model.attention_dropout", ""},
    {"transformer_dropout_ffn", "model.relu_dropout", ""},
    {"activation_dropout", "model.relu_dropout", ""},
    {"transformer_dropout_act", "model.relu_dropout", ""},
    {"normalize_before", "model.norm", "pre, or post for false."},
    {"encoder_normalize_before", "model.norm", "pre, or post for false."},
    {"transformer_preprocess", "model.norm", "pre with \"n\", post without."},
    {"transformer_postprocess", "model.norm", "post for \"dan\", pre for \"da\" with preprocess \"n\"."},
    {"tied_embeddings_all", "model.share_embeddings", "model.share_embeddings=all"},
    {"tied_embeddings", "model.share_embeddings", "model.share_embeddings=target"},
    {"share_all_embeddings", "model.share_embeddings", "model.share_embeddings=all"},
    {"share_decoder_input_output_embed", "model.share_embeddings", "model.share_embeddings=target"},
    {"weight_tying_type", "model.share_embeddings", ""},
    {"transformer_ffn_activation", "model.activation", ""},
    {"activation_fn", "model.activation", ""},
    {"activation_function", "model.activation", ""},
    {"label_smoothing_factor", "model.label_smoothing", ""},
    {"arch", "", kWholeModel},
    {"model", "", kWholeModel},
    // Words and decoding
    {"vocab_size", "subwords.vocabulary", ""},
    {"user_defined_symbols", "subwords.symbols", ""},
    {"num_words", "subwords.vocabulary", ""},
    {"bpe_dropout", "subwords.dropout", ""},
    {"dim_vocabs", "subwords.vocabulary", ""},
    {"src_vocab_size", "subwords.vocabulary", ""},
    {"tgt_vocab_size", "subwords.vocabulary", ""},
    {"nwordssrc", "subwords.vocabulary", ""},
    {"nwordstgt", "subwords.vocabulary", ""},
    {"joined_dictionary", "subwords.joint", "subwords.joint=true"},
    {"shared_vocab", "subwords.joint", "subwords.joint=true"},
    {"share_vocab", "subwords.joint", "subwords.joint=true"},
    {"beam_size", "decode.beam", ""},
    {"beam_width", "decode.beam", ""},
    {"num_beams", "decode.beam", ""},
    {"normalize", "decode.length_penalty", "With decode.length_offset=0 it means the same."},
    {"lenpen", "decode.length_penalty", "With decode.length_offset=0 it means the same."},
    {"alpha", "decode.length_penalty", ""},
    {"length_penalty_alpha", "decode.length_penalty", ""},
    {"length_penalty_beta", "decode.length_offset", ""},
    {"max_len_a", "decode.max_ratio", ""},
    {"max_len_b", "decode.max_extra", ""},
    {"sampling_topk", "decode.sample_top", ""},
    {"sampling", "decode.sample_top", kSampling},
    {"sample", "decode.sample_top", kSampling},
    {"output_sampling", "decode.sample_top", kSampling},
    {"remove_bpe", "", "Translations are text without pieces, detokenised."},
    {"max_length_factor", "decode.max_ratio", ""},
    {"max_output_length", "decode.max_extra", "A translation has at most max_ratio x source + max_extra tokens."},
    {"extra_decode_length", "decode.max_extra", ""},
    // Flags and other things that are not keys
    {"num_gpus", "", kLaunch},
    {"gpus", "", kLaunch},
    {"gpu_ranks", "", kLaunch},
    {"devices", "", kLaunch},
    {"device_ids", "", kLaunch},
    {"world_size", "", kLaunch},
    {"distributed_world_size", "", kLaunch},
    {"use_horovod", "", kLaunch},
    {"nproc_per_node", "", kLaunch},
    {"dist", "", kLaunch},
    {"workers", "", kWorkers},
    {"num_workers", "", kWorkers},
    {"cpu_threads", "threads", ""},
    {"logdir", "", kRunFolder},
    {"save_dir", "", kRunFolder},
    {"save_model", "", kRunFolder},
    {"model_dir", "", kRunFolder},
    {"output_dir", "", kRunFolder},
    {"destdir", "--out", ""},
    {"save_data", "--out", ""},
    {"train_sets", "--source", kDatasetFolder},
    {"valid_sets", "--dev-source", kDatasetFolder},
    {"source_file", "--source", kDatasetFolder},
    {"target_file", "--target", kDatasetFolder},
    {"src", "--source", kTexts},
    {"source", "--source", kTexts},
    {"train_src", "--source", kTexts},
    {"tgt", "--target", kTexts},
    {"trg", "--target", kTexts},
    {"target", "--target", kTexts},
    {"train_tgt", "--target", kTexts},
    {"valid_src", "--dev-source", kTexts},
    {"valid_tgt", "--dev-target", kTexts},
    {"validation_source", "--dev-source", kTexts},
    {"validation_target", "--dev-target", kTexts},
    {"train_file", "--tsv", kTexts},
    {"validation_file", "--dev-tsv", kTexts},
    {"input", "", kTexts},
    {"trainpref", "--source", kPrefix},
    {"validpref", "--dev-source", kPrefix},
    {"testpref", "--test-source", kPrefix},
    {"srcdict", "--subwords", ""},
    {"vocabs", "--subwords", ""},
    {"source_vocab", "--subwords", ""},
    {"prepared_data", "--data", ""},
    {"models", "--model", ""},
    {"path", "--model", ""},
    {"model_name_or_path", "--model", kWholeModel},
    {"n_best", "--nbest", ""},
    {"nbest_size", "--nbest", ""},
    {"print_alignment", "--alignment", ""},
    {"score_reference", "", "The command that scores given translations: verbund score-pairs"},
    {"no_spm_encode", "--encoded", ""},
    {"resume_from_checkpoint", "--resume", "A run whose folder has a checkpoint resumes by itself."},
    {"no_reload", "--resume", "As --resume never: a run whose folder has a checkpoint is refused."},
    {"reset_optimizer", "--finetune", "It begins with a run's weights and a fresh optimiser and schedule."},
    {"overwrite_output", "--resume", "A run folder is not overwritten: remove it, or take another."},
    {"source_lang", "corpus.source_language", ""},
    {"target_lang", "corpus.target_language", ""},
    {"src_lang", "corpus.source_language", ""},
    {"tgt_lang", "corpus.target_language", ""},
};

}  // namespace

std::span<const Hint> config_hints() { return kHints; }

std::string plain_word(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string plain(word.substr(word.rfind('.') + 1));
  for (char& c : plain) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

const Hint* find_hint(std::span<const Hint> hints, std::string_view word) {
  const std::string plain = plain_word(word);
  for (const Hint& hint : hints) {
    if (plain == hint.word) return &hint;
  }
  return nullptr;
}

std::string describe(const Hint& hint) {
  std::string advice = hint.advice;
  if (*hint.key == '\0') return advice;
  return fmt::format("did you mean {}{}?{}{}", hint.is_flag() ? "the flag " : "", hint.key, advice.empty() ? "" : " ",
                     advice);
}

}  // namespace verbund
