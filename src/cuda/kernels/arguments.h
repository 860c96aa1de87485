// SPDX-License-Identifier: Apache-2.0
// The arguments of the GPU kernels: the host passes one of these structs by value to each kernel. Arrays in the compute
// dtype are `void*` here.
//
// Letters: n rows (tokens), d columns. `vectors`: all rows are aligned for, and d is a multiple of, four at a time.
//
// Included by the host after <cstdint>, by kernels after language.cuh.
#pragma once

namespace verbund::cuda {

// Laid out like DropoutKey and TokenPosition of kernels/operations.h.
struct MaskKey {
  uint64_t key;
  uint32_t threshold;
  float scale;
};
struct MaskPosition {
  uint64_t sentence;
  uint32_t position;
};

struct NormForwardArguments {
  int64_t n;
  int32_t d;
  int32_t threads;  // per row: a power of 2, at most 32
  bool vectors;
  const float* residual;
  const void* input;
  const float* input_bias;
  const float* scale;
  const float* bias;
  float epsilon;
  float* sum;
  float* normed;
  float* mean;
  float* inverse_deviation;
  void* operand;
  MaskKey key;
  const MaskPosition* token_positions;
};

struct NormBackwardArguments {
  int64_t n;
  int32_t d;
  int32_t threads;
  bool vectors;
  const float* sum;
  const float* mean;
  const float* inverse_deviation;
  const float* scale;
  const float* normed_gradient;
  const float* sum_gradient;
  float* residual_gradient;
  void* input_gradient;
  float* partial_sums;  // [32][3][d]
  MaskKey key;
  const MaskPosition* token_positions;
};

// Sums over the rows of up to three arrays, from the partial sums that other kernels wrote for 32 blocks of rows.
struct AddPartialsArguments {
  int32_t d;
  int32_t arrays;  // in partial_sums: [32][arrays][d]
  const float* partial_sums;
  float* sums[3];  // added to; or null
};

struct ReluForwardArguments {
  int64_t n;
  int32_t f;
  bool vectors;
  void* x;
  const float* bias;
  MaskKey key;
  const MaskPosition* token_positions;
};

struct ReluBackwardArguments {
  int64_t n;
  int32_t f;
  bool vectors;
  const void* output;
  void* gradient;
  float scale;
  float* partial_sums;  // [32][f]
};

struct SmoothForwardArguments {
  int64_t n;
  int32_t f;
  bool vectors;
  int32_t activation;  // 0: swish, 1: GELU
  const void* x;
  const float* bias;
  void* output;
  MaskKey key;
  const MaskPosition* token_positions;
};

struct SmoothBackwardArguments {
  int64_t n;
  int32_t f;
  bool vectors;
  int32_t activation;
  const void* x;
  const float* bias;
  void* gradient;
  MaskKey key;
  const MaskPosition* token_positions;
};

struct AddBiasArguments {
  int64_t n;
  int32_t d;
  bool vectors;
  void* x;
  int64_t stride;
  const float* bias;
};

struct ColumnSumsArguments {
  int64_t n;
  int32_t d;
  bool vectors;
  const void* x;
  int32_t arrays, array;  // where in partial_sums: [32][arrays][d]
  float* partial_sums;
};

struct EmbedForwardArguments {
  int64_t n;
  int32_t d;
  bool vectors;
  const int32_t* ids;
  const float* table;
  float factor;
  const float* position_codes;
  float* out;
  MaskKey key;
  const MaskPosition* token_positions;
};

struct EmbedBackwardArguments {
  int64_t distinct;
  int32_t d;
  bool vectors;
  const int32_t* tokens;
  const int32_t* first;
  const int32_t* token_rows;
  const float* gradient;
  float factor;
  float* table_gradient;
  MaskKey key;
  const MaskPosition* token_positions;
};

struct AttentionArguments {
  int32_t heads, depth;
  bool causal, vectors;
  int32_t sentences;
  const int32_t* query_offsets;
  const int32_t* key_offsets;
  const int64_t* weight_offsets;
  const uint64_t* sentence_ids;
  const void* query;
  const void* key;
  const void* value;
  int64_t query_stride, key_stride;
  float* weights;
  MaskKey mask;
  void* output;                 // of forward
  const void* output_gradient;  // and those of backward
  void* query_gradient;
  void* key_gradient;
  void* value_gradient;
};

struct LossArguments {
  int32_t vocabulary;
  bool vectors;
  void* logits;
  const int32_t* targets;
  double smoothing;
  void* gradient;
  float gradient_scale;
  double* smoothed;
  double* cross_entropy;
  int32_t* best;
};

struct SumLossesArguments {
  int64_t rows;
  const double* smoothed;
  const double* cross_entropy;
  const int32_t* best;
  const int32_t* targets;
  double* sums;  // smoothed, cross_entropy, correct
};

struct StepAttentionArguments {
  int32_t heads, depth;
  bool vectors;
  const void* query;
  int64_t query_stride;
  const void* const* keys;
  const int64_t* first;
  const int32_t* counts;
  int64_t key_offset, value_offset;
  void* output;
  float* partitions;  // [rows, heads, 2]: highest score, sum of exponentials; null: no alignment is wanted
  int32_t* aligned;
};

struct BestTokensArguments {
  int32_t vocabulary, count;
  const float* logits;
  int32_t* tokens;
  float* log_probabilities;
  float* log_partition;
};

struct AddProbabilitiesArguments {
  int64_t rows, vocabulary;
  const float* logits;
  const float* log_partition;
  float share;
  float* probabilities;
};

struct LogarithmArguments {
  int64_t count;
  float* values;
};

// Operations on flat buffers. `vectors`: all of them are aligned for four at a time.
struct RoundArguments {
  int64_t size;
  bool vectors;
  const float* values;
  void* operands;
};

struct AdamArguments {
  int64_t size;
  bool vectors;
  const float* gradients;
  float* weights;
  float* mean;
  float* square;
  void* operands;
  float gradient_scale, gradient_decay, weight_keep;
  float beta1, one_minus_beta1, beta2, one_minus_beta2;
  float root_scale, epsilon, rate;
};

struct SgdArguments {
  int64_t size;
  bool vectors;
  const float* gradients;
  float* weights;
  float* momentum;
  void* operands;
  float gradient_scale, weight_decay, momentum_keep, rate;
};

struct EmaArguments {
  int64_t size;
  bool vectors;
  const float* weights;
  float* average;
  float share;
};

struct SwapArguments {
  int64_t size;
  bool vectors;
  float* a;
  float* b;
};

// A part of a buffer that one block measures, and its result.
struct MeasuredPart {
  int64_t begin, end;
  double squares;
  float largest;
};
struct MeasureArguments {
  const float* values;
  int64_t parts;
  MeasuredPart* part;  // [parts]; the sum over all is left in part[parts]
};

}  // namespace verbund::cuda
