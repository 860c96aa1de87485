// The fused operations of a training step, and the CPU's tables of them: each is compiled for several instruction
// sets. A GPU has its own (src/cuda). What only products read may be of 16 bits there; on a CPU all of it is float.
//
// Letters: n tokens (rows), d model width, f feed-forward width, v vocabulary.
// Every operation splits its rows or columns over OpenMP threads so that the result does
// not depend on their number.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/typed_floats.h"

namespace verbund {

// Names a dropout mask: whether an element is kept is a function of (key, sentence,
// position, feature), not of the order of calls, threads or workers.
struct DropoutKey {
  uint64_t key = 0;        // of seed, step and site: see dropout_key
  uint32_t threshold = 0;  // an element is dropped if its 16 random bits are below; 0: no dropout
  float scale = 1;         // of what is kept: 1 / (1 - rate)
};
DropoutKey dropout_key(double rate, uint64_t seed, uint64_t step, uint32_t site);

// Which sentence a packed row belongs to, and where in it it stands.
struct TokenPosition {
  uint64_t sentence;
  uint32_t position;
};

struct NormForward {
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
  TypedFloats factors = {};  // [n, d] the norm (without one: the sum) once more, for products; null: not wanted
};

struct NormBackward {
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
  const uint64_t* sentence_names;
};
struct AttentionForward {
  ConstTypedFloats query, key, value;  // rows of [heads, depth]
  int64_t query_stride, key_stride;    // key and value share theirs
  float* weights;                      // [sentence][heads][queries][keys padded to 16], kept for backward
  TypedFloats output;                  // [n, heads * depth]
};
struct AttentionBackward {
  ConstTypedFloats query, key, value;
  int64_t query_stride, key_stride;
  const float* weights;
  ConstTypedFloats output_gradient;                          // [n, heads * depth]
  TypedFloats query_gradient, key_gradient, value_gradient;  // same strides; written, not added
};

// The rows of a batch by their tokens: how a device adds up the gradients of an embedding's rows in a fixed order with
// all its threads. A CPU does without.
struct TokenOrder {
  int64_t distinct = 0;             // tokens
  const int32_t* tokens = nullptr;  // [distinct]
  const int32_t* first = nullptr;   // [distinct + 1] where the rows of each token begin in `rows`
  const int32_t* rows = nullptr;    // [n] in ascending order for each token
};

struct LossRows {
  int64_t rows;
  int64_t vocabulary;
  TypedFloats logits;      // [rows, v]; may be used up
  const int32_t* targets;  // [rows]
  double smoothing;
  TypedFloats gradient;  // [rows, v] out: may be the logits; null: not wanted
  float gradient_scale;  // the gradient is that of the smoothed loss times this
  double* smoothed;      // [rows] out: loss with smoothing, entropy of the target subtracted
  double* cross_entropy;         // [rows] out: cross-entropy
  int32_t* best;         // [rows] out: the most likely token
};

// The sums over rows of what `LossRows` has put out, in the order of rows.
struct LossSums {
  double smoothed, cross_entropy, correct;
};

// Attention of one query per row over keys of its own, for decoding.
struct StepAttention {
  int64_t rows;
  int64_t heads, depth;
  ConstTypedFloats query;  // [rows], each [heads, depth]
  int64_t query_stride;
  const void* const* keys;           // where each key's row lies, of the query's type; the keys of a row of queries one
  const int64_t* first;              // after the other from this number on, [rows],
  const int32_t* counts;             // [rows] so many, at least one
  int64_t key_offset, value_offset;  // in a key's row
  TypedFloats output;                // [rows, heads * depth]
  int32_t* aligned;                  // [rows] out: the key with the largest weight of all heads together; or null
};

// The most likely tokens of each row of logits, the likeliest first; of equal ones the lower number.
struct BestTokens {
  int64_t rows, vocabulary;
  const float* logits;  // [rows, v]
  int64_t count;
  int32_t* tokens;           // [rows, count] out; -1 where there is none left
  float* log_probabilities;  // [rows, count] out
  float* log_partition;      // [rows] out: what to subtract from a logit for its log-probability
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
};
constexpr int64_t kProductScratch = 1 << 18;  // floats that a product needs beside

struct Kernels {
  const char* name;
  // On the calling thread alone. The result does not depend on how a product is cut into rows and columns of C,
  // which is cheapest at multiples of the tile.
  void (*multiply)(const Gemm&, float* scratch);
  int64_t tile_rows, tile_columns;
  void (*norm_forward)(int64_t n, int64_t d, const NormForward&, const DropoutKey&, const TokenPosition* rows);
  void (*norm_backward)(int64_t n, int64_t d, const NormBackward&, const DropoutKey&, const TokenPosition* rows,
                        float* partial_sums);
  // x = dropout(relu(x + bias)) in place.
  void (*relu_forward)(int64_t n, int64_t f, TypedFloats x, const float* bias, const DropoutKey&, const TokenPosition* rows);
  // gradient *= scale where output > 0, else 0; adds the column sums to bias_gradient if it is not null.
  void (*relu_backward)(int64_t n, int64_t f, ConstTypedFloats output, TypedFloats gradient, float scale,
                        float* bias_gradient, float* partial_sums);
  // out = dropout(table[id] * factor + position code): the code of position p starts at positions + p d.
  void (*embed_forward)(int64_t n, int64_t d, const int32_t* ids, const float* table, float factor,
                        const float* positions, float* out, const DropoutKey&, const TokenPosition* rows);
  // table_gradient[id] += factor * gradient with the dropout mask.
  void (*embed_backward)(int64_t n, int64_t d, const int32_t* ids, const float* gradient, float factor,
                         float* table_gradient, const DropoutKey&, const TokenPosition* rows);
  void (*attention_forward)(const AttentionShape&, const AttentionForward&, const DropoutKey&);
  void (*attention_backward)(const AttentionShape&, const AttentionBackward&, const DropoutKey&);
  void (*loss)(const LossRows&);
  void (*add_bias)(int64_t n, int64_t d, TypedFloats x, int64_t stride, const float* bias);
  void (*column_sums)(int64_t n, int64_t d, ConstTypedFloats x, float* sums, float* partial_sums);  // added to
  void (*step_attention)(const StepAttention&);
  void (*best_tokens)(const BestTokens&);
  // One row of a mask as floats (0 or scale): what the reference path and the tests use. Features are
  // counted from 128 first_block; the weights of attention head h start at block 512 h.
  void (*dropout_row)(const DropoutKey&, uint64_t sentence, uint32_t position, uint32_t first_block, int64_t features,
                      float* mask);
};

// The number of floats that `partial_sums` must have for rows of `columns`.
int64_t partial_sums_size(int64_t columns);

// All that this machine can run, the plainest first.
std::span<const Kernels* const> available_kernels();
// The best for this machine, or the one of this name: baseline, avx2 or avx512.
const Kernels& choose_kernels(const std::string& name = "");

}  // namespace verbund
