// SPDX-License-Identifier: Apache-2.0
// The operations of a device: one struct of arguments each, and the lists from which Device, its implementations and
// the CPU's kernel tables declare them.
//
// Pointers are the device's. Letters: n rows (tokens), d width of a row, v vocabulary. The compute dtype is the type
// of what only GEMMs read: 16 bits on some GPUs, float on a CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/typed_floats.h"

namespace verbund {

// DropoutKey names a dropout mask: whether an element is kept is a function of (key, sentence, position, feature), not
// of the order of calls, threads or ranks.
struct DropoutKey {
  uint64_t key = 0;        // of seed, step and site: see dropout_key
  uint32_t threshold = 0;  // an element is dropped if its 16 random bits are below; 0: no dropout
  float scale = 1;         // of what is kept: 1 / (1 - rate)
};
DropoutKey dropout_key(double rate, uint64_t seed, uint64_t step, uint32_t site);

// The number of floats that an operation's scratch memory `partial_sums` must have for rows of `columns`.
int64_t partial_sums_size(int64_t columns);

// The sentence of a packed row, and the row's position in it.
struct TokenPosition {
  uint64_t sentence;
  uint32_t position;
};

// Row-major C = op(A) op(B), or added to C.
struct Gemm {
  bool transpose_a, transpose_b;
  int64_t m, n, k;
  ConstTypedFloats a;
  int64_t lda;
  ConstTypedFloats b;
  int64_t ldb;
  bool add;
  TypedFloats c;
  int64_t ldc;
  const float* packed_b = nullptr;  // B as `pack` of kernels.h left it; null: only as b
};

// Residual + dropout + layer norm.
struct NormForward {
  int64_t rows, width;
  const float* residual;    // [n, d], or null: nothing to add to
  ConstTypedFloats input;   // [n, d] the sublayer's output
  const float* input_bias;  // [d] added to input, or null
  const float* scale;       // [d] of the norm, or null: no norm
  const float* bias;        // [d]
  float epsilon;
  float* sum;                // [n, d] residual + dropout(input + input_bias)
  float* normed;             // [n, d] norm of that; null: none is wanted
  float* mean;               // [n]
  float* inverse_deviation;  // [n]
  TypedFloats operand = {};  // [n, d] the norm (without one: the sum) in the compute dtype; null: not wanted
  DropoutKey dropout = {};
  const TokenPosition* token_positions = nullptr;  // [n]
};

struct NormBackward {
  int64_t rows, width;
  const float* sum;                // [n, d] of the forward pass
  const float* mean;               // [n]
  const float* inverse_deviation;  // [n]
  const float* scale;              // [d], or null: no norm
  const float* normed_gradient;    // [n, d], or null
  const float* sum_gradient;       // [n, d], or null
  float* residual_gradient;        // [n, d] out; may be sum_gradient
  TypedFloats input_gradient;      // [n, d] out, the residual's times the dropout mask; null: not wanted
  float* scale_gradient;           // [d] added to
  float* bias_gradient;            // [d] added to
  float* input_bias_gradient;      // [d] added to, or null
  DropoutKey dropout;
  const TokenPosition* token_positions;  // [n]
  float* partial_sums;                   // see partial_sums_size
};

// x = dropout(relu(x + bias)) in place.
struct ReluForward {
  int64_t rows, width;
  TypedFloats x;      // [n, d]
  const float* bias;  // [d], or null
  DropoutKey dropout;
  const TokenPosition* token_positions;  // [n]
};

// gradient *= scale where output > 0, else 0; adds the column sums to bias_gradient if it is not null.
struct ReluBackward {
  int64_t rows, width;
  ConstTypedFloats output;  // [n, d]
  TypedFloats gradient;     // [n, d]
  float scale;
  float* bias_gradient;  // [d], or null
  float* partial_sums;
};

// Activations whose gradient depends on their input.
enum class SmoothActivation : int32_t {
  kSwish,  // x sigmoid(x)
  kGelu,   // x times the normal distribution's cumulative probability of x
};

// output = dropout(activation(x + bias)).
struct SmoothForward {
  int64_t rows, width;
  SmoothActivation activation;
  ConstTypedFloats x;  // [n, d]
  const float* bias;   // [d], or null
  TypedFloats output;  // [n, d]
  DropoutKey dropout;
  const TokenPosition* token_positions;  // [n]
};

// gradient *= the dropout mask and the activation's derivative; adds the column sums to bias_gradient if it is not
// null.
struct SmoothBackward {
  int64_t rows, width;
  SmoothActivation activation;
  ConstTypedFloats x;    // [n, d] of the forward pass
  const float* bias;     // [d], or null
  TypedFloats gradient;  // [n, d]
  float* bias_gradient;  // [d], or null
  float* partial_sums;
  DropoutKey dropout;
  const TokenPosition* token_positions;  // [n]
};

// out = dropout(table[id] * factor + position code): the code of position p starts at position_codes + p d.
struct EmbedForward {
  int64_t rows, width;
  const int32_t* ids;  // [n]
  const float* table;  // [v, d]
  float factor;
  const float* position_codes;
  float* out;  // [n, d]
  DropoutKey dropout;
  const TokenPosition* token_positions;  // [n]
};

// The rows of a batch sorted by token: a device adds up the gradients of an embedding's rows in this fixed order with
// all its threads. A CPU does not need it.
struct TokenOrder {
  int64_t distinct = 0;             // tokens
  const int32_t* tokens = nullptr;  // [distinct]
  const int32_t* first = nullptr;   // [distinct + 1] where the rows of each token begin in `rows`
  const int32_t* rows = nullptr;    // [n] in ascending order for each token
};

// table_gradient[id] += factor * gradient with the dropout mask.
struct EmbedBackward {
  int64_t rows, width;
  const int32_t* ids;  // [n]
  TokenOrder order;    // where Device::needs_token_order
  const float* gradient;
  float factor;
  float* table_gradient;  // [v, d]
  DropoutKey dropout;
  const TokenPosition* token_positions;  // [n]
};

// Attention of each sentence by itself over packed rows. Strides are in elements.
struct AttentionShape {
  int32_t heads;
  int32_t depth;
  bool causal;
  int32_t sentences;
  const int32_t* query_offsets;   // [sentences + 1]
  const int32_t* key_offsets;     // [sentences + 1]
  const int64_t* weight_offsets;  // [sentences + 1] where each sentence's weights start
  const uint64_t* sentence_ids;   // [sentences] for dropout
};
struct AttentionForward {
  AttentionShape shape;
  ConstTypedFloats query, key, value;  // rows of [heads, depth]
  int64_t query_stride, key_stride;    // key and value share theirs
  float* weights;                      // [sentence][heads][queries][keys padded to 16], kept for backward
  TypedFloats output;                  // [n, heads * depth]
  DropoutKey dropout;                  // of the weights
};
struct AttentionBackward {
  AttentionShape shape;
  ConstTypedFloats query, key, value;
  int64_t query_stride, key_stride;
  const float* weights;
  ConstTypedFloats output_gradient;                          // [n, heads * depth]
  TypedFloats query_gradient, key_gradient, value_gradient;  // same strides; written, not added
  DropoutKey dropout;
};

// Attention of one query per row over keys and values of its own (a kv cache), for decoding.
struct StepAttention {
  int64_t rows;
  int64_t heads, depth;
  ConstTypedFloats query;  // [rows], each [heads, depth]
  int64_t query_stride;
  const void* const* keys;           // the address of each key's row, of the query's type; the keys of one query stand
  const int64_t* first;              // [rows] from this index on,
  const int32_t* counts;             // [rows] so many of them, at least one
  int64_t key_offset, value_offset;  // in a key's row
  TypedFloats output;                // [rows, heads * depth]
  int32_t* aligned;                  // [rows] out: the key with the largest weight of all heads together; or null
};

struct LossRows {
  int64_t rows;
  int64_t vocabulary;
  TypedFloats logits;      // [rows, v]; may be overwritten
  const int32_t* targets;  // [rows]
  double smoothing;
  TypedFloats gradient;   // [rows, v] out: may be the logits; null: not wanted
  float gradient_scale;   // the gradient is that of the smoothed loss times this
  double* smoothed;       // [rows] out: loss with smoothing, entropy of the target subtracted
  double* cross_entropy;  // [rows] out
  int32_t* best;          // [rows] out: the most likely token
};

// The sums of LossRows' results in the order of rows.
struct LossSums {
  double smoothed, cross_entropy, correct;
};
struct SumLosses {
  int64_t rows;
  const double* smoothed;
  const double* cross_entropy;
  const int32_t* best;
  const int32_t* targets;
  LossSums* sums;  // out
};

// The most likely tokens of each row of logits, the most likely first; of equal ones the lower number.
struct BestTokens {
  int64_t rows, vocabulary;
  const float* logits;  // [rows, v]
  int64_t count;
  int32_t* tokens;           // [rows, count] out; -1 where there is none left
  float* log_probabilities;  // [rows, count] out
  float* log_partition;      // [rows] out: what to subtract from a logit for its log-probability
};

// probabilities += share * exp(logits - log_partition of the row)
struct AddProbabilities {
  int64_t rows, vocabulary;
  const float* logits;         // [rows, v]
  const float* log_partition;  // [rows]
  float share;
  float* probabilities;  // [rows, v]
};

// values = log(values)
struct TakeLogarithm {
  int64_t count;
  float* values;
};

// x += bias in each row; rows are `stride` elements apart.
struct AddBias {
  int64_t rows, width;
  TypedFloats x;
  int64_t stride;
  const float* bias;  // [d]
};

// sums += the sums of x over its rows
struct ColumnSums {
  int64_t rows, width;
  ConstTypedFloats x;
  float* sums;  // [d]
  float* partial_sums;
};

// operands = values, rounded to their type
struct RoundValues {
  size_t size;
  const float* values;
  TypedFloats operands;
};

// The updates of flat buffers of `size` values. `operands`, if not null, receives the new weights in the compute dtype.
struct AdamUpdate {
  size_t size;
  const float* gradients;
  float *weights, *mean, *square;
  TypedFloats operands;
  float gradient_scale;
  float gradient_decay;  // Adam's weight decay, added to the gradient
  float weight_keep;     // AdamW's: 1 - rate * weight_decay
  float beta1, one_minus_beta1;
  float beta2, one_minus_beta2;
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
  float rate;  // rate / (1 - beta1^t)
};
struct SgdUpdate {
  size_t size;
  const float* gradients;
  float *weights, *momentum;  // momentum may be null: without
  TypedFloats operands;
  float gradient_scale;
  float weight_decay;
  float momentum_keep;
  float rate;
};
// average += share * (weights - average)
struct EmaUpdate {
  size_t size;
  const float* weights;
  float* average;
  float share;
};
struct SwapBuffers {
  size_t size;
  float *a, *b;
};

// The magnitude of some intervals of a buffer.
struct Magnitude {
  double squares = 0;  // the sum of squares; not finite if any value is not
  float largest = 0;   // max |value|, of those that are numbers
};

// Every operation by its name and arguments, but for `multiply(Gemm)` and `measure`. A CPU compiles the first list once
// per instruction set (simd/table.cpp), the second once (portable.cpp).
#define VERBUND_SIMD_OPERATIONS(X)         \
  X(norm_forward, NormForward)             \
  X(norm_backward, NormBackward)           \
  X(relu_forward, ReluForward)             \
  X(relu_backward, ReluBackward)           \
  X(smooth_forward, SmoothForward)         \
  X(smooth_backward, SmoothBackward)       \
  X(embed_forward, EmbedForward)           \
  X(embed_backward, EmbedBackward)         \
  X(attention_forward, AttentionForward)   \
  X(attention_backward, AttentionBackward) \
  X(step_attention, StepAttention)         \
  X(loss, LossRows)                        \
  X(best_tokens, BestTokens)               \
  X(add_bias, AddBias)                     \
  X(column_sums, ColumnSums)
#define VERBUND_PORTABLE_OPERATIONS(X)   \
  X(sum_losses, SumLosses)               \
  X(add_probabilities, AddProbabilities) \
  X(take_logarithm, TakeLogarithm)       \
  X(round, RoundValues)                  \
  X(adam, AdamUpdate)                    \
  X(sgd, SgdUpdate)                      \
  X(ema, EmaUpdate)                      \
  X(swap, SwapBuffers)
#define VERBUND_OPERATIONS(X) VERBUND_SIMD_OPERATIONS(X) VERBUND_PORTABLE_OPERATIONS(X)

}  // namespace verbund
